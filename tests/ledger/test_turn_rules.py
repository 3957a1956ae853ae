"""The order in which runs begin, tried on random work: nobody starves, nothing locks up, no two use one thing, nothing idles for nothing."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.subjects.runs.queue_rules import Waiting, arrived, beginning, wants

T0 = datetime(2026, 1, 5, tzinfo=UTC)
THINGS = [f"node-{n}" for n in range(5)] + ["the scheduler"]
ENGINES = 3
LEASE = 4


class Job(NamedTuple):
    """Work that arrives at a time with an engine. The first `tries` of its runs fail, and it arrives anew."""

    name: str
    wants: frozenset[str]
    float_h: float
    at: int
    lasts: int
    tries: int
    engine: int


def jobs() -> st.SearchStrategy[list[Job]]:
    """Draw narrow and wide work with few different floats, many of which arrive together."""
    narrow = st.sets(st.sampled_from(THINGS), min_size=1, max_size=2)
    wide = st.sets(st.sampled_from(THINGS), min_size=4)
    one = st.tuples(
        narrow | wide,
        st.sampled_from([0.0, 0.0, 8.0, 500.0]),
        st.integers(0, 12),
        st.integers(1, 5),
        st.integers(0, 2),
        st.integers(0, ENGINES - 1),
    )
    return st.lists(one, min_size=1, max_size=14).map(
        lambda drawn: [Job(f"job-{n:02}", frozenset(d[0]), *d[1:]) for n, d in enumerate(drawn)]
    )


class Site:
    """Work in progress, step by step. What is asserted holds at every step."""

    def __init__(self, work: list[Job]) -> None:
        self.jobs = {job.name: job for job in work}
        self.tries = {job.name: job.tries for job in work}
        self.to_come = {job.name: job.at for job in work}
        self.waiting: dict[str, Waiting] = {}
        self.running: dict[str, int] = {}
        self.lapses: dict[str, int] = {}
        self.first_on: dict[str, dict[str, datetime]] = defaultdict(dict)

    def kill(self, engine: int, now: int) -> None:
        """End an engine: its runs go on to their lease's end, its places lapse with it, and all of it arrives anew."""
        for name in [name for name in self.running if self.jobs[name].engine == engine]:
            self.running[name] = now + LEASE
            self.tries[name] += 1
        for name in [name for name in self.waiting if self.jobs[name].engine == engine]:
            self.lapses.setdefault(name, now + LEASE)

    def step(self, now: int) -> None:
        for name in [name for name, end in self.running.items() if end <= now]:
            del self.running[name]
            if self.tries[name]:
                self.tries[name] -= 1
                self.to_come[name] = now
        for name in [name for name, end in self.lapses.items() if end <= now]:
            del self.lapses[name]
            if self.waiting.pop(name, None):
                self.first_on.pop(name, None)
                self.to_come[name] = now
        for name in sorted(name for name, at in self.to_come.items() if at <= now):
            del self.to_come[name]
            job = self.jobs[name]
            new = Waiting(job.float_h, T0 + timedelta(seconds=now), name, job.wants)
            self.waiting[name] = arrived(new, self.waiting.values())
        self._begin(now)

    def _begin(self, now: int) -> None:
        used = {thing for name in self.running for thing in self.jobs[name].wants}
        line = [*self.waiting.values()]
        begins = beginning(line, (), used)
        assert {p.activity for p in begins} == self._of_each_engine(line, used), "engines decide apart as one would"
        for place in begins:
            if place.activity in self.lapses:
                continue
            self._assert_overtakes_nobody(place)
            assert used.isdisjoint(place.wants), "two runs use one thing"
            used |= place.wants
            del self.waiting[place.activity]
            self.first_on.pop(place.activity, None)
            self.running[place.activity] = now + self.jobs[place.activity].lasts
        self._assert_nothing_idles(used)
        for thing in THINGS:
            first = min((place for place in self.waiting.values() if thing in place.wants), default=None)
            if first is not None:
                self.first_on[first.activity].setdefault(thing, T0 + timedelta(seconds=now))

    def _of_each_engine(self, line: list[Waiting], used: set[str]) -> set[str]:
        found: set[str] = set()
        for engine in range(ENGINES):
            mine = [place for place in line if self.jobs[place.activity].engine == engine]
            others = [place for place in line if place not in mine]
            found |= {place.activity for place in beginning(mine, others, used)}
        return found

    def _assert_overtakes_nobody(self, place: Waiting) -> None:
        for other in self.waiting.values():
            if other.activity != place.activity and other.wants & place.wants:
                assert place < other, f"{place} begins before {other}"
                front = [at for thing, at in self.first_on[other.activity].items() if thing in place.wants]
                assert not any(at < place.since for at in front), f"{place} overtakes {other}, which was first"

    def _assert_nothing_idles(self, used: set[str]) -> None:
        for place in self.waiting.values():
            earlier = [other for other in self.waiting.values() if other < place]
            kept = used.union(*(other.wants for other in earlier))
            assert place.activity in self.lapses or not kept.isdisjoint(place.wants), f"{place} waits for nothing"


@settings(max_examples=400, deadline=None)
@given(jobs(), st.lists(st.tuples(st.integers(0, 20), st.integers(0, ENGINES - 1)), max_size=3))
def test_everything_ends_and_nobody_is_overtaken_who_is_first(work: list[Job], kills: list[tuple[int, int]]) -> None:
    """Whatever arrives, fails, or dies with its engine."""
    site = Site(work)
    most = 20 + sum((job.lasts + LEASE) * (job.tries + 1 + len(kills)) for job in work) + LEASE * len(kills)
    for now in range(most):
        for at, engine in kills:
            if at == now:
                site.kill(engine, now)
        site.step(now)
    assert not {*site.waiting, *site.running, *site.to_come}, "it has locked up, or something starves"


@given(st.lists(st.sampled_from([0.0, 3.0]), min_size=1, max_size=30), st.sampled_from([0.0, 900.0]))
def test_a_stream_of_urgent_work_does_not_pass_a_wide_step_that_is_first(floats: list[float], of_wide: float) -> None:
    """However much float it has. What it does not want goes on."""
    wide = Waiting(of_wide, T0, "wide", frozenset(THINGS[:4]))
    line = [wide]
    for number, float_h in enumerate(floats, start=1):
        line.append(arrived(Waiting(float_h, T0, f"narrow-{number:02}", frozenset({"node-1"})), line))
    assert min(line) == wide
    assert beginning(line, (), {"node-0"}) == []
    apart = arrived(Waiting(0.0, T0, "apart", frozenset({"node-4"})), line)
    assert beginning([*line, apart], (), {"node-0"}) == [apart]


def test_among_those_that_are_first_nowhere_the_float_decides() -> None:
    """The urgent one comes before what waits already, and after what is first."""
    first = Waiting(100.0, T0, "first", frozenset({"node-1"}))
    second = arrived(Waiting(50.0, T0, "second", frozenset({"node-1"})), [first])
    third = arrived(Waiting(500.0, T0, "third", frozenset({"node-1"})), [first, second])
    urgent = arrived(Waiting(0.0, T0, "urgent", frozenset({"node-1"})), [first, second, third])

    assert [place.activity for place in sorted([third, urgent, second, first])] == [
        "first",
        "second",
        "urgent",
        "third",
    ]


def test_what_touches_no_host_wants_nothing() -> None:
    """A thing of which a site has one is used by runs on hosts only."""
    assert wants((), ("scheduler",)) == frozenset()
    assert wants(("node-1",), ("scheduler",)) == {"node-1", "the scheduler"}
