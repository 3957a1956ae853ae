"""What rules say at their bounds: of the last value that is taken, and of the first one that is not. They are asked without a ledger."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ledger.questions.calendar import WorkingWeek
from ledger.rules import approval, readiness, readings, text, times
from ledger.rules.activity import Activity, State, is_expired, is_past_planned_finish, seen
from ledger.rules.most_by_week import mondays_of
from ledger.rules.readiness import Times, satisfied_at
from ledger.rules.rows import REPLACED, ChangeRow, LinkRow, OrderRow, SignerKey, TrancheRow, Unmet
from ledger.rules.times import Stamp, last_time
from ledger.subjects.checklists import rules as checklists
from ledger.subjects.checklists.rules import Roster
from ledger.subjects.corrections.rules import EntryRow, correct_supply
from ledger.subjects.orders import rules as orders
from ledger.subjects.orders.manifest_rules import read_scan
from ledger.subjects.orders.money_rules import amount, share
from ledger.subjects.orders.rules import unknown_order
from ledger.subjects.plan.taking_over_rules import some
from ledger.subjects.runs.host_name_rules import require_host_names
from ledger.subjects.runs.queue_rules import float_of
from ledger.subjects.work.rules import named
from schedule.errors import ClusterwrightError
from steps.acceptance.measured import Measured

pytestmark = pytest.mark.own_file  # no ledger at all: once is enough

D = Decimal
T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TODAY = T0.date()


def of(**given: Any) -> Any:
    """Return what has just these fields, for a rule that reads no other."""
    return SimpleNamespace(**given)


def said(rule: Callable[..., object], *given: Any, **named_too: Any) -> str:
    """Return what a rule answers to somebody whom it refuses, its hint too. Empty where it lets them pass."""
    try:
        rule(*given, **named_too)
    except ClusterwrightError as refused:
        return str(refused)
    return ""


def delivery(**given: Any) -> TrancheRow:
    """Return a delivery of 16 that has not come."""
    row: dict[str, Any] = dict.fromkeys(TrancheRow._fields)
    row |= {
        "id": "o/1",
        "number": 1,
        "quantity": D(16),
        "ordered": D(16),
        "units": (),
        "received_quantity": D(0),
        "in_plan": True,
    }
    return TrancheRow(**row | given)


def order(**given: Any) -> OrderRow:
    """Return an order that is not placed."""
    row: dict[str, Any] = dict.fromkeys(OrderRow._fields)
    return OrderRow(**row | {"id": "o", "title": "Servers", "time_zone": "UTC", "tranches": ()} | given)


def waits(count: int) -> list[Unmet]:
    return [Unmet(f"{n:03}@site", "step", "blocked", "FS", 0, "logic", (), None) for n in range(count)]


def link(**given: Any) -> LinkRow:
    """Return a link that is over."""
    row: dict[str, Any] = dict.fromkeys(LinkRow._fields)
    return LinkRow(**row | {"before": "b", "type": "FS", "state": "done", "satisfied_at": T0} | given)


def waited_for(side: str, **given: Any) -> bool:
    return bool(readiness.unmet([link(**given)], side, T0, "UTC"))


def early(**given: Any) -> bool:
    """Return whether what was done early is out of sequence. Nothing is open before it, unless that is said."""
    row = {"early_because": "it was there", "finished_at": T0, "ready_from": T0, "finish_from": T0}
    lapsed = given.pop("lapsed", False)
    return readiness.is_out_of_sequence(of(**row | given), T0, lapsed=lapsed)


def is_critical(float_h: float | None) -> bool:
    dates = None if float_h is None else of(total_float_h=float_h)
    return bool(vars(Activity)["is_critical"].fget(of(plan=of(dates=dates))))


def key_counts(before: timedelta, reason: str = "lost") -> bool:
    """Return whether a key counts so long before its end. One that a plan replaced ends a second earlier than is said."""
    return SignerKey("lead", "key", T0, T0 + HOUR, reason).counts_after(T0 + HOUR - before)


def read(typed: str) -> object:
    """Return what somebody who typed this has read, where the answer is yes or no."""
    asked = {"ok": readings.Asked("ok", "bool", None)}
    return readings.measured(of(id="a"), asked, Measured("ok", typed), "").value


def last(ahead: timedelta, before: timedelta, *, adopts: bool = False, adoption: bool = False) -> str:
    """Return which of two events counts: the last, so far ahead of the clock, or the one so long before that."""
    stamps = [Stamp(T0 + ahead, adoption), Stamp(T0 + ahead - before, False)]
    found = last_time(stamps, T0, adopts=adopts)
    return "last" if found == stamps[0].at else "before" if found == stamps[1].at else "none"


AHEAD = 5 * MINUTE + SECOND


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda: last(5 * MINUTE, 500 * DAY), "last"),
        (lambda: last(AHEAD, 366 * DAY), "last"),
        (lambda: last(AHEAD, 366 * DAY + SECOND), "before"),
        (lambda: last(AHEAD, 366 * DAY + SECOND, adoption=True), "last"),
        (lambda: last(400 * DAY, 10 * DAY), "last"),
        (lambda: last(AHEAD, 7 * DAY, adopts=True), "last"),
        (lambda: last(AHEAD, 7 * DAY + SECOND, adopts=True, adoption=True), "before"),
        (lambda: [read(typed) for typed in ("yes", "True", "no", "FALSE")], [True, True, False, False]),
        (lambda: times.is_earlier(T0, T0 + 5 * MINUTE), False),
        (lambda: times.is_earlier(T0, T0 + 5 * MINUTE + SECOND), True),
        (lambda: last_time((), T0, adopts=True), None),
        (lambda: [key_counts(before) for before in (timedelta(), SECOND / 2, SECOND)], [False, True, True]),
        (lambda: [key_counts(before, REPLACED) for before in (SECOND / 2, SECOND, 2 * SECOND)], [False, False, True]),
        (lambda: seen("open", T0, T0), State.READY),
        (lambda: seen("open", T0 + SECOND, T0), State.BLOCKED),
        (lambda: seen("open", T0, T0, lapsed=True), State.BLOCKED),
        (lambda: is_expired(T0, T0), True),
        (lambda: is_expired(T0 + SECOND, T0), False),
        (lambda: is_past_planned_finish(State.IN_PROGRESS, T0, T0), False),
        (lambda: is_past_planned_finish(State.IN_PROGRESS, T0, T0 + SECOND), True),
        (lambda: [is_critical(hours) for hours in (None, -1.0, 0.0, 0.5)], [False, True, True, False]),
        (lambda: approval.is_renewable(of(valid_until=T0 + 30 * DAY), T0), True),
        (lambda: approval.is_renewable(of(valid_until=T0 + 30 * DAY + SECOND), T0), False),
        (lambda: approval.is_unfinishable(of(row=of(finish_from=T0), now=T0)), False),
        (lambda: approval.is_unfinishable(of(row=of(finish_from=T0 + SECOND), now=T0)), True),
        (lambda: approval.is_unfinishable(of(row=of(finish_from=None), now=T0)), True),
        (lambda: waited_for("start"), False),
        (lambda: waited_for("start", satisfied_at=T0 + SECOND), True),
        (lambda: waited_for("start", satisfied_at=None), True),
        (lambda: waited_for("finish", satisfied_at=None), False),
        (lambda: waited_for("start", state="expired"), True),
        (lambda: waited_for("finish", type="FF", state="expired"), False),
        (lambda: float_of(of(plan=of(dates=None))), 0.0),
        (early, False),
        (lambda: early(ready_from=T0 + SECOND), True),
        (lambda: early(finish_from=None), True),
        (lambda: early(finish_from=None, finished_at=None), False),
        (lambda: early(lapsed=True), True),
        (lambda: early(lapsed=True, early_because=""), False),
    ],
)
def test_a_time_counts_from_its_bound_on(answer: Callable[[], object], expected: object) -> None:
    assert answer() == expected


@pytest.mark.parametrize(
    ("kind", "lag_h", "ends"),
    [
        ("FS", 0, DAY),
        ("FF", 0, DAY),
        ("SS", 0, timedelta()),
        ("SF", 0, timedelta()),
        ("FS", 2, DAY + 2 * HOUR),
        ("SS", -2, -2 * HOUR),
    ],
)
def test_a_link_counts_from_the_start_or_the_end_of_what_is_before_it(kind: str, lag_h: float, ends: timedelta) -> None:
    around_the_clock: Any = None
    assert satisfied_at(kind, lag_h, "elapsed", Times(T0, T0 + DAY), around_the_clock) == T0 + ends
    assert readiness.side_of(kind) == {"S": "start", "F": "finish"}[kind[-1]]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda: said(times.refuse_leap, T0 + 366 * DAY, T0, "UTC"), ""),
        (lambda: said(times.refuse_leap, T0 + 366 * DAY + SECOND, T0, "UTC"), "366 days after the last event"),
        (lambda: said(times.refuse_future, T0 + 5 * MINUTE, T0, "UTC"), ""),
        (lambda: said(times.refuse_future, T0 + 5 * MINUTE + SECOND, T0, "UTC"), "is in the future"),
        (lambda: said(times.refuse_before_project, T0 - 9 * HOUR, T0, "UTC"), ""),
        (lambda: said(times.refuse_unexplained, T0, T0 + DAY, "UTC", None), ""),
        (
            lambda: said(times.refuse_unexplained, T0, T0 + DAY + SECOND, "UTC", " "),
            "is 1 days ago, and nobody says why",
        ),
        (lambda: said(times.refuse_past_day, TODAY, TODAY, "no", "later"), ""),
        (lambda: said(times.refuse_past_day, TODAY - DAY, TODAY, "no", "later"), "2026-01-04 is over; no\n  later"),
        (lambda: said(readiness.refuse_waiting, "a", "A", "start", waits(20)), "019@site step: blocked (logic)\n"),
        (
            lambda: said(readiness.refuse_waiting, "a", "A", "start", waits(21)),
            "019@site step: blocked (logic); and 1 more\n",
        ),
        (lambda: said(text.require_visible_text, print, ["x" * 20_000], {}), ""),
        (
            lambda: said(text.require_visible_text, print, ["x" * 20_001], {}),
            "has 20,001 characters; 20,000 are the most",
        ),
        (lambda: said(require_host_names, ["a b"] * 3, "i"), "'a b', 'a b', 'a b'\n"),
        (lambda: said(require_host_names, ["a b"] * 4, "i"), "'a b', 'a b', 'a b' and 1 more\n"),
        (
            lambda: said(readiness.refuse_waiting, "a", "A", "start", waits(42)),
            "019@site step: blocked (logic); and 22 more\n",
        ),
        (lambda: named(list("abcde")), "a, b, c, d, e"),
        (lambda: named(list("abcdef")), "a, b, c, d, e and 1 more"),
        (lambda: some(["a"]), "a"),
        (lambda: some(["a", "b", "c"]), "a and 2 more"),
        (lambda: unknown_order("ab", ["ab1", "ab2", "ab3", "ab4"]).hint, "did you mean ab4 or ab3 or ab2?"),
        (lambda: unknown_order("ab", ["xyz"]).hint, "`clusterwright orders` lists them"),
    ],
)
def test_what_is_over_a_bound_is_said(answer: Callable[[], str], expected: str) -> None:
    """An empty answer lets pass."""
    found = answer()
    assert found == expected or (expected and expected in found)


LOSS = readings.Asked("loss", "dB", None)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("x" * 61, f"loss is a number in dB, not {'x' * 60!r}"),
        ("0,05", "loss is a number in dB, not '0,05'\n  write 0.05"),
        ("1,000,5", "loss is a number in dB, not '1,000,5'"),
        ("word", "loss is a number in dB, not 'word'"),
    ],
)
def test_what_was_typed_is_repeated_within_a_bound(typed: str, answer: str) -> None:
    """One comma is how some write a point."""
    assert said(readings.measured, of(id="a"), {"loss": LOSS}, Measured("loss", typed), "") == answer


SERIALS = [f"s{n:02}" for n in range(21)]
KNOWN = {serial: (serial, "o/2") for serial in SERIALS}
LATE = delivery(need_by=T0, promised=date(2026, 1, 8))
PLACED = order(placed_at=T0)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda: orders.delivery_days_late(delivery(need_by=T0), T0, "UTC"), 0),
        (lambda: orders.delivery_days_late(delivery(need_by=T0), T0 + 2 * DAY, "UTC"), 2),
        (lambda: orders.delivery_days_late(LATE, T0, "UTC"), 3),
        (lambda: orders.delivery_days_late(LATE, T0 + 4 * DAY, "UTC"), 4),
        (lambda: orders.delivery_days_late(delivery(need_by=T0, promised=date(2026, 1, 4)), T0 - 3 * DAY, "UTC"), 0),
        (lambda: orders.delivery_days_late(LATE._replace(received_at=T0), T0, "UTC"), 0),
        (lambda: orders.delivery_days_late(LATE._replace(need_by=None), T0, "UTC"), 0),
        (lambda: orders.latest_delivery([delivery(need_by=T0), LATE], T0, "UTC"), LATE),
        (lambda: orders.latest_delivery([delivery(need_by=T0)], T0, "UTC"), None),
        (lambda: orders.order_days_late(order(order_by=T0), T0 + 2 * DAY), 2),
        (lambda: orders.order_days_late(order(order_by=T0), T0 - 2 * DAY), 0),
        (lambda: orders.order_days_late(order(), T0), 0),
        (lambda: orders.order_days_late(PLACED, T0), 0),
        (lambda: orders.order_days_late(PLACED._replace(late_delivery=LATE), T0), 3),
        (lambda: orders.is_order_late(T0, T0, None, [], "UTC"), False),
        (lambda: orders.is_order_late(T0 + SECOND, T0, None, [], "UTC"), True),
        (lambda: orders.is_order_late(T0, None, None, [LATE], "UTC"), False),
        (lambda: orders.is_order_late(T0, None, T0, [delivery(need_by=T0)], "UTC"), False),
        (lambda: orders.is_order_late(T0 + SECOND, None, T0, [delivery(need_by=T0)], "UTC"), True),
        (lambda: orders.is_order_late(T0, None, T0, [LATE], "UTC"), True),
        (lambda: orders.is_order_late(T0, None, T0, [LATE._replace(received_at=T0)], "UTC"), False),
        (lambda: orders.is_unready(order(ready_from=T0), T0, lapsed=False), False),
        (lambda: orders.is_unready(order(ready_from=T0 + SECOND), T0, lapsed=False), True),
        (lambda: orders.is_unready(order(ready_from=T0), T0, lapsed=True), True),
        (lambda: orders.order_state(None, []), "planned"),
        (lambda: orders.order_state(T0, [delivery()]), "placed"),
        (lambda: orders.order_state(T0, [delivery(received_quantity=D(1))]), "part received"),
        (lambda: orders.order_state(T0, [delivery(received_at=T0), delivery()]), "placed"),
        (lambda: orders.order_state(T0, [delivery(received_at=T0)]), "received"),
        (lambda: [PLACED._replace(days_late=n).late_words for n in (0, 1, 2)], ["", "1 day late", "2 days late"]),
        (
            lambda: [PLACED._replace(days_late=n, days_overdue=1).late_words for n in (0, 2)],
            ["1 day past its promise", "2 days late, 1 day past its promise"],
        ),
        (lambda: said(orders.refuse_serials, "o/1", D(21), SERIALS, KNOWN).count("(in o/2)"), 20),
        (lambda: share(D(10), D(1), D(3)), D("3.33")),
        (lambda: share(D(10), D(0), D(1)), D("0.00")),
        (lambda: share(D(10), D(3), D(3)), D(10)),
        (lambda: share(D(10), D(4), D(3)), D(10)),
        (lambda: share(D(10), D(-1), D(0)), D(10)),
        (lambda: share(D("0.25"), D(1), D(10)), D("0.02")),
        (
            lambda: [amount(text, "it") for text in ("0", "0.0001", "999999999999999")],
            [0, D("0.0001"), 999_999_999_999_999],
        ),
    ],
)
def test_days_states_and_money_of_an_order(answer: Callable[[], object], expected: object) -> None:
    assert answer() == expected


CHANGE = ChangeRow("CO-1", "a#o/1", "open", None, None, "", "", "", T0, None, None, None, "")


@pytest.mark.parametrize(
    ("rule", "given", "answer"),
    [
        (amount, ("-0.0001", "it"), "it cannot be -0.0001"),
        (amount, ("1000000000000000", "it"), "it cannot be"),
        (amount, ("x" * 61, "it"), f"not {'x' * 60!r}\n"),
        (orders.refuse_ahead, (TODAY, "shipped", TODAY), ""),
        (orders.refuse_ahead, (TODAY + DAY, "shipped", TODAY), "it cannot have been shipped on 2026-01-06"),
        (orders.refuse_unplaced, (PLACED,), ""),
        (orders.refuse_before_order, (PLACED, TODAY, "shipped"), ""),
        (orders.refuse_before_order, (PLACED, TODAY - DAY, "shipped"), "was placed on 2026-01-05"),
        (orders.refuse_promise_of_received, ("o", []), ""),
        (orders.refuse_promise_of_received, ("o", [delivery(), delivery(received_quantity=D(16))]), ""),
        (orders.refuse_promise_of_received, ("o", [delivery(received_quantity=D(17))]), "is received in full"),
        (orders.refuse_unreceivable, (PLACED, delivery(received_quantity=D(15)), T0), ""),
        (orders.refuse_unreceivable, (PLACED, delivery(), T0 - SECOND), "was placed only at 2026-01-05 09:00"),
        (orders.refuse_unreceivable, (PLACED, delivery(received_quantity=D(16)), T0), "is received in full already"),
        (orders.refuse_unreceivable, (PLACED, delivery(received_quantity=D(17)), T0), "is received in full already"),
        (orders.refuse_surplus, (delivery(), D(16)), ""),
        (orders.refuse_surplus, (delivery(), D(1)), ""),
        (orders.refuse_surplus, (delivery(), D(0)), "o/1: 16 outstanding, so not 0"),
        (orders.refuse_surplus, (delivery(), D(17)), "so not 17\n  send it back"),
        (orders.refuse_surplus, (delivery(received_quantity=D("8.0")), D("9.0")), "o/1: 8 outstanding, so not 9\n"),
        (orders.refuse_serials, ("o/1", D(2), ["a", "b"], KNOWN), ""),
        (orders.refuse_serials, ("o/1", D(1), ["a", "b"], KNOWN), "2 serial numbers for 1 received"),
        (orders.refuse_serials, ("o/1", D(2), ["a", "A"], KNOWN), "a serial number is there twice"),
        (orders.refuse_unscanned, (order(serialised=True), "o/1", D(1), ["a"], " "), ""),
        (orders.refuse_unscanned, (order(serialised=True), "o/1", D(2), ["a"], " "), "2 came with 1 of them"),
        (orders.refuse_unscanned, (order(serialised=False), "o/1", D(2), [], ""), ""),
        (orders.refuse_too_few, (delivery(received_quantity=D(3)), D(3)), ""),
        (orders.refuse_too_few, (delivery(received_quantity=D(3)), D(2)), "3 of o/1 are here"),
        (orders.refuse_too_few, (delivery(), D(1)), ""),
        (orders.refuse_too_few, (delivery(), D(0)), "cannot be for 0"),
        (orders.refuse_too_few, (delivery(), D(-1)), "cannot be for -1"),
        (orders.refuse_second_change, ("a#o", [CHANGE]), "CO-1 of a#o/1 waits for a decision"),
        (orders.refuse_second_change, ("a#p", [CHANGE]), ""),
        (orders.refuse_decided, (CHANGE,), ""),
        (orders.refuse_decided, (CHANGE._replace(state="approved", decided_by="pm"),), "CO-1 was approved by pm"),
        (orders.refuse_decided, (CHANGE._replace(state="refused", decided_by="pm"),), "CO-1 was refused by pm"),
        (orders.refuse_second_change, ("a#o", [CHANGE._replace(state=state) for state in ("approved", "refused")]), ""),
        (read_scan, (b"x" * 100,), ""),
        (read_scan, (b"x" * 101,), f"line 1: {'x' * 40!r} is no serial number"),
        (checklists.readable, ("x" * 100, "it", 100), ""),
        (checklists.readable, ("x" * 101, "it", 100), f"it has at most 100 characters, not 101: {'x' * 20!r}…"),
        (checklists.readable_note, ("x" * 2000,), ""),
        (checklists.readable_note, ("x" * 2001,), "at most 2,000 characters, not 2,001"),
    ],
)
def test_what_an_order_a_receipt_or_a_checklist_takes(
    rule: Callable[..., object], given: tuple[Any, ...], answer: str
) -> None:
    found = said(rule, *given)
    assert found == answer or (answer and answer in found)
    assert not (answer.startswith("o/1: 16") and "send it back" in found), "nothing came that could be sent back"


def entry(seq: int, kind: str, **given: Any) -> EntryRow:
    return EntryRow(seq, kind, "o", 1, "buyer", None)._replace(**given)


PROMISED = [entry(seq, "order.promised") for seq in (8, 9)]


@pytest.mark.parametrize(
    ("later", "begun", "answer"),
    [
        (PROMISED, (), "event 9 (order.promised by buyer) came after event 7"),
        ([one._replace(taken_back=12) for one in PROMISED], (), ""),
        ([one._replace(attempt=2) for one in PROMISED], (), ""),
        ([one._replace(attempt=0) for one in PROMISED], (), ""),
        ((), "fedcba", "a, b, c, d, e began because of event 7 (order.placed by buyer)\n"),
    ],
)
def test_an_order_is_taken_back_while_nothing_rests_on_it(later: Any, begun: Any, answer: str) -> None:
    found = said(correct_supply, entry(7, "order.placed"), later, begun, ())
    assert found == answer or (answer and found.startswith(answer))


def test_an_order_that_somebody_asked_to_change_is_not_taken_back_but_a_promise_of_it_is() -> None:
    asked = {
        kind: said(correct_supply, entry(7, kind), (), (), ["CO-0001"]) for kind in ("order.placed", "order.promised")
    }
    assert asked["order.placed"].startswith("o has change orders: CO-0001")
    assert asked["order.promised"] == ""


def unfinished(total: int, checked: str, planned: str = "", failing: str = "") -> str:
    """Return what is said of a checklist with so many items, of which some were checked and some failed."""
    items = {name: of(item=name, failing=("result",) * (name in failing), ncr=None) for name in checked}
    row = of(id="a", plan=of(items=total, items_of=None, criteria=()))
    case = of(row=row, items=items, planned_items=list(planned), waived=(), used_as_is=(), readings={})
    return said(checklists.refuse_open_items, case).partition("\n")[0]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda: unfinished(3, ""), ""),
        (lambda: unfinished(3, "abc"), ""),
        (lambda: unfinished(1, "ab"), ""),
        (lambda: unfinished(3, "ab"), "a cannot finish: 1 of 3 items are not checked"),
        (lambda: unfinished(6, "a", "abcdef"), "a cannot finish: 5 of 6 items are not checked: b, c, d, e, f"),
        (lambda: unfinished(7, "a", "abcdefg"), "a cannot finish: 6 of 7 items are not checked: b, c, d, e, f, …"),
        (lambda: unfinished(2, "ab", failing="b"), "a cannot finish: 1 failed: b"),
    ],
)
def test_a_checklist_names_the_first_that_are_left(answer: Callable[[], str], expected: str) -> None:
    assert answer() == expected


def test_similar_names_are_looked_up_for_a_list_that_is_nearly_right() -> None:
    """Of a list that is wrong as a whole, an example is said."""
    roster = Roster(of(id="a", plan=of(items=5, items_of="servers")), ["n01", "n02", "n03", "n04", "n05"], ())

    answers = [said(roster.item, "n06") for _ in range(26)]

    assert answers[24].endswith("did you mean n05 or n04 or n03?")
    assert answers[25].endswith("they are called like n01")


BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 1, 4, 23, tzinfo=UTC)
WEEK = WorkingWeek((1, 2, 3, 4, 5), (8, 16), frozenset({"2026-01-06"}))


def test_weeks_begin_at_the_sites_midnight() -> None:
    assert mondays_of(BERLIN, MONDAY + 3 * DAY, MONDAY + 7 * DAY) == [MONDAY, MONDAY + 7 * DAY]
    assert mondays_of(BERLIN, MONDAY, MONDAY + 7 * DAY - SECOND) == [MONDAY]
    assert mondays_of(BERLIN, MONDAY - SECOND, MONDAY) == [MONDAY - 7 * DAY, MONDAY]


def test_a_shift_is_of_a_day_that_is_worked() -> None:
    """Neither of a Sunday nor of a holiday, in the hours of the site."""
    found = list(WEEK.shifts(date(2026, 1, 4), date(2026, 1, 7), BERLIN))

    assert found == [(MONDAY + n * DAY + 8 * HOUR, MONDAY + n * DAY + 16 * HOUR) for n in (0, 2)]
