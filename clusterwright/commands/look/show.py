"""Show one activity, order or delivery whole.

Of an activity that is its state, policy, criteria, checklist, evidence, sign-offs, orders, runs and links. A step that is done once at
the site may be named by its number: 195 is 195@site. Of an order or a delivery it is its dates, its value, what it waits for, and
everything recorded of it.

Example:
    clusterwright show 034@pod-001
    clusterwright show 195
    clusterwright show '001@site#gpu-server'
    clusterwright show '001@site#gpu-server/1'

"""

from typing import Annotated

from typer import Argument

from clusterwright.activity_view import activity_document, print_activity
from clusterwright.commands.asking import AskingPast
from clusterwright.order_view import order_document, print_order
from ledger.questions.case import require_activity
from ledger.questions.meant import activity_named
from ledger.rules.subjects import is_supply


def show(
    ask: AskingPast,
    name: Annotated[
        str, Argument(metavar="ACTIVITY|ORDER", help="Its id, as 034@pod-001; of an order, of a delivery, or a step.")
    ],
) -> None:
    with ask.record() as snapshot:
        if is_supply(name):
            found = order_document(snapshot, name)
            ask.answer(snapshot, found, lambda: print_order(found, snapshot, name))
            return
        row = require_activity(snapshot, activity_named(snapshot, name))
        document = activity_document(snapshot, row)
        ask.answer(snapshot, document, lambda: print_activity(document, snapshot, row))
