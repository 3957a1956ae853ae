"""Parts that arrive dead and servers that fail a soak: what each does to the dates of a plan, by hand calculation."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from schedule.cpm.shifts import Minutes
from schedule.risk.running import run
from steps.design.figures import figure_specs
from steps.planning.dates.dating import network_of
from steps.planning.dates.milestones import GO_LIVE
from steps.planning.odds.failing_parts import failing_parts
from steps.planning.odds.plan_odds import odds_of
from steps.planning.odds.uncertainty import uncertainty
from steps.planning.plan import Plan
from tests.steps.test_crewed_plan import certain
from tests.steps.test_plan import plan, planned

pytestmark = pytest.mark.xdist_group("plans")

DAY = 1440
SERVERS = 32
NOTHING_FAILS = dict.fromkeys(("dead_server_share", "dead_drive_share", "dead_cable_share", "early_failures"), 0.0)
RISK = ("dead_", "replacement_days_", "early_failures", "server_spares", "drive_spares", "cable_spares", "gpu")


def failing(made: Plan | None = None, /, **figures: float) -> Plan:
    """Return a plan of one pod in which nothing is uncertain but what fails; of that, too, nothing but what `figures` say."""
    made = made or plan("superpod-1su")
    shipped = {name: made.figures[name] for name in figure_specs() if name.startswith(RISK)}
    return certain(made).model_copy(update={"figures": shipped | NOTHING_FAILS | figures})


@cache
def slack_h(activity: str) -> float:
    dates = next(one.dates for one in plan("superpod-1su").activities if one.id == activity)
    assert dates
    return dates.total_float_h


def go_live(made: Plan) -> float:
    """Return P50 of go-live, in days after the plan's start."""
    odds = next(one for one in odds_of(made, samples=40).milestones if one.milestone == GO_LIVE)
    return (odds.p50.date - made.start) / timedelta(days=1)


def finishes(made: Plan, activity: str, samples: int = 40) -> Minutes:
    """Return the sampled finishes of an activity with unlimited crews, in minutes."""
    network = network_of(made)
    row = network.activities.names.index(activity)
    found = run(uncertainty(made, network, network.solve()), [row], seed=3, samples=samples).samples
    return np.asarray(found[0])


def later(made: Plan, activity: str) -> float:
    """Return by how many days an activity is later than without failures, in every sample."""
    (minutes,) = np.unique(finishes(made, activity) - finishes(failing(), activity))
    return float(minutes) / DAY


def test_nothing_that_fails_changes_nothing() -> None:
    assert go_live(failing()) == go_live(certain(plan("superpod-1su")))


def test_replacing_every_server_takes_its_hours_at_the_step_that_finds_it() -> None:
    """32 servers of 1.5 hours are 48 working hours: six working days, from a Monday over one weekend."""
    assert later(failing(dead_server_share=1.0, dead_server_hours=1.5, server_spares=1.0), "031@pod-001") == 8.0


@pytest.mark.parametrize("weeks", [1, 2])
def test_go_live_is_later_by_what_replacing_takes(weeks: int) -> None:
    """The step that finds dead servers has no float: five working days are a week."""
    assert slack_h("031@pod-001") == 0
    replaced = failing(dead_server_share=1.0, dead_server_hours=8 * 5 * weeks / SERVERS, server_spares=1.0)

    assert go_live(replaced) - go_live(failing()) == pytest.approx(7 * weeks)


@cache
def accepted_on_saturdays() -> Plan:
    """Return the plan of a site where those who accept pods work six days of ten hours."""
    contractor = {"working_days": [1, 2, 3, 4, 5, 6], "hours": [6, 16]}
    trades = {"performance-engineer": "contractor"}
    return planned("superpod-1su", calendars={"contractor": contractor}, trades=trades)


@pytest.mark.parametrize("own_calendar", [False, True])
def test_a_part_without_a_spare_is_waited_for_beside_the_work(own_calendar: bool) -> None:
    """Seventy days, then burn-in and stress of the replacement, hold the acceptance, and nothing before it."""
    made = failing(
        accepted_on_saturdays() if own_calendar else None,
        dead_server_share=1.0,
        dead_server_hours=0.0,
        server_spares=0.0,
        **{f"replacement_days_{point}": 70.0 for point in ("low", "likely", "high")},
    )
    soaked_days = (72 + 14) / 24
    found, accepted = (finishes(made, name)[0] / DAY for name in ("031@pod-001", "H21@pod-001"))

    assert accepted - found == pytest.approx(70 + soaked_days, abs=5)  # the acceptance works on weekdays
    for before in () if own_calendar else ("031@pod-001", "034@pod-001", "035@pod-001"):
        assert later(made, before) == 0.0


def test_a_replacement_that_comes_while_the_pod_is_worked_on_delays_nothing() -> None:
    made = failing(
        dead_cable_share=1.0,
        cable_spares=0.0,
        **{f"replacement_days_{point}": 3.0 for point in ("low", "likely", "high")},
    )

    assert go_live(made) == go_live(failing())


def test_a_spare_for_each_dead_part_leaves_no_wait() -> None:
    made = failing(dead_cable_share=1.0, cable_spares=1.0)

    assert go_live(made) == go_live(failing())


def test_a_pod_soaks_again_as_often_as_one_of_its_servers_is_interrupted() -> None:
    """72 hours on eight GPUs at 50,677 GPU-hours for each interruption: 1.1 % a server, 30 % of pods of 32."""
    made, samples = failing(early_failures=1.0), 4000

    again = finishes(made, "034@pod-001", samples) > finishes(failing(), "034@pod-001", samples)

    chance = 1 - np.exp(-72 * 8 / 50_677) ** SERVERS
    assert chance == pytest.approx(0.305, abs=0.001)
    assert again.mean() == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / samples))


def test_a_soak_that_is_begun_again_lasts_at_most_twice_as_long_and_the_repair() -> None:
    """A server that fails in its last hour soaks once more; one that fails in its first loses nothing but its repair."""
    made = failing(early_failures=1.0, dead_server_hours=3.0)
    hours = (finishes(made, "034@pod-001", 4000) - finishes(failing(), "034@pod-001", 4000)) / 60
    once = hours[(hours > 0) & (hours < 3 + 72)]  # a second failure, in one pod of 250, may add more

    assert once.min() >= 3
    assert once.max() > 3 + 60
    assert once.mean() == pytest.approx(3 + 36, abs=2)


def test_what_is_done_fails_no_more() -> None:
    made = plan("superpod-1su")
    names = network_of(made).activities.names
    rows = {name: row for row, name in enumerate(names)}
    done = ("031@pod-001", "034@pod-001")

    before = [event.name for event in failing_parts(made, rows)]
    after = [event.name for event in failing_parts(made, {name: row for name, row in rows.items() if name not in done})]

    gone = {
        *("dead servers, replaced at 031@pod-001", "dead servers, waited for at H21@pod-001", "034@pod-001 again"),
        "servers that fail in a soak, 034@pod-001",
    }
    assert set(before) - set(after) == gone
    assert "servers that fail in a soak, 035@pod-001" in after


def test_more_spares_are_never_later() -> None:
    maker = {f"replacement_days_{point}": 70.0 for point in ("low", "likely", "high")}

    dates = [go_live(failing(dead_server_share=0.2, server_spares=spares, **maker)) for spares in (0.0, 0.2, 0.5)]

    assert all(more <= fewer for fewer, more in pairwise(dates))
    assert dates[-1] < dates[0] - 30
