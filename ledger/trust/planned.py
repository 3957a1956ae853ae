"""The document of a plan's authority, which is small where a plan is large, so that a decision can look at it.

It has everybody's roles and keys, and digests of what the plan says: one for each activity with its links, one for each order with
its deliveries and links, and one for the site. The same digests are made here from the tables of a file, and compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from ledger.questions.snapshot import Snapshot
from ledger.rules.subjects import is_supply, order_of
from ledger.state.projection import stored
from ledger.subjects.plan.applying import LINK, design_columns, unit_columns, values_of
from ledger.subjects.plan.revision_applying import order_columns, tranche_columns
from steps.planning.activity import texts_of
from steps.planning.plan import Plan
from steps.stamps import stamp

DESIGN = (
    "site",
    "preset",
    "facility",
    "country",
    "currency",
    "time_zone",
    "start",
    "finish",
    "working_days",
    "working_hours",
    "holidays",
    "evidence_max_mb",
    "evidence_types",
    "figures",
    "choices",
)
CALENDARS, NO_CALENDARS = "calendars", "{}"
UNIT = ("id", "kind", "parent", "title", "hosts", "shared")
ORDER = (
    "id",
    "step",
    "unit",
    "item",
    "title",
    "quantity",
    "unit_of_measure",
    "supplier",
    "lead_m_h",
    "serialised",
    "order_by",
    "need_by",
    "total_float_h",
)
TRANCHE = ("id", "number", "quantity", "units", "need_by")

AFTER = LINK.index("after")
IN = "IN (SELECT value FROM json_each(:names))"

Rows = list[list[Any]]
_json = json.JSONEncoder(ensure_ascii=False).encode


def authority_text(plan: Plan) -> bytes:
    """Return the document of a plan's authority."""
    people = {}
    for person in plan.people:
        key = " ".join(person.ssh_key.split()[:2]) if person.ssh_key else None
        roles = sorted(set(person.roles))
        people[person.id] = {"roles": roles, "account": person.account, "key": key}
    links: dict[str, list[tuple[Any, ...]]] = {}
    for link, values in zip(plan.links, values_of(plan.links), strict=True):
        node = order_of(link.after) if is_supply(link.after) else link.after
        links.setdefault(node, []).append(values)
    activities = {}
    for activity, text in zip(plan.activities, texts_of(plan.activities), strict=True):
        activities[activity.id] = _digest(text, links.get(activity.id, []))
    orders = {}
    for order in plan.orders:
        tranches = [_values(TRANCHE, tranche_columns(order, tranche)) for tranche in order.tranches]
        columns = _values(ORDER, order_columns(order))
        orders[order.id] = _digest(columns, tranches, links.get(order.id, []))
    document = {
        "people": people,
        "engine_key": " ".join(plan.engine_key.split()[:2]) if plan.engine_key else None,
        "start": stamp(plan.start),
        "site": _site(plan),
        "activities": activities,
        "orders": orders,
    }
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def _site(plan: Plan) -> str:
    numbered = enumerate(plan.units)
    units = [_values(UNIT, unit_columns(unit, number)) for number, unit in numbered]
    sets = sorted(plan.host_sets.items())
    hosts = [[name, stored(hosts)] for name, hosts in sets]
    *design, calendars = _values((*DESIGN, CALENDARS), design_columns(plan))
    return _site_digest(design, units, hosts, calendars)


def _site_digest(
    design: list[Any] | None,
    units: Rows,
    hosts: Rows,
    calendars: str,
) -> str:
    """Return the digest of a site. Without calendars of trades it is that of plans from before there were any."""
    said: list[Any] = [design, units, hosts]
    if calendars != NO_CALENDARS:
        said.append(calendars)
    return _digest(*said)


def activities_in(snapshot: Snapshot, names: Iterable[str]) -> dict[str, str]:
    """Return the digests of activities' parts of the plan and of their links, as the tables of a file have them."""
    wanted = json.dumps(sorted(names))
    links: dict[str, Rows] = {}
    for link in _rows(snapshot, LINK, f'link WHERE "after" {IN} ORDER BY id', wanted):
        links.setdefault(link[AFTER], []).append(link)
    parts = snapshot.ask(f"SELECT id, plan FROM activity WHERE id {IN}", names=wanted)  # noqa: S608  our names
    return {name: _digest(text, links.get(name, [])) for name, text in parts}


def orders_in(snapshot: Snapshot, names: Iterable[str]) -> dict[str, str]:
    """Return the digests of orders, their deliveries and their links, as the tables of a file have them."""
    wanted = json.dumps(sorted(names))
    tranches: dict[str, Rows] = {}
    nodes = {name: name for name in json.loads(wanted)}
    for order, *tranche in _rows(
        snapshot,
        ("order_line", *TRANCHE),
        f"tranche WHERE order_line {IN} AND in_plan ORDER BY order_line, number",
        wanted,
    ):
        tranches.setdefault(order, []).append(tranche)
        nodes[tranche[0]] = order
    links: dict[str, Rows] = {}
    for link in _rows(snapshot, LINK, f'link WHERE "after" {IN} ORDER BY id', json.dumps(sorted(nodes))):
        links.setdefault(nodes[link[AFTER]], []).append(link)
    found = {}
    for row in _rows(snapshot, ORDER, f"order_line WHERE id {IN}", wanted):
        name = row[0]
        before = links.get(name, [])
        found[name] = _digest(row, tranches.get(name, []), before)
    return found


def site_in(snapshot: Snapshot) -> str:
    """Return the digest of the plan's calendar and figures, of the units and of the sets of hosts, as the tables of a file have them."""
    adopted = _rows(snapshot, (*DESIGN, CALENDARS), "plan_revision ORDER BY revision DESC LIMIT 1")
    *design, calendars = adopted[0] if adopted else (NO_CALENDARS,)
    units = _rows(snapshot, UNIT, "unit ORDER BY ordinal")
    hosts = _rows(snapshot, ("name", "hosts"), "host_set ORDER BY name")
    return _site_digest(design or None, units, hosts, calendars)


def _rows(
    snapshot: Snapshot,
    columns: Iterable[str],
    tail: str,
    names: str = "",
) -> Rows:
    named = ", ".join(f'"{column}"' for column in columns)
    return [list(row) for row in snapshot.ask(f"SELECT {named} FROM {tail}", names=names)]  # noqa: S608  our names


def _values(columns: Iterable[str], row: dict[str, Any]) -> list[Any]:
    """Return columns of a row as SQLite returns them."""
    values = (stored(row[name]) for name in columns)
    return [int(value) if isinstance(value, bool) else value for value in values]


def _digest(*said: Any) -> str:
    """Return the SHA-256 of texts, and of everything else as JSON."""
    digest = sha256()
    for part in said:
        text = part if isinstance(part, str) else _json(part)
        digest.update(text.encode() + b"\n")
    return digest.hexdigest()
