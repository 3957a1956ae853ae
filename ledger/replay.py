"""Events back into rows: the one way from the event table to the projections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlmodel import Session, select

from ledger.events import HASHED, Event, read_payload
from ledger.payloads import PlanAdopted
from ledger.projector import apply
from ledger.projector.base import Projection
from ledger.refresh import put_off
from steps.stamps import instant
from ledger.tables import Activity, Site

COLUMNS = (*HASHED, "hash", "signature")
"""The columns of the event table, in the order in which they are read."""


def event_of(row: Mapping[str, Any]) -> Event:
    """Give the event of a stored row; text that does not read is refused in clear words."""
    recorded, effective = instant(row["recorded_at"]), instant(row["effective_at"])
    assert recorded is not None
    assert effective is not None
    return Event(
        seq=row["seq"],
        recorded_at=recorded,
        effective_at=effective,
        actor=row["actor"],
        kind=row["kind"],
        schema_version=row["schema_version"],
        subject=row["subject"],
        plan_revision=row["plan_revision"],
        payload=read_payload(row["kind"], row["schema_version"], row["payload"]),
        hash=row["hash"],
    )


@contextmanager
def replaying(session: Session, site_dir: Path) -> Iterator[Callable[[Event], None]]:
    """Give a function that goes one event on, from an empty database; readiness is worked out once, at the end.

    Documents come from the site's evidence.
    """
    held: list[Activity | Site] = []

    def go_on(event: Event) -> None:
        apply(projection, event)
        if isinstance(event.payload, PlanAdopted):
            session.expunge_all()
            # held fast, or the session forgets each row at once and asks for it again at the next event
            held[:] = [*session.scalars(select(Activity)), *session.scalars(select(Site))]

    with put_off(session), session.no_autoflush:
        projection = Projection(session, site_dir)
        yield go_on
