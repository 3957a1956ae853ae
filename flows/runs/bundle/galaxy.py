"""The collections that the playbooks require: in which version each is installed, and where.

One that is installed with the program's own Python goes by its version, like the program itself. One that the user installed beside
it is part of what Ansible reads: its files are hashed and copied like those of a role.
"""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import yaml

REQUIREMENTS = "requirements.yml"
FOLDER = "ansible_collections"
ANSIBLE = ("ansible-core", "ansible")
"""The packages whose version says which modules and plugins Ansible brings with it."""

BESIDE = (Path("~/.ansible/collections"), Path("/usr/share/ansible/collections"))
"""Where `ansible-galaxy collection install` puts collections."""


class Collections(NamedTuple):
    """What is installed: versions by name, the files by which a change of them shows, and the folders that belong to the user."""

    versions: dict[str, str]
    shown_by: tuple[Path, ...]
    folders: dict[str, Path]


def collections_for(playbooks: Path) -> Collections:
    """Return the collections that a folder of playbooks requires. Ansible's own packages are among the versions."""
    required = playbooks / REQUIREMENTS
    versions = {name: _package(name) for name in ANSIBLE}
    shown_by, folders = [required], {}
    own = _folder_of("ansible")
    if own is not None:
        shown_by.append(own / "release.py")
    for name in _required(required):
        namespace, _, short = name.partition(".")
        manifest = Path(namespace) / short / "MANIFEST.json"
        installed = _folder_of(FOLDER)
        places = [place.expanduser() / FOLDER for place in BESIDE]
        found = [place / manifest for place in (installed, *places) if place and (place / manifest).exists()]
        versions[name] = _version(found[0]) if found else "not installed"
        shown_by += found[:1]
        if found and (installed is None or found[0] != installed / manifest):
            folders[name] = found[0].parent
    return Collections(versions, tuple(shown_by), folders)


def _required(requirements: Path) -> list[str]:
    """Return the names of the collections in a file of requirements. None where there is no file."""
    if not requirements.exists():
        return []
    document = yaml.safe_load(requirements.read_text(encoding="utf-8")) or {}
    return [one if isinstance(one, str) else str(one["name"]) for one in document.get("collections", ())]


def _folder_of(package: str) -> Path | None:
    """Return where Python finds a package, which it does not import. None where it is not installed."""
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _version(manifest: Path) -> str:
    return str(json.loads(manifest.read_text(encoding="utf-8"))["collection_info"]["version"])
