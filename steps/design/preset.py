"""Presets and hardware profiles: named figures with sources, layered under a site's own.

Figures are looked up in this order: the site's overrides, the preset, the profile, the defaults of `figures.yaml`.
"""

from __future__ import annotations

import difflib
from importlib.resources import files
from pathlib import Path

from steps.catalog.schema import Closed, Text
from steps.design.figures import Setting, checked, choice_specs, figure_specs
from steps.design.site import Decision, Figure
from steps.errors import InputError, Place
from steps.validation import validated
from steps.yaml_lines import Lines, line_of, load

Choices = dict[str, str | bool]


class Profile(Closed):
    """A model of server: what is in it and what it draws."""

    name: Text
    title: Text
    figures: dict[str, Figure]
    choices: Choices


class Preset(Closed):
    """A kind of cluster: a profile, choices, figures and what does not apply to it."""

    name: Text
    title: Text
    profile: Text
    sources: tuple[Text, ...]
    choices: Choices
    figures: dict[str, Figure]
    decisions: tuple[Decision, ...]


def _presets() -> Path:
    return Path(str(files("steps.design") / "presets"))


def preset_names() -> list[str]:
    """Return the names of the presets that come with Clusterwright."""
    return sorted(path.stem for path in _presets().glob("*.yaml"))


def read_preset(name: str, beside: Path | None = None) -> Preset:
    """Return a preset by name: the site's own `NAME.yaml` first, then those that come along."""
    own = beside / f"{name}.yaml" if beside else None
    path = own if own and own.exists() else _presets() / f"{name}.yaml"
    if not path.exists():
        close = difflib.get_close_matches(name, preset_names(), n=1)
        raise InputError(
            f"there is no preset {name!r}",
            hint=f"did you mean {close[0]!r}?" if close else "presets: " + ", ".join(preset_names()),
        )
    data, lines = load(path)
    preset = validated(Preset, data, lines, str(path))
    _settings(preset, lines, str(path))
    return preset


def read_profile(name: str) -> Profile:
    """Return a hardware profile by name."""
    path = Path(str(files("steps.catalog") / "profiles" / f"{name}.yaml"))
    if not path.exists():
        raise InputError(f"there is no hardware profile {name!r}", hint="profiles: " + ", ".join(profile_names()))
    data, lines = load(path)
    profile = validated(Profile, data, lines, str(path))
    _settings(profile, lines, str(path))
    return profile


def profile_names() -> list[str]:
    """Return the names of the hardware profiles."""
    return sorted(path.stem for path in Path(str(files("steps.catalog") / "profiles")).glob("*.yaml"))


def _settings(layer: Profile | Preset, lines: Lines, file: str) -> None:
    """Raise InputError, with its line, for a figure or choice that no design has, or that is in another unit."""
    for name, figure in layer.figures.items():
        place = Place(file, line_of(lines, ("figures", name)), f"figures.{name}")
        spec = figure_specs().get(name)
        if spec is None:
            close = difflib.get_close_matches(name, figure_specs(), n=1)
            raise InputError(
                f"nothing is called {name!r} in a design",
                hint=f"did you mean {close[0]!r}?" if close else "",
                place=place,
            )
        if figure.unit != spec.unit:
            raise InputError(f"{name} is in {spec.unit}, not in {figure.unit}", hint="convert the value", place=place)
    for name, value in layer.choices.items():
        place = Place(file, line_of(lines, ("choices", name)), f"choices.{name}")
        if name not in choice_specs():
            raise InputError(
                f"nothing is chosen by the name {name!r}", hint="choices: " + ", ".join(choice_specs()), place=place
            )
        checked(name, value, place)


def layered(preset: Preset, settings: dict[str, Setting]) -> tuple[dict[str, float], Choices, dict[str, str]]:
    """Return a preset's figures and choices under a site's settings, and where each figure comes from."""
    profile = read_profile(preset.profile)
    figures = {name: spec.value for name, spec in figure_specs().items() if spec.value is not None}
    sources = {name: spec.source or "" for name, spec in figure_specs().items() if spec.value is not None}
    choices: Choices = {name: spec.value for name, spec in choice_specs().items() if spec.value is not None}
    for layer in (profile, preset):
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
    for name in figure_specs():
        if name not in figures and name != "nodes_per_pod":
            raise InputError(
                f"the preset {preset.name!r} leaves {name!r} open",
                hint=f"it comes from the profile {preset.profile!r}, or from the preset",
            )
    for name in choice_specs():
        if name not in choices:
            raise InputError(f"the preset {preset.name!r} leaves the choice {name!r} open")
    return figures, choices, sources
