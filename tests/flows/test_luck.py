"""A rehearsal that plays a sample of the odds: it gets causes, and goes live when the sample says."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from clusterwright.rehearsing import prepare_rehearsal
from ledger.evidence.plans import read_plan
from ledger.forecasting import make_forecast
from ledger.past import snapshot_as_of
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.ncrs import ncrs
from ledger.questions.records import comments, runs, sign_offs
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from ledger.trust.audit import audit
from steps.catalog.terms import Kind
from steps.planning.odds.sample_causes import PlayedSample, played_sample
from steps.stamps import local_day, moment
from tests.commands import called
from tests.conftest import Command
from tests.dashboard import give_dashboard
from tests.once import Once
from tests.ports import free_port
from tests.rehearsals import play_without_server

CLOSING = "195@site"
LUCK = 26
"""The sample of h100-8-servers in which the burn-in fails twice, and an inspection and the benchmark once."""
QUARTER = timedelta(minutes=15)


def prepared(site: Path, preset: str, number: int, scheduler: str = "slurm") -> PlayedSample:
    """Make a rehearsal of a sample, and return the sample."""
    assert called(("init", "--preset", preset, "--start", "2026-11-23", site)).returncode == 0
    file = site / "site.yaml"
    stated = file.read_text(encoding="utf-8").replace("overrides: {}", f"overrides: {{scheduler: {scheduler}}}")
    file.write_text(stated, encoding="utf-8")
    luck = prepare_rehearsal(site, number)
    assert luck is not None
    return sample_of(site, number)


def sample_of(site: Path, number: int) -> PlayedSample:
    luck = prepare_rehearsal(site, number)
    assert luck is not None
    with open_snapshot(site) as snapshot:
        return played_sample(read_plan(snapshot), luck)


def went_live(site: Path) -> datetime:
    with open_snapshot(site) as snapshot:
        at = require_activity(snapshot, CLOSING).done_at
    assert at is not None
    return at


@pytest.fixture(scope="module")
def played(once: Once) -> Path:
    """A rehearsal of sample `LUCK` to go-live, broken off once on the way."""

    def make(folder: Path) -> None:
        site = folder / "site"
        sample = prepared(site, "h100-8-servers", LUCK, "kubernetes")  # which has no playbook for the benchmark
        play_without_server(site, until="001@site", causes=sample.causes)
        play_without_server(site, causes=sample.causes)

    return once("luck", make) / "site"


@pytest.mark.slow
def test_a_rehearsal_with_luck_ends_when_its_sample_says(played: Path) -> None:
    sampled = sample_of(played, LUCK).sampled

    assert abs(went_live(played) - sampled.go_live) <= QUARTER
    with open_snapshot(played) as snapshot:
        assert all("simulated" in each.flags for each in activities(snapshot) if each.state.value == "done")
    assert not audit(played)


@pytest.mark.slow
def test_what_fails_in_a_sample_is_recorded_as_failed_and_done_again(played: Path) -> None:
    """A run that fails is tried again, a gate has a reading that fails, and people reject a test that has no playbook."""
    tries = sample_of(played, LUCK).causes.tries

    with open_snapshot(played) as snapshot:
        burn_in, benchmark = ([run.status for run in runs(snapshot, name)] for name in ("034@pod-001", "189@site"))
        decided = [one.decision for one in sign_offs(snapshot, "189@site")]
        failures = Counter(one.activity for one in ncrs(snapshot))
        closed = {one.disposition for one in ncrs(snapshot) if one.closed_at is not None}
        said = [one.text for one in comments(snapshot, "034@pod-001")]

    assert set(failures) == {name for name, hours in tries.items() if len(hours) > 1}
    assert failures == {"034@pod-001": 1, "091@hall-1": 1, "189@site": 1}, "the same cause, the same non-conformance"
    assert closed == {"rework"}
    assert burn_in == ["failed", "failed", "rehearsed"]
    assert benchmark == ["rehearsed", "rehearsed"]
    assert decided[0] == "rejected"
    assert set(decided[1:]) == {"approved"}
    assert len(said) == 1
    assert said[0].startswith("simulated: servers that fail in a soak")


@pytest.mark.long
def test_a_supplier_first_promises_what_the_plan_has_and_the_forecast_sees_its_later_promise(played: Path) -> None:
    """Before the later promise nobody can know it. From then on the site's forecast has the delivery on that day."""
    leads = sample_of(played, LUCK).causes.leads
    with open_snapshot(played) as snapshot:
        zone, plan = site_of(snapshot).time_zone, read_plan(snapshot)
        planned = {order.tranches[0].id: order.lead.m for order in plan.orders}
        delivery = max(planned, key=lambda name: leads[name] - planned[name])
        promised = "SELECT seq FROM event WHERE kind = 'order.promised' AND subject = :name"
        (seq,) = snapshot.column(promised, name=delivery)
        (came,) = snapshot.first("SELECT received_at FROM tranche WHERE id = :name", name=delivery)

    days = []
    for at in (seq - 1, seq):
        with snapshot_as_of(open_snapshot(played), str(at)) as past:
            days.append(local_day(make_forecast(past, samples=20).nodes[delivery], zone))

    late = round((leads[delivery] - planned[delivery]) / 24)
    assert late > 7
    assert abs((days[1] - days[0]).days - late) <= 1
    assert days[1] == local_day(moment(came), zone)


SAMPLES = [
    ("h100-8-servers", 1),
    ("h100-8-servers", 2),
    ("h100-8-servers", 10),
    ("h100-8-servers", 999),
    ("superpod-1su", 62),
    ("superpod-1su", 400),
    ("gb200-nvl72", 3),
    ("gb200-nvl72", 9),
    ("superpod-4su", 77),
    ("superpod-4su", 500),
]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(("preset", "number"), SAMPLES)
def test_ten_rehearsals_with_luck_end_when_their_samples_say(preset: str, number: int, tmp_path: Path) -> None:
    sample = prepared(tmp_path / "site", preset, number)
    failed = {name for name, hours in sample.causes.tries.items() if len(hours) > 1}

    play_without_server(tmp_path / "site", causes=sample.causes)

    assert abs(went_live(tmp_path / "site") - sample.sampled.go_live) <= QUARTER
    with open_snapshot(tmp_path / "site") as snapshot:
        rejected = {one.activity for one in sign_offs(snapshot) if one.decision == "rejected"}
        by_people = {one.id for one in read_plan(snapshot).activities if one.kind is Kind.VERIFY and not one.playbook}
        assert not ncrs(snapshot, open_only=True)
    assert rejected == failed & by_people


@pytest.mark.long
@pytest.mark.slow
def test_the_command_says_which_percentile_it_was_and_goes_on_with_the_same_luck_only(
    tmp_path: Path, command: Command, process: Command, once: Once
) -> None:
    site = tmp_path / "site"
    assert command("init", "--preset", "h100-8-servers", "--start", "2026-11-23", site).returncode == 0
    assert "there is no sample 5,000" in command("rehearse", "--site", site, "--luck", 5000).stderr
    assert not (site / "ledger.db").exists(), "a number that there is not leaves nothing behind"
    give_dashboard(site, once)
    words = ("rehearse", "--site", site, "--luck", LUCK, "--port", free_port())

    begun = process(*words, "--until", "001@site")
    refused = [command("rehearse", "--site", site, *other) for other in ((), ("--luck", 11))]
    ended = process(*words)

    assert begun.returncode == 0, begun.stderr
    for one in refused:
        assert "this ledger is a rehearsal of sample 26 of 1,000, seed 1" in one.stderr
    assert ended.returncode == 0, ended.stderr
    sampled = sample_of(site, LUCK).sampled
    with open_snapshot(site) as snapshot:
        day = local_day(sampled.go_live, site_of(snapshot).time_zone)
    assert f"this was P{sampled.percentile} of 1,000: go-live {day}, " in ended.stderr
    assert f"the largest causes: {sampled.largest[0].name}" in ended.stderr
    assert "audit: clean" in ended.stderr
    assert f"went live on {day}" in command("status", "--site", site).stdout
