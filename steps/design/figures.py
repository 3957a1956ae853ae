"""The figures and choices of a design: what each means, its unit, its bounds, its default and source.

`figures.yaml` and `choices.yaml` are the only lists of names. Profiles, presets, sites and the command line may set what is
listed there and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from ipaddress import IPv4Network
from math import isfinite
from pathlib import Path
from typing import Any

from schedule.errors import InputError, Place
from schedule.meant import meant
from steps.catalog.schema import Closed, Text
from steps.value import bounded_number
from steps.yaml_lines import load

Setting = float | bool | str

Figures = Mapping[str, float]
"""The figures of a design by name."""

Chosen = Mapping[str, Any]
"""The choices of a design by name."""


SHOWN = 60

MOST_OF_A_COUNT = 10_000
MOST_OF_A_MEASURE = 1e9
"""The largest count and the largest other figure, where the list says nothing else. No site comes near either of them."""


class FigureSpec(Closed):
    """A number. `value` is the default; without it a profile or preset sets the number. `above` is an exclusive bound."""

    unit: Text
    meaning: Text
    value: float | None = None
    source: Text | None = None
    whole: bool = False
    above: float | None = None
    most: float | None = None

    def fault(self, value: float) -> str | None:
        """Return why a value is impossible, None if it is possible."""
        if not isfinite(value):
            return "is not a number"
        if self.whole and value != int(value):
            return "must be a whole number"
        if self.above is not None and value <= self.above:
            return f"must be above {self.above:g}"
        if self.above is None and value < 0 and self.unit != "degC":
            return "must not be negative"
        most = MOST_OF_A_COUNT if self.whole else MOST_OF_A_MEASURE
        most = most if self.most is None else self.most
        return f"must be at most {most:,.10g}" if value > most else None


class ChoiceSpec(Closed):
    """A decision among options, or an IPv4 network if there are none. Without `value` a profile or preset decides."""

    options: tuple[bool | str, ...]
    meaning: Text
    value: bool | str | None = None
    source: Text | None = None


def _read(name: str) -> Any:
    return load(Path(str(files("steps.design") / name)))[0]


@cache
def figure_sections() -> dict[str, dict[str, FigureSpec]]:
    """Return every figure by section and name, in the order of the file."""
    found: dict[str, dict[str, FigureSpec]] = {}
    for section, group in _read("figures.yaml").items():
        found[section] = {name: FigureSpec.model_validate(spec) for name, spec in group.items()}
    return found


@cache
def figure_specs() -> dict[str, FigureSpec]:
    """Return every figure by name."""
    groups = figure_sections().values()
    return {name: spec for group in groups for name, spec in group.items()}


@cache
def choice_specs() -> dict[str, ChoiceSpec]:
    """Return every choice by name."""
    listed = _read("choices.yaml")
    return {name: ChoiceSpec.model_validate(spec) for name, spec in listed.items()}


def plain_name(name: str) -> str:
    """Return the name of a figure or choice, for example for `radix` or `fabric.radix`; raise InputError for no such name."""
    section, dot, rest = name.partition(".")
    if not dot and (name in figure_specs() or name in choice_specs()):
        return name
    if dot and rest in figure_sections().get(section, {}):
        return rest
    known = [*figure_specs(), *choice_specs()]
    for section, group in figure_sections().items():
        known += [f"{section}.{figure}" for figure in group]
    hint = meant(name, known, "`clusterwright design --figures` lists them")
    raise InputError(f"nothing is called {name[:SHOWN]!r} in a design", hint=hint)


def checked(name: str, value: Setting, place: Place | None = None) -> Setting:
    """Return the value of a figure (a number) or choice (an option); a figure beyond its bounds is a finding, not an error."""
    if name in choice_specs():
        options = choice_specs()[name].options
        if not options:
            return _network(name, value, place)
        same_type = isinstance(value, bool) is isinstance(options[0], bool)
        if value not in options or not same_type:
            allowed = [str(option).lower() if isinstance(option, bool) else option for option in options]
            raise InputError(f"{name} cannot be {value!r}", hint=f"one of {', '.join(allowed)}", place=place)
        return value
    if isinstance(value, str | bool):
        raise InputError(f"{name} is a number of {figure_specs()[name].unit}, not {value!r}", place=place)
    return float(value)


def _network(name: str, value: Setting, place: Place | None) -> str:
    try:
        return str(IPv4Network(str(value)))
    except ValueError:
        raise InputError(f"{name} is an IPv4 network such as 10.0.0.0/14, not {value!r}", place=place) from None


def parsed(name: str, text: str) -> Setting:
    """Return the value of a figure or choice that a text on the command line means."""
    if name in choice_specs():
        word = text.lower()
        return word == "true" if word in ("true", "false") else text
    number = bounded_number(text.replace("_", "").replace(",", ""))
    if number is None:
        raise InputError(f"{name} is a number of {figure_specs()[name].unit}, not {text[:SHOWN]!r}")
    return float(number)
