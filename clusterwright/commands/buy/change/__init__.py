"""Change an order: one person asks, another decides.

Without a verb it lists change orders; those that are open wait for a decision.

Example:
    clusterwright change
    clusterwright change request '001@site#gpu-server' --value 9900000.00 --reason 'more memory'
    clusterwright change approve CO-0001

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import table
from ledger.questions.orders import changes
from ledger.rules.rows import ChangeRow


def change(ask: Asking) -> None:
    with ask.record() as snapshot:
        rows = changes(snapshot)
        ask.answer(snapshot, rows, lambda: _print(rows))


def _print(rows: list[ChangeRow]) -> None:
    headers = ("id", "order", "state", "quantity", "value", "asked by", "decided by", "reason")
    empty = "no order was changed; `clusterwright change request` asks for it"
    table(headers, [_cells(c) for c in rows], empty=empty)


def _cells(c: ChangeRow) -> tuple[object, ...]:
    value = f"{c.value} {c.currency}" if c.value is not None else ""
    return (
        c.id,
        c.subject,
        c.state,
        c.quantity,
        value,
        c.asked_by,
        c.decided_by,
        c.reason,
    )
