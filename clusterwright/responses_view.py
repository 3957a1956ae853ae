"""What the buyer does about late orders, and what that costs and buys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clusterwright.output import Cells, money, table
from steps.catalog.terms import Response
from steps.planning.odds.response_result import ResponseResult

HEADERS = ("response", "to late orders of", "used in 100", "mean price", "P80 of price", "weeks of P50", "weeks of P80")
HALF_A_DAY = 0.5


def print_responses(found: Sequence[ResponseResult], scenario: str = "") -> None:
    """Print in how many samples each response is used, its price, and by how many weeks go-live is earlier; nothing without any."""
    if not found:
        return
    rows = [_row(one) for one in found]
    under = f" under {scenario}" if scenario else ""
    title = f"What the buyer does about late orders{under}: the same samples with it and without it"
    table(HEADERS, rows, title=title, right=(2, 3, 4, 5, 6))
    for line in _notes(found):
        print(line)


def _row(one: ResponseResult) -> Cells:
    least = "at least " if one.unpriced else ""
    return (
        one.name,
        ", ".join(one.items),
        f"{one.used_share * 100:.0f}",
        f"{least}{money(one.usd_mean)}",
        f"{least}{money(one.usd_p80)}",
        f"{one.weeks_p50:.1f}",
        f"{one.weeks_p80:.1f}",
    )


def _notes(found: Sequence[ResponseResult]) -> Iterator[str]:
    """Yield what the table has no column for."""
    unpriced = sorted({item for one in found for item in one.unpriced})
    if unpriced:
        yield f"Not priced, as the design has no price of them: {', '.join(unpriced)}."
    part = [one for one in found if one.name == Response.PARTIAL_SERVICE.words and one.used_share]
    for one in part:
        days = f"{one.part_days:.1f} days" if one.part_days >= HALF_A_DAY else "less than half a day"
        yield f"With {one.name} the fabric has only its part for {days} after go-live, on average over all samples."
