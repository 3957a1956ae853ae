"""A person's own keys: a file that names actions by their ids, as the menu of `?` shows them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

from schedule.errors import InputError

FILE = Path("clusterwright") / "keys.yaml"


def keys_file() -> Path:
    """Return where a person's keys are: under XDG_CONFIG_HOME, else ~/.config."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / FILE


def own_keys(known: Callable[[], Collection[str]]) -> dict[str, str]:
    """Return a person's keys by the id of what each does, as `activity.sign: f2`. Empty without a file.

    `known` returns the ids that there are; they are asked for only where there is a file. Raise InputError for a file that is no such list, and for an id that nothing has.
    """
    path = keys_file()
    if not path.is_file():
        return {}
    import yaml  # few people have a file

    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found.values()):
        raise InputError(f"{path} is no list of keys", hint="write a line for each, as `activity.sign: f2`")
    names = known()
    for name in found:
        if name not in names:
            raise InputError(f"{path}: nothing has the id {name!r}", hint="docs/reference/screens.md lists them")
    return found
