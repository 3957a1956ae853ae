"""Presets and hardware profiles: named figures with sources.

A figure comes from the first of these that has it: the site's overrides, the preset, the profile, `figures.yaml`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from pydantic import Field

from schedule.errors import InputError, Place
from schedule.meant import meant
from steps.catalog.schema import Closed, Duration, StepId, Text
from steps.design.figures import Chosen, Figures, Setting, checked, choice_specs, figure_specs
from steps.design.power_topology import resolved
from steps.design.site import Decision, SourcedFigure
from steps.validation import validated
from steps.yaml_lines import Lines, line_of, load

Choices = dict[str, str | bool]
Layered = tuple[dict[str, float], Choices, dict[str, str]]
"""Figures, choices, and the sources of the figures, each by name."""


class Profile(Closed):
    """A model of server: its parts and its power."""

    name: Text
    title: Text
    figures: dict[str, SourcedFigure]
    choices: Choices


class Preset(Closed):
    """A kind of cluster: a profile, choices, figures, the steps that do not apply to it, and how long others take there."""

    name: Text
    title: Text
    profile: Text
    sources: tuple[Text, ...]
    choices: Choices
    figures: dict[str, SourcedFigure]
    decisions: tuple[Decision, ...]
    durations: dict[StepId, Duration] = Field(default_factory=dict)


def _presets() -> Path:
    return Path(str(files("steps.design") / "presets"))


def _profiles() -> Path:
    return Path(str(files("steps.catalog") / "profiles"))


def preset_names() -> list[str]:
    """Return the names of the presets that come with Clusterwright."""
    return sorted(path.stem for path in _presets().glob("*.yaml"))


def read_preset(name: str, beside: Path | None = None) -> Preset:
    """Return a preset by name: the site's own `NAME.yaml` if there is one, otherwise a shipped one."""
    own = beside / f"{name}.yaml" if beside else None
    path = own if own and own.exists() else _presets() / f"{name}.yaml"
    if not path.exists():
        hint = meant(name, preset_names(), f"presets: {', '.join(preset_names())}")
        raise InputError(f"there is no preset {name!r}", hint=hint)
    data, lines = load(path)
    preset = validated(Preset, data, lines, str(path))
    _settings(preset, lines, str(path))
    return preset


def read_profile(name: str) -> Profile:
    """Return a hardware profile by name."""
    path = _profiles() / f"{name}.yaml"
    if not path.exists():
        raise InputError(f"there is no hardware profile {name!r}", hint="profiles: " + ", ".join(profile_names()))
    data, lines = load(path)
    profile = validated(Profile, data, lines, str(path))
    _settings(profile, lines, str(path))
    return profile


def profile_names() -> list[str]:
    """Return the names of the hardware profiles."""
    return sorted(path.stem for path in _profiles().glob("*.yaml"))


def _settings(layer: Profile | Preset, lines: Lines, file: str) -> None:
    """Raise InputError, with the line, for a figure or choice that no design has, and for a wrong unit."""
    for name, figure in layer.figures.items():
        place = Place(file, line_of(lines, ("figures", name)), f"figures.{name}")
        spec = figure_specs().get(name)
        if spec is None:
            raise InputError(f"nothing is called {name!r} in a design", hint=meant(name, figure_specs()), place=place)
        if figure.unit != spec.unit:
            raise InputError(f"{name} is in {spec.unit}, not in {figure.unit}", hint="convert the value", place=place)
    for name, value in layer.choices.items():
        place = Place(file, line_of(lines, ("choices", name)), f"choices.{name}")
        if name not in choice_specs():
            raise InputError(f"no choice is called {name!r}", hint="choices: " + ", ".join(choice_specs()), place=place)
        checked(name, value, place)


def layered(preset: Preset, settings: dict[str, Setting]) -> Layered:
    """Return a preset's figures and choices, changed by a site's settings, and the source of each figure."""
    figures: dict[str, float] = {}
    sources: dict[str, str] = {}
    choices: Choices = {}
    for name, figure in figure_specs().items():
        if figure.value is not None:
            figures[name], sources[name] = figure.value, figure.source or ""
    for name, choice in choice_specs().items():
        if choice.value is not None:
            choices[name] = choice.value
    for layer in (read_profile(preset.profile), preset):
        figures |= {name: figure.value for name, figure in layer.figures.items()}
        sources |= {name: figure.source for name, figure in layer.figures.items()}
        choices |= layer.choices
    for name, value in settings.items():
        if name in choice_specs():
            assert isinstance(value, str | bool)
            choices[name] = value
        else:
            figures[name] = float(value)
            sources[name] = "the site's own"
    _refuse_open(preset, figures, choices)
    choices |= resolved(figures, choices)
    return figures, choices, sources


def of_this_release(figures: Figures, choices: Chosen) -> tuple[dict[str, float], Choices]:
    """Return the figures and choices of a plan that an earlier release may have made, as this release has them.

    What is not known any more is left out. What was not known then is as here by default.
    """
    known: dict[str, float] = {}
    for name, figure in figure_specs().items():
        value = figures.get(name, figure.value)
        if value is not None:
            known[name] = value
    chosen: Choices = {}
    for name, choice in choice_specs().items():
        option = choices.get(name, choice.value)
        if option is not None:
            chosen[name] = option
    return known, chosen | resolved(known, chosen)


def _refuse_open(preset: Preset, figures: dict[str, float], choices: Choices) -> None:
    """Raise InputError for a figure or choice that nothing sets."""
    for name in figure_specs():
        if name not in figures and name != "nodes_per_pod":
            raise InputError(
                f"the preset {preset.name!r} leaves {name!r} open",
                hint=f"it comes from the profile {preset.profile!r}, or from the preset",
            )
    for name in choice_specs():
        if name not in choices:
            raise InputError(f"the preset {preset.name!r} leaves the choice {name!r} open")
