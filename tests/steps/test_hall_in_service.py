"""A hall goes live by itself: what it waits for, what it does not, and pods that come first."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache

import pytest
from msgspec.structs import replace

from schedule.errors import InputError
from steps.planning.activity import PlanActivity
from steps.planning.dates.milestones import GO_LIVE, hall_milestone, halls_of
from steps.planning.odds.plan_odds import odds_of
from steps.planning.plan import Plan
from steps.planning.record.forecast import Actual
from steps.planning.scenarios.pods_first import delivered_first, first_pods, ready
from steps.planning.scenarios.what_if import Case, delayed, seen, with_crews, with_pods_first
from tests.steps.test_catalog import ON_PAPER, ancestors
from tests.steps.test_crewed_plan import most_at_once
from tests.steps.test_joining import plan
from tests.steps.test_plan import plan as large_plan

pytestmark = pytest.mark.xdist_group("plans")

WEEKS_BETWEEN = 4
SERVERS = "001@site#gpu-server"


@cache
def two_halls() -> Plan:
    """A site of two halls with two pods each, and crews for both. The second delivery of two pods comes weeks after the first."""
    return plan(halls=2, pods_per_tranche=2, weeks_between_tranches=WEEKS_BETWEEN, nodes_per_crew=64)


def in_service(made: Plan) -> list[datetime]:
    """Return when each hall is in service with unlimited crews."""
    found = [hall.dates and hall.dates.unlimited_finish for hall in halls_of(made)]
    assert all(found)
    return [finish for finish in found if finish]


@pytest.mark.parametrize("facility", ["existing", "greenfield"])
@pytest.mark.parametrize("burn_in", ["bench", "in-place"])
def test_a_hall_waits_for_no_work_in_another_hall_and_for_no_pod_of_it(facility: str, burn_in: str) -> None:
    _, above = ancestors(facility=facility, burn_in=burn_in, halls=2)

    elsewhere = {name for name in above["H43@hall-1"] if name.endswith(("@hall-2", "@pod-002"))}

    assert {name.partition("@")[0] for name in elsewhere} <= ON_PAPER


@pytest.mark.parametrize(
    "step",
    ["H21", "063", "088", "130", "134", "H39", "H42", "147", "169", "H20", "H34", "H27", "H11", "H14", "091", "093"],
)
def test_a_hall_in_service_has_its_own_pods_power_cooling_network_storage_and_tests_behind_it(step: str) -> None:
    _, above = ancestors(facility="greenfield", halls=2)

    assert {f"{step}@hall-2", f"{step}@pod-002"} & above["H43@hall-2"]


@pytest.mark.parametrize("step", ["H22", "H17", "138", "140", "157", "163"])
def test_users_find_people_circuits_backups_and_queues_when_the_first_hall_opens(step: str) -> None:
    _, above = ancestors(halls=2)

    assert f"{step}@site" in above["H43@hall-1"]


def test_no_hall_and_no_go_live_waits_for_spares() -> None:
    """A site trains with a shelf that is not full yet."""
    _, above = ancestors(halls=2)

    assert not {"H23@site"} & (above["H43@hall-1"] | above["195@site"])


def test_the_site_goes_live_when_every_hall_is_in_service() -> None:
    _, above = ancestors(halls=2)

    assert {"H43@hall-1", "H43@hall-2"} <= above["195@site"]


def test_a_hall_whose_pods_come_first_is_in_service_weeks_before_the_other() -> None:
    first, second = in_service(two_halls())

    assert timedelta(weeks=WEEKS_BETWEEN - 1) < second - first < timedelta(weeks=WEEKS_BETWEEN + 1)
    assert second < two_halls().finish


def test_halls_whose_pods_come_together_are_in_service_together() -> None:
    first, second = in_service(plan(halls=2))

    assert abs(second - first) < timedelta(days=2)


@pytest.mark.parametrize("facility", ["existing", "greenfield"])
def test_a_site_of_one_hall_goes_live_no_later_for_it(facility: str) -> None:
    without, made = plan(without=frozenset({"H43"}), facility=facility), plan(facility=facility)

    assert made.levelling
    assert without.levelling
    assert not halls_of(without)
    assert made.levelling.unlimited_finish == without.levelling.unlimited_finish


def test_halls_have_odds_beside_go_live() -> None:
    found = [one.milestone for one in odds_of(two_halls(), samples=20).milestones]

    assert found[:3] == [GO_LIVE, hall_milestone("hall-1"), hall_milestone("hall-2")]
    go_live, first, second, *_ = odds_of(two_halls(), samples=20).milestones
    assert first.p50.date <= first.p80.date < go_live.p80.date
    assert first.p80.date < second.p80.date


def case() -> Case:
    return Case(two_halls(), {}, two_halls().start)


def reached(of: Case, pods: tuple[str, ...]) -> dict[str, datetime]:
    return {one.milestone: one.expected for one in seen(of, samples=20, seed=1, pods=pods)[0].milestones}


def test_a_pod_that_comes_first_is_ready_weeks_earlier() -> None:
    """The third pod comes with the second delivery, two months later. First, it comes with the first one, and crews go there first.

    Less than a month would not show: services for users are set up for three weeks after the first pod.
    """
    made = plan(halls=2, pods_per_tranche=2, weeks_between_tranches=2 * WEEKS_BETWEEN)
    of, pods = Case(made, {}, made.start), first_pods(made, 3)

    now, then = reached(of, pods), reached(with_pods_first(of, pods), pods)

    assert now["first 3 pods ready"] - then["first 3 pods ready"] > timedelta(weeks=1)


def test_pods_that_come_first_are_ready_earlier_and_cost_the_site_less_than_they_gain() -> None:
    """The plan orders its crews for an early go-live, and gives them to later pods as well: another order may cost some days of it."""
    made = large_plan("h100-10k")
    of, pods = Case(made, {}, made.start), first_pods(made, 16)

    now, then = reached(of, pods), reached(with_pods_first(of, pods), pods)

    gained = now["first 16 pods ready"] - then["first 16 pods ready"]
    assert gained > timedelta(days=3)
    assert then["hall-1 in service"] - now["hall-1 in service"] < gained / 3
    assert then[GO_LIVE] - now[GO_LIVE] < gained / 3


def test_crews_serve_first_pods_as_if_there_were_no_others() -> None:
    pods = first_pods(two_halls(), 2)
    others = ("H09@pod-003=4w", "017@pod-004=4w", "H08@pod-003=4w", "087@pod-004=4w")

    first = reached(with_pods_first(case(), pods), pods)
    later = case()
    for one in others:
        later = delayed(later, one)
    found = reached(with_pods_first(later, pods), pods)

    assert found["first 2 pods ready"] == first["first 2 pods ready"]
    assert found["hall-1 in service"] == first["hall-1 in service"]
    assert found["hall-2 in service"] > first["hall-2 in service"]


def test_with_pods_first_no_trade_works_with_more_crews_than_there_are() -> None:
    changed = with_crews(with_pods_first(case(), first_pods(two_halls(), 3)), "rack-technician=2")
    _, solved = seen(changed, samples=20, seed=1)
    row = {name: number for number, name in enumerate(solved.crewed.base.activities.names)}

    def placed(one: PlanActivity) -> PlanActivity:
        at = (solved.crewed.solution.start, solved.crewed.solution.finish)
        start, finish = (changed.plan.start + timedelta(minutes=int(column[row[one.id]])) for column in at)
        return replace(one, dates=one.dates and replace(one.dates, early_start=start, early_finish=finish))

    found = tuple(placed(one) for one in changed.plan.activities if one.applicable)
    most = most_at_once(changed.plan.model_copy(update={"activities": found}), lambda one: [(one.role, one.crews)])

    assert all(count <= changed.plan.crews[role] for role, count in most.items())
    assert any(count == changed.plan.crews[role] for role, count in most.items())


def test_what_is_here_serves_whom_it_was_for() -> None:
    """The first delivery is on site with two pods' servers: the third pod's come with the next one."""
    made = two_halls()
    here = Actual(made.start, made.start)
    of = Case(made, {f"{SERVERS}/1": here}, made.start + timedelta(days=1))

    found = with_pods_first(of, first_pods(made, 3)).plan

    def servers(of: Plan) -> set[tuple[str, str]]:
        return {(link.before, link.after) for link in of.links if link.before.startswith(f"{SERVERS}/")}

    assert servers(found) == servers(made)
    assert servers(delivered_first(made, first_pods(made, 3), ())) != servers(made)


def test_a_hall_is_watched_only_if_all_its_pods_come_first() -> None:
    made = two_halls()

    assert list(ready(made, first_pods(made, 1))) == ["first pod ready"]
    assert list(ready(made, first_pods(made, 3))) == ["first 3 pods ready", "hall-1 in service"]
    assert list(ready(made, first_pods(made, 4)))[1:] == ["hall-1 in service", "hall-2 in service"]


@pytest.mark.parametrize("number", [0, -1, 5])
def test_as_many_pods_come_first_as_there_are(number: int) -> None:
    with pytest.raises(InputError, match="the site has 4 pods"):
        first_pods(two_halls(), number)
