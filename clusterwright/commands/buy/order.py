"""Record that orders are placed.

A CSV has an order a line. Columns: order, supplier, reference, value, currency, budget_line, organisation, promised, out_of_sequence,
at and late_because. A cell that is empty is as the option of its name says. Wrong lines are named, and the right ones are recorded
at once.

Example:
    clusterwright order '001@site#gpu-server' --supplier Maker --reference PO-17 --value 9600000.00
    clusterwright order 'H08@*#compute-rack' --supplier Maker --reference PO-18
    clusterwright order orders.csv --supplier Maker

"""

from datetime import date
from typing import Annotated, Any

from typer import Option

from clusterwright.commands.acting import Deciding, Reporting
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import OrderIds, SequenceOption, day_option
from clusterwright.commands.patterns import matching_orders
from clusterwright.decision_file import lines_in, record_lines
from clusterwright.filled_lines import FilledLine
from ledger.subjects.orders import decisions as orders
from schedule.errors import InputError, Place

COLUMNS = (
    "order",
    "supplier",
    "reference",
    "value",
    "currency",
    "budget_line",
    "organisation",
    "promised",
    "out_of_sequence",
)


def order(
    me: Reporting,
    order_ids: OrderIds,
    supplier: Annotated[str, Option(help="The organisation that delivers.")] = "",
    reference: Annotated[str, Option(help="Purchase order number.")] = "",
    value: Annotated[str | None, Option(help="What each of them costs, as 1250000.00.")] = None,
    currency: Annotated[str | None, Option(help="As EUR; the site's if not given.")] = None,
    budget_line: Annotated[str, Option(help="Which line of the budget pays.")] = "",
    organisation: Annotated[str, Option(help="Whose people report on it, beside your buyers.")] = "",
    promised: Annotated[date | None, day_option("The delivery date promised.")] = None,
    out_of_sequence: SequenceOption = "",
) -> None:
    given: dict[str, Any] = {
        "supplier": supplier,
        "reference": reference,
        "value": value,
        "currency": currency,
        "budget_line": budget_line,
        "organisation": organisation,
        "out_of_sequence": out_of_sequence,
    }
    if lines := lines_in(order_ids, COLUMNS):
        _place_lines(me, lines, given, promised)
        return
    _require(given)
    me.each_of(matching_orders, order_ids, "placed", orders.order, promised=promised, **given)
    if promised is not None:
        say_what_moves(me)


def _place_lines(me: Reporting, lines: list[FilledLine], given: dict[str, Any], promised: date | None) -> None:
    promises: list[date] = []

    def of_line(decider: Deciding, line: FilledLine) -> None:
        said = {column: line.text(column) or option for column, option in given.items()}
        day = line.day("promised") or promised
        _require(said, line.place)
        decider.take(orders.order, line.text("order"), promised=day, **said)
        if day is not None:
            promises.append(day)

    try:
        record_lines(me, lines, "order", "placed", of_line)
    finally:
        if promises:
            say_what_moves(me)


def _require(given: dict[str, Any], place: Place | None = None) -> None:
    """Raise InputError for an order without its supplier or its number."""
    for name, what in (("supplier", "who delivers"), ("reference", "the number of the purchase order")):
        if not given[name]:
            hint = f"--{name}" if place is None else f"--{name}, or the column `{name}`"
            raise InputError(f"{what} is missing", hint=f"say it with {hint}", place=place)
