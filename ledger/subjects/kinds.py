"""Every kind of event and its payload, and the whole table of who may do what.

The kinds of a subject have their payloads in its module `payloads`. A kind may also have a module of its own in the subject's
folder `kinds`, with everything that belongs to it: payload, `ACCESS`, `AGAIN` and `HANDLERS`. Nobody lists such modules: what is
in the folders is found here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ledger.log import payload
from ledger.rules.access import Rows
from ledger.subjects import who_may
from ledger.subjects.checklists import payloads as checklists
from ledger.subjects.corrections import payloads as corrections
from ledger.subjects.facts import payloads as facts
from ledger.subjects.ncr import payloads as ncr
from ledger.subjects.orders import payloads as orders
from ledger.subjects.people import payloads as people
from ledger.subjects.plan import payloads as plan
from ledger.subjects.runs import payloads as runs
from ledger.subjects.sign_off import payloads as sign_off
from ledger.subjects.work import payloads as work


def _with_own_module() -> Iterator[ModuleType]:
    folder = Path(__file__).parent
    for path in sorted(folder.glob("*/kinds/*.py")):
        if path.stem != "__init__":
            subject = path.parent.parent.name
            yield import_module(f"ledger.subjects.{subject}.kinds.{path.stem}")


def _access(modules: Iterable[ModuleType]) -> Rows:
    """Add the rows of kinds with a module of their own to the table that permission asks. Return the whole of it."""
    for module in modules:
        who_may.ACCESS.update(getattr(module, "ACCESS", {}))
    return who_may.ACCESS


WITH_OWN_MODULE = tuple(_with_own_module())
"""The modules of kinds that have one of their own."""

SUBJECTS = (plan, work, sign_off, checklists, ncr, facts, orders, runs, people, corrections)
"""The modules of all other kinds."""

KINDS = payload.KINDS
"""Every kind of event and its payload: each is imported now, and made itself known."""

ACCESS = _access(WITH_OWN_MODULE)
"""The row of every decision."""


def decisions() -> Iterator[tuple[str, str]]:
    """Return every decision with the name of its row."""
    for action, rule in ACCESS.items():
        for decision in rule.decisions or (action,):
            yield decision, action
