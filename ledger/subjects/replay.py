"""What happens with a recorded event: its decision is taken again (`AGAIN`), and it is applied to the tables (`HANDLERS`).

Judging and replay take both from here, and so does every transaction. A kind of event that lacks one of them is an ImportError
here: nobody could record such an event, rather than everybody refuse it afterwards.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from sqlalchemy import Connection

from ledger.evidence.store import SiteFiles
from ledger.log.payload import Decided
from ledger.state.projection import Handler, Handlers, Projection
from ledger.state.readiness import settle
from ledger.subjects.again import Tables
from ledger.subjects.checklists import applying as checklists
from ledger.subjects.checklists import making as checklists_made
from ledger.subjects.corrections import applying as corrections
from ledger.subjects.corrections import making as corrections_made
from ledger.subjects.facts import applying as facts
from ledger.subjects.facts import making as facts_made
from ledger.subjects.kinds import KINDS, WITH_OWN_MODULE
from ledger.subjects.ncr import applying as ncr
from ledger.subjects.ncr import making as ncr_made
from ledger.subjects.orders import applying as orders
from ledger.subjects.orders import delivery_making
from ledger.subjects.orders import making as orders_made
from ledger.subjects.people import applying as people
from ledger.subjects.people import making as people_made
from ledger.subjects.plan import applying as plan
from ledger.subjects.plan import making as plan_made
from ledger.subjects.plan import progress_making, revision_applying
from ledger.subjects.runs import applying as runs
from ledger.subjects.runs import making as runs_made
from ledger.subjects.sign_off import applying as sign_off
from ledger.subjects.sign_off import making as sign_off_made
from ledger.subjects.work import applying as work
from ledger.subjects.work import making as work_made

MAKING = (
    checklists_made,
    corrections_made,
    delivery_making,
    facts_made,
    ncr_made,
    orders_made,
    people_made,
    plan_made,
    progress_making,
    runs_made,
    sign_off_made,
    work_made,
    *WITH_OWN_MODULE,
)
APPLYING = (
    plan,
    people,
    revision_applying,
    work,
    corrections,
    sign_off,
    ncr,
    checklists,
    facts,
    orders,
    runs,
    *WITH_OWN_MODULE,
)
"""In this order the handlers of one kind are called: an adopted plan changes the site, its people, and its activities."""


def require_every_kind(found: Container[Any], table: str) -> None:
    """Raise ImportError for kinds of events without an entry in a table."""
    lacking = [f"{payload.__module__}.{payload.__name__}" for payload in KINDS.values() if payload not in found]
    if lacking:
        raise ImportError(
            f"{', '.join(lacking)}: add it to the table {table} of its subject, or of its module in `kinds`"
        )


def _again(modules: Sequence[ModuleType]) -> Tables:
    found: Tables = {}
    for module in modules:
        found.update(getattr(module, "AGAIN", {}))
    require_every_kind(found, "AGAIN")
    return found


def _handlers(modules: Sequence[ModuleType]) -> dict[str, tuple[Handler, ...]]:
    tables: list[Handlers] = [getattr(module, "HANDLERS", {}) for module in modules]
    require_every_kind({payload for table in tables for payload in table}, "HANDLERS")
    found: dict[str, tuple[Handler, ...]] = {}
    for kind, payload in KINDS.items():
        own = [table[payload] for table in tables if payload in table]
        first = [corrections.FIRST[payload]] if payload in corrections.FIRST else []
        statement = [sign_off.note_statement] if issubclass(payload, Decided) else []
        found[kind] = (*first, *own, *statement)
    return found


AGAIN = _again(MAKING)
"""By kind of payload: how it is made again, from the record before the event and from what the event says was entered.

So a role or a result that an event states is checked, and never believed.
"""

HANDLERS = _handlers(APPLYING)
"""The handlers of every kind of event, in order. Decisions also have the one that notes the statement."""


@contextmanager
def replaying(connection: Connection, files: SiteFiles) -> Iterator[Projection]:
    """Return a projection to which many events are applied. Readiness is worked out once, at the end."""
    projection = Projection(connection, HANDLERS, files)
    yield projection
    settle(projection)
