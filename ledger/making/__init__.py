"""What every decision records: its payload, made from the record just before it. No payload is made anywhere else.

A decision records what is made here. A copy that follows the log and the audit make it again, from the same record and from
what the event says was decided, and compare. So a role or a result that an event states is checked, and never believed.
"""

from __future__ import annotations

from ledger.log.payloads.plan import Genesis
from ledger.making import (
    checklists,
    corrections,
    deliveries,
    facts,
    ncr,
    orders,
    people,
    plan,
    progress,
    runs,
    sign_off,
    work,
)
from ledger.making.again import Tables
from ledger.making.genesis import genesis_again

AGAIN: Tables = {
    Genesis: genesis_again,
    **checklists.AGAIN,
    **corrections.AGAIN,
    **deliveries.AGAIN,
    **facts.AGAIN,
    **ncr.AGAIN,
    **orders.AGAIN,
    **people.AGAIN,
    **plan.AGAIN,
    **progress.AGAIN,
    **runs.AGAIN,
    **sign_off.AGAIN,
    **work.AGAIN,
}
"""By kind of payload: how it is made again. A kind without an entry would be refused by everybody."""
