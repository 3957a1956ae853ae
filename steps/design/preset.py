"""Presets and hardware profiles: named figures with sources, layered under a site's own.

Figures are looked up in this order: the site's overrides, the preset, the profile, the defaults.
"""

from __future__ import annotations

import difflib
from importlib.resources import files
from pathlib import Path

from steps.catalog.schema import Closed, Text
from steps.design.site import Decision, Figure
from steps.errors import InputError
from steps.validation import validated
from steps.yaml_lines import load

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
    """Give the names of the presets that come with Clusterwright."""
    return sorted(path.stem for path in _presets().glob("*.yaml"))


def read_preset(name: str, beside: Path | None = None) -> Preset:
    """Give a preset by name: the site's own `NAME.yaml` first, then those that come along."""
    own = beside / f"{name}.yaml" if beside else None
    path = own if own and own.exists() else _presets() / f"{name}.yaml"
    if not path.exists():
        close = difflib.get_close_matches(name, preset_names(), n=1)
        raise InputError(
            f"there is no preset {name!r}",
            hint=f"did you mean {close[0]!r}?" if close else "presets: " + ", ".join(preset_names()),
        )
    data, lines = load(path)
    return validated(Preset, data, lines, str(path))


def read_profile(name: str) -> Profile:
    """Give a hardware profile by name."""
    path = Path(str(files("steps.catalog") / "profiles" / f"{name}.yaml"))
    if not path.exists():
        raise InputError(f"there is no hardware profile {name!r}")
    data, lines = load(path)
    return validated(Profile, data, lines, str(path))


def read_defaults() -> dict[str, Figure]:
    """Give the figures every design starts from."""
    path = Path(str(files("steps.design") / "defaults.yaml"))
    data, _ = load(path)
    return {name: Figure.model_validate(figure) for name, figure in data.items()}
