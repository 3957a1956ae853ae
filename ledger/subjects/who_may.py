"""Who may do what: the rows of every subject in one table, for every decision. `ledger.rules.permission` applies it.

A kind of event with a module of its own has its row there. `ledger.subjects.kinds` adds it before anything can be decided.
"""

from __future__ import annotations

from ledger.rules.access import Rows
from ledger.subjects.checklists import access as checklists
from ledger.subjects.corrections import access as corrections
from ledger.subjects.facts import access as facts
from ledger.subjects.ncr import access as ncr
from ledger.subjects.orders import access as orders
from ledger.subjects.people import access as people
from ledger.subjects.plan import access as plan
from ledger.subjects.runs import access as runs
from ledger.subjects.sign_off import access as sign_off
from ledger.subjects.work import access as work

ACCESS: Rows = {
    **work.ACCESS,
    **checklists.ACCESS,
    **corrections.ACCESS,
    **facts.ACCESS,
    **sign_off.ACCESS,
    **ncr.ACCESS,
    **orders.ACCESS,
    **plan.ACCESS,
    **people.ACCESS,
    **runs.ACCESS,
}
"""The row of every decision."""
