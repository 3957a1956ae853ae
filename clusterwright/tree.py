"""The command tree is the file tree under `commands`: a folder a group of `--help`, a file a command.

The function of a command has the name of its file, with `_` after it where Python has that word itself. In a file that has no
such function every public function is a command, so that several that are alike stand together. A command with verbs is a
folder, and its verbs are found in it the same way; the function with the folder's name, in `__init__.py`, is what is done where
no verb is named.

The docstring of a file, or of a function among several, is the help of its command: the first line stands in lists, and what
comes after `Example:` at the end of the page.

Lists are made from first lines, without importing anything. A file is imported when its command is called, so that it may
import at its top whatever it needs. Nothing else knows of a new command.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup

from clusterwright.interrupts import ends_at_interrupt
from clusterwright.mistyped import Command, UsageError, in_our_words, unknown_command
from schedule.errors import InputError, ReaderGoneError

PACKAGE = "clusterwright.commands"
FOLDER = Path(__file__).parent / "commands"

GROUPS = ("plan", "work", "sign_off", "buy", "automate", "look", "report", "site", "record")
"""The folders of commands, in the order in which a buildout needs them."""

RENAMED = {"adopt": "import-progress FILE"}
"""Commands that have another name now, each with the new one. Calling the old name fails and shows the new name."""


VALUES = {
    "<str>": "TEXT",
    "<list[str]>": "TEXT",
    "<int>": "N",
    "<int range>": "N",
    "<list[int]>": "N",
    "<float>": "N",
    "<float range>": "N",
    "<path>": "PATH",
    "<list[Path]>": "PATH",
}
"""How help shows what an option takes, by what Typer would show."""

FUNCTION = re.compile(r"^def ([a-z]\w*)\(", re.MULTILINE)
"""A public function of a file."""

Files = dict[str, Path]
"""Where each command is, by the name that is typed: its file or folder, or FILE/FUNCTION among several of a file."""


class Page(NamedTuple):
    """A page of help: what the command does, and lines to type as examples."""

    text: str
    examples: tuple[str, ...]

    @property
    def epilog(self) -> str:
        """The examples as the end of the page."""
        lines = ["\b", "Example:", *(f"  {line}" for line in self.examples)]  # the mark keeps lines from being wrapped
        return "\n".join(lines) if self.examples else ""


def page_of(docstring: str | None) -> Page:
    """Return the page that a docstring says."""
    text, _, examples = inspect.cleandoc(docstring or "").partition("Example:")
    lines = (line.strip() for line in examples.splitlines())
    return Page(text.strip(), tuple(filter(None, lines)))


def files_in(folder: Path) -> Files:
    """Return where every command in a folder is, by the name that is typed."""
    paths = [path.parent for path in folder.glob("*/__init__.py")]
    for file in folder.glob("*.py"):
        paths += _commands_in(file)
    return {typed(path): path for path in sorted(paths, key=typed)}


def _commands_in(file: Path) -> list[Path]:
    """Return the command that a file is, or those that are functions in it."""
    functions = [file / name for name in FUNCTION.findall(file.read_text(encoding="utf-8"))]
    is_folders = file.stem == "__init__"
    own = typed(file.parent if is_folders else file)
    others = [path for path in functions if typed(path) != own]
    return others if is_folders or len(others) == len(functions) else [file]


def every_command() -> Files:
    """Return where every command is, and every verb of one, by what is typed."""
    found: Files = {}
    for group in GROUPS:
        for name, path in files_in(FOLDER / group).items():
            found[name] = path
            if path.is_dir():
                found |= {f"{name} {verb}": of_verb for verb, of_verb in files_in(path).items()}
    return found


def typed(path: Path) -> str:
    """Return the name of a command as it is typed, by where it is."""
    return path.stem.rstrip("_").replace("_", "-")


def first_line(path: Path) -> str:
    """Return the first line of the docstring of a command or a folder, without importing it."""
    if path.is_dir():
        path /= "__init__.py"
    if _is_function(path):
        _, _, text = path.parent.read_text(encoding="utf-8").partition(f"\ndef {path.name}(")
    else:
        text = path.read_text(encoding="utf-8")
    _, _, rest = text.partition('"""')
    return rest.partition("\n")[0].removesuffix('"""')


def _is_function(path: Path) -> bool:
    """Return whether a command is a function among several of its file."""
    return path.parent.suffix == ".py"


def command_at(path: Path) -> TyperCommand | TyperGroup:
    """Import the file of a command, and return the command."""
    file = path.parent if _is_function(path) else path
    parts = [part for part in file.relative_to(FOLDER).with_suffix("").parts if part != "__init__"]
    module = import_module(".".join([PACKAGE, *parts]))
    names = {path.stem, f"{path.stem}_"} & vars(module).keys()
    function = getattr(module, names.pop()) if names else None
    page = page_of((function if _is_function(path) else module).__doc__)
    alone = _command(typed(path), page, function) if function else None
    return Verbs(path, page, alone) if alone is None or path.is_dir() else alone


def _command(name: str, page: Page, function: Callable[..., Any]) -> TyperCommand:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, cls=Command, help=page.text, epilog=page.epilog)(with_options_apart(function))
    made: Any = typer.main.get_command(app)
    for given in made.params:
        if given.param_type_name == "argument":
            given.metavar = given.metavar or given.name.upper()
            given.display_type_rich = _no_type
        else:
            given.metavar = given.metavar or VALUES.get(given.display_type_rich(None))
    return cast("TyperCommand", made)


def with_options_apart(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command whose shared options Typer sees one by one: its first parameter may be a dataclass of them.

    Such a command asks a site's record, and ends soon: it keeps its session with the database of a shared one until then.
    """
    own = list(inspect.signature(function, eval_str=True).parameters.values())
    if not (own and is_dataclass(own[0].annotation)):
        return function
    options: Any = own.pop(0).annotation
    shared = inspect.signature(options, eval_str=True).parameters

    @wraps(function)
    def command(**given: Any) -> None:
        from ledger.stores.sessions import sessions_kept  # help needs no other room

        with sessions_kept():
            function(options(**{name: given.pop(name) for name in shared}), **given)

    vars(command)["__signature__"] = inspect.Signature([*own, *shared.values()])
    return command


def _no_type(ctx: Any) -> None:
    """Return nothing for the type of an argument: its help says what it is."""


class Listing(TyperGroup):
    """Commands of which each is imported when it is called."""

    def __init__(self, sections: dict[str, Files], **attributes: Any) -> None:
        """Take the commands by heading and name. Typer knows their names, from which it suggests."""
        self.sections = sections
        self.files: Files = {}
        for files in sections.values():
            self.files |= files
        super().__init__(**attributes | {"commands": dict.fromkeys(self.files)})

    def get_command(self, _ctx: Any, cmd_name: str) -> TyperCommand | None:
        """Return a command with its first line alone, as lists and completion need it."""
        path = self.files.get(cmd_name)
        return None if path is None else TyperCommand(cmd_name, help=first_line(path), rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that is called. What this one does by itself is then not done."""
        name, *rest = args
        self.refuse_old(name)
        self.callback = None
        if name not in self.files:
            raise unknown_command(name, list(self.files), ctx.info_name if ctx.parent else "")
        with ends_at_interrupt():
            command = command_at(self.files[name])
        return name, command, rest

    def refuse_old(self, word: str) -> None:
        """Raise for what the first release called otherwise, and say what it is called now."""

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """List the commands under their headings."""
        width = max(map(len, self.files))
        for heading, files in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{width}}", first_line(path)) for name, path in files.items()])


class Verbs(Listing):
    """A command with verbs."""

    def __init__(self, folder: Path, page: Page, alone: TyperCommand | None) -> None:
        """Take the folder of the verbs, and what the command does without one."""
        super().__init__(
            {"Verbs": files_in(folder)},
            name=typed(folder),
            help=page.text,
            epilog=page.epilog,
            params=alone.params if alone else [],
            callback=alone.callback if alone else None,
            invoke_without_command=alone is not None,
            no_args_is_help=alone is None,
            subcommand_metavar="VERB ..." if alone is None else "[VERB ...]",
            rich_markup_mode=None,
        )

    def refuse_old(self, word: str) -> None:
        """Raise for an activity without a verb: `check` had no verbs."""
        if "@" in word:
            forms = (f"`clusterwright {self.name} {verb} {word}`" for verb in self.files)
            raise InputError(f"what about {word}? The verb comes first", hint=", ".join(forms))


class CommandLine(Listing):
    """All commands, in groups."""

    def __init__(self, **attributes: Any) -> None:
        """Find the commands of every group."""
        folders = (FOLDER / group for group in GROUPS)
        groups = {first_line(folder).removesuffix("."): files_in(folder) for folder in folders}
        super().__init__(groups, **attributes)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command. Without a word it shows its help."""
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            if not args:
                raise
            raise in_our_words(error) from None

    def invoke(self, ctx: Any) -> Any:
        """Run a command. End quietly if nobody reads what it prints."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ReaderGoneError("nobody reads the output any more") from None
        except UsageError as error:
            if type(error).__name__ == "NoArgsIsHelpError":
                raise
            raise in_our_words(error) from None

    def refuse_old(self, word: str) -> None:
        """Raise for a command that has another name now."""
        if word in RENAMED:
            hint = f"`clusterwright {RENAMED[word]}`"
            raise InputError(f"`clusterwright {word}` has another name now", hint=hint)
