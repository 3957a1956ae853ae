"""Drafts of a site's own steps, for work that another plan has and ours has not. A person completes each before it is adopted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from steps.catalog.loader import Catalog
from steps.catalog.schema import Step
from steps.catalog.terms import SHIFT_H, Phase, Scope

NOBODY_KNOWN = {"role": "owner-pm", "size": 1}
"""The crew of work that no step of ours is beside."""
SLUG_END = re.compile(r"[^a-z0-9]+")
LONGEST_SLUG = 60


class NewWork(NamedTuple):
    """An activity of another plan: its id and title there, its working time, and what it follows and precedes.

    What it follows and precedes is named by our ids, or those of other new work.
    """

    id: str
    title: str
    minutes: int
    after: Sequence[str]
    before: Sequence[str]


class Draft(NamedTuple):
    """A file of a step: its name and text, and of which work it is."""

    step: str
    work: NewWork
    file: str
    text: str


def drafts(work: Sequence[NewWork], catalog: Catalog, source: str) -> list[Draft]:
    """Return a draft for each piece of work, with the next free ids. `source` is the file that it comes from."""
    taken = [int(name[1:]) for name in catalog if name.startswith("X")]
    first = max(taken, default=0) + 1
    ids = {one.id: f"X{first + number:02d}" for number, one in enumerate(work)}
    return [_draft(one, ids, catalog, source) for one in work]


def _draft(one: NewWork, ids: Mapping[str, str], catalog: Catalog, source: str) -> Draft:
    step, slug = ids[one.id], _slug(one)
    said = f"{source}, activity {one.id}"
    beside = _beside(one, catalog)
    links = list(_links(one, ids, catalog, said))
    document: dict[str, Any] = {
        "id": step,
        "slug": slug,
        "title": one.title or one.id,
        "description": f"{one.title or one.id} ({said}).",
        "phase": str(beside.phase if beside else Phase.PROCUREMENT),
        "section": "Own",
        "kind": "field",
        "scope": str(Scope.SITE),
        "crew": {"role": beside.crew.role, "size": beside.crew.size} if beside else NOBODY_KNOWN,
        "duration": {"fixed": {"value": round(one.minutes / 60 / SHIFT_H, 2), "unit": "crew-day", "source": said}},
        "links": links,
    }
    if not links:
        document["starts_freely"] = f"nothing of ours comes before it in {said}"
    roles = list(beside.sign_off.policy.roles) if beside else ["owner-pm"]
    document |= {"sign_off": {"policy": {"roles": roles}}, "sources": {"references": [said]}}
    body = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)
    return Draft(step, one, f"{step}_{slug.replace('-', '_')}.yaml", "".join(_head(one, ids)) + body)


def _head(one: NewWork, ids: Mapping[str, str]) -> Iterator[str]:
    yield "# A draft. Check phase, crew, duration, links and sign-off; then `catalog lint`, `plan diff` and `plan adopt`.\n"
    before = [name for name in one.before if name not in ids]
    if before:
        yield f"# Not taken over: it comes before {', '.join(before)}. Links of shipped steps cannot be changed.\n"


def _beside(one: NewWork, catalog: Catalog) -> Step | None:
    """Return the step of ours that it follows, else the one that it precedes."""
    steps = (name.partition("@")[0] for name in (*one.after, *one.before) if "@" in name)
    return next((catalog[name].step for name in steps if name in catalog), None)


def _links(one: NewWork, ids: Mapping[str, str], catalog: Catalog, said: str) -> Iterator[dict[str, Any]]:
    """Yield its links: to other new work, and to steps and supplies of ours. It waits for all units of a step."""
    seen = set()
    for name in one.after:
        step, _, rest = name.partition("@")
        supply = rest.partition("#")[2].partition("/")[0]
        entry = catalog.get(step)
        if name in ids:
            link = {"after": ids[name], "map": "same"}
        elif entry is None:
            continue
        else:
            link = {"after": step, "map": "same" if entry.step.scope is Scope.SITE else "all"}
            link |= {"supply": supply} if supply else {}
        if (link["after"], supply) not in seen:
            seen.add((link["after"], supply))
            yield link | {"reason": f"it follows {name} in {said}"}


def _slug(one: NewWork) -> str:
    plain = unicodedata.normalize("NFKD", one.title or one.id).encode("ascii", "ignore").decode().lower()
    return SLUG_END.sub("-", plain)[:LONGEST_SLUG].strip("-") or "new-work"
