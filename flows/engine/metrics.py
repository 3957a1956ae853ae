"""What Prometheus can scrape of a running engine: its work by state, what waits for its turn, reclaims, and the lag to start.

What the record knows is asked of the record at each scrape, so that it goes on over a restart. The rest begins anew with an engine.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flows.dashboard.settings import HOST
from ledger.questions.counts import counts
from ledger.questions.start_lags import StartLag, start_lags
from ledger.questions.turns import turns
from schedule.errors import UnreachableError

if TYPE_CHECKING:
    from prometheus_client import Metric

    from flows.engine.state import Engine

BUCKETS_S = (0.5, 1, 2, 5, 10, 30, 60, 300, 3600)
"""Upper bounds of the lag from a decision to the start of what it let begin, in seconds. An engine should need less than 5."""


class Metrics:
    """What a scrape is answered with: nothing until there is an engine."""

    engine: Engine | None = None

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics as they are now: the method that the library calls for a scrape."""
        if self.engine is not None:
            yield from _metrics(self.engine)


def _metrics(engine: Engine) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    with engine.snapshot() as snapshot:
        by_state, waiting, lags = counts(snapshot).by_state, len(turns(snapshot)), start_lags(snapshot)
    states = GaugeMetricFamily("clusterwright_activities", "Activities by state.", labels=["state"])
    for state, count in by_state.items():
        states.add_metric([state], count)
    yield states
    yield GaugeMetricFamily("clusterwright_waiting_for_turn", "Ready activities that wait for their turn.", waiting)
    reclaims = "Runs of engines that are gone, which this engine settled."
    yield CounterMetricFamily("clusterwright_reclaims", reclaims, engine.reclaims)
    lag = "From a person's decision to the start of the run that it let begin."
    yield HistogramMetricFamily("clusterwright_start_lag_seconds", lag, *_histogram(lags))


def _histogram(lags: list[StartLag]) -> tuple[list[tuple[str, float]], float]:
    """Return the buckets, each with those below it, and the sum."""
    seconds = sorted(lag.seconds for lag in lags)
    within = [(str(float(bound)), float(bisect_right(seconds, bound))) for bound in BUCKETS_S]
    return [*within, ("+Inf", float(len(seconds)))], sum(seconds)


@contextmanager
def metrics_on(port: int | None) -> Iterator[Metrics]:
    """Answer scrapes on a port of this machine while the block lasts. Raise where another program has it. None answers nowhere."""
    metrics = Metrics()
    if port is None:
        yield metrics
        return
    from prometheus_client import CollectorRegistry, start_http_server

    registry: Any = CollectorRegistry()
    registry.register(metrics)
    try:
        server, _ = start_http_server(port, HOST, registry)
    except OSError as error:
        raise UnreachableError(
            f"port {port} on {HOST} is taken: {error.strerror}", hint="name another one with --metrics-port"
        ) from None
    try:
        yield metrics
    finally:
        server.shutdown()
        server.server_close()
