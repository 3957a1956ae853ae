"""Refuse finished work.

A non-conformance opens, and the work goes back.

Example:
    clusterwright reject 034@pod-001 --reason 'two GPUs were left out'

"""

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import ActivityId, ReasonOption
from ledger.subjects.sign_off import decisions as sign_off


def reject(
    me: SigningReport,
    activity: ActivityId,
    reason: ReasonOption,
) -> None:
    me.each([activity], "rejected", sign_off.reject, reason)
