"""The risk of an export licence, in words: what is refused has no date, so no sample has it."""

from __future__ import annotations

from collections.abc import Iterator

from steps.design.export_licences import ITEM
from steps.planning.plan import Plan

REFUSALS = (
    "2 % of all applications to the US Bureau of Industry and Security were refused in the fiscal year 2023 (Reuters in Wallstreetcn, "
    "2 August 2025); for accelerators and group D:5 it is more"
)


def licence_lines(plan: Plan) -> Iterator[str]:
    """Yield what a plan says whose accelerators need an export licence."""
    for order in plan.orders:
        if order.item == ITEM:
            yield (
                f"The accelerators need an export licence, {order.id}. It may be refused: {REFUSALS}. No date and no chance of this plan "
                "counts that. Ask before the order is binding, and agree who pays if it is refused."
            )
