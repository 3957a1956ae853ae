"""The handlers of each kind of event, and replay: the only way from the event table to the projections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from sqlalchemy import Connection

from ledger.log.events import KINDS
from ledger.log.payloads.base import Decided
from ledger.state.projection import Files, Handler, Projection
from ledger.state.projections import corrections, orders, people, plan, records, revision, runs, sign_off, work
from ledger.state.readiness import settle


def _handlers(*modules: ModuleType) -> dict[str, tuple[Handler, ...]]:
    found: dict[str, tuple[Handler, ...]] = {}
    for kind, payload in KINDS.items():
        own = [module.HANDLERS[payload] for module in modules if payload in module.HANDLERS]
        first = [corrections.FIRST[payload]] if payload in corrections.FIRST else []
        statement = [sign_off.note_statement] if issubclass(payload, Decided) else []
        if own:
            found[kind] = (*first, *own, *statement)
    return found


HANDLERS = _handlers(plan, people, revision, work, corrections, sign_off, records, orders, runs)
"""The handlers of every kind of event, in order. Decisions also have the one that notes the statement."""


@contextmanager
def replaying(connection: Connection, files: Files) -> Iterator[Projection]:
    """Yield a projection to which events are applied. What nobody settled before is settled at the end."""
    projection = Projection(connection, HANDLERS, files)
    yield projection
    settle(projection)
