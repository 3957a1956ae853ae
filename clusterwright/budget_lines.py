"""Money by budget line, beside the design's estimate of it."""

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from clusterwright.output import Cells
from ledger.questions.orders import budget
from ledger.questions.snapshot import Snapshot
from schedule.errors import ClusterwrightError

ESTIMATED_IN = "USD"
"""The currency of the design's figures."""


class Estimates(NamedTuple):
    """The design's capital cost in whole dollars: of the whole site with its cost contingency, and by category."""

    budget: Decimal
    by_category: dict[str, Decimal]


def estimates(folder: Path) -> Estimates | None:
    """Return the estimates of the site's folder. None where its design does not work out."""
    from clusterwright.planning import site_at  # the calculators are slow to import, and only money needs them
    from steps.design.design import design_of
    from steps.design.dossier import dossier_of

    try:
        money = dossier_of(design_of(site_at(folder), folder)).economics
    except ClusterwrightError:
        return None
    found = {name.casefold(): Decimal(round(usd)) for name, usd in money.capex_by_category.items() if usd}
    return Estimates(Decimal(round(money.budget)), found)


class BudgetLine(NamedTuple):
    """A budget line in one currency, as `BudgetRow` has it, with the design's estimate and by how much it is over that.

    A line on which money is committed in several currencies cannot be held against the estimate.
    """

    budget_line: str
    currency: str
    orders: int
    unpriced: int
    committed: Decimal
    received: Decimal
    open: Decimal
    estimate_usd: Decimal | None
    over_usd: Decimal | None

    @property
    def cells(self) -> Cells:
        """What a table has of it."""
        orders = f"{self.orders}" + (f", {self.unpriced} without a value" if self.unpriced else "")
        amounts = ("" if amount is None else f"{amount:,}" for amount in self[4:])
        return self.budget_line or "no budget line", self.currency or "no value", orders, *amounts


def budget_lines(snapshot: Snapshot) -> list[BudgetLine]:
    """Return the money by budget line, with the design's estimate where a line has the name of one of its categories."""
    rows = budget(snapshot)
    found = estimates(snapshot.site_dir) if rows else None
    currencies = Counter(row.budget_line for row in rows if row.committed)
    lines = []
    for row in rows:
        estimate = found.by_category.get(row.budget_line.casefold()) if found else None
        is_whole = currencies[row.budget_line] <= 1 and row.currency == ESTIMATED_IN
        in_its_currency = estimate if is_whole else None
        over = None if in_its_currency is None else row.committed - in_its_currency
        lines.append(BudgetLine(*row, estimate_usd=estimate, over_usd=over))
    return lines
