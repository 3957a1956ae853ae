"""A history is the same whenever and in whatever order it is entered: what counts is when things happened."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from ledger.forecasting import make_forecast
from ledger.questions.kept_forecast import KeptForecast
from ledger.reading import open_snapshot
from ledger.subjects.orders.decisions import order, promise
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, hold, progress, resume, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from steps.planning.dates.dating import solved
from tests.ledger.conftest import T0, Clock, begun, recorded_by, small_plan

pytestmark = pytest.mark.own_file

ORDER = "001@site#gpu-server"
END = T0 + timedelta(days=40)
"""The data date."""


class Entry(NamedTuple):
    """Something that happened, when, and the entries that have to be on record before it."""

    name: str
    at: datetime
    record: Callable[[Ledger], object]
    after: tuple[str, ...] = ()


def _sign(person: str, name: str, ledger: Ledger) -> object:
    return sign(ledger, person, name)


def _receive(delivery: str, ledger: Ledger) -> object:
    return receive(ledger, "pm", delivery)


def _promise(subject: str, day: date, ledger: Ledger) -> object:
    return promise(ledger, "pm", subject, day, reason="the supplier says so")


def _report(name: str, percent: int, ledger: Ledger) -> object:
    return progress(ledger, "tech", name, percent=percent)


def happened(seed: int) -> list[Entry]:
    """Return a random history of the small site in the order in which it happened, until a random day before END."""
    draw = random.Random(seed)
    found: list[Entry] = []
    time: dict[str, datetime] = {}

    def then(name: str, record: Callable[[Ledger], object], *after: str, lag_h: float = 0.0) -> None:
        begins = max((time[one] for one in after), default=T0)
        time[name] = begins + timedelta(hours=lag_h + round(draw.expovariate(1 / 20.0), 1))
        found.append(Entry(name, time[name], record, after))

    def work(name: str, *after: str, lag_h: float = 0.0, approvers: tuple[str, ...] = ("lead",)) -> tuple[str, ...]:
        then(f"start {name}", lambda ledger: start(ledger, "tech", name), *after, lag_h=lag_h)
        then(
            f"attach {name}",
            lambda ledger: attach(ledger, "tech", name, b"a photo", "photo", name="rack.jpg"),
            f"start {name}",
        )
        reported = []
        for number in range(draw.randrange(4)):  # of one day and of another, in any order
            reported.append(f"report {number} of {name}")
            then(reported[-1], partial(_report, name, draw.randrange(5, 100)), f"start {name}")
        before = [f"attach {name}", *reported]
        if draw.random() < 0.5:
            then(f"hold {name}", lambda ledger: hold(ledger, "lead", name, "no crane"), *before)
            then(f"resume {name}", lambda ledger: resume(ledger, "lead", name), f"hold {name}")
            before = [f"resume {name}"]
        then(f"finish {name}", lambda ledger: finish(ledger, "tech", name), *before)
        signed = []
        for person in approvers:
            signed.append(f"{person} signs {name}")
            then(signed[-1], partial(_sign, person, name), f"finish {name}")
        return tuple(signed)

    decided = work("001@site")
    then(
        "order",
        lambda ledger: order(ledger, "pm", ORDER, supplier="ACME", reference="PO 1"),
        *decided,
    )
    promises: dict[str, list[str]] = {}
    for number, subject in enumerate(draw.choices((ORDER, f"{ORDER}/1", f"{ORDER}/2"), k=draw.randrange(6))):
        promises.setdefault(subject, []).append(f"promise {number}")
        day = (END + timedelta(days=draw.randrange(1, 60))).date()
        then(f"promise {number}", partial(_promise, subject, day), "order")
    for number in (1, 2):
        delivery = f"{ORDER}/{number}"
        before = [*promises.get(delivery, ()), *(promises.get(ORDER, ()) if number == 1 else ())]
        then(delivery, partial(_receive, delivery), "order", *before, lag_h=200)
        signed = work(f"010@pod-00{number}", delivery)
        work(f"020@pod-00{number}", *signed, lag_h=24, approvers=("lead", "lead2"))
    until = T0 + (END - T0) * draw.random()
    return sorted((one for one in found if one.at <= until), key=lambda one: one.at)


def in_another_order(entries: list[Entry], seed: int) -> Iterator[Entry]:
    """Yield the entries in a random order in which each comes after what has to be on record before it."""
    draw, left, known = random.Random(seed), list(entries), set[str]()
    while left:
        one = draw.choice([entry for entry in left if known.issuperset(entry.after)])
        left.remove(one)
        known.add(one.name)
        yield one


@contextmanager
def a_site(clock: Clock) -> Iterator[Ledger]:
    """Yield the ledger of the small site, whose technicians' work teaches and whose approvals are planned."""
    with tempfile.TemporaryDirectory() as name, recorded_by(clock):
        folder = Path(name) / "site"
        folder.mkdir()
        with begun(folder, clock) as ledger:
            adopt_crewed_plan(ledger)
            yield ledger


def adopt_crewed_plan(ledger: Ledger, **changes: Any) -> None:
    """Adopt the small plan, whose technicians' work teaches."""
    plan = small_plan(crews={"technician": 2}, approvals={"network-lead": 4.0}, **changes)
    worked = tuple(structs.replace(one, crews=1) if one.kind == "field" else one for one in plan.activities)
    adopt_plan(ledger, "pm", solved(plan.model_copy(update={"activities": worked})).plan, reason="first plan")


def forecast_of(ledger: Ledger) -> KeptForecast:
    """Return the forecast at the data date, as if all of it were of one event."""
    with open_snapshot(ledger.site_dir, END) as snapshot:
        return replace(make_forecast(snapshot, samples=20), event=0)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
@settings(max_examples=12)
def test_a_history_entered_late_in_any_order_has_the_forecast_of_one_entered_as_it_happened(
    seed: int, other: int
) -> None:
    """Each entry of the late one is dated. Readiness accepts the order; two approvals may be entered the wrong way round."""
    entries, clock = happened(seed), Clock()
    with a_site(clock) as ledger:
        for one in entries:
            clock.now = one.at
            with ledger.happened(one.at):
                one.record(ledger)
        clock.now = END
        live = forecast_of(ledger)

    clock = Clock()
    with a_site(clock) as ledger:
        clock.now = END
        for one in in_another_order(entries, other):
            with ledger.happened(one.at, "the site had no network"):
                one.record(ledger)
        late = forecast_of(ledger)

    assert late == live
