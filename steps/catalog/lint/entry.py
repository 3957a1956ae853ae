"""Compares one entry with the rest of the catalog, the roles and the playbooks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steps.catalog.lint.report import Installed, LintFinding
from steps.catalog.loader import Catalog, Entry
from steps.catalog.terms import Kind, Mapping, Scope
from steps.yaml_lines import KeyPath, load

WIDTH = {scope: number for number, scope in enumerate(Scope)}
"""Scopes by width: 0 is the widest."""


def entry_findings(entry: Entry, catalog: Catalog, installed: Installed) -> Iterator[LintFinding]:
    """Yield what is wrong with the roles, links, supplies and playbooks that an entry names."""
    yield from _roles(entry, installed)
    for index in range(len(entry.step.links)):
        yield from _link(entry, index, catalog)
    yield from _playbooks(entry, installed.playbooks)
    yield from _completed_by(entry)
    yield from _after_dead_parts(entry, catalog)
    if entry.step.kind is Kind.PROCURE:
        yield from _unused_supplies(entry, catalog)


def _completed_by(entry: Entry) -> Iterator[LintFinding]:
    linked = {link.after for link in entry.step.links}
    for other in entry.step.completed_by:
        if other not in linked:
            yield LintFinding("duplicate", f"completed by {other} without a link to it", entry.place("completed_by"))


def _after_dead_parts(entry: Entry, catalog: Catalog) -> Iterator[LintFinding]:
    dead = entry.step.duration.dead
    named = {} if dead is None else {("holds",): dead.holds} | {("then", k): step for k, step in enumerate(dead.then)}
    for key, step in named.items():
        if step not in catalog or catalog[step].step.scope is not entry.step.scope:
            message = f"{step} is no step of the same unit that a dead part could hold"
            yield LintFinding("dead", message, entry.place("duration", "dead", *key))


def _unused_supplies(entry: Entry, catalog: Catalog) -> Iterator[LintFinding]:
    links = [link for other in catalog.values() for link in other.step.links]
    used = {link.supply for link in links if link.after == entry.step.id}
    for index, supply in enumerate(entry.step.supplies):
        if supply.item not in used:
            message = f"nothing waits for the delivery of {supply.item}"
            yield LintFinding("supply", message, entry.place("supplies", index, "item"))


def _playbooks(entry: Entry, folder: Path) -> Iterator[LintFinding]:
    step = entry.step
    named: dict[KeyPath, str | None] = {("playbook",): step.playbook}
    for index, alternative in enumerate(step.alternatives):
        named[("alternatives", index, "playbook")] = alternative.playbook
    for key, playbook in named.items():
        if playbook is None:
            continue
        if not (folder / playbook).exists():
            yield LintFinding("playbook", f"the playbook {playbook} does not exist", entry.place(*key))
        elif step.waves:
            yield from _plays_for_one_host(entry, folder, playbook)


def _plays_for_one_host(entry: Entry, folder: Path, playbook: str) -> Iterator[LintFinding]:
    plays, _ = load(folder / playbook)
    for single in {play["hosts"] for play in plays if "[" in play["hosts"]}:
        message = f"{playbook} has a play for {single} alone, which only one of the waves would run"
        yield LintFinding("waves", message, entry.place("waves"), "leave `waves` out")


def _roles(entry: Entry, installed: Installed) -> Iterator[LintFinding]:
    step, policy = entry.step, entry.step.sign_off.policy
    witnesses = policy.witness.roles if policy.witness else ()
    named: dict[KeyPath, tuple[str, ...]] = {}
    named[("crew", "role")] = (step.crew.role,)
    for index, supply in enumerate(step.supplies):
        named[("supplies", index, "supplier")] = (supply.supplier,)
    named[("sign_off",)] = (*policy.roles, *witnesses)
    for key, roles in named.items():
        for role in roles:
            if role not in installed.roles:
                yield LintFinding("role", f"the role {role!r} is not defined", entry.place(*key))
    for role in policy.roles:
        if role in installed.roles and not installed.roles[role].signs:
            yield LintFinding("role", f"the role {role!r} does not sign", entry.place("sign_off"))
    if policy.quorum > len(policy.roles):
        message = f"{len(policy.roles)} roles cannot reach a quorum of {policy.quorum}: each signs once"
        yield LintFinding("quorum", message, entry.place("sign_off"))


def _link(entry: Entry, index: int, catalog: Catalog) -> Iterator[LintFinding]:
    step, link = entry.step, entry.step.links[index]
    place = entry.place("links", index, "after")
    if link.after not in catalog:
        yield LintFinding("link", f"waits for {link.after}, which does not exist", place)
        return
    before = catalog[link.after].step
    narrower = WIDTH[before.scope] - WIDTH[step.scope]
    if not _fits(link.map, narrower, of_supply=link.supply is not None):
        message = f"map {link.map} does not fit: {step.id} is a {step.scope}'s, {before.id} a {before.scope}'s"
        yield LintFinding("link", message, place)
    if link.supply and link.supply not in {supply.item for supply in before.supplies}:
        yield LintFinding("supply", f"step {before.id} has no supply line {link.supply!r}", place)


def _fits(mapping: Mapping, narrower: int, *, of_supply: bool) -> bool:
    """Return whether a mapping is possible; `narrower` is how many scopes the predecessor is below the successor."""
    match mapping:
        case Mapping.SAME:
            return narrower == 0 or (of_supply and narrower < 0)
        case Mapping.ENCLOSING:
            return narrower < 0
        case Mapping.FIRST | Mapping.ALL | Mapping.AS_THEY_COME:
            return narrower > 0
