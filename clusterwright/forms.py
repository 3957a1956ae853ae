"""Every command as a form for the screens: what the command line declares of its arguments and options, and nothing more."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, get_args

from clusterwright.output import reason
from clusterwright.tree import VALUES, Verbs, command_at, every_command, first_line
from schedule.errors import ClusterwrightError
from tui.acting.command import Check, Command, CommandLine, Field

OWN = frozenset({"site", "who", "as_json", "as_of", "help"})
"""Options that a screen fills in by itself, or has in another way."""

SUBJECTS = frozenset({"ACTIVITY", "ORDER", "DELIVERY", "NCR", "CHANGE", "ACTION", "EVENT", "DELEGATION"})
"""What a first argument is called that says what a decision is about."""

AT_A_TERMINAL = frozenset({"tui", "tour", "check scan"})
"""Commands that need a terminal of their own."""


def command_line() -> CommandLine:
    """Return all commands that need no terminal. One is imported when its form is asked for."""
    files = {name: path for name, path in every_command().items() if name not in AT_A_TERMINAL}
    return CommandLine(
        {name: first_line(path) for name, path in files.items()}, cache(lambda name: _form(name, files[name]))
    )


def _form(name: str, path: Path) -> Command:
    command: Any = command_at(path)
    first: Any = None
    who: Field | None = None
    fields = []
    params = () if isinstance(command, Verbs) and command.callback is None else command.params
    for given in params:
        if given.name == "who":
            who = _field(command, given)
        if given.name in OWN:
            continue
        if first is None and given.param_type_name == "argument" and not SUBJECTS.isdisjoint(_names(given)):
            first = given
        else:
            fields.append(_field(command, given))
    fields.sort(key=lambda field: (not field.required, bool(field.option) and field.option in LATER))
    subject = None if first is None else _field(command, first)
    own = frozenset(given.name for given in params) & OWN
    return Command(name, first_line(path), subject, tuple(fields), own, who)


LATER = frozenset({"--at", "--late-because", "--key", "--out-of-sequence"})
"""Options of many commands, which come after those of one."""


def _names(given: Any) -> list[str]:
    """Return what an argument is called in help, as ORDER or ORDER|ACTIVITY."""
    return str(given.metavar or given.name).strip("[].").upper().split("|")


def _field(command: Any, given: Any) -> Field:
    is_option = given.param_type_name == "option"
    default, described, asks = given.default, given.type_descriptor, given.name == "yes"
    plain = "" if default is None or callable(default) or isinstance(default, bool | list | tuple) else str(default)
    return Field(
        name=given.name,
        option=max(given.opts, key=len) if is_option else "",
        about="A terminal would ask whether you mean it. Space ticks it." if asks else str(given.help or ""),
        required=bool(given.required) or asks,
        flag=bool(getattr(given, "is_flag", False)),
        many=given.multiple or given.nargs == -1,
        is_file=Path in {described.annotation, *get_args(described.annotation)},
        default=plain,
        metavar="" if given.metavar in VALUES.values() else given.metavar or "",
        choices=tuple(map(str, described.choices or ())) if described.is_choice else (),
        check=_check(command, given),
    )


def _check(command: Any, given: Any) -> Check:
    """Return what says why a text cannot be a value: the same conversion that the command line makes."""
    context = command.make_context(command.name, [], resilient_parsing=True)

    def check(text: str) -> str:
        try:
            given.process_value(context, [text] if given.multiple or given.nargs == -1 else text)
        except ClusterwrightError as error:
            return reason(error)
        except Exception as error:  # noqa: BLE001  click's own refusals, whose class Typer keeps to itself
            return str(getattr(error, "message", error))
        return ""

    return check
