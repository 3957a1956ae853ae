"""Checklists: what an entry is compared with, what counts, what a failed item leads to, and that replay says the same."""

from __future__ import annotations

import json
import tempfile
import time
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.entries import ItemEntry
from ledger.questions.case import require_activity
from ledger.questions.checks import check_history, checked_items, checklist, unchecked_items
from ledger.questions.ncrs import ncrs, punch
from ledger.questions.records import evidence, measurements
from ledger.questions.site import head
from ledger.questions.why import criteria, why
from ledger.reading import open_snapshot
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.subjects.checklists.decisions import check, check_right, scan
from ledger.subjects.ncr.decisions import close_ncr, disposition_ncr
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.sign_off.decisions import reject, waive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import assign, finish, measure, progress, start
from ledger.subjects.work.kinds import organisation_assigned as work
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.planning.plan import Person
from tests.ledger import malicious as bad
from tests.ledger.checklists import HOSTS, NAME, bond, good, plan_with_items
from tests.ledger.conftest import Clock, Look, begun, criterion, earlier_rules, recorded_by, small_plan
from tests.ledger.rebuilding import events, rebuild
from tests.pasted import as_a_shell_reads

DUE = date(2026, 3, 1)


@pytest.fixture
def counted(empty: Ledger) -> Ledger:
    """Return a ledger in which work at three PDUs has started."""
    adopt_plan(empty, "pm", plan_with_items(), reason="first")
    start(empty, "tech", NAME)
    return empty


@pytest.fixture
def named(empty: Ledger) -> Ledger:
    """Return a ledger in which work at three named servers has started."""
    adopt_plan(empty, "pm", plan_with_items(of="servers", hosts=HOSTS), reason="first")
    start(empty, "tech", NAME)
    return empty


def standing(look: Look) -> dict[str, str]:
    """Return whether each checked item passed or failed."""
    return {c.item: "failed" if c.failing else "passed" for c in checked_items(look(), require_activity(look(), NAME))}


# what an item is called


def test_an_item_that_the_plan_does_not_name_is_refused_with_the_nearest(named: Ledger, look: Look) -> None:
    """A scanner reads a label in capitals; a slip of the hand is not a new server."""
    with pytest.raises(InputError, match=r"pod-001-n4 is none of the 3 servers.*\n.*did you mean pod-001-n0"):
        check(named, "tech", NAME, [good("pod-001-n4")])

    check(named, "tech", NAME, [good(" POD-001-N02 ")])

    assert standing(look) == {"pod-001-n02": "passed"}
    assert unchecked_items(look(), require_activity(look(), NAME)) == ["pod-001-n01", "pod-001-n03"]


@pytest.mark.parametrize("each", ["server", "GPU"])
def test_a_reading_at_an_item_has_the_name_of_the_plan(empty: Ledger, look: Look, each: str) -> None:
    """Two ways to write a server would be two servers, and one that is not there would count as one that is met."""
    asked = criterion("bond", "<=", Decimal("0.1"), "ohm") | {"each": each}
    adopt_plan(empty, "pm", plan_with_items(of="servers", hosts=HOSTS, criteria=[asked]), reason="first")
    start(empty, "tech", NAME)

    measure(empty, "tech", NAME, "bond", "0.31", "ohm", item="pod-001-N02")
    measure(empty, "tech", NAME, "bond", "0.05", "ohm", item="POD-001-n02")

    assert {m.item for m in measurements(look(), NAME)} == {"pod-001-n02"}
    assert [c.verdict for c in criteria(look(), NAME)] == ["met"]
    if each == "server":
        with pytest.raises(InputError, match=r"pod-001-n4 is none of the 3 servers.*\n.*did you mean pod-001-n0"):
            measure(empty, "tech", NAME, "bond", "0.05", "ohm", item="pod-001-n4")
    else:
        measure(empty, "tech", NAME, "bond", "0.05", "ohm", item="GPU 3 of pod-001-n01")


def test_items_that_are_only_counted_take_any_name_until_there_are_as_many(counted: Ledger, look: Look) -> None:
    """What was entered before may always be entered again, in any case."""
    check(counted, "tech", NAME, [good("A"), good("B"), good("C")])

    with pytest.raises(NotSatisfiedError, match="3 PDUs, and as many other names are entered; D is one more"):
        check(counted, "tech", NAME, [good("D")])
    check(counted, "tech", NAME, [good("b")])

    assert list(standing(look)) == ["A", "B", "C"]
    assert unchecked_items(look(), require_activity(look(), NAME)) == []


def test_an_item_that_is_only_counted_is_one_however_it_is_written(counted: Ledger, look: Look) -> None:
    """A scanner reads capitals; a reading that fails is about the item of the list."""
    check(counted, "tech", NAME, [good("PDU-1")])
    measure(counted, "tech", NAME, "bond", "0.31", "ohm", item="pdu-1")
    assert standing(look) == {"PDU-1": "failed"}


def test_two_spellings_of_an_item_are_not_read_as_two(counted: Ledger) -> None:
    """The third was never read, and the work could be finished."""
    for item in ("PDU-1", "pdu-1", "PDU-2"):
        measure(counted, "tech", NAME, "bond", "0.05", "ohm", item=item)

    with pytest.raises(NotSatisfiedError, match="bond was not read at 1 of 3 PDUs"):
        finish(counted, "tech", NAME)


def test_an_inventory_that_lacks_servers_names_none_of_them(empty: Ledger, look: Look) -> None:
    """Half of a list would refuse the other half."""
    adopt_plan(empty, "pm", plan_with_items(of="servers", hosts=HOSTS[:2]), reason="first")
    start(empty, "tech", NAME)

    check(empty, "tech", NAME, [good("gpu17")])

    assert standing(look) == {"gpu17": "passed"}


@pytest.mark.parametrize("item", ["", "  ", "a b", "a\x1b[31m", "a\x00", "\u202egnp", "x" * 101, "a\nb"])
def test_an_id_that_cannot_be_read_aloud_is_refused(counted: Ledger, item: str) -> None:
    with pytest.raises(InputError, match="an item's id"):
        check(counted, "tech", NAME, [good(item)])


def test_a_note_with_marks_that_cannot_be_seen_is_refused(counted: Ledger) -> None:
    with pytest.raises(InputError, match="cannot be seen"):
        check(counted, "tech", NAME, [good("A", note="fine\x1b[2J")])
    with pytest.raises(InputError, match="at most 2,000"):
        check(counted, "tech", NAME, [good("A", note="x" * 2001)])


# what is read at an item


def test_readings_are_judged_at_entry_in_the_units_of_the_instrument(counted: Ledger, look: Look) -> None:
    """The answer names verdict, figure and limit; the criterion judges the same rows."""
    done = check(
        counted, "tech", NAME, [ItemEntry("A", readings=bond("50", "mohm")), ItemEntry("B", readings=bond("0.2"))]
    )

    assert [str(v) for item in done.items for v in item.verdicts] == [
        "bond 50 mohm: met, must be <= 0.1 ohm",
        "bond 0.2 ohm: failed, must be <= 0.1 ohm",
    ]
    assert standing(look) == {"B": "failed", "A": "passed"}
    (criterion,) = criteria(look(), NAME)
    assert (criterion.verdict, criterion.worst) == ("failed", "B")
    assert [(m.item, m.value, m.unit, m.by) for m in measurements(look(), NAME)] == [
        ("A", Decimal(50), "mohm", "tech"),
        ("B", Decimal("0.2"), "ohm", "tech"),
    ]


def test_the_worst_of_readings_in_several_units_is_the_worst(counted: Ledger, look: Look) -> None:
    """20 mohm is less than 0.05 ohm."""
    check(counted, "tech", NAME, [ItemEntry("A", readings=bond("20", "mohm")), ItemEntry("B", readings=bond("0.05"))])

    assert criteria(look(), NAME)[0].worst == "B"


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (Measured("bnd", "1"), "asks for no 'bnd'.*\n.*did you mean bond"),
        (Measured("bond", "1", "V"), "'V' cannot be compared"),
        (Measured("bond", "good"), "a number in ohm, not 'good'"),
        (Measured("bond", "0,05"), "a number in ohm, not '0,05'\n.*write 0.05"),
        (Measured("bond", "nan"), "none that an instrument shows"),
        (Measured("bond", "1e999999"), "none that an instrument shows"),
        (Measured("bond", "=1+2"), "a number in ohm, not '=1\\+2'"),
        (Measured("labelled", "1"), "true or false, not '1'"),
        (Measured("labelled", "yes", "ohm"), "true or false, not 'yes ohm'"),
    ],
)
def test_a_reading_that_cannot_be_judged_is_refused_and_nothing_recorded(
    empty: Ledger, look: Look, reading: Measured, said: str
) -> None:
    adopt_plan(empty, "pm", plan_with_items(labels=True), reason="first")
    start(empty, "tech", NAME)

    with pytest.raises(InputError, match=said):
        check(empty, "tech", NAME, [good("A"), ItemEntry("B", readings=(reading,))])

    assert standing(look) == {}


def test_a_metric_that_the_step_reads_is_noted_where_no_criterion_asks_for_it(empty: Ledger) -> None:
    """Step 008 reads how many sockets a server has; this plan holds it against nothing."""
    plan = small_plan().model_dump()
    activities = [a | ({"step": "008"} if a["id"] == NAME else {}) for a in plan["activities"]]
    adopt_plan(empty, "pm", small_plan(activities=activities), reason="first")
    start(empty, "tech", NAME)

    done = check(empty, "tech", NAME, [ItemEntry("n1", readings=(Measured("cpu.sockets", "2"),))])

    assert str(done.items[0].verdicts[0]) == "cpu.sockets 2 count: noted"


def test_within_is_judged_against_the_other_items(empty: Ledger) -> None:
    """One server alone deviates from nothing; the fourth deviates from the three before."""
    plan = plan_with_items(items=4).model_dump()
    spread = {"metric": "speed", "op": "within", "value": 5, "unit": "percent", "each": "PDU", "source": "test"}
    activities = [a | ({"criteria": [spread]} if a["id"] == NAME else {}) for a in plan["activities"]]
    adopt_plan(empty, "pm", small_plan(activities=activities), reason="first")
    start(empty, "tech", NAME)

    def read(item: str, speed: str) -> str:
        entry = ItemEntry(item, readings=(Measured("speed", speed, "GB/s"),))
        return check(empty, "tech", NAME, [entry]).items[0].verdicts[0].verdict

    said = [read("A", "400"), read("B", "398"), read("C", "402"), read("D", "300")]

    assert said == ["compared with the others when they are read", "met", "met", "failed"]


# what counts


def test_progress_is_the_count_of_passed_items_and_no_other(counted: Ledger, look: Look, clock: Clock) -> None:
    check(counted, "tech", NAME, [good("A"), ItemEntry("B", passed=False, note="dent")])

    assert require_activity(look(clock.now), NAME).items_done == 1
    done = checklist(look(), require_activity(look(), NAME))
    assert done is not None
    assert (done.passed, done.failed, done.open) == (1, 1, 1)
    with pytest.raises(NotSatisfiedError, match="counts its checklist: 1 of 3 PDUs passed"):
        progress(counted, "tech", NAME, items_done=2)
    progress(counted, "tech", NAME, note="rain")


def test_the_last_entry_of_an_item_counts_and_every_one_is_kept(counted: Ledger, look: Look) -> None:
    check(counted, "tech", NAME, [good("A", serial="SN1")])
    check(counted, "lead", NAME, [ItemEntry("A", passed=False, note="loose")])
    check(counted, "tech", NAME, [good("A")])

    (now,) = checked_items(look(), require_activity(look(), NAME))
    assert (now.failing, now.serial, now.by) == ((), "SN1", "tech")
    assert [(c.by, c.failing, c.note) for c in check_history(look(), require_activity(look(), NAME))] == [
        ("tech", (), ""),
        ("lead", ("result",), "loose"),
        ("tech", (), ""),
    ]


def test_finish_waits_for_every_item(counted: Ledger, look: Look, clock: Clock) -> None:
    check(counted, "tech", NAME, [good("A"), ItemEntry("B", readings=bond("0.3"))])
    with pytest.raises(NotSatisfiedError, match="1 of 3 PDUs are not checked; 1 failed: B"):
        finish(counted, "tech", NAME)
    needs = why(look(clock.now), NAME).needs
    assert list(needs[:2]) == ["items: 1 of 3 PDUs are not checked", "items: 1 failed: B"]

    check(counted, "tech", NAME, [good("B"), ItemEntry("C")])
    with pytest.raises(NotSatisfiedError, match="bond was not read at 1 of them: C"):
        finish(counted, "tech", NAME)
    assert why(look(clock.now), NAME).needs[0] == "items: bond was not read at 1 of them: C"
    check(counted, "tech", NAME, [good("C")])
    finish(counted, "tech", NAME)

    assert require_activity(look(clock.now), NAME).state == "awaiting_sign_off"
    assert require_activity(look(clock.now), NAME).items_done == 3


@pytest.mark.parametrize(("each", "hosts", "left"), [("PDU", (), ""), ("server", HOSTS, ": pod-001-n01, pod-001-n03")])
def test_a_criterion_of_each_item_is_not_met_by_one_of_them(
    empty: Ledger, look: Look, clock: Clock, each: str, hosts: tuple[str, ...], left: str
) -> None:
    """Two of three were read by nobody, with no checklist that would say so."""
    of, bonded = f"{each}s", criterion("bond", "<=", Decimal("0.1"), "ohm") | {"each": each}
    adopt_plan(empty, "pm", plan_with_items(of=of, hosts=hosts, criteria=[bonded]), reason="first")
    start(empty, "tech", NAME)
    measure(empty, "tech", NAME, "bond", Decimal("0.05"), "ohm", source="meter", item="pod-001-n02")

    said = f"bond was not read at 2 of 3 {of}{left}"
    assert f"items: {said}" in why(look(clock.now), NAME).needs
    with pytest.raises(NotSatisfiedError, match=said):
        finish(empty, "tech", NAME)
    for item in ("pod-001-n01", "pod-001-n03"):
        measure(empty, "tech", NAME, "bond", Decimal("0.05"), "ohm", source="meter", item=item)
    finish(empty, "tech", NAME)

    assert audit(empty.site_dir) == []


def test_earlier_rules_pass_each_by_one(site_dir: Path, clock: Clock) -> None:
    """What was finished then stays finished, and replays."""
    with earlier_rules(4):
        ledger = begun(site_dir, clock)
    with ledger:
        adopt_plan(ledger, "pm", plan_with_items(), reason="first")
        start(ledger, "tech", NAME)
        measure(ledger, "tech", NAME, "bond", Decimal("0.05"), "ohm", source="meter", item="A")
        finish(ledger, "tech", NAME)

    assert audit(site_dir) == []


def test_named_items_that_are_left_are_named(named: Ledger) -> None:
    check(named, "tech", NAME, [good("pod-001-n02")])

    with pytest.raises(NotSatisfiedError, match="2 of 3 servers are not checked: pod-001-n01, pod-001-n03"):
        finish(named, "tech", NAME)


def test_items_that_a_later_plan_does_not_name_are_not_counted(named: Ledger, look: Look) -> None:
    """Two were checked and one of them is gone: one of three is done, and not two."""
    check(named, "tech", NAME, [good(HOSTS[0]), good(HOSTS[1])], source="Fluke")
    other = (HOSTS[1], "pod-001-n04", "pod-001-n05")
    adopt_plan(named, "pm", plan_with_items(of="servers", hosts=other), reason="other servers")

    found = checklist(look(), require_activity(look(), NAME))

    assert found is not None
    assert (found.passed, found.failed, found.open) == (1, 0, 2)
    assert found.open == len(unchecked_items(look(), require_activity(look(), NAME)))


def test_a_failed_item_that_a_later_plan_does_not_have_is_settled_as_the_refusal_says(named: Ledger) -> None:
    """Nobody can make good what was never bought, and nobody is to say that it is good."""
    check(named, "tech", NAME, [ItemEntry(HOSTS[0], passed=False, note="dent"), good(HOSTS[1]), good(HOSTS[2])])
    adopt_plan(named, "pm", plan_with_items(items=2, of="servers", hosts=HOSTS[1:]), reason="one less")
    with pytest.raises(NotSatisfiedError, match=f"1 failed: {HOSTS[0]}") as refused:
        finish(named, "tech", NAME)
    settle = "`clusterwright ncr disposition NCR-0001 use-as-is --reason WHY`"
    assert refused.value.hint == f"the plan in force has no {HOSTS[0]}: {settle}"

    disposition_ncr(named, "lead", "NCR-0001", "use-as-is", reason="not bought")
    finish(named, "tech", NAME)


def test_an_activity_without_an_entry_finishes_as_before(counted: Ledger, look: Look, clock: Clock) -> None:
    measure(counted, "tech", NAME, "bond", Decimal("0.05"), "ohm", source="meter")
    progress(counted, "tech", NAME, items_done=2)
    finish(counted, "tech", NAME)

    assert require_activity(look(clock.now), NAME).items_done == 3


def test_an_item_that_failed_by_a_reading_passes_when_that_is_read_again(counted: Ledger) -> None:
    """A tick does not make a figure good."""
    check(counted, "tech", NAME, [ItemEntry("A", readings=bond("0.3"))])

    with pytest.raises(InputError, match="A failed bond, and passes when that is read again"):
        check(counted, "tech", NAME, [ItemEntry("A")])


def test_a_tick_does_not_pass_what_was_measured_and_failed(named: Ledger, look: Look) -> None:
    """Neither by hand nor by a scanner nor from a sheet; the list is of one mind with the criterion."""
    measure(named, "tech", NAME, "bond", "0.31", "ohm", item=HOSTS[0])
    for take in (
        lambda: check(named, "tech", NAME, [ItemEntry(HOSTS[0])]),
        lambda: scan(named, "tech", NAME, HOSTS[0]),
    ):
        with pytest.raises(InputError, match=f"{HOSTS[0]} failed bond, and passes when that is read again"):
            take()
    with named.dry_run():
        check(named, "tech", NAME, [ItemEntry(HOSTS[0], passed=False, note="a dent too")])
    sheet = [ItemEntry(HOSTS[0]), good(HOSTS[1])]
    with named.batch():
        checked, (wrong,) = check_right(named, "tech", NAME, sheet, source="sheet", known=head(look()).seq)
    assert ([one.item for one in checked.items], wrong.entry.item) == ([HOSTS[1]], HOSTS[0])

    measure(named, "lead", NAME, "bond", "0.4", "ohm", item=HOSTS[1])
    (now,) = checked_items(look(), require_activity(look(), NAME))
    assert (now.item, now.failing, now.ncr) == (HOSTS[1], ("bond",), "NCR-0002")
    done = checklist(look(), require_activity(look(), NAME))
    assert done is not None
    assert (done.passed, done.failed, done.open) == (0, 1, 2)
    again = check(named, "tech", NAME, [good(HOSTS[1])], skip_recorded=True)
    assert (again.recorded_before, again.event) == (1, None), "a list that came before is no new entry"

    check(named, "tech", NAME, [ItemEntry(HOSTS[0], readings=bond("0.04")), ItemEntry(HOSTS[1], readings=bond("0.06"))])
    assert standing(look) == {HOSTS[0]: "passed", HOSTS[1]: "passed"}
    assert audit(named.site_dir) == []


def test_a_waived_criterion_excuses_the_items_that_fail_it(counted: Ledger, look: Look, clock: Clock) -> None:
    """Items found before and after the waiver; the dent is another matter."""
    check(counted, "tech", NAME, [good("A"), ItemEntry("B", readings=bond("0.3"))])
    waive(counted, "lead", NAME, "bond", "old building", DUE)
    done = check(counted, "tech", NAME, [ItemEntry("C", readings=bond("0.4"))])
    assert (done.items[0].failing, done.ncr, done.items[0].verdicts[0].verdict) == ((), None, "waived")

    finish(counted, "tech", NAME)

    assert require_activity(look(clock.now), NAME).items_done == 2


def test_a_waiver_is_made_good_once_its_criterion_was_read_at_every_item(named: Ledger, look: Look) -> None:
    """One server of three is no reason to strike it off the punch list."""
    bonded = criterion("bond", "<=", Decimal("0.1"), "ohm") | {"each": "server"}
    adopt_plan(named, "pm", plan_with_items(of="servers", hosts=HOSTS, criteria=[bonded]), reason="each server")
    waive(named, "lead", NAME, "bond", "no meter", DUE)
    finish(named, "tech", NAME)
    sign(named, "lead", NAME)

    for item in HOSTS:
        assert [one.id for one in punch(look(), DUE)] == ["W-0001"]
        measure(named, "tech", NAME, "bond", "0.05", "ohm", item=item)

    assert punch(look(), DUE) == []
    assert audit(named.site_dir) == []


def test_the_next_attempt_starts_afresh(counted: Ledger, look: Look, clock: Clock) -> None:
    check(counted, "tech", NAME, [good("A"), good("B"), good("C")])
    finish(counted, "tech", NAME)
    reject(counted, "lead", NAME, "wrong room")

    assert checklist(look(), require_activity(look(), NAME)) is None
    assert require_activity(look(clock.now), NAME).items_done is None
    assert [c.attempt for c in check_history(look(), require_activity(look(), NAME))] == [1, 1, 1]
    check(counted, "tech", NAME, [good("X")])
    assert standing(look) == {"X": "passed"}


# who may


def test_whoever_checked_items_did_the_work_and_does_not_approve_it(counted: Ledger) -> None:
    check(counted, "lead", NAME, [good("A"), good("B"), good("C")])
    finish(counted, "tech", NAME)

    with pytest.raises(NotSatisfiedError, match="lead did the work"):
        sign(counted, "lead", NAME)
    sign(counted, "lead2", NAME)


def test_items_are_checked_while_the_work_is_going_on_by_those_whose_it_is(empty: Ledger) -> None:
    people = small_plan().model_dump()["people"]
    people = [p | ({"organisation": "Sparks Ltd"} if p["id"] == "tech" else {}) for p in people]
    adopt_plan(
        empty, "pm", plan_with_items().model_copy(update={"people": small_plan(people=people).people}), reason="1"
    )
    with pytest.raises(NotSatisfiedError, match="it cannot take 'check' now"):
        check(empty, "tech", NAME, [good("A")])
    with pytest.raises(InputError, match="nobody at this site"):
        check(empty, "stranger", NAME, [good("A")])
    work.assign_organisation(empty, "pm", NAME, "Sparks Ltd")
    assign(empty, "pm", NAME, "tech")
    start(empty, "tech", NAME)

    with pytest.raises(NotSatisfiedError, match="may not"):
        check(empty, "guest", NAME, [good("A")])
    check(empty, "tech", NAME, [good("A")])


# what a failed item leads to


def test_a_failed_item_opens_a_non_conformance_that_is_inspected_again_and_closed(empty: Ledger, look: Look) -> None:
    """Class A: it is closed after its disposition, and not while the item still fails."""
    adopt_plan(empty, "pm", plan_with_items(ncr_class="A"), reason="first")
    start(empty, "tech", NAME)
    done = check(empty, "tech", NAME, [good("A"), ItemEntry("B", readings=bond("0.3"), note="paint"), good("C")])
    (ncr,) = ncrs(look())
    assert done.ncr == ncr.id == "NCR-0001"
    assert (ncr.ncr_class, ncr.inspections) == ("A", 0)
    assert ncr.reason == "B: bond 0.3 ohm: failed, must be <= 0.1 ohm; paint"

    again = check(empty, "tech", NAME, [ItemEntry("B", readings=bond("0.2"))])
    assert (again.ncr, again.items[0].ncr) == (None, "NCR-0001")
    disposition_ncr(empty, "tech", "NCR-0001", "rework", owner="tech", due=DUE)
    with pytest.raises(NotSatisfiedError, match="NCR-0001 cannot be closed: B still fails"):
        close_ncr(empty, "lead", "NCR-0001")
    check(empty, "tech", NAME, [good("B")])

    assert ncrs(look())[0].inspections == 2
    finish(empty, "tech", NAME)
    with pytest.raises(NotSatisfiedError, match="class A"):
        sign(empty, "lead", NAME)
    close_ncr(empty, "lead", "NCR-0001")
    sign(empty, "lead", NAME)
    assert audit(empty.site_dir) == []


def test_an_item_that_fails_after_its_non_conformance_was_closed_opens_another(
    counted: Ledger, look: Look, clock: Clock
) -> None:
    check(counted, "tech", NAME, [ItemEntry("A", passed=False, note="dent")])
    check(counted, "tech", NAME, [good("A")])
    close_ncr(counted, "lead", "NCR-0001", "repair")
    clock.forward(1)

    assert check(counted, "tech", NAME, [ItemEntry("A", passed=False, note="dent")]).ncr == "NCR-0002"
    assert [n.inspections for n in ncrs(look())] == [1, 0]


def test_one_hand_over_opens_one_non_conformance_for_all_that_failed(counted: Ledger, look: Look) -> None:
    failed = [ItemEntry(name, passed=False, note="dent") for name in "ABC"]

    assert {item.ncr for item in check(counted, "tech", NAME, failed).items} == {"NCR-0001"}

    assert [n.reason for n in ncrs(look())] == ["A: dent | B: dent | C: dent"]


def test_what_is_used_as_it_is_holds_nothing_back(counted: Ledger, look: Look, clock: Clock) -> None:
    check(counted, "tech", NAME, [good("A"), good("B"), good("C")])
    check(counted, "tech", NAME, [ItemEntry("C", passed=False, note="dent")])
    with pytest.raises(NotSatisfiedError, match="1 failed: C"):
        finish(counted, "tech", NAME)

    disposition_ncr(counted, "lead", "NCR-0001", "use-as-is", reason="only the paint")
    assert not any("items" in need for need in why(look(clock.now), NAME).needs)
    finish(counted, "tech", NAME)

    assert require_activity(look(clock.now), NAME).items_done == 2


def test_use_as_is_accepts_what_had_failed_and_nothing_later(counted: Ledger, look: Look) -> None:
    """A dent was accepted. A door that hangs was not, and a reading that is worse than the accepted one neither."""
    check(
        counted,
        "tech",
        NAME,
        [ItemEntry("A", passed=False, note="dent"), ItemEntry("B", readings=bond("0.3")), good("C")],
    )
    disposition_ncr(counted, "lead", "NCR-0001", "use-as-is", reason="only the paint, and an old building")

    assert check(counted, "tech", NAME, [ItemEntry("A", passed=False, note="the door hangs")]).ncr == "NCR-0002"
    measure(counted, "tech", NAME, "bond", Decimal(3), "ohm", item="B")
    assert [one.id for one in ncrs(look())] == ["NCR-0001", "NCR-0002", "NCR-0003"]
    waive(counted, "lead", NAME, "bond", "old building", DUE)
    with pytest.raises(NotSatisfiedError, match="1 failed: A"):
        finish(counted, "tech", NAME)
    disposition_ncr(counted, "tech", "NCR-0002", "rework")
    assert (
        check(counted, "tech", NAME, [ItemEntry("A", passed=False, note="it hangs still")]).items[0].ncr == "NCR-0002"
    )

    check(counted, "tech", NAME, [good("A")])
    finish(counted, "tech", NAME)
    assert audit(counted.site_dir) == []


@pytest.mark.parametrize("by_list", [True, False])
def test_a_reading_that_is_used_as_it_is_keeps_no_item_and_no_criterion_open(
    counted: Ledger, look: Look, clock: Clock, *, by_list: bool
) -> None:
    """One rack of three is accepted; all others are held to the limit, and the record says under what it was accepted."""
    check(counted, "tech", NAME, [ItemEntry("A", readings=bond("0.05")), ItemEntry("C", readings=bond("0.05"))])
    if by_list:
        check(counted, "tech", NAME, [ItemEntry("B", readings=bond("0.3"))])
    else:
        measure(counted, "tech", NAME, "bond", Decimal("0.3"), "ohm", item="B", source="meter")
    with pytest.raises(InputError, match="B failed bond, and passes when that is read again"):
        check(counted, "tech", NAME, [ItemEntry("B")])

    disposition_ncr(counted, "lead", "NCR-0001", "use-as-is", reason="two straps")

    (bonded,) = criteria(look(clock.now), NAME)
    assert (bonded.verdict, bonded.measured, bonded.worst, bonded.note) == (
        "used as it is",
        "2 of 3 met, worst 0.3 ohm",
        "B",
        "NCR-0001",
    )
    check(counted, "tech", NAME, [ItemEntry("B")])
    with counted.dry_run():
        finish(counted, "tech", NAME)
    measure(counted, "tech", NAME, "bond", Decimal("0.2"), "ohm", item="A")
    with pytest.raises(NotSatisfiedError, match=r"bond <= 0\.1 ohm: failed"):
        finish(counted, "tech", NAME)
    measure(counted, "tech", NAME, "bond", Decimal("0.05"), "ohm", item="A")
    finish(counted, "tech", NAME)
    assert audit(counted.site_dir) == []


def test_use_as_is_that_rests_on_a_waiver_accepts_no_other_reading(counted: Ledger) -> None:
    """Who does the work may decide so because something was waived, and by that would pass what nobody waived."""
    plan = plan_with_items(labels=True)
    people = (*plan.people, Person(id="helper", name="Heli", roles=("technician",), account=plan.people[0].account))
    adopt_plan(counted, "pm", plan.model_copy(update={"people": people}), reason="labels, and somebody who helps")
    waive(counted, "lead", NAME, "labelled", "the printer is broken", DUE)
    check(counted, "tech", NAME, [ItemEntry("A", readings=bond("0.3")), good("B"), good("C")])
    disposition_ncr(counted, "helper", "NCR-0001", "use-as-is", reason="near enough")

    with pytest.raises(NotSatisfiedError, match=r"bond <= 0\.1 ohm: failed"):
        finish(counted, "tech", NAME)


@pytest.mark.own_file
def test_by_earlier_rules_use_as_is_accepts_what_fails_later_too(tmp_path: Path, clock: Clock) -> None:
    """A record of before stays as it is: what was ticked over a reading that failed, and closed as made good, is in it."""
    with earlier_rules(ITEMS_AND_WAIVERS), begun(tmp_path, clock) as site:
        adopt_plan(site, "pm", plan_with_items(), reason="first")
        start(site, "tech", NAME)
        check(site, "tech", NAME, [ItemEntry("A", passed=False, note="dent")])
        disposition_ncr(site, "lead", "NCR-0001", "use-as-is", reason="only the paint")
        assert (
            check(site, "tech", NAME, [ItemEntry("A", passed=False, note="the door hangs")]).items[0].ncr == "NCR-0001"
        )
        measure(site, "tech", NAME, "bond", Decimal(3), "ohm", item="B")
        check(site, "tech", NAME, [ItemEntry("B")])
        close_ncr(site, "lead", "NCR-0002", "rework")
        measure(site, "tech", NAME, "bond", Decimal(2), "ohm", item="C")
        disposition_ncr(site, "lead", "NCR-0003", "use-as-is", reason="two straps")
        with open_snapshot(tmp_path, clock.now) as snapshot:
            assert [one.verdict for one in criteria(snapshot, NAME)] == ["failed"]
        assert audit(site.site_dir) == []


def test_a_failed_measurement_by_hand_opens_one_too(counted: Ledger, look: Look) -> None:
    """Read again it is the same one; a good reading counts as an inspection."""
    measure(counted, "tech", NAME, "bond", Decimal("0.3"), "ohm", item="A", source="meter")
    measure(counted, "tech", NAME, "bond", Decimal("0.2"), "ohm", item="A", source="meter")
    check(counted, "tech", NAME, [ItemEntry("A", readings=bond("0.25"))])
    measure(counted, "tech", NAME, "bond", Decimal("0.05"), "ohm", item="A", source="meter")

    (ncr,) = ncrs(look())
    assert (ncr.id, ncr.inspections) == ("NCR-0001", 3)
    assert ncr.reason == "bond 0.3 ohm: failed, must be <= 0.1 ohm at A"
    assert audit(counted.site_dir) == []


def test_what_was_measured_and_fails_is_not_closed_as_made_good(counted: Ledger, look: Look) -> None:
    """As for an item of the list: it is read again before, or somebody accepts it."""
    measure(counted, "tech", NAME, "bond", Decimal("0.3"), "ohm", item="A", source="meter")
    disposition_ncr(counted, "tech", "NCR-0001", "rework")
    with pytest.raises(NotSatisfiedError, match="NCR-0001 cannot be closed: bond at A still fails") as refused:
        close_ncr(counted, "lead", "NCR-0001")
    assert refused.value.hint.startswith(f"`clusterwright measure {NAME} bond VALUE UNIT --item A`")
    with counted.dry_run():
        waive(counted, "lead", NAME, "bond", "old building", DUE)
        close_ncr(counted, "lead", "NCR-0001")
    with counted.dry_run():
        disposition_ncr(counted, "lead", "NCR-0001", "use-as-is", reason="an old building")
        close_ncr(counted, "lead", "NCR-0001")

    measure(counted, "tech", NAME, "bond", Decimal("0.05"), "ohm", item="A", source="meter")
    close_ncr(counted, "lead", "NCR-0001")

    assert ncrs(look())[0].disposition == "rework"
    assert audit(counted.site_dir) == []


def test_a_good_measurement_opens_nothing(counted: Ledger, look: Look) -> None:
    measure(counted, "tech", NAME, "bond", Decimal(50), "mohm", source="meter")

    assert ncrs(look()) == []


def test_a_failed_item_says_why(counted: Ledger) -> None:
    with pytest.raises(InputError, match="A failed, and nothing says why"):
        check(counted, "tech", NAME, [ItemEntry("A", passed=False)])


# serial numbers, photos, scanners


def test_one_asset_is_at_one_place(counted: Ledger, look: Look) -> None:
    """A scanner that read the wrong label is found at once; two that were swapped are entered together."""
    check(counted, "tech", NAME, [good("A", serial="SN1"), good("B", serial="SN2")])
    with pytest.raises(InputError, match="the serial number sn1 is at A too"):
        check(counted, "tech", NAME, [good("C", serial="sn1")])

    check(counted, "tech", NAME, [good("A", serial="SN2"), good("B", serial="SN1")])

    assert {c.item: c.serial for c in checked_items(look(), require_activity(look(), NAME))} == {"A": "SN2", "B": "SN1"}


def test_photos_are_evidence_without_the_place_where_they_were_taken(
    counted: Ledger, look: Look, tmp_path: Path
) -> None:
    photo = tmp_path / "rack.jpg"
    photo.write_bytes(bad.photo(exif=bad.exif()))

    check(counted, "tech", NAME, [good("A", photos=(photo,))])

    (kept,) = evidence(look(), NAME)
    assert (kept.kind, kept.name) == ("photo", "rack.jpg")
    assert checked_items(look(), require_activity(look(), NAME))[0].photos == (kept.digest,)
    assert audit(counted.site_dir) == []


def test_a_photo_is_a_picture_and_is_kept_of_nothing_that_is_refused(counted: Ledger, tmp_path: Path) -> None:
    """A list from elsewhere names files; no text of this machine is kept by it."""
    secret, photo = tmp_path / "id_ed25519", tmp_path / "rack.png"
    secret.write_text("a private key", encoding="utf-8")
    photo.write_bytes(bad.png(8, 8, bad.grey()))
    before = sorted(counted.site_dir.glob("evidence/sha256/*/*"))

    with pytest.raises(InputError, match="id_ed25519 is TEXT"):
        check(counted, "tech", NAME, [good("A", photos=(secret,))])
    with pytest.raises(InputError, match="'V' cannot be compared"):
        check(counted, "tech", NAME, [ItemEntry("A", readings=bond("1", "V"), photos=(photo,))])

    assert sorted(counted.site_dir.glob("evidence/sha256/*/*")) == before


def test_a_scan_passes_an_item_once_and_makes_nothing_good(named: Ledger, look: Look) -> None:
    assert scan(named, "tech", NAME, "POD-001-N01 SN1\n") == ("pod-001-n01", False, 1, 3)
    assert scan(named, "tech", NAME, "pod-001-n01") == ("pod-001-n01", True, 1, 3)
    assert scan(named, "tech", NAME, "pod-001-n01 sn1") == ("pod-001-n01", True, 1, 3)
    assert scan(named, "tech", NAME, "pod-001-n01 SN9") == ("pod-001-n01", False, 1, 3)
    check(named, "tech", NAME, [ItemEntry("pod-001-n02", passed=False, note="dent")])

    with pytest.raises(NotSatisfiedError, match=r"pod-001-n02 failed, and a scan does not change that \(NCR-0001\)"):
        scan(named, "tech", NAME, "pod-001-n02")
    with pytest.raises(InputError, match="an item and its serial number"):
        scan(named, "tech", NAME, "pod-001-n03 SN1 SN2")
    assert {c.item: c.serial for c in checked_items(look(), require_activity(look(), NAME))} == {
        "pod-001-n02": "",
        "pod-001-n01": "SN9",
    }


@pytest.mark.parametrize("item", ["PDU;id", "$(id)", "`id`", "it's"])
def test_the_name_of_an_item_in_a_command_to_paste_is_one_word_of_it(counted: Ledger, item: str) -> None:
    """Where a plan only counts items, a contractor's sheet names them. Who pastes the command must not run what the name says."""
    check(counted, "tech", NAME, [ItemEntry(item, passed=False, note="dent")])

    with pytest.raises(NotSatisfiedError) as scanned:
        scan(counted, "tech", NAME, item)
    with pytest.raises(NotSatisfiedError) as closed:
        close_ncr(counted, "lead", "NCR-0001", "rework")

    for refused in (scanned, closed):
        _, _, command = refused.value.hint.partition("`clusterwright ")
        assert as_a_shell_reads(command.rpartition("`")[0]) == ["check", "item", NAME, item]


# many at once


def many(count: int, value: str = "0.05") -> list[ItemEntry]:
    """Return entries of so many PDUs."""
    return [ItemEntry(f"P{n:05}", readings=bond(value), serial=f"SN{n}") for n in range(count)]


def test_few_lie_in_the_event_and_many_in_a_batch_and_both_replay(empty: Ledger, look: Look) -> None:
    """Rows, readings, counts and non-conformances are what the events say."""
    adopt_plan(empty, "pm", plan_with_items(items=600), reason="first")
    start(empty, "tech", NAME)
    few = check(empty, "tech", NAME, many(200))
    bulk = check(empty, "tech", NAME, [*many(600)[200:599], ItemEntry("P00599", passed=False, note="dent")])
    assert few.event is not None
    assert bulk.event is not None

    recorded = {row["seq"]: json.loads(row["payload"]) for row in events(empty.site_dir)}
    assert (len(recorded[few.event.seq]["checks"]), recorded[few.event.seq]["batches"]) == (200, [])
    held = recorded[bulk.event.seq]
    assert (held["checks"], [b["rows"] for b in held["batches"]]) == ([], [400])
    assert (held["passed"], held["failed"], held["ncr"]) == (399, 1, "NCR-0001")
    before = (
        checked_items(look(), require_activity(look(), NAME)),
        measurements(look(), NAME),
        ncrs(look()),
        checklist(look(), require_activity(look(), NAME)),
    )
    assert audit(empty.site_dir) == []
    empty.close()
    rebuild(empty.site_dir, events(empty.site_dir))
    with open_snapshot(empty.site_dir) as again:
        assert before == (
            checked_items(again, require_activity(again, NAME)),
            measurements(again, NAME),
            ncrs(again),
            checklist(again, require_activity(again, NAME)),
        )


def test_a_batch_that_was_changed_is_found(empty: Ledger) -> None:
    adopt_plan(empty, "pm", plan_with_items(items=300), reason="first")
    start(empty, "tech", NAME)
    done = check(empty, "tech", NAME, many(300))
    assert done.event is not None
    digest = done.event.payload.batches[0].digest  # type: ignore[attr-defined]
    place = next(empty.site_dir.glob(f"evidence/sha256/*/{digest}"))
    place.chmod(0o644)
    place.write_bytes(place.read_bytes().replace(b"0.05", b"0.01"))

    assert any(digest[:12] in finding.where for finding in audit(empty.site_dir))


def test_the_same_rows_a_second_time_change_nothing(empty: Ledger, look: Look) -> None:
    """0.050 is 0.05; what says something else is a new entry of its item."""
    adopt_plan(empty, "pm", plan_with_items(items=300), reason="first")
    start(empty, "tech", NAME)
    check(empty, "tech", NAME, many(300), skip_recorded=True)
    before = head(look())

    again = check(empty, "tech", NAME, many(300, "0.050"), skip_recorded=True)
    assert (again.items, again.recorded_before, again.event) == ((), 300, None)
    assert head(look()) == before

    changed = [*many(299), ItemEntry("P00299", readings=bond("0.3"), serial="SN299")]
    third = check(empty, "tech", NAME, changed, skip_recorded=True)
    assert ([i.item for i in third.items], third.recorded_before) == (["P00299"], 299)


def test_every_fault_is_named_and_nothing_recorded(named: Ledger, look: Look) -> None:
    entries = [
        good("pod-001-n01"),
        ItemEntry("pod-001-n02", readings=bond("x")),
        good("pod-001-n07"),
        good("POD-001-N01"),
        ItemEntry("pod-001-n03", passed=False),
    ]

    with pytest.raises(InputError) as refused:
        check(named, "tech", NAME, entries)

    said = str(refused.value)
    assert "4 faults; nothing is recorded" in said
    for part in ("'x'", "pod-001-n07 is none of", "pod-001-n01 is there twice", "nothing says why"):
        assert part in said
    assert standing(look) == {}


@pytest.mark.slow
def test_thousands_of_entries_are_recorded_in_seconds(empty: Ledger) -> None:
    """The largest hall of the largest preset has fewer."""
    adopt_plan(empty, "pm", plan_with_items(items=5000), reason="first")
    start(empty, "tech", NAME)
    begun = time.monotonic()

    check(empty, "tech", NAME, many(5000), skip_recorded=True)
    check(empty, "tech", NAME, many(5000), skip_recorded=True)

    assert time.monotonic() - begun < 20


ENTRIES = st.lists(
    st.builds(
        ItemEntry,
        item=st.sampled_from(["A", "b", "B", "C", "D", "E"]),
        passed=st.booleans(),
        readings=st.sampled_from([(), bond("0.05"), bond("0.3"), bond("50", "mohm")]),
        note=st.sampled_from(["", "=1+2", "[bold]x[/]"]),
        serial=st.sampled_from([None, "", "S1", "S2"]),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@pytest.mark.own_file
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(handed=st.lists(ENTRIES, min_size=1, max_size=6))
def test_whatever_is_handed_over_the_list_is_the_last_of_each(handed: list[list[ItemEntry]]) -> None:
    """Against a model: what was taken counts, what was refused left no trace, and replay says the same."""
    last: dict[str, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        about = {"site_name": "S", "time_zone": "UTC", "owner": "pm"}
        with (
            recorded_by(Clock()) as clock,
            create_ledger(site, **about, rehearsal=False, clock=clock) as ledger,
        ):
            adopt_plan(ledger, "pm", plan_with_items(items=4), reason="first")
            start(ledger, "tech", NAME)
            for entries in handed:
                try:
                    done = check(ledger, "tech", NAME, entries)
                except ClusterwrightError:
                    continue
                for entry, item in zip(entries, done.items, strict=True):
                    assert item.item.casefold() == entry.item.casefold()
                    bad_reading = any(r.value == "0.3" for r in entry.readings)
                    passed = entry.passed and not bad_reading
                    assert passed == (not item.failing)
                    last[item.item] = ("passed" if passed else "failed", entry.note)
            with open_snapshot(site) as snapshot:
                found = {
                    c.item: ("failed" if c.failing else "passed", c.note)
                    for c in checked_items(snapshot, require_activity(snapshot, NAME))
                }
                row = require_activity(snapshot.at(Clock().now), NAME)
                serials = [c.serial for c in checked_items(snapshot, require_activity(snapshot, NAME)) if c.serial]
        assert found == last
        assert row.items_done == (sum(state == "passed" for state, _ in last.values()) if last else None)
        assert len(serials) == len(set(serials))
        assert audit(site) == []
