"""Finds what moved.yaml names and the catalog does not have."""

from __future__ import annotations

from collections.abc import Iterator

from schedule.errors import Place
from steps.catalog.lint.report import LintFinding
from steps.catalog.loader import Catalog, shipped_folder
from steps.catalog.moved import FILE, Moved
from steps.design.figures import figure_specs


def moved_findings(catalog: Catalog, moved: Moved) -> Iterator[LintFinding]:
    """Yield the steps, orders and figures that `moved` names and that do not exist. What it names of earlier plans may be gone."""
    orders = {f"{name}#{one.item}" for name, entry in catalog.items() for one in entry.step.supplies}
    steps = {
        "counted": moved.counted,
        "worked_out": moved.worked_out,
        "kinds": moved.kinds,
        "widened": moved.widened,
    }
    for key, names in steps.items():
        for name in names:
            if name not in catalog:
                yield _finding(key, f"there is no step {name}")
    for name in moved.figures:
        if name not in figure_specs():
            yield _finding("figures", f"there is no figure {name}")
    for order, were in moved.bought.items():
        if order not in orders:
            yield _finding("bought", f"no step buys {order}")
        for was in were:
            if was.partition("#")[0] not in catalog:
                yield _finding("bought", f"{was} is of no step")


def _finding(key: str, message: str) -> LintFinding:
    return LintFinding("moved", message, Place(str(shipped_folder() / FILE), None, key))
