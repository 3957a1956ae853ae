"""Reads the catalog: every entry is checked against the schema, and a site's own entries are added to the shipped ones.

A folder `catalog/` beside site.yaml adds steps (`X01`…), and overrides durations, lead times, policies or criteria of shipped
steps by id. An override says why; everything else about the step stays.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from posixpath import normpath

from pydantic import VERSION, Field

from schedule.errors import InputError, Place
from schedule.meant import did_you_mean
from steps.catalog.kept import kept
from steps.catalog.schema import Closed, Step, Text
from steps.catalog.terms import Effect
from steps.validation import validated
from steps.yaml_lines import Lines, dotted, line_of, load

LONGEST_SLUG = 100
OVERRIDABLE = frozenset(
    {"duration", "supplies", "crew", "sign_off", "accept", "also_reads", "preview", "waves", "together"}
)


class StatedApproval(Closed):
    """The most likely time from finished work to its approval, in working hours of the site."""

    hours: float = Field(ge=0, le=1_000)
    source: Text


class Role(Closed):
    """What a role is called, whether it approves, and how long work waits for that. An `office` works no shifts."""

    title: Text
    signs: bool = False
    office: bool = False
    approval: StatedApproval | None = None


@dataclass(frozen=True)
class Entry:
    """A step, its file, and what a site changed about it."""

    step: Step
    path: Path
    lines: Lines
    local: bool = False
    overridden: tuple[str, ...] = ()
    override_reason: str = ""

    def place(self, *key: str | int) -> Place:
        """Return the place of a key in the entry's file, for an error or a finding."""
        return Place(str(self.path), line_of(self.lines, key), dotted(key))


Catalog = dict[str, Entry]


def shipped_folder() -> Path:
    """Return the folder of the shipped catalog."""
    return Path(str(files("steps") / "catalog"))


def read_catalog(beside: Path | None = None) -> Catalog:
    """Return all entries by id: the shipped ones, and a site's own from `catalog/` in the folder `beside`."""
    catalog = dict(_shipped(shipped_folder()))
    own = beside / "catalog" if beside else None
    if own is not None and own.is_dir():
        for path in sorted(own.rglob("*.yaml")):
            if path.name != "roles.yaml":
                _overlay(catalog, path)
    return dict(sorted(catalog.items(), key=lambda item: _order(item[0])))


@cache
def _shipped(folder: Path) -> Catalog:
    """Return the shipped entries, which are the same as long as the program runs. They are read and checked once for their contents."""
    paths = sorted(folder.glob("*/[0-9HX]*.yaml"))

    def read() -> Catalog:
        catalog: Catalog = {}
        for path in paths:
            _add(catalog, _entry(path, local=False))
        return catalog

    return kept("catalog", (VERSION, *((path, path.read_bytes()) for path in paths)), read)


def read_roles(beside: Path | None = None) -> dict[str, Role]:
    """Return every role by slug: the shipped ones, and a site's own from `catalog/roles.yaml` in the folder `beside`.

    What that file does not say of a shipped role stays as it is.
    """
    roles = dict(_shipped_roles())
    own = beside / "catalog" / "roles.yaml" if beside else None
    if own is not None and own.exists():
        for slug, role in _roles_in(own).items():
            said = {key: getattr(role, key) for key in role.model_fields_set}
            roles[slug] = roles.get(slug, role).model_copy(update=said)
    return roles


@cache
def _shipped_roles() -> dict[str, Role]:
    return _roles_in(shipped_folder() / "roles.yaml")


def offices(roles: Mapping[str, Role]) -> frozenset[str]:
    """Return the roles that work no shifts and no weekends, as lawyers, buyers, designers, utilities and authorities."""
    return frozenset(slug for slug, role in roles.items() if role.office)


def approval_hours(roles: Mapping[str, Role]) -> dict[str, float]:
    """Return the working hours that work waits for the approval of each role that says so."""
    return {slug: role.approval.hours for slug, role in roles.items() if role.approval is not None}


def _roles_in(path: Path) -> dict[str, Role]:
    """Return the roles of a file. Raise InputError for what is no role, with its place."""
    roles, lines = load(path)
    file, found = str(path), {}
    if not isinstance(roles, dict):
        raise InputError("expected roles by their slug", hint="rigger: {title: Rigger}", place=Place(file, 1))
    for slug, role in roles.items():
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", str(slug)[:LONGEST_SLUG]):
            place = Place(file, line_of(lines, (str(slug),)))
            raise InputError(f"{str(slug)[:LONGEST_SLUG]!r} is no role: small letters, digits and hyphens", place=place)
        its_lines = {path[1:]: line for path, line in lines.items() if path[:1] == (slug,)}
        found[slug] = validated(Role, role, its_lines, file)
    return found


def read_into(catalog: Catalog, path: Path) -> str:
    """Put the step of one file into the catalog, in place of the one that it has; return the step's id."""
    data, _ = load(path)
    if isinstance(data, dict) and "overrides" in data:
        _overlay(catalog, path)
        return str(data["overrides"])
    entry = _entry(path, local=not path.resolve().is_relative_to(shipped_folder()))
    catalog[entry.step.id] = entry
    return entry.step.id


def shipped_step(step: str) -> Step | None:
    """Return a step of the shipped catalog, read from its one file; None if there is no such step."""
    for path in shipped_folder().glob(f"*/{step}_*.yaml"):
        return _entry(path, local=False).step
    return None


def require(catalog: Catalog, step: str) -> Entry:
    """Return an entry; raise InputError with the nearest id if there is none."""
    if step in catalog:
        return catalog[step]
    raise InputError(f"there is no step {step[:LONGEST_SLUG]!r}", hint=_meant(catalog, step[:LONGEST_SLUG]))


def _meant(catalog: Catalog, step: str) -> str:
    """Return which step somebody meant: by an activity's id, a number without its zeros, a word of the title, or a similar id."""
    number = step.partition("@")[0].upper().zfill(3)
    titled = [name for name, entry in catalog.items() if step.casefold() in entry.step.title.casefold()]
    near = [number] if number in catalog else titled[:3] or difflib.get_close_matches(step, list(catalog), n=1)
    return did_you_mean(near) or "`clusterwright catalog list` lists them"


def _order(step: str) -> tuple[int, str]:
    return (0 if step[0].isdigit() else 1, step)


def _entry(path: Path, *, local: bool) -> Entry:
    data, lines = load(path)
    step = validated(Step, data, lines, str(path))
    expected = f"{step.id}_{step.slug.replace('-', '_')}.yaml"
    if path.name != expected:
        raise InputError(f"the file of step {step.id} must be called {expected}", place=Place(str(path), 1, "slug"))
    return Entry(step, path, lines, local)


def stated_effect(playbook: str | None) -> Effect | None:
    """Return what a playbook does to hosts, as the shipped step says that has it. None where it is not one of the shipped.

    What has a shipped step's number and is no step's own is a part of other playbooks, and taken for the worst.
    """
    name = normpath(playbook or "")
    steps = [entry.step for entry in _shipped(shipped_folder()).values()]
    if owner := next((step for step in steps if name in step.playbooks), None):
        return owner.effect
    is_part = any(name.startswith(f"{step.phase}/{step.id}_") for step in steps)
    return Effect.DESTRUCTIVE if is_part else None


def understates(playbook: str | None, effect: Effect | None) -> bool:
    """Return whether a step says less of its playbook than a shipped step does. It would then run without a release."""
    known = stated_effect(playbook)
    rank = list(Effect).index
    return known is not None and (effect is None or rank(effect) < rank(known))


def _refuse_understating(entry: Entry) -> None:
    for playbook in entry.step.playbooks:
        if understates(playbook, entry.step.effect):
            known = stated_effect(playbook)
            raise InputError(
                f"the playbook {playbook} has the effect {known}, and the step says less",
                hint=f"write `effect: {known}`: it waits for a release then",
                place=entry.place("effect"),
            )


def _add(catalog: Catalog, entry: Entry) -> None:
    if entry.step.id in catalog:
        other = catalog[entry.step.id].path
        raise InputError(f"step {entry.step.id} is already in {other}", place=entry.place("id"))
    catalog[entry.step.id] = entry


def _overlay(catalog: Catalog, path: Path) -> None:
    """Add a site's own step to the catalog, or its override to the shipped step."""
    data, lines = load(path)
    if not isinstance(data, dict) or "overrides" not in data:
        entry = _entry(path, local=True)
        if not entry.step.id.startswith("X"):
            raise InputError(
                "a site's own step has an id from X01",
                hint="to change a shipped step, write `overrides: ID`, `reason:` and the keys to change",
                place=entry.place("id"),
            )
        _refuse_understating(entry)
        _add(catalog, entry)
        return
    try:
        shipped = require(catalog, str(data.pop("overrides")))
    except InputError as error:
        place = Place(str(path), line_of(lines, ("overrides",)), "overrides")
        raise InputError(error.what, hint=error.hint, place=place) from None
    reason = data.pop("reason", None)
    unknown = sorted(map(str, set(data) - OVERRIDABLE))
    if unknown or not (reason and isinstance(reason, str)):
        at = (unknown[0],) if unknown else ()
        raise InputError(
            f"{unknown[0][:LONGEST_SLUG]!r} cannot be overridden" if unknown else "an override says why",
            hint=f"write `reason`, and any of {', '.join(sorted(OVERRIDABLE))}",
            place=Place(str(path), line_of(lines, at), None),
        )
    merged = shipped.step.model_dump(mode="json", exclude_none=True) | data
    try:
        step = validated(Step, merged, lines, str(path))
    except InputError as error:
        hint = error.hint or f"an override replaces a key with all below it: copy the key from {shipped.path}"
        raise InputError(error.what, hint=hint, place=error.place) from None
    entry = Entry(step, path, lines, local=True)
    catalog[step.id] = replace(entry, overridden=tuple(data), override_reason=reason)
