"""A site whose first activity has items: three PDUs that the plan counts, or three servers that it names."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from ledger.account import machine_account
from ledger.entries import ItemEntry
from ledger.project_time import project_now
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.work.decisions import start
from steps.acceptance.measured import Measured
from steps.planning.plan import Person, Plan
from tests.ledger.conftest import PEOPLE, begun, criterion, small_plan

NAME = "001@site"
HOSTS = ("pod-001-n01", "pod-001-n02", "pod-001-n03")


def bond(value: str, unit: str = "") -> tuple[Measured, ...]:
    """Return a reading of the bond, which is compared with the limit at each item: at most 0.1 ohm."""
    return (Measured("bond", value, unit),)


def good(item: str, **given: Any) -> ItemEntry:
    """Return an item that passes with its reading."""
    return ItemEntry(item, readings=bond("0.05"), **given)


def plan_with_items(items: int | None = 3, of: str = "PDUs", hosts: tuple[str, ...] = (), **more: Any) -> Plan:
    """Return the small plan with items at its first activity."""
    plan = small_plan().model_dump()
    asked = [
        criterion("bond", "<=", Decimal("0.1"), "ohm") | {"each": "PDU"},
        criterion("labelled", "==", True, "yes/no") | {"each": "PDU"},
    ][: 2 if more.pop("labels", False) else 1]
    mine = {"items": items, "items_of": of, "criteria": asked, **more}
    activities = [a | (mine if a["id"] == NAME else {}) for a in plan["activities"]]
    units = [u | ({"hosts": hosts} if u["id"] == "site" else {}) for u in plan["units"]]
    return small_plan(activities=activities, units=units)


def begun_site(folder: Path) -> Path:
    """Make a site of this account, where work at three named servers has started."""
    folder.mkdir()
    (folder / "site.yaml").write_text("name: Small\n", encoding="utf-8")
    people = tuple(
        Person(id=key, name=name, roles=roles, account=machine_account()) for key, (name, roles) in PEOPLE.items()
    )
    plan = plan_with_items(of="servers", hosts=HOSTS).model_copy(update={"people": people})
    with begun(folder, project_now) as ledger:
        adopt_plan(ledger, "pm", plan, reason="first plan")
        start(ledger, "tech", NAME)
    return folder
