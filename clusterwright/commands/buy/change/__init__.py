"""Change an order: one person asks, another decides.

Without a verb it lists change orders; those that are open wait for a decision.

Example:
    clusterwright change
    clusterwright change request '001@site#gpu-server' --value 9900000.00 --reason 'more memory'
    clusterwright change approve CO-0001

"""

from typing import Annotated, Any

from typer import Argument, Option

from clusterwright.commands.acting import Reporting, SigningReport
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import ChangeId, ReasonOption
from clusterwright.output import Cells, say
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


def request(
    me: Reporting,
    order_id: Annotated[str, Argument(metavar="ORDER", help="An order; for a quantity, one delivery of it.")],
    reason: ReasonOption,
    quantity: Annotated[str | None, Option(help="How many it is to be, in all.")] = None,
    value: Annotated[str | None, Option(help="What the whole order is to cost.")] = None,
) -> None:
    """Ask for another quantity or value of an order.

    Keeping more than was ordered is such a change too.

    Example:
        clusterwright change request '001@site#gpu-server/1' --quantity 34 --reason 'two spares'

    """
    from ledger.subjects.orders.change_decisions import ask_change

    event: Any = me.take(ask_change, order_id, reason=reason, quantity=quantity, value=value)
    say(f"{event.payload.change}: waits for a decision")


def approve(me: SigningReport, change_id: ChangeId, reason: Annotated[str, Option(help="What you add.")] = "") -> None:
    """Approve a change order that another person asked for.

    Example:
        clusterwright change approve CO-0001

    """
    from ledger.subjects.orders.change_decisions import decide_change

    me.once(change_id, "approved", decide_change, approved=True, reason=reason)


def refuse(me: SigningReport, change_id: ChangeId, reason: ReasonOption) -> None:
    """Refuse a change order.

    Example:
        clusterwright change refuse CO-0001 --reason 'the budget is spent'

    """
    from ledger.subjects.orders.change_decisions import decide_change

    me.once(change_id, "refused", decide_change, approved=False, reason=reason)
