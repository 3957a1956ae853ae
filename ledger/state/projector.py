"""Which handlers each kind of event has, and replay: the one way from the event table to the projections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from sqlalchemy import Connection

from ledger.log.events import KINDS
from ledger.log.payloads.base import Decided
from ledger.state.projection import Files, Handler, Projection
from ledger.state.projections import orders, people, plan, records, revision, runs, sign_off, work
from ledger.state.readiness import settle


def _handlers(*modules: ModuleType) -> dict[str, tuple[Handler, ...]]:
    found: dict[str, tuple[Handler, ...]] = {}
    for module in modules:
        for kind, handlers in module.HANDLERS.items():
            found[kind] = (*found.get(kind, ()), *handlers)
    decisions = {kind for kind, payload in KINDS.items() if issubclass(payload, Decided)}
    return {kind: (*own, sign_off.note_statement) if kind in decisions else own for kind, own in found.items()}


HANDLERS = _handlers(plan, people, revision, work, sign_off, records, orders, runs)
"""Every kind of event and what applies it, in order. Decisions also keep their statement."""


@contextmanager
def replaying(connection: Connection, files: Files) -> Iterator[Projection]:
    """Return a projection that applies many events; readiness is worked out once, at the end."""
    projection = Projection(connection, HANDLERS, files)
    yield projection
    settle(projection)
