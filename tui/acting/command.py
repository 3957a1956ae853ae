"""A command of the command line, as a screen asks for it. The command line declares it; a screen repeats nothing of that."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

Check = Callable[[str], str]
"""Returns why a text cannot be a value. Empty if it can."""


def path_of(text: str) -> Path:
    """Return a path as a shell reads it, where `~` is a home. Where nobody is called so, it is a name as any other."""
    with suppress(RuntimeError):
        return Path(text).expanduser()
    return Path(text)


@dataclass(frozen=True, slots=True)
class Field:
    """An argument or an option of a command. `option` is how it is typed, as `--reason`; empty for an argument.

    A `flag` has no value, a required one is a confirmation, and `many` means that it may be repeated. `choices` are the values that there are; empty where others are
    possible. `is_file` asks for a path.
    """

    name: str
    option: str
    about: str
    required: bool = False
    flag: bool = False
    many: bool = False
    is_file: bool = False
    default: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    check: Check = lambda _: ""

    def words(self, value: str) -> list[str]:
        """Return what is typed on the command line for a value. Empty for none."""
        if not value:
            return []
        if self.flag:
            return [self.option]
        values = shlex.split(value) if self.many and not self.option else value.split("; ") if self.many else [value]
        if self.is_file:
            values = [str(path_of(one)) for one in values]
        return [f"{self.option}={one}" if self.option else one for one in values]

    def wrong(self, value: str) -> str:
        """Return why a value cannot be. Empty if it can."""
        if not value:
            return ("tick it if you mean it" if self.flag else "it is needed") if self.required else ""
        if self.flag:
            return ""
        try:
            values = self.words(value)
        except ValueError:
            return "a quote is not closed"
        found = (self.check(one.removeprefix(f"{self.option}=")) for one in values)
        return next(filter(None, found), "")


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its fields. `subject` is the argument that says what it is about, None where it is about the site.

    `own` are the names of options that a screen fills in by itself: the site, who acts, JSON. `who` is the one that says who acts,
    None where a command has none: a form asks for it where nobody acts yet.
    """

    name: str
    about: str
    subject: Field | None
    fields: tuple[Field, ...]
    own: frozenset[str] = frozenset()
    who: Field | None = None

    def words(self, subjects: Sequence[str], values: Mapping[str, str]) -> list[str]:
        """Return what is typed after `clusterwright`: the options first, so that no subject is read as one."""
        options = [word for field in self.fields if field.option for word in field.words(values.get(field.name, ""))]
        arguments = [
            word for field in self.fields if not field.option for word in field.words(values.get(field.name, ""))
        ]
        about = [*subjects, *arguments]
        return [*self.name.split(), *options, *(["--"] if any(word.startswith("-") for word in about) else []), *about]

    @property
    def alone(self) -> Command:
        """The same with what it is about as its first field, for where nothing was chosen before."""
        return self if self.subject is None else replace(self, subject=None, fields=(self.subject, *self.fields))


@dataclass(frozen=True, slots=True)
class CommandLine:
    """All commands: the first line of each by its name, and what describes one. The room of the commands fills it."""

    abouts: Mapping[str, str]
    describe: Callable[[str], Command]


def as_typed(words: Sequence[str]) -> str:
    """Return the line that a person would type, which can be copied."""
    return shlex.join(["clusterwright", *words])
