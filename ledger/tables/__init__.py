"""The ledger's tables: one append-only event table, its projections, and one operational table.

Projections are rebuilt by replay, exactly; `claim` is not: it holds machine time and processes. Attempts
count from 1. Ids of runs, NCRs, waivers, releases and requests are given by the event that made them.
"""

from __future__ import annotations

from ledger.tables.activity import Activity
from ledger.tables.checks import ItemCheck
from ledger.tables.event import EventRow
from ledger.tables.facts import Fact, FactNeed
from ledger.tables.plan import Criterion, HostSet, Link, Person, PersonName, PersonRole, PlanRevision, Site, Unit
from ledger.tables.records import (
    Attendance,
    Attestation,
    Comment,
    EvidenceItem,
    Forecast,
    Invitation,
    Measurement,
    Ncr,
    Release,
    SignOff,
    Waiver,
)
from ledger.tables.runs import ClaimRow, ItemResultRow, Preview, Request, Run
from ledger.tables.signing import Delegation, Override, SignedPolicy, SignerKey, Statement
from ledger.tables.supplies import ChangeOrder, Delivery, OrderLine, Tranche

__all__ = [
    "OPERATIONAL",
    "Activity",
    "Attendance",
    "Attestation",
    "ChangeOrder",
    "ClaimRow",
    "Comment",
    "Criterion",
    "Delegation",
    "Delivery",
    "EventRow",
    "EvidenceItem",
    "Fact",
    "FactNeed",
    "Forecast",
    "HostSet",
    "Invitation",
    "ItemCheck",
    "ItemResultRow",
    "Link",
    "Measurement",
    "Ncr",
    "OrderLine",
    "Override",
    "Person",
    "PersonName",
    "PersonRole",
    "PlanRevision",
    "Preview",
    "Release",
    "Request",
    "Run",
    "SignOff",
    "SignedPolicy",
    "SignerKey",
    "Site",
    "Statement",
    "Tranche",
    "Unit",
    "Waiver",
]

OPERATIONAL = frozenset({"event", "claim"})
"""Tables that replay does not rebuild."""
