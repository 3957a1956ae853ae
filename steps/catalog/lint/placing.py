"""Where a step has formulas, by the key of each in its file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from schedule.errors import InputError
from steps.catalog.loader import Catalog
from steps.catalog.schema import Step
from steps.formula import FormulaError
from steps.yaml_lines import KeyPath


def formulas_of(step: Step) -> Iterator[tuple[str, KeyPath]]:
    """Yield every formula of a step with its key."""
    if isinstance(step.applies, str):
        yield step.applies, ("applies",)
    if step.items:
        yield step.items.count, ("items", "count")
    if step.crew.room:
        yield step.crew.room.of, ("crew", "room", "of")
    else:
        yield step.crew.count, ("crew", "count")
    for index, supply in enumerate(step.supplies):
        yield supply.quantity, ("supplies", index, "quantity")
    for index, criterion in enumerate(step.accept):
        if isinstance(criterion.value, str):
            yield criterion.value, ("accept", index, "value")
    for key in ("supplies", "links", "alternatives", "accept", "facts"):
        for index, conditional in enumerate(getattr(step, key)):
            if conditional.when:
                yield conditional.when, (key, index, "when")
    for name, formula in step.resources.items():
        yield formula, ("resources", name)


@contextmanager
def formulas_placed(catalog: Catalog) -> Iterator[None]:
    """Name the file, the line and the key of a formula that has no value, if one is found inside."""
    try:
        yield
    except FormulaError as error:
        for entry in catalog.values():
            for formula, key in formulas_of(entry.step):
                if formula == error.formula:
                    raise InputError(error.what, hint=error.hint, place=entry.place(*key)) from None
        raise
