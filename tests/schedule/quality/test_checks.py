"""Each check finds what is wrong, by name, and says why where it cannot look."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from schedule.cpm.columns import NONE, Activities, Actuals, Links, Tie
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import continuous
from schedule.quality.assessing import Assessment, assess
from schedule.quality.check import Check, Verdict
from schedule.quality.subject import Known

DAY = 1440
ALWAYS = np.array([DAY])
PLAIN = Known(ALWAYS)


def network_of(durations: dict[str, int], *links: tuple[str, Tie, str, int]) -> CompiledNetwork:
    """Return a network around the clock. Durations and lags are days."""
    names = list(durations)
    rows = np.array([(names.index(before), names.index(after)) for before, _, after, _ in links], np.int32).reshape(
        -1, 2
    )
    number = len(links)
    return compile_network(
        Activities(names, np.array(list(durations.values())) * DAY, np.zeros(len(names), np.int32)),
        Links(
            rows[:, 0],
            rows[:, 1],
            np.array([kind for _, kind, _, _ in links], np.uint8),
            np.array([lag for *_, lag in links], np.int64) * DAY,
            np.zeros(number, np.int32),
        ),
        [continuous()],
    )


def chain(**durations: int) -> CompiledNetwork:
    """Return activities one after another."""
    names = list(durations)
    return network_of(durations, *((before, Tie.FS, after, 0) for before, after in pairwise(names)))


def found(assessment: Assessment, id_: str) -> Check:
    """Return one check."""
    return next(check for check in assessment.checks if check.id == id_)


def offenders(network: CompiledNetwork, id_: str, known: Known = PLAIN, actuals: Actuals | None = None) -> list[str]:
    """Return the offenders of one check."""
    assessment = assess(network, network.solve(actuals=actuals), known)
    return list(found(assessment, id_).offenders(network))


def happened(network: CompiledNetwork, data_date: int, **dates: tuple[int, int | None]) -> Actuals:
    """Return progress in days by name."""
    started, finished = (np.full(len(network.activities), NONE) for _ in range(2))
    for name, (start, finish) in dates.items():
        row = list(network.activities.names).index(name)
        started[row], finished[row] = start * DAY, NONE if finish is None else finish * DAY
    return Actuals(data_date * DAY, started, finished)


TANGLE = network_of(
    {"a": 5, "b": 50, "c": 5, "d": 5, "loose": 5},
    ("a", Tie.FS, "b", -1),
    ("a", Tie.SS, "c", 2),
    ("c", Tie.FF, "d", 0),
    ("b", Tie.SF, "d", 0),
)


@pytest.mark.parametrize(
    ("check", "names"),
    [
        ("dcma-01", ["a", "d", "loose"]),
        ("dcma-02", ["a -> b FS-24h"]),
        ("dcma-03", ["a -> c SS+48h"]),
        ("dcma-04", ["a -> c SS+48h", "c -> d FF", "b -> d SF"]),
        ("dcma-08", ["b"]),
        ("gao-02-starts", ["d"]),
        ("gao-02-finishes", ["b"]),
        ("gao-02-start-to-finish", ["b -> d SF"]),
        ("gao-05-reaches-end", ["c", "d", "loose"]),
        ("gao-06-lags", ["a -> b FS-24h"]),
    ],
)
def test_offenders_are_named(check: str, names: list[str]) -> None:
    assert offenders(TANGLE, check) == names


def test_floats_that_are_too_high_or_negative_are_named_the_worst_first() -> None:
    network = network_of({"a": 100, "b": 10, "c": 20, "end": 0}, *((one, Tie.FS, "end", 0) for one in "abc"))
    assert offenders(network, "dcma-06") == ["b", "c"]

    dates = np.array([90, 5, NONE, NONE], np.int64)
    late = replace(network.activities, no_later=np.where(dates == NONE, NONE, dates * DAY))
    held = compile_network(late, network.links, network.calendars)
    assert offenders(held, "dcma-07") == ["a", "b"]
    assert offenders(held, "dcma-05") == ["a", "b"]


def test_work_without_a_resource_is_named_and_milestones_need_none() -> None:
    network = chain(a=1, b=1, end=0)

    assert offenders(network, "dcma-10", replace(PLAIN, loaded=np.array([True, False, False]))) == ["b"]


def test_work_without_three_points_is_named() -> None:
    network = chain(a=1, b=1, end=0)

    assert offenders(network, "gao-08-three-points", replace(PLAIN, uncertain=np.array([True, False, False]))) == ["b"]


def test_what_continues_beside_the_project_is_not_counted() -> None:
    network = network_of({"a": 1, "end": 0, "support": 500}, ("a", Tie.FS, "end", 0), ("a", Tie.FS, "support", 0))
    known = replace(PLAIN, continuing=np.array([False, False, True]))

    assessment = assess(network, network.solve(target=1), known, end=1)

    assert (found(assessment, "dcma-08").of, found(assessment, "dcma-08").found) == (1, 0)
    assert found(assessment, "dcma-01").of == 2


def test_the_end_moves_as_much_as_what_drives_it() -> None:
    network = chain(a=5, b=5)

    test = found(assess(network, network.solve(), PLAIN), "dcma-12")

    assert (test.verdict, test.value) == (Verdict.PASS, 600)
    assert test.because == "the end moves by 600.0 days if a takes 600 days more"


def test_an_end_that_does_not_wait_for_the_finish_of_its_chain_fails_the_critical_path_test() -> None:
    network = network_of({"a": 5, "b": 5}, ("a", Tie.SS, "b", 10))

    test = found(assess(network, network.solve(target=1), PLAIN, end=1), "dcma-12")

    assert (test.verdict, test.value, list(test.offenders(network))) == (Verdict.FAIL, 0, ["a"])


def test_what_is_delayed_in_the_critical_path_test_is_not_done_yet() -> None:
    network = chain(a=5, b=5, c=5)
    solution = network.solve(actuals=happened(network, 5, a=(0, 5)))

    test = found(assess(network, solution, PLAIN), "dcma-12")

    assert test.because == "the end moves by 600.0 days if b takes 600 days more"


def test_indices_compare_progress_with_the_baseline() -> None:
    """Of a and b, which the baseline finishes by day 10, one is done late and the other not; the end is 5 days late."""
    network = chain(a=4, b=4, c=12)
    solution = network.solve(actuals=happened(network, 10, a=(0, 5), b=(6, None)))
    known = replace(PLAIN, baseline=np.array([4, 8, 20]) * DAY)

    assessment = assess(network, solution, known)

    missed, length, execution = (found(assessment, name) for name in ("dcma-11", "dcma-13", "dcma-14"))
    assert list(missed.offenders(network)) == ["a", "b"]
    assert (length.value, length.verdict) == (10 / 12, Verdict.FAIL)
    assert length.because == "12.0 days to the end, -2.0 days of float towards the baseline"
    assert (execution.value, execution.because) == (0.5, "1 done, 2 due")


def test_a_date_that_has_to_be_kept_is_what_the_path_length_index_looks_at() -> None:
    network = chain(a=10)

    length = found(assess(network, network.solve(), replace(PLAIN, due=12 * DAY)), "dcma-13")

    assert (length.value, length.verdict) == (1.2, Verdict.PASS)


def test_work_that_did_not_wait_is_out_of_sequence() -> None:
    network = chain(a=5, b=5)

    names = offenders(network, "gao-09-sequence", actuals=happened(network, 3, b=(1, None)))

    assert names == ["a -> b FS"]


def test_a_chain_that_begins_at_a_date_of_its_own_is_broken() -> None:
    network = chain(a=5, b=5)
    held = replace(network.activities, no_earlier=np.array([NONE, 30 * DAY]))

    assert offenders(compile_network(held, network.links, network.calendars), "gao-06-chain") == ["b"]
    assert offenders(network, "gao-06-chain") == []


def test_work_to_come_begins_after_the_data_date() -> None:
    network = chain(a=2, b=2, c=2)

    assert offenders(network, "dcma-09", actuals=happened(network, 1, a=(0, None))) == []


def test_what_is_not_known_is_not_applicable_and_says_why() -> None:
    network = chain(a=5, b=5)

    assessment = assess(network, network.solve(), PLAIN)

    because = {check.id: check.because for check in assessment.checks if check.verdict is Verdict.NOT_APPLICABLE}
    assert because == {
        "dcma-09": "nothing is known of progress: there is no data date",
        "dcma-10": "the schedule names no resources",
        "dcma-11": "there is no baseline",
        "dcma-13": "no date has to be kept, and there is no baseline",
        "dcma-14": "there is no baseline",
        "gao-08-three-points": "the schedule has no three points",
        "gao-09-sequence": "nothing is known of progress: there is no data date",
        "gao-10-baseline": "there is no baseline",
    }


def test_a_practice_is_as_good_as_the_worst_of_its_checks() -> None:
    verdicts = {practice.number: verdict for practice, verdict in assess(TANGLE, TANGLE.solve(), PLAIN).practices}

    assert list(verdicts) == list(range(1, 11))
    assert verdicts[1] is Verdict.NOT_APPLICABLE
    assert verdicts[2] is Verdict.FAIL
    assert verdicts[4] is Verdict.FAIL
    assert verdicts[10] is Verdict.NOT_APPLICABLE


def test_a_schedule_that_is_done_fails_nothing() -> None:
    network = chain(a=5, b=5)
    solution = network.solve(actuals=happened(network, 20, a=(0, 5), b=(5, 10)))

    assert assess(network, solution, PLAIN).failed == ()
