"""What is wrong with a command line, in words that say what to type instead."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from schedule.errors import InputError, WaitingError
from schedule.meant import did_you_mean, meant

UsageError: Any = typer.BadParameter.__base__
"""What the parser raises. Its class has no public name."""

NEGATIVE = re.compile(r"-\.?\d.*")
"""A word that begins like a negative number. No option does."""

ALIKE = 0.7
"""How alike options are of which one is a mistyped other."""

MEANT = {
    "approve": "sign",
    "buy": "order",
    "complete": "finish",
    "done": "finish",
    "gantt": "picture",
    "ls": "list",
    "run": "up",
    "todo": "next",
}
"""What people type for some commands."""


class Command(TyperCommand):
    """A command that takes negative numbers as values, and does not take an option for the value of another."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command's name."""
        return super().parse_args(ctx, [*_ordered(self, ctx, args)])

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Raise WaitingError if it asks a question and nobody answers."""
        try:
            return super().invoke(ctx)
        except typer.Abort as stopped:
            if isinstance(stopped.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            print()  # the question has no end of line
            raise WaitingError(
                f"`clusterwright {_name(ctx)}` asks before it goes on, and nobody answers here; nothing is recorded",
                hint="answer in a terminal, or add --yes",
            ) from None


def _ordered(command: Any, ctx: Any, args: Sequence[str]) -> Iterator[str]:
    """Yield words as the parser needs them: options first, and what they would mistake for an option after `--`."""
    known = {option: given for given in command.params for option in given.opts if option.startswith("-")}
    options: list[str] = []
    values: list[str] = []
    words = iter(args)
    for word in words:
        if word == "--":
            values += words
        elif word in known and not known[word].is_flag:
            value = next(words, None)
            if value is None or value in known:
                raise typer.BadParameter("needs a value", ctx=ctx, param=known[word])
            options += [word, value]
        elif word.startswith("-") and word != "-" and not NEGATIVE.fullmatch(word):
            options.append(word)
        else:
            values.append(word)
    yield from options
    if values:
        yield "--"
        yield from values


def unknown_command(typed: str, known: Sequence[str], group: str) -> InputError:
    """Return the error for a command or a verb that there is not. `group` is the command whose verb it would be."""
    if group:
        return InputError(f"{group} has no verb {typed!r}", hint=f"say one of {_forms(group, known)}")
    if typed in {"help", "version"}:
        return InputError(
            f"there is no command {typed!r}", hint=f"`clusterwright --{typed}`, or `clusterwright COMMAND --help`"
        )
    near = [MEANT[typed]] if typed in MEANT else get_close_matches(typed, known)
    asked = did_you_mean([f"`clusterwright {one}`" for one in near])
    return InputError(f"there is no command {typed!r}", hint=f"{asked} `clusterwright --help` lists them".lstrip())


def in_our_words(error: Any) -> InputError:
    """Return the error to show for one of the parser: what is wrong, and a line that is right."""
    context = error.ctx
    name = _name(context)
    what, hint = _what(error, name)
    return InputError(f"{name}: {what}" if name else what, hint=hint)


def _what(error: Any, name: str) -> tuple[str, str]:
    command: Any = getattr(error.ctx, "command", None)
    given: Any = getattr(error, "param", None)
    if option := getattr(error, "option_name", None):
        if not name:
            return f"there is no option {option} before a command", "for example: clusterwright status --site DIR"
        if hasattr(command, "files") and not command.invoke_without_command:
            return "the verb is missing", f"say one of {_forms(name, list(command.files))}"
        return f"there is no option {option}", meant(
            option, _option_names(command), _options(command), most=3, alike=ALIKE
        )
    if given is None:
        extra = re.search(r"extra argument\S* \((.*)\)", error.message)
        return (
            (f"{extra[1]!r} is too much", _too_much(extra[1], command)) if extra else (error.message, _example(command))
        )
    label = _label(given)
    if not error.message:
        return f"{label} is missing: {given.help or ''}".rstrip(": "), _example(command, label)
    return f"{label}: {error.message[0].lower()}{error.message[1:]}", _example(command, label)


def _too_much(words: str, command: Any) -> str:
    """Return what may have been meant by words for which the command has no argument."""
    if (Path(words) / "site.yaml").exists() and "--site" in _option_names(command):
        return f"a site's folder is named with --site {words}"
    if f"--{words}" in _option_names(command):
        return f"it is an option: --{words}"
    if "@" in words:
        return f"`clusterwright show '{words}'` shows it. {_options(command)}"
    if "--search" in _option_names(command):
        return f"--search {words} finds it in ids and titles. {_options(command)}"
    takes = " ".join(_label(given) for given in command.params if given.param_type_name == "argument")
    return f"it takes {takes or 'no words'}; quote what has spaces in it. {_options(command)}"


def _label(given: Any) -> str:
    """Return an option as it is typed, and an argument as help shows it."""
    name: str = given.opts[0] if given.param_type_name == "option" else given.metavar.strip("{}[].")
    return name


def _options(command: Any) -> str:
    return f"options: {', '.join(_option_names(command))}"


def _option_names(command: Any) -> list[str]:
    return [_label(given) for given in command.params if given.param_type_name == "option"]


def _example(command: Any, label: str = "") -> str:
    """Return a line of the command's help that has what is missing, else its first."""
    lines = [line.strip() for line in (getattr(command, "epilog", "") or "").splitlines()]
    lines = [line for line in lines if line.startswith("clusterwright ")]
    found = next((line for line in lines if label and label in line), next(iter(lines), ""))
    return f"for example: {found}" if found else "`clusterwright --help` lists the commands"


def _forms(name: str, verbs: Sequence[str]) -> str:
    return ", ".join(f"`clusterwright {name} {verb}`" for verb in verbs)


def _name(context: Any) -> str:
    """Return the command as it is typed after `clusterwright`."""
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return " ".join(names)
