"""Judging: exact, per item, worst decides, and never a pass by default."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.rules.judgement import Judgement, all_met, judge, judge_items, judgements, verdict_on
from steps.acceptance.measured import Measured
from steps.planning.activity import PlanCriterion
from steps.value import Value, text_value, value_text
from tests.readings import reading

pytestmark = pytest.mark.own_file  # no ledger at all: once is enough

D = Decimal


def asked(op: Any, limit: Value, unit: str) -> PlanCriterion:
    """Return a criterion that asks for this."""
    return PlanCriterion(metric="metric", op=op, value=limit, unit=unit, source="test")


@pytest.mark.parametrize(
    ("op", "limit", "unit", "readings", "verdict"),
    [
        ("<=", D("0.5"), "dB", [reading("a", D("0.5"), "dB")], "met"),
        ("<", D("0.5"), "dB", [reading("a", D("0.5"), "dB")], "failed"),
        (">=", D(10), "GB/s", [reading("a", D(9), "GB/s"), reading("b", D(12), "GB/s")], "failed"),
        (">=", D(10), "GB/s", [reading("a", D(9), "GB/s"), reading("a", D(12), "GB/s")], "met"),
        (">=", D(1), "s", [reading("a", D(1000), "ms")], "met"),
        ("==", D(0), "count", [reading("a", D(0), "V")], "not measured"),
        ("==", D(0), "count", [reading("a", None, "count", "install x")], "not measured"),
        ("==", D(0), "count", [reading("a", None, ""), reading("b", D(1), "")], "failed"),
        ("==", True, "yes", [reading("", value=True, unit="")], "met"),
        ("==", True, "yes", [reading("", value=D(1), unit="")], "not measured"),
        ("<=", D(5), "%", [], "not measured"),
        ("within", D(5), "%", [reading("a", D(100), "W"), reading("b", D(104), "W")], "met"),
        (
            "within",
            D(5),
            "%",
            [reading("a", D(100), "W"), reading("b", D(100), "W"), reading("c", D(120), "W")],
            "failed",
        ),
        ("within", D(5), "%", [reading("a", D(100), "W")], "not measured"),
        ("within", D(5), "%", [reading("a", D(-5), "%")], "met"),
        ("within", D(5), "%", [reading("a", D("-5.1"), "%")], "failed"),
        ("within", D(5), "%", [reading("a", D(95), "W"), reading("b", D(105), "W")], "met"),
        ("within", D(5), "%", [reading("a", D(-95), "V"), reading("b", D(-105), "V")], "met"),
        ("within", D(5), "%", [reading("a", D("94.98"), "W"), reading("b", D("105.02"), "W")], "failed"),
        ("within", D(5), "%", [reading(item, D(n), "W") for item, n in zip("abc", (95, 100, 105), strict=True)], "met"),
        (
            "within",
            D(4),
            "%",
            [reading(item, D(n), "W") for item, n in zip("abcd", (98, 100, 104, 106), strict=True)],
            "met",
        ),
        ("within", D(5), "%", [reading("a", D(1), "V"), reading("b", D(-1), "V")], "not measured"),
        ("within", D(5), "%", [reading("a", D(100), "W"), reading("b", D(100), "V")], "not measured"),
        (">", D(10), "GB/s", [reading("a", D(10), "GB/s")], "failed"),
        (">", D(10), "GB/s", [reading("a", D(11), "GB/s")], "met"),
        (">=", D(10), "GB/s", [reading("a", D(10), "GB/s")], "met"),
        ("!=", D(0), "count", [reading("a", D(0), "count")], "failed"),
        ("!=", D(0), "count", [reading("a", D(1), "count")], "met"),
        ("==", "on", "", [reading("a", "on", "")], "met"),
        ("==", "on", "", [reading("a", "off", "")], "failed"),
        (">=", "on", "", [reading("a", "on", "")], "failed"),
    ],
)
def test_verdict(op: str, limit: Value, unit: str, readings: list[Measured], verdict: str) -> None:
    """One case a rule."""
    assert judge(asked(op, limit, unit), readings).verdict == verdict


NUMBERS = st.sampled_from([D(n) for n in (-1, 0, 1, 5, 99, 100, 101, 470, 1000)])
CRITERIA = st.builds(
    PlanCriterion,
    metric=st.sampled_from(["speed", "loss"]),
    op=st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "within"]),
    value=NUMBERS | st.booleans(),
    unit=st.sampled_from(["s", "%"]),
    source=st.just("test"),
    fleet_z=st.sampled_from([None, None, D(5)]),
)
READINGS = st.lists(
    st.builds(
        lambda accepted, **read: reading(**read)._replace(accepted=accepted),
        accepted=st.sampled_from(["", "", "NCR-0001"]),
        item=st.sampled_from("abcdefghij"),
        value=st.none() | NUMBERS | st.just(D("NaN")) | st.booleans() | st.just("word"),
        unit=st.sampled_from(["s", "s", "s", "ms", "%", "V"]),
    ),
    max_size=14,
)


FLEET = PlanCriterion(metric="speed", op=">=", value=D(431), unit="s", source="test", fleet_z=D(5))
SLOW = [*(reading(item, D(470 + number), "s") for number, item in enumerate("abcdefgh")), reading("i", D(440), "s")]


@example(criteria=[FLEET], readings={"speed": SLOW}, waived=False)
@given(
    criteria=st.lists(CRITERIA, max_size=3),
    readings=st.dictionaries(st.sampled_from(["speed", "loss"]), READINGS),
    waived=st.booleans(),
)
def test_the_short_answer_is_that_of_the_judgement_in_words(
    criteria: list[PlanCriterion], readings: dict[str, list[Measured]], *, waived: bool
) -> None:
    """Most events need to know only whether all is met, or whether one item fails."""
    waivers = ["speed"] if waived else []

    in_words = judgements(criteria, readings, waivers)

    assert all_met(criteria, readings, waivers) == (not any(judgement.is_open for judgement in in_words))
    for criterion in criteria:
        found = readings.get(criterion.metric, [])
        for item, judged in judge_items(criterion, found).items():
            assert verdict_on(criterion, found, item) == judged.verdict


def test_what_is_accepted_does_not_fail_and_hides_nothing_that_does() -> None:
    """Nor that something was not measured. What meets its limit is met, whatever it was accepted under."""
    used = reading("a", D(3), "s")._replace(accepted="NCR-0001")
    limit = asked("<=", D(1), "s")

    assert judge(limit, [used]) == ("used as it is", "3 s", "a", "NCR-0001")
    assert judge(limit, [used, reading("b", D(1), "s")]).measured == "1 of 2 met, worst 3 s"
    assert judge(limit, [used, reading("b", D(2), "s")])[:3] == ("failed", "0 of 2 met, worst 2 s", "b")
    assert judge(limit, [used, reading("b", None, "s")]).verdict == "not measured"
    assert judge(limit, [used._replace(value=D(1))]).verdict == "met"
    assert judge(FLEET, SLOW).verdict == "failed"
    slow = [*SLOW[:-1], SLOW[-1]._replace(accepted="NCR-0001")]
    assert judge(FLEET, slow)[::2] == ("used as it is", "i")
    assert judge(FLEET, [*slow, reading("j", D(438), "s")])[::2] == ("failed", "j")


def test_worst_item_is_named() -> None:
    """That is where somebody has to go."""
    found = judge(asked("<=", D(1), "s"), [reading("a", D(1), "s"), reading("b", D(3), "s"), reading("c", D(2), "s")])

    assert (found.worst, found.measured) == ("b", "1 of 3 met, worst 3 s")
    least = judge(asked(">", D(4), "s"), [reading("a", D(4), "s"), reading("b", D(3), "s"), reading("c", D(5), "s")])
    assert (least.worst, least.measured) == ("b", "1 of 3 met, worst 3 s")
    met = judge(asked(">=", D(3), "s"), [reading("a", D(4), "s"), reading("b", D(3), "s")])
    assert (met.worst, met.measured) == ("b", "2 of 2 met, worst 3 s")


def test_waiver_stands_in_for_a_failure_only() -> None:
    """What is met needs none."""
    assert judge(asked("<=", D(1), "s"), [reading("a", D(3), "s")], waived=True).verdict == "waived"
    assert judge(asked("<=", D(1), "s"), [reading("a", D(1), "s")], waived=True).verdict == "met"


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9) | st.booleans()
)
def test_values_survive_their_text(value: Decimal | bool) -> None:
    """Stored as text, read back as what was measured."""
    assert text_value(value_text(value)) == value


@pytest.mark.parametrize(
    ("readings", "said"),
    [
        ([], "metric <= 0.5 dB: not measured"),
        ([reading("a", D("0.7"), "dB")], "metric <= 0.5 dB: failed (0.7 dB at a)"),
        ([reading("a", None, "dB", "install otdr")], "metric <= 0.5 dB: not measured (install otdr at a)"),
    ],
)
def test_a_verdict_says_once_what_was_read(readings: list[Measured], said: str) -> None:
    criterion = asked("<=", D("0.5"), "dB")
    assert str(Judgement(criterion, judge(criterion, readings))) == said


@pytest.mark.parametrize(
    ("op", "limit", "read", "said"),
    [
        ("==", True, True, "Metric: yes (metric, yes)"),
        ("==", True, False, "Metric: failed (metric, no)"),
        ("==", True, None, "Metric: not yet (metric)"),
        ("==", False, False, "Metric, which must not be: no (metric, no)"),
        ("==", False, True, "Metric, which must not be: failed (metric, yes)"),
        ("!=", False, True, "Metric: yes (metric, yes)"),
    ],
)
def test_a_question_of_yes_or_no_is_answered(op: str, limit: bool, read: bool | None, said: str) -> None:
    criterion = asked(op, limit, "bool")
    found = [] if read is None else [reading("", read, "bool")]
    assert str(Judgement(criterion, judge(criterion, found))) == said


def test_a_failure_says_what_was_found_where() -> None:
    """So a person knows which ports listen, and not only how many."""
    found = [reading("a", D(0), "count"), reading("b", D(2), "count", "tcp/111, tcp/2024")]

    (judged,) = judgements([asked("==", D(0), "count")], {"metric": found})

    assert str(judged) == "metric == 0 count: failed (1 of 2 met, worst 2 count at b: tcp/111, tcp/2024)"
