"""Runs of software: a claim with a lease, its renewal, its settlement; and what people ask for.

A claim is taken, renewed and settled by its owner only. Leases are machine time, never simulated; what an
event says of when is project time. A lapsed claim is settled as interrupted before it is taken again, by
whoever made sure that the old process is dead.
"""

from ledger.services.claiming import claim, lapsed_claims, renew
from ledger.services.requesting import (
    answer_request,
    request_cancel,
    request_retry,
    request_run,
)
from ledger.services.settling import settle
from ledger.values import Artifact, Claim, ItemResult, Measured, RunOutcome

__all__ = [
    "Artifact",
    "Claim",
    "ItemResult",
    "Measured",
    "RunOutcome",
    "answer_request",
    "claim",
    "lapsed_claims",
    "renew",
    "request_cancel",
    "request_retry",
    "request_run",
    "settle",
]
