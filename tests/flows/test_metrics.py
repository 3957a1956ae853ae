"""What Prometheus scrapes of an engine: over HTTP, and read by the parser of its own library."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from flows.engine.housekeeping import Housekeeping
from flows.engine.metrics import metrics_on
from flows.engine.state import Engine
from flows.performers.real import RealPerformer
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.questions.counts import counts
from ledger.reading import open_snapshot
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from tests.flows.test_recovery import take
from tests.ports import free_port

Samples = dict[tuple[str, str], float]


@pytest.fixture
def engine(both_passed: Path, tmp_path: Path) -> Iterator[Engine]:
    """An engine of the small site that does nothing by itself."""
    with open_snapshot(both_passed) as snapshot, Ledger.open(both_passed) as ledger:
        performer = RealPerformer(tmp_path, None, hands_off=True)
        yield Engine(both_passed, ledger, read_plan(snapshot), 1, project_now, performer, 0, rehearsal=False)


def scraped(port: int) -> Samples:
    """Return the samples of a scrape by name and by the value of their label."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        return {(s.name, "".join(s.labels.values())): s.value for family in families for s in family.samples}


def test_states_reclaims_and_the_lag_are_those_of_the_record(engine: Engine) -> None:
    take(engine.site_dir, "030@pod-001")
    port = free_port()
    with metrics_on(port) as metrics:
        metrics.engine = engine
        before = scraped(port)
        with engine.snapshot() as snapshot:
            Housekeeping(engine, lambda _: None).tend(snapshot)
        after = scraped(port)
        with engine.snapshot() as snapshot:
            by_state = counts(snapshot).by_state

    states = {state: after["clusterwright_activities", state] for state in by_state}
    assert states == by_state
    assert before["clusterwright_activities", "running"] == 1
    assert after["clusterwright_activities", "running"] == 0
    assert (before["clusterwright_reclaims_total", ""], after["clusterwright_reclaims_total", ""]) == (0, 1)
    assert after["clusterwright_start_lag_seconds_count", ""] == 1
    assert after["clusterwright_start_lag_seconds_bucket", "+Inf"] == 1
    assert after["clusterwright_start_lag_seconds_sum", ""] > 0


def test_an_engine_that_stops_frees_the_port_and_one_that_is_taken_is_named(engine: Engine) -> None:
    port = free_port()
    with (
        metrics_on(port),
        pytest.raises(UnreachableError, match=rf"port {port} .*(.|\n)*--metrics-port"),
        metrics_on(port),
    ):
        pass

    with metrics_on(port) as metrics:
        metrics.engine = engine
        assert scraped(port)["clusterwright_waiting_for_turn", ""] == 0
