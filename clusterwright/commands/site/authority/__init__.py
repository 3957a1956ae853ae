"""Lend a role for a time, and see who may do what.

Without a verb it lists delegations, and every activity that passed against its policy.

Example:
    clusterwright authority
    clusterwright authority delegate quality-inspector --to operator --until 2027-01-31 --reason leave

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import Cells, table
from ledger.questions.people import DelegationRow, delegations
from ledger.questions.records import OverrideRow, overrides
from ledger.questions.site import site_of
from steps.stamps import minute


def authority(ask: Asking) -> None:
    with ask.record() as snapshot:
        lent, broken = delegations(snapshot), overrides(snapshot)
        document = {"delegations": lent, "overrides": broken}
        ask.answer(snapshot, document, lambda: _print(lent, broken, site_of(snapshot).time_zone))


def _print(lent: list[DelegationRow], broken: list[OverrideRow], zone: str) -> None:
    table(
        (
            "id",
            "role",
            "of",
            "to",
            "from",
            "until",
            "",
            "reason",
        ),
        [_cells(d, zone) for d in lent],
        empty="no role is lent",
    )
    if broken:
        rows = [(one.activity, one.person, "; ".join(one.lacking), one.reason) for one in broken]
        table(("against its policy", "by", "lacking", "reason"), rows)


def _cells(d: DelegationRow, zone: str) -> Cells:
    ended = "withdrawn" if d.withdrawn_at else "counts no more" if d.is_void else ""
    return (
        d.id,
        d.role,
        d.person,
        d.to,
        minute(d.since, zone),
        minute(d.until, zone),
        ended,
        d.reason,
    )
