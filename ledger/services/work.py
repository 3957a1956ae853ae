"""People's work, all verbs in one place for the front ends."""

from ledger.services.adopting import ProgressRow, adopt_progress
from ledger.services.attesting import attest
from ledger.services.checking import check
from ledger.services.deciding import assign, comment, hold, na, reopen, resume, settle_duplicate
from ledger.services.doing import attach, finish, measure, progress, start
from ledger.services.facts import FactEntry, record_facts
from ledger.services.scanning import scan

__all__ = [
    "FactEntry",
    "ProgressRow",
    "adopt_progress",
    "assign",
    "attach",
    "attest",
    "check",
    "comment",
    "finish",
    "hold",
    "measure",
    "na",
    "progress",
    "record_facts",
    "reopen",
    "resume",
    "scan",
    "settle_duplicate",
    "start",
]
