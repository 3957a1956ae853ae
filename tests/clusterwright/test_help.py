"""The help of every command: worded alike, with examples that the parser takes; and names that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from typer._click.exceptions import NoSuchOption

from clusterwright.tree import FOLDER, GROUPS, every_command, first_line
from steps.catalog.loader import read_catalog
from tests.clusterwright.command_lines import PROGRAM, commands, parsed
from tests.conftest import Command

COMMANDS = commands()
PLACES = {f"{group}/": FOLDER / group for group in GROUPS} | every_command()
BAD_INPUT = 2
WIDTH = 80
MOST_PARAMETERS = 13
VERBS = """
allow approve ask assign attach bring buy change check close compare decide do end find invite keep lend let list look make
match move open pass plan print publish put read record refuse rehearse release remove report resume revoke run
say see serve set share show sign state stop verify work write
"""
"""The words that the first line of a command may begin with."""


def examples() -> Iterator[tuple[str, str]]:
    """Yield every example line with the name of the command whose help has it."""
    for name, command in COMMANDS.items():
        for line in (command.epilog or "").splitlines():
            if line.strip().startswith(f"{PROGRAM} "):
                yield name, line.strip().removeprefix(f"{PROGRAM} ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_of_its_own(name: str) -> None:
    lines = [line for of, line in examples() if of == name]

    assert lines
    assert all(line == name or line.startswith(f"{name} ") for line in lines)


@pytest.mark.parametrize(("name", "line"), list(examples()))
def test_every_example_is_taken_by_the_parser(name: str, line: str) -> None:
    """Its words are those of the command, with every argument that is required and only options that there are."""
    assert parsed(line).command_path.startswith(f"{PROGRAM} {name}")


def test_an_example_names_steps_at_units_where_they_are_done() -> None:
    """Who types it at a new site would be told that there is no such activity."""
    catalog = read_catalog()
    named = [(line, *found) for _, line in examples() for found in re.findall(r"\b(H?\d+)@(site|hall|pod)\b", line)]

    assert named
    assert [line for line, step, unit in named if catalog[step].step.scope != unit] == []


def test_an_example_with_a_mistyped_option_is_refused() -> None:
    """The test above can fail."""
    with pytest.raises(NoSuchOption):
        parsed("start 034@pod-001 --reazon x")


def test_help_lists_every_command_under_nine_headings(command: Command) -> None:
    shown = command("--help").stdout
    headings = re.findall(r"^(\w.*):$", shown, flags=re.MULTILINE)
    listed = re.findall(r"^  ([a-z][a-z-]*)  +[A-Z]", shown, flags=re.MULTILINE)

    assert headings == ["Options", *(first_line(FOLDER / group).removesuffix(".") for group in GROUPS)]
    assert len(GROUPS) == 9
    assert sorted(listed) == sorted(name for name in COMMANDS if " " not in name)
    assert max(map(len, shown.splitlines())) <= WIDTH


@pytest.mark.parametrize("place", PLACES)
def test_first_lines_are_sentences_in_the_imperative(place: str) -> None:
    """Lists show them below each other."""
    said = first_line(PLACES[place])

    assert said[0].isupper()
    assert said.endswith(".")
    assert said.split()[0].lower() in VERBS.split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("clusterwright import-", "import-progress"),
        ("clusterwright check sc", "scan"),
        ("clusterwright log --li", "--limit"),
    ],
)
def test_shells_complete_commands_verbs_and_options(command: Command, typed: str, offered: str) -> None:
    asked = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_CLUSTERWRIGHT_COMPLETE": "complete_bash"}

    assert command(env=asked).stdout.split() == [offered]


def test_no_command_has_many_parameters() -> None:
    """Verbs are plainer than options that exclude each other."""
    many = {name: len(command.params) for name, command in COMMANDS.items() if len(command.params) > MOST_PARAMETERS}

    assert many == {}


@pytest.mark.parametrize(
    ("words", "new"),
    [
        (("adopt", "progress.csv"), "`clusterwright import-progress FILE`"),
        (("check", "H08@pod-001"), "`clusterwright check list H08@pod-001`"),
        (("check", "H08@pod-001", "rack-01"), "`clusterwright check item H08@pod-001`"),
    ],
)
def test_an_old_name_answers_with_the_new_one(command: Command, words: tuple[str, ...], new: str) -> None:
    answer = command(*words)

    assert answer.returncode == BAD_INPUT
    assert new in answer.stderr
    assert answer.stdout == ""
