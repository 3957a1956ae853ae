"""Reading the catalog: every entry checked against the schema, the user's own laid over ours.

A folder `catalog/` beside site.yaml adds steps (`X01`…) and overrides durations, lead times, roles,
policies or criteria of ours by id. An override says why; everything else about the step stays.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from steps.catalog.schema import Step
from steps.errors import InputError, Place
from steps.validation import validated
from steps.yaml_lines import Lines, dotted, line_of, load

OVERRIDABLE = frozenset({"duration", "supplies", "crew", "sign_off", "accept", "also_reads", "preview", "waves"})


@dataclass(frozen=True)
class Entry:
    """A step, where it is written, and what a site changed about it."""

    step: Step
    path: Path
    lines: Lines
    local: bool = False
    overridden: tuple[str, ...] = ()
    override_reason: str = ""

    def place(self, *key: str | int) -> Place:
        """Return the place of a key in the entry's file."""
        return Place(str(self.path), line_of(self.lines, key), dotted(key))


Catalog = dict[str, Entry]


def shipped_folder() -> Path:
    """Return the folder of the catalog that comes along."""
    return Path(str(files("steps") / "catalog"))


def read_catalog(beside: Path | None = None) -> Catalog:
    """Return all entries by id: ours, and a site's own from `catalog/` in the folder `beside`."""
    catalog: Catalog = {}
    for path in sorted(shipped_folder().glob("*/[0-9HX]*.yaml")):
        _add(catalog, _entry(path, local=False))
    own = beside / "catalog" if beside else None
    if own is not None and own.is_dir():
        for path in sorted(own.rglob("*.yaml")):
            if path.name != "roles.yaml":
                _overlay(catalog, path)
    return dict(sorted(catalog.items(), key=lambda item: _order(item[0])))


def read_roles(beside: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return every role by slug with `title` and `signs`."""
    roles, _ = load(shipped_folder() / "roles.yaml")
    own = beside / "catalog" / "roles.yaml" if beside else None
    if own is not None and own.exists():
        added, _ = load(own)
        roles |= added
    return dict(roles)


def read_into(catalog: Catalog, path: Path) -> str:
    """Read one file, in the place of the step that the catalog has of it; return the step's id."""
    data, _ = load(path)
    if isinstance(data, dict) and "overrides" in data:
        _overlay(catalog, path)
        return str(data["overrides"])
    entry = _entry(path, local=not path.resolve().is_relative_to(shipped_folder()))
    catalog[entry.step.id] = entry
    return entry.step.id


def shipped_step(step: str) -> Step | None:
    """Return a step of the catalog that comes along, read from its one file; None if it has no such step."""
    for path in shipped_folder().glob(f"*/{step}_*.yaml"):
        return _entry(path, local=False).step
    return None


def require(catalog: Catalog, step: str) -> Entry:
    """Return an entry, or raise InputError with the nearest id."""
    if step in catalog:
        return catalog[step]
    close = difflib.get_close_matches(step, list(catalog), n=1)
    raise InputError(f"there is no step {step!r}", hint=f"did you mean {close[0]}?" if close else "")


def _order(step: str) -> tuple[int, str]:
    return (0 if step[0].isdigit() else 1, step)


def _entry(path: Path, *, local: bool) -> Entry:
    data, lines = load(path)
    step = validated(Step, data, lines, str(path))
    expected = f"{step.id}_{step.slug.replace('-', '_')}.yaml"
    if path.name != expected:
        raise InputError(f"the file of step {step.id} is called {expected}", place=Place(str(path), 1, "slug"))
    return Entry(step, path, lines, local)


def _add(catalog: Catalog, entry: Entry) -> None:
    if entry.step.id in catalog:
        other = catalog[entry.step.id].path
        raise InputError(f"step {entry.step.id} is already in {other}", place=entry.place("id"))
    catalog[entry.step.id] = entry


def _overlay(catalog: Catalog, path: Path) -> None:
    """Add a site's own step, or lay its override over ours."""
    data, lines = load(path)
    if not isinstance(data, dict) or "overrides" not in data:
        entry = _entry(path, local=True)
        if not entry.step.id.startswith("X"):
            raise InputError(
                "a site's own step has an id from X01",
                hint="to change one of ours, write `overrides: ID`, `reason:` and the keys to change",
                place=entry.place("id"),
            )
        _add(catalog, entry)
        return
    ours = require(catalog, str(data["overrides"]))
    changed = {key: value for key, value in data.items() if key not in {"overrides", "reason"}}
    unknown = sorted(set(changed) - OVERRIDABLE)
    if unknown or not data.get("reason"):
        raise InputError(
            f"{unknown[0]!r} cannot be overridden" if unknown else "an override says why",
            hint=f"give `reason`, and any of {', '.join(sorted(OVERRIDABLE))}",
            place=Place(str(path), line_of(lines, (unknown[0],) if unknown else ()), None),
        )
    merged = _plain(ours.step) | changed
    step = validated(Step, merged, lines, str(path))
    catalog[ours.step.id] = Entry(
        step, path, lines, local=True, overridden=tuple(changed), override_reason=data["reason"]
    )


def _plain(step: BaseModel) -> dict[str, Any]:
    return step.model_dump(mode="json", exclude_none=True)
