"""Refuse finished work.

A non-conformance opens, and the work goes back.

Example:
    clusterwright reject 034@pod-001 --reason 'two GPUs were left out'

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import ActivityId, AsOption, KeyOption, ReasonOption, SiteOption
from ledger.decisions import sign_off


def reject(
    activity: ActivityId, reason: ReasonOption, key: KeyOption = None, site: SiteOption = None, who: AsOption = None
) -> None:
    take_each(site, who, key, [activity], "rejected", sign_off.reject, reason)
