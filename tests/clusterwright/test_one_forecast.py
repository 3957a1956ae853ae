"""The forecast on every view: the same dates to the day whatever happened, what moved them, and which delivery is waited for."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clusterwright.plan_diff import changes_to, placed_otherwise
from flows.dashboard.status_artifact import status_text
from ledger.forecasting import keep_forecast, make_forecast
from ledger.questions.case import require_activity
from ledger.questions.headlines import headlines
from ledger.questions.kept_forecast import KeptForecast, kept_forecast
from ledger.reading import open_snapshot
from ledger.subjects.orders import decisions as buying
from ledger.subjects.orders.change_decisions import ask_change, decide_change
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.plan.kinds.forecast_published import publish_forecast
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, na, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError
from steps.planning.dates.dating import solved
from steps.planning.plan import Plan
from steps.stamps import local_day
from tests.commands import at
from tests.ledger.conftest import T0, Clock, small_plan
from tests.ledger.test_commitment import committed_by
from tests.ledger.test_recut_orders import in_one

pytestmark = pytest.mark.own_file

ORDER = "001@site#gpu-server"
FORECAST = re.compile(r"go-live forecast (\S+), (.+?); P50 (\S+), P80 (\S+); as of event (\d+)", re.IGNORECASE)
EARLY = "the price holds"


class Site(NamedTuple):
    """A site in simulated time, whose ledger is a file."""

    folder: Path
    ledger: Ledger
    clock: Clock

    def say(self, *words: str) -> str:
        """Return what a command prints."""
        return at(self.folder, *words).stdout

    def document(self, *words: str) -> Any:
        """Return what a command prints as JSON."""
        return json.loads(self.say(*words, "--json"))

    def keep(self) -> KeptForecast:
        """Make the forecast and keep it, as `clusterwright forecast` does."""
        with open_snapshot(self.folder) as snapshot:
            keep_forecast(snapshot, make_forecast(snapshot, samples=20))
            kept = kept_forecast(snapshot)
        assert kept is not None
        return kept.forecast


@contextmanager
def a_site(zone: str = "America/Chicago") -> Iterator[Site]:
    """Return the small site with two deliveries for two pods, its first plan in force, in a time zone."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "site"
        folder.mkdir()
        (folder / "site.yaml").write_text("name: Small\n", encoding="utf-8")
        about = {"site_name": "Small", "time_zone": zone, "owner": "pm"}
        with create_ledger(folder, **about, rehearsal=True, clock=clock) as ledger:
            plan = solved(small_plan(time_zone=zone, slip_day_usd=1000.0)).plan
            adopt_plan(ledger, "pm", plan, reason="first plan", committed=committed_by(plan))
            yield Site(folder, ledger, clock)


def views(site: Site) -> dict[str, str]:
    """Return the text of every view of go-live, by its name."""
    with open_snapshot(site.folder) as snapshot:
        screen = "\n".join(headlines(snapshot).lines)
        dashboard = status_text(snapshot)
    return {
        "status": site.say("status"),
        "report week": site.say("report", "week"),
        "report summary": site.say("report", "summary"),
        "orders": site.say("orders"),
        "the headlines, with which screens begin": screen,
        "the dashboard": dashboard.replace("\\", ""),
    }


Act = Callable[[Site, int], object]


def wait(site: Site, days: int) -> None:
    """Let days pass. Project time is when the last event happened."""
    site.clock.forward(24.0 * days)
    comment(site.ledger, "tech", "001@site", "nothing new")


ACTS: dict[str, Act] = {
    "place": lambda site, days: buying.order(
        site.ledger,
        "pm",
        ORDER,
        supplier="ACME",
        reference="PO 1",
        promised=later(site, days),
        out_of_sequence=EARLY,
    ),
    "acknowledge": lambda site, days: buying.acknowledge(
        site.ledger, "pm", ORDER, on=site.clock.now.date(), reference="AB 1", promised=later(site, days)
    ),
    "promise all": lambda site, days: buying.promise(site.ledger, "pm", ORDER, later(site, days), reason="slipped"),
    "promise one": lambda site, days: buying.promise(
        site.ledger, "pm", f"{ORDER}/{1 + days % 2}", later(site, days), reason="slipped"
    ),
    "receive": lambda site, days: receive(site.ledger, "pm", f"{ORDER}/{1 + days % 2}", Decimal(16)),
    "start": lambda site, _: start(site.ledger, "tech", "001@site"),
    "finish": lambda site, _: finish(site.ledger, "tech", "001@site"),
    "comment": lambda site, _: comment(site.ledger, "tech", "001@site", "see the drawing"),
    "publish": lambda site, days: publish_forecast(site.ledger, "pm", T0 + timedelta(days=days)),
    "wait": wait,
}


def later(site: Site, days: int) -> date:
    """Return a day that is so many days after project time."""
    return (site.clock.now + timedelta(days=days)).date()


HISTORIES = st.lists(st.tuples(st.sampled_from(sorted(ACTS)), st.integers(0, 120)), max_size=8)


@given(
    HISTORIES,
    st.sampled_from(["Pacific/Auckland", "Pacific/Honolulu", "America/Chicago"]),
    st.sampled_from(sorted(ACTS)),
)
@settings(max_examples=15)
def test_every_view_has_the_same_forecast_to_the_day(history: list[tuple[str, int]], zone: str, last: str) -> None:
    """Also when something has happened since, which each of them then counts."""
    with a_site(zone) as site:
        for name, days in history:
            with suppress(ClusterwrightError):
                ACTS[name](site, days)
        kept = site.keep()
        with suppress(ClusterwrightError):
            ACTS[last](site, 40)

        found = {name: FORECAST.search(text) for name, text in views(site).items()}

        go_live = kept.milestones[0]
        days = (kept.day(kept.finish) - kept.day(kept.planned)).days
        expected = (
            str(kept.day(kept.finish)),
            "as planned"
            if not days
            else f"{abs(days)} day{'s' if abs(days) > 1 else ''} {'later' if days > 0 else 'earlier'} than planned",
            str(kept.day(go_live.p50.date)),
            str(kept.day(go_live.p80.date)),
            str(kept.event),
        )
        assert {name: one.groups() if one else None for name, one in found.items()} == dict.fromkeys(found, expected)
        assert f"forecast {expected[0]}, {expected[1]}; as of event {kept.event}" in site.say("show", "195@site")
        assert site.document("show", "195@site")["forecast"]["on"] == expected[0]
        assert site.document("status")["forecast"]["days_later"] == days


LATE = re.compile(
    r"(\d[\d,]*) activit(?:y is|ies are) past (?:its|their) planned finish; ([\d,]+) (?:is|are) forecast later",
    re.IGNORECASE,
)
NEEDED = re.compile(r"decisions needed: (\d+)", re.IGNORECASE)
COMMITMENT = re.compile(
    r"go-live commitment (\S+) \(P80\), now with a chance of (?:under |over )?\d+ %, target (\S+) \(P50\)",
    re.IGNORECASE,
)
LEFT = re.compile(
    r"schedule contingency(?:: (-?\d+) of \d+ days? left| of \d+ days is used up: the working forecast is (\d+) day)",
    re.IGNORECASE,
)
BASELINE = re.compile(r"baseline (\d{4}-\d\d-\d\d) \(([^)]*)\)")
NCRS = {"ncr", "sign", "decide", "resume", "release", "change"}


def adopt_again(site: Site, days: int) -> None:
    """Adopt the plan again with go-live so many days later: the baseline stays."""
    plan = solved(small_plan(time_zone="America/Chicago", slip_day_usd=1000.0)).plan
    later_plan = plan.model_copy(update={"finish": plan.finish + timedelta(days=days)})
    adopt_plan(site.ledger, "pm", later_plan, reason="slipped")


@given(HISTORIES, st.integers(0, 3))
@settings(max_examples=15)
def test_every_view_has_the_same_baseline_lateness_and_decisions(
    history: list[tuple[str, int]], adoptions: int
) -> None:
    """However often the plan was adopted again."""
    with a_site() as site:
        promised = site.document("status")["site"]["plan_finish"]
        for number in range(adoptions):
            adopt_again(site, 20 * (number + 1))
        for name, days in history:
            with suppress(ClusterwrightError):
                ACTS[name](site, days)
        site.keep()

        rows, status = site.document("list"), site.document("status")
        past, later = (site.document("list", "--late", how) for how in ("past-planned-finish", "forecast-later"))
        reminded = {(one["kind"], one["subject"]) for one in site.document("reminders") if one["kind"] in NCRS}
        (report,) = [site.document("report", "week")["sections"]]

        assert status["baseline"]["revision"] == 1
        assert status["baseline"]["finish"] == promised
        assert status["past_planned_finish"] == len(past) == sum(one["past_planned_finish"] for one in rows)
        assert status["past_planned_finish"] == len(report["Past their planned finish"])
        assert status["past_planned_finish"] == sum(one["past_planned_finish"] for one in status["phases"])
        assert status["forecast_later"] == len(later)
        assert status["decisions_needed"] == len(report["Decisions needed"]) == len(reminded)
        summary = site.document("report", "summary")
        assert {name: summary[name] for name in DOCUMENT} == {name: status[name] for name in DOCUMENT}
        commitment, target = (
            str(local_day(datetime.fromisoformat(status["commitment"][name]), "America/Chicago"))
            for name in ("commitment", "target")
        )
        left = status["contingency"]["left"]
        assert status["commitment"]["revision"] == 1, "no revision or forecast moves it"
        wanted = (str(len(past)), str(len(later)))
        last_day = str(local_day(datetime.fromisoformat(promised), "America/Chicago"))
        for name, text in views(site).items():
            assert COMMITMENT.findall(text) == [(commitment, target)], name
            assert LEFT.findall(text) == [(str(left), "") if left >= 0 else ("", str(-left))], name
            assert BASELINE.findall(text) == [(last_day, "revision 1")], name
            assert LATE.findall(text) == [wanted], name
            assert NEEDED.findall(text) == [str(len(reminded))], name


DOCUMENT = ("commitment", "contingency", "baseline", "past_planned_finish", "forecast_later", "decisions_needed")


@given(HISTORIES, st.sampled_from(sorted(ACTS)), st.integers(0, 120))
@settings(max_examples=40)
def test_what_is_not_counted_as_newer_moves_no_date(history: list[tuple[str, int]], name: str, days: int) -> None:
    """An order is placed first, so that most of what may happen can."""
    with a_site() as site:
        ACTS["place"](site, 9)
        for earlier, by in history:
            with suppress(ClusterwrightError):
                ACTS[earlier](site, by)
        before = site.keep()
        if name != "wait":
            with suppress(ClusterwrightError):
                ACTS[name](site, days)

        with open_snapshot(site.folder) as snapshot:
            kept, after = kept_forecast(snapshot), make_forecast(snapshot, samples=20)

        assert kept is not None
        assert kept.newer or (after.nodes, after.finish) == (before.nodes, before.finish)


@pytest.fixture
def slipped() -> Iterator[Site]:
    """A site that placed its order, whose second delivery is promised for eight weeks after the day that it is needed."""
    with a_site() as site:
        ACTS["place"](site, 9)
        (order,) = site.document("orders")
        needed = date.fromisoformat(order["tranches"][1]["need_by"][:10])
        buying.promise(site.ledger, "pm", f"{ORDER}/2", needed + timedelta(weeks=8), reason="allocation")
        site.keep()
        yield site


def test_orders_show_the_latest_delivery(slipped: Site) -> None:
    (order,) = slipped.document("orders")

    second = order["tranches"][1]
    assert (order["late"], order["days_late"], order["late_delivery"]["id"]) == (True, 56, f"{ORDER}/2")
    said = next(line for line in slipped.say("orders").splitlines() if ORDER in line)
    assert second["promised"] in said
    assert "delivery 2 is" in said
    assert "56 days late" in " ".join(slipped.say("orders").split())


def test_a_plan_says_which_deliveries_it_cuts_anew(slipped: Site) -> None:
    with open_snapshot(slipped.folder) as snapshot:
        found = changes_to(snapshot, in_one(solved(small_plan()).plan))

    said = {one.id: one.after for one in found if one.what == "cut anew"}
    assert said == {f"{ORDER}/1": "32 ordered, 0 of them here", f"{ORDER}/2": "0 ordered, 0 of them here"}


def with_racks(name: str, items: int) -> Plan:
    """Return the plan with so many racks at an activity."""
    plan = solved(small_plan()).plan
    counted = [replace(one, items=items, items_of="racks") if one.id == name else one for one in plan.activities]
    return plan.model_copy(update={"activities": tuple(counted)})


def test_a_plan_says_what_it_has_again_and_somebody_decided_away_or_did_for_fewer(slipped: Site) -> None:
    """It reads `added`, and nobody would do it, or not all of it."""
    done, left_out = "001@site", "010@pod-002"
    first, again = with_racks(done, 2), with_racks(done, 4)
    kept = [one for one in first.activities if one.id not in {done, left_out}]
    links = [one for one in first.links if not {done, left_out} & {one.before, one.after}]
    less = first.model_copy(update={"activities": tuple(kept), "links": tuple(links)})
    adopt_plan(slipped.ledger, "pm", first, reason="racks are counted")
    start(slipped.ledger, "tech", done)
    finish(slipped.ledger, "tech", done)
    sign(slipped.ledger, "lead", done)
    na(slipped.ledger, "pm", left_out, "this pod is not built")
    adopt_plan(slipped.ledger, "pm", less, reason="one pod")

    said = {"stays left out", "re-opened"}
    with open_snapshot(slipped.folder) as snapshot:
        found = {one.id: one for one in changes_to(snapshot, again) if one.what in said}
        assert not [one for one in changes_to(snapshot, less) if one.what in said]
        (as_before,) = [one for one in changes_to(snapshot, first) if one.what in {"re-opened", "stale"}]
    assert (found[left_out].what, found[left_out].before) == ("stays left out", "not applicable: this pod is not built")
    assert (found[done].what, found[done].after) == ("re-opened", "attempt 2: 4 racks, was 2 racks")
    assert as_before.after == "to be signed again: it was not part of the revision in force"

    adopt_plan(slipped.ledger, "pm", again, reason="two pods again")
    with open_snapshot(slipped.folder) as snapshot:
        assert require_activity(snapshot, done).attempt == 2
    assert audit(slipped.folder) == []


def test_an_order_stands_for_what_it_went_out_for(slipped: Site) -> None:
    """Whatever quantity a plan has that was adopted since; what a change order says counts from then on."""
    plan = solved(small_plan()).plan
    (order,) = plan.orders
    more = [one.model_copy(update={"quantity": Decimal(24)}) for one in order.tranches]
    grown = order.model_copy(update={"quantity": Decimal(48), "tranches": tuple(more)})
    plan = plan.model_copy(update={"orders": (grown,)})
    adopt_plan(slipped.ledger, "pm", plan, reason="two racks more a pod")

    with open_snapshot(slipped.folder) as snapshot:
        (stands,) = placed_otherwise(snapshot, plan, {})
    assert (stands.before, stands.after[:27]) == ("placed for 32 servers", "the plan now has 48 servers")

    for number, one in enumerate(more, 1):
        ask_change(slipped.ledger, "sponsor", one.id, quantity=Decimal(24), reason="grown")
        decide_change(slipped.ledger, "pm", f"CO-000{number}", approved=True)
    with open_snapshot(slipped.folder) as snapshot:
        assert placed_otherwise(snapshot, plan, {}) == []


def test_what_waits_for_a_delivery_names_its_promise(slipped: Site) -> None:
    waiting, other = (slipped.document("show", f"010@pod-00{pod}")["forecast"] for pod in (2, 1))

    assert waiting["waits_for"]["delivery"] == f"{ORDER}/2"
    assert waiting["waits_for"]["days_late"] == 56
    assert other["waits_for"]["delivery"] == f"{ORDER}/1"
    assert f"promised {waiting['waits_for']['promised']}, 56 days late" in slipped.say("show", "010@pod-002")


def test_the_forecast_names_the_delivery_that_drives_it(slipped: Site) -> None:
    said = slipped.say("forecast", "--samples", "20")

    assert f"driven by {ORDER}/2" in said


def test_every_report_says_why_and_at_what_cost(slipped: Site) -> None:
    for name, text in views(slipped).items():
        assert f"above all: {ORDER}/2 Delivery 2: GPU servers (ACME)" in text.replace("\\#", "#"), name
        assert "the delay costs about $" in text.lower() or "The delay costs about $" in text, name
    assert f"{ORDER.replace('#', chr(92) + '#')} | GPU servers | " in slipped.say("report", "week")


def test_every_report_says_what_changed_since_the_last_published_forecast(slipped: Site) -> None:
    kept = slipped.keep()
    publish_forecast(slipped.ledger, "pm", kept.finish - timedelta(days=21))

    for name, text in views(slipped).items():
        assert "21 days later than the forecast that pm published on 2026-01-05" in text, name


def test_later_deliveries_come_as_long_after_a_promised_first_as_planned() -> None:
    """A promise for the order is for its first delivery: the second does not come on the same day."""
    with a_site() as site:
        ACTS["place"](site, 9)
        one = site.keep().nodes
        ACTS["promise all"](site, 30)
        other = site.keep().nodes

    assert one[f"{ORDER}/2"] >= one[f"{ORDER}/1"]
    assert other[f"{ORDER}/2"] - one[f"{ORDER}/2"] == other[f"{ORDER}/1"] - one[f"{ORDER}/1"] == timedelta(days=21)


def test_a_promise_that_passed_is_no_delivery() -> None:
    """What was promised for last week and is not here holds up the work that waits for it."""
    with a_site() as site:
        ACTS["place"](site, 9)
        ACTS["wait"](site, 100)

        kept = site.keep()

        assert kept.nodes[f"{ORDER}/1"] > site.clock.now
        assert kept.nodes["010@pod-001"] > site.clock.now
        assert kept.waits["010@pod-001"] == f"{ORDER}/1"


def test_done_in_the_last_week_is_what_was_finished_in_it() -> None:
    """Not what was finished weeks ago and signed today."""
    with a_site() as site:
        site.clock.forward(24 * 30)
        for verb, day in ((start, 0), (finish, 1)):
            with site.ledger.happened(T0 + timedelta(days=day), "the site had no network"):
                verb(site.ledger, "tech", "001@site")
        sign(site.ledger, "lead", "001@site")

        sections = site.document("report", "week")["sections"]

        assert sections["Done in the last week"] == []


def test_a_decision_replaces_the_baseline_and_a_plan_alone_does_not() -> None:
    with a_site() as site:
        adopt_again(site, 56)
        before = site.document("status")["baseline"]
        adopt_plan(site.ledger, "pm", solved(small_plan()).plan, reason="change order 7", baseline="contract 2")
        after = site.document("status")["baseline"]

    assert (before["revision"], before["name"]) == (1, "")
    assert (after["revision"], after["name"], after["reason"]) == (3, "contract 2", "change order 7")
