"""Change an order: one person asks, another decides.

Without a verb it lists change orders; those that are open wait for a decision.

Example:
    clusterwright change
    clusterwright change request '001@site#gpu-server' --value 9900000.00 --reason 'more memory'
    clusterwright change approve CO-0001

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import Cells
from ledger.questions.orders import changes
from ledger.rules.rows import ChangeRow


def change(ask: Asking) -> None:
    with ask.record() as snapshot:
        headers = ("id", "order", "state", "quantity", "value", "asked by", "decided by", "reason")
        empty = "no order was changed; `clusterwright change request` asks for it"
        ask.table(snapshot, changes(snapshot), headers, _cells, empty=empty)


def _cells(c: ChangeRow) -> Cells:
    value = f"{c.value} {c.currency}" if c.value is not None else ""
    about = (c.id, c.subject, c.state, c.quantity, value)
    return *about, c.asked_by, c.decided_by, c.reason
