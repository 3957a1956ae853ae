"""A site that adopted its plan with an earlier version adopts the plan of this one, and keeps its finished work.

`site.tar.xz` is the record of such a site: two pods, everything done by its commands but go-live. 074 is on record with 2 MW, and 075
with 0.92 MW. `plans.tar.xz` are plans of the same version for every preset but the largest, without dates and links.
"""

from __future__ import annotations

import gzip
import re
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from clusterwright.plan_diff import Change, changes_to
from clusterwright.planning import plan_of as planned
from ledger.evidence.plans import read_plan
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.orders import orders, require_order
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.rules.rows import Begun, OrderRow
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.plan.revision_rules import Consequences, OnRecord, consequences
from ledger.subjects.plan.taking_over_rules import taken_over
from ledger.subjects.work.decisions import reopen
from ledger.trust.audit import audit
from ledger.writing import Ledger
from steps.catalog.moved import moved
from steps.planning.plan import Plan
from steps.planning.plan_document import plan_of
from tests.readings import reading
from tests.steps.test_calculated import plan_of as plan_of_preset

pytestmark = pytest.mark.own_file

GOLDEN = Path(__file__).parents[1] / "golden" / "upgrades"
STRICTER = re.compile(r"[\w.]+ (==|>=|<=|<)( each \w+)? \S+ \S+(, was \S+ \S+| is new)|[\w.]+ \S+ is new")
"""What a reason says of a criterion with another limit, of a new one, and of a new fact."""

NOT_COMPARED = {"localhost"}
"""Presets of which another design was made: one machine asked for twelve weeks of work that a cluster needs, and does not now."""


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """Return the plan that this version makes of the site."""
    folder = tmp_path_factory.mktemp("plan")
    _unpack(folder)
    return planned(folder / "upgrade")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return the folder of the site, as the earlier version left it."""
    _unpack(tmp_path)
    return tmp_path / "upgrade"


def _unpack(folder: Path) -> None:
    shutil.unpack_archive(GOLDEN / "site.tar.xz", folder)


def changes(site: Path, plan: Plan) -> list[Change]:
    """Return what `plan diff` lists."""
    with open_snapshot(site) as snapshot:
        return changes_to(snapshot, plan)


def adopt(site: Path, plan: Plan) -> None:
    with Ledger.open(site) as ledger:
        adopt_plan(ledger, "owner", plan, reason="a new version")


def of(found: list[Change], what: str) -> dict[str, str]:
    return {change.id: change.after for change in found if change.what == what}


def test_an_upgrade_opens_only_what_now_asks_for_more_than_was_measured(site: Path, upgraded: Plan) -> None:
    """074 has other items and a higher limit, which its 2 MW meet. 075 has 0.92 MW on record; most have no reading."""
    found = changes(site, upgraded)

    opened = of(found, "re-opened")

    assert sorted(opened) == [
        "034@pod-001",
        "034@pod-002",
        "042@pod-001",
        "042@pod-002",
        "060@site",
        "064@pod-001",
        "064@pod-002",
        "075@site",
        "085@site",
        "114@hall-1",
        "128@site",
        "129@site",
        "138@site",
        "147@pod-001",
        "147@pod-002",
        "155@site",
        "171@site",
        "184@site",
        "185@site",
        "H01@site",
        "H39@pod-001",
        "H39@pod-002",
    ]
    assert opened["075@site"] == "attempt 2: utility.contracted_mw >= 0.94874 MW, was 0.91767 MW"
    assert "2 pods, was None items" in of(found, "stays done")["036@site"]
    assert not of(found, "not kept")


def test_what_is_shown_before_an_upgrade_is_what_adopting_does(site: Path, upgraded: Plan) -> None:
    """The person who adopts has read it all."""
    found = changes(site, upgraded)
    with open_snapshot(site) as snapshot:
        before = {row.id: row for row in activities(snapshot)}

    adopt(site, upgraded)

    with open_snapshot(site) as snapshot:
        after = {row.id: row for row in activities(snapshot)}
    opened = [name for name, row in after.items() if name in before and row.attempt > before[name].attempt]
    done = {name for name, row in after.items() if row.state is State.DONE}
    assert sorted(opened) == sorted(of(found, "re-opened"))
    assert {name for name, row in before.items() if row.state is State.DONE} - done == set(opened)
    assert {name for name in of(found, "taken over") if "#" not in name} <= done
    assert audit(site) == []


def test_purchases_of_pods_are_the_purchase_of_the_site(site: Path, upgraded: Plan) -> None:
    """What was ordered and received for each pod is not bought again. What nobody bought is still to buy."""
    adopt(site, upgraded)

    with open_snapshot(site) as snapshot:
        purchase = require_activity(snapshot, "045@site")
        states = {name: require_order(snapshot, f"045@site#{name}").state for name in ("server-cable", "storage-cable")}
        units = require_order(snapshot, "084@site#rack-pdu")
    assert (purchase.state, purchase.before, purchase.last_note) == (State.DONE, True, "was 045@pod-001 and 1 more")
    assert states == {"server-cable": "received", "storage-cable": "planned"}
    assert (units.state, units.placed_at is not None) == ("received", True)


def test_a_second_upgrade_takes_nothing_over_again(site: Path, upgraded: Plan) -> None:
    """The plan in force states by now what its version moved, so that from here on a difference is the site's own."""
    adopt(site, upgraded)

    found = changes(site, upgraded)

    assert {change.what for change in found} == {"order stands"}


def test_later_a_difference_is_the_sites_own(site: Path, upgraded: Plan) -> None:
    """Two more pods after the upgrade are more work, and opened as ever."""
    adopt(site, upgraded)
    more = [replace(activity, items=3) if activity.id == "036@site" else activity for activity in upgraded.activities]

    found = changes(site, upgraded.model_copy(update={"activities": tuple(more)}))

    assert of(found, "re-opened") == {"036@site": "attempt 2: 3 pods, was 2 pods"}


def test_nothing_is_kept_where_the_site_changed_too(site: Path, upgraded: Plan) -> None:
    """Whether there are more items by the version or by the site cannot be told then, and the person is told what to do first."""
    more = upgraded.model_copy(update={"figures": upgraded.figures | {"nodes": 96.0}})

    found = changes(site, more)

    assert of(found, "not kept") == {
        "finished work": "adopt the plan with the settings in force first, and change them then"
    }
    assert "036@site" in of(found, "re-opened")
    assert not of(found, "taken over")


def test_what_was_done_in_part_is_named_and_not_taken_over(site: Path, upgraded: Plan) -> None:
    """One pod's purchase was opened again before the upgrade."""
    with Ledger.open(site) as ledger:
        reopen(ledger, "owner", "045@pod-002", "another length")

    found = changes(site, upgraded)

    assert of(found, "not taken over") == {"045@site": "1 of 2 are done; finish it when the rest is"}
    assert "045@site#server-cable/1" in of(found, "taken over")


def left_after(site: Path, upgraded: Plan, *rows: OrderRow) -> dict[str, str]:
    """Return what is not taken over if the record had these rows in the place of its own."""
    with open_snapshot(site) as snapshot:
        held = read_plan(snapshot)
        placed = {row.id: row for row in orders(snapshot)} | {row.id: row for row in rows}
    return {one.subject: one.why for one in taken_over(held, upgraded, {}, placed).left}


def test_what_was_bought_in_part_is_named_and_not_taken_over(site: Path, upgraded: Plan) -> None:
    """One pod of two bought nothing, or has received nothing, or bought less than there is to buy."""
    with open_snapshot(site) as snapshot:
        second = require_order(snapshot, "084@pod-002#rack-pdu")
    open_order = second._replace(placed_at=None)
    under_way = second._replace(tranches=tuple(one._replace(received_at=None) for one in second.tranches))
    short = second._replace(ordered=second.ordered - 1)

    left = [left_after(site, upgraded, one) for one in (open_order, under_way, short)]

    assert [found.get("084@site#rack-pdu", "") for found in left] == [
        "1 of 2 orders are placed; order the rest here",
        "",
        "1 fewer were ordered than are needed; order the rest here",
    ]
    assert left[1] == {"084@site#rack-pdu/1": "1 of 2 deliveries are here; receive it with the rest"}


def _plans() -> Iterator[tuple[str, Plan]]:
    with tarfile.open(GOLDEN / "plans.tar.xz") as archive:
        for member in archive:
            read = archive.extractfile(member)
            assert read is not None
            yield member.name.removesuffix(".json"), plan_of(gzip.compress(read.read()))


def all_done(old: Plan, new: Plan) -> Consequences:
    """Return what a plan opens if everything is done, and each reading is just at the limit of the plan in force."""
    by_name = {activity.id: activity for activity in old.activities}
    standing = {activity.id: Begun(State.DONE, 1, False) for activity in old.activities if activity.applicable}

    def at_the_limit(name: str) -> OnRecord:
        limits = by_name[name].criteria
        return OnRecord({c.metric: [reading("", c.value, c.unit)] for c in limits})

    return consequences(old, new, standing, at_the_limit, {})


@pytest.mark.long
def test_no_preset_opens_finished_work_for_another_reason_than_a_stricter_criterion() -> None:
    """Every activity of every preset is finished under the old plan, with the least that it asked for."""
    kept, gone = 0, set()
    for name, old in _plans():
        preset, _, facility = name.partition("--")
        if preset in NOT_COMPARED:
            continue
        new = plan_of_preset(preset, **({"facility": facility} if facility else {}))
        found = all_done(old, new)
        kept += len(found.kept)
        there = {activity.id for activity in new.activities}
        gone |= {activity.step for activity in old.activities if activity.id not in there}
        for opened in found.reopened:
            assert all(STRICTER.fullmatch(part) for part in _without_items(opened.why)), (name, opened)
    assert gone == set(moved().widened)
    assert kept > 100


def _without_items(why: str) -> list[str]:
    """Return what a reason names beside the number of items and calculated values, which open nothing by themselves."""
    return [
        part
        for part in why.split("; ")
        if not re.fullmatch(r"\d+ [\w ]+, was \w+ [\w ]+|[\w.-]+ is .*|and \d+ more", part)
    ]


def test_without_its_statement_an_upgrade_opens_work_again(site: Path, upgraded: Plan) -> None:
    """Rules of earlier events stay as they were: a plan that states nothing is judged as before."""
    silent = upgraded.model_copy(update={"moved": type(moved())()})

    assert of(changes(site, silent), "re-opened")["036@site"] == "attempt 2: 2 pods, was None items"


def test_spares_of_a_kind_need_no_second_order(site: Path, upgraded: Plan) -> None:
    """They were one line, whose spares included them."""
    taken = of(changes(site, upgraded), "taken over")

    assert {"H23@site#spare-drive", "H23@site#spare-supply"} <= taken.keys()
    assert "H23@site#spare-nic" not in taken
