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


def authority(ask: Asking) -> None:
    with ask.record() as snapshot:
        lent, broken = delegations(snapshot), overrides(snapshot)
        document = {"delegations": lent, "overrides": broken}
        ask.answer(snapshot, document, lambda: _print(lent, broken))


def _print(lent: list[DelegationRow], broken: list[OverrideRow]) -> None:
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
        [_cells(d) for d in lent],
    )
    if broken:
        table(("against its policy", "by", "lacking", "reason"), map(_override, broken))


def _override(o: OverrideRow) -> Cells:
    return o.activity, o.person, "; ".join(o.lacking), o.reason


def _cells(d: DelegationRow) -> Cells:
    withdrawn = "withdrawn" if d.withdrawn_at else ""
    return (
        d.id,
        d.role,
        d.person,
        d.to,
        f"{d.since:%Y-%m-%d}",
        f"{d.until:%Y-%m-%d}",
        withdrawn,
        d.reason,
    )
