"""Collections come with a locked package, not from Galaxy: what the playbooks use is listed, in versions that are installed."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from packaging.specifiers import SpecifierSet

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
OWN = "ansible.builtin"
QUALIFIED = re.compile(r"([a-z_]+\.[a-z_]+)\.[a-z_0-9]+")
IN_EXPRESSIONS = re.compile(r"(?:lookup|query)\(\s*['\"]([a-z_]+\.[a-z_]+)\.|\|\s*([a-z_]+\.[a-z_]+)\.[a-z_]+")


def listed() -> dict[str, str]:
    text = (PLAYBOOKS / "requirements.yml").read_text(encoding="utf-8")
    return {entry["name"]: entry["version"] for entry in yaml.safe_load(text)["collections"]}


def installed(collection: str) -> str:
    spec = importlib.util.find_spec("ansible_collections")
    assert spec, "the package `ansible`, which brings the collections, is not installed: make setup"
    for folder in spec.submodule_search_locations or ():
        manifest = Path(folder, *collection.split("."), "MANIFEST.json")
        if manifest.exists():
            return str(json.loads(manifest.read_text(encoding="utf-8"))["collection_info"]["version"])
    return ""


def modules(part: Any) -> Iterator[str]:
    """Return the qualified keys of plays and tasks. Variables are left out, since they may be called like modules."""
    if isinstance(part, list):
        for one in part:
            yield from modules(one)
    elif isinstance(part, dict):
        for key, value in part.items():
            if QUALIFIED.fullmatch(str(key)):
                yield key
            elif key in {
                "tasks",
                "pre_tasks",
                "post_tasks",
                "handlers",
                "block",
                "rescue",
                "always",
                "module_defaults",
            }:
                yield from modules(value)


def used() -> set[str]:
    found: set[str] = set()
    for path in (
        *PLAYBOOKS.glob("*/*.yml"),
        *PLAYBOOKS.glob("roles/*/tasks/**/*.yml"),
        *PLAYBOOKS.glob("roles/*/handlers/*.yml"),
    ):
        found |= {name.rpartition(".")[0] for name in modules(yaml.safe_load(path.read_text(encoding="utf-8")))}
    for path in (p for p in PLAYBOOKS.rglob("*") if p.suffix in {".yml", ".j2"}):
        found |= {first or second for first, second in IN_EXPRESSIONS.findall(path.read_text(encoding="utf-8"))}
    return found - {OWN}


def test_every_collection_that_is_used_is_listed_and_no_other() -> None:
    assert used() == set(listed())


def test_listed_versions_are_those_that_are_installed() -> None:
    assert [name for name, versions in listed().items() if installed(name) not in SpecifierSet(versions)] == []
