"""Who may decide about non-conformances."""

from __future__ import annotations

from ledger.rules.access import APPROVERS, Never, Rows, Rule, Who

ACCESS: Rows = {
    "disposition_ncr": Rule("decide on {}", "a non-conformance", (*APPROVERS, Who.CREW)),
    "use_as_is": Rule(
        "accept {} as it is", "a non-conformance", APPROVERS, never=Never.PERFORMER, decisions=("disposition_ncr",)
    ),
    "use_as_is_waived": Rule(
        "accept {} as it is",
        "a non-conformance under a waiver",
        (*APPROVERS, Who.CREW),
        never=Never.PERFORMER,
        decisions=("disposition_ncr",),
    ),
    "assign_ncr": Rule("assign {}", "a non-conformance", (*APPROVERS, Who.CREW)),
    "close_ncr": Rule("close {}", "a non-conformance", APPROVERS, never=Never.PERFORMER),
}
