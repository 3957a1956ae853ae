"""What a release counts, works out, places or buys otherwise than the release before.

`moved.yaml` states it beside the entries. A plan keeps it, so that an adopted revision is judged by what was stated then.
Reading commands import this module with plans, so it imports nothing that is slow to import.
"""

from __future__ import annotations

from functools import cache

from pydantic import Field

from steps.catalog.schema import Closed

FILE = "moved.yaml"


class Moved(Closed):
    """What a plan states otherwise than a plan of the release before. Orders are named by step and item, as `084#rack-pdu`."""

    counted: tuple[str, ...] = Field(default=(), description="steps whose items have another noun or number")
    worked_out: tuple[str, ...] = Field(default=(), description="steps whose calculation is made in another way")
    kinds: tuple[str, ...] = Field(default=(), description="steps of another kind, whose result is the same")
    figures: tuple[str, ...] = Field(default=(), description="figures with another value by default or in a preset")
    widened: tuple[str, ...] = Field(default=(), description="steps that are at a wider unit")
    bought: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="orders, and which orders bought the same before"
    )

    def since(self, before: Moved) -> Moved:
        """Return what is stated here and not before."""
        return Moved(
            counted=_new(self.counted, before.counted),
            worked_out=_new(self.worked_out, before.worked_out),
            kinds=_new(self.kinds, before.kinds),
            figures=_new(self.figures, before.figures),
            widened=_new(self.widened, before.widened),
            bought={order: were for order, were in self.bought.items() if before.bought.get(order) != were},
        )


def _new(here: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in here if name not in before)


@cache
def moved() -> Moved:
    """Return what this release states otherwise than the one before."""
    from steps.catalog.loader import shipped_folder  # YAML is slow to import, and plans are read without it
    from steps.validation import validated
    from steps.yaml_lines import load

    path = shipped_folder() / FILE
    listed, lines = load(path)
    return validated(Moved, listed, lines, str(path))
