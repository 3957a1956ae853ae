"""The table of actions: every decision of the command line is in it or named here with the reason, and no key means two things."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from textual.binding import Binding

from clusterwright.forms import command_line
from tests.ledger.conftest import T0
from tui.acting.actions import ACTIONS, About, actions_about
from tui.app import ClusterwrightApp
from tui.lists.grid import Grid
from tui.screens.base import SiteScreen
from tui.screens.listing import ListScreen

COMMANDS = command_line()

LEFT_OUT = {
    "a site is made or changed with them, now and then, by its owner": (
        *(
            "init",
            "allow",
            "doctor",
            "plan",
            "plan adopt",
            "plan compare",
            "plan diff",
            "design",
            "inventory",
            "redact",
        ),
        *(
            "import-progress",
            "import",
            "import results",
            "import schedule",
            "import sheet",
            "authority",
            "authority access",
            "authority rules",
        ),
        *("keys", "keys allowed-signers", "keys engine", "keys revoke", "anchor", "backup", "restore"),
        *("database", "database check", "database load", "database roles", "database sql"),
    ),
    "they are about files of readings from a fabric, and record nothing": (
        *("fabric", "fabric compare", "fabric culprits", "fabric ends", "fabric halve", "fabric rounds"),
        *("fabric configure", "fabric drift"),
    ),
    "they work for minutes, or serve, in a terminal of their own": ("up", "dashboard", "rehearse", "worker"),
    "they are about the engine's own process, on its machine": ("down", "logs", "notify", "worker key"),
    "a screen has it": (
        *("list", "next", "inbox", "orders", "change", "ncr", "ncr list", "check", "check list", "drift"),
        *("report", "authority", "action", "action list"),
    ),
    "they write a file for others": (
        "picture",
        "export",
        "export bundle",
        "export labels",
        "export machines",
        "export schedule",
        "export sheet",
        "report site",
        "check template",
    ),
    "they are about any catalog or network, and no site": (
        *(
            "catalog",
            "catalog graph",
            "catalog lint",
            "catalog list",
            "catalog roles",
            "catalog show",
            "quality",
            "schedule",
        ),
    ),
}
"""Commands that no key has, with the reason. `:` runs them all the same. `forms.AT_A_TERMINAL` names those that the screens cannot run."""


def test_every_command_is_an_action_or_is_left_out_with_a_reason() -> None:
    left_out = {name for names in LEFT_OUT.values() for name in names}

    assert COMMANDS.abouts.keys() - {action.command for action in ACTIONS} == left_out


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_an_action_is_a_command_about_what_is_chosen(action: object) -> None:
    assert isinstance(action, ACTIONS[0].__class__)
    command = COMMANDS.describe(action.command)

    assert command.about == COMMANDS.abouts[action.command]
    if action.about != "site":
        assert command.words(["SUBJECT"], {})[-1] == "SUBJECT"
        assert command.subject is not None


@pytest.mark.parametrize("about", get_args(About))
def test_no_key_means_two_things_on_one_screen(about: About) -> None:
    shared = [*ClusterwrightApp.BINDINGS, *SiteScreen.BINDINGS, *ListScreen.BINDINGS, *Grid.BINDINGS]
    keys = [
        key for b in shared if isinstance(b, Binding) and not b.action.startswith("act(") for key in b.key.split(",")
    ]
    keys += [action.key for action in actions_about(about) if action.key]

    assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_the_fields_of_a_form_are_judged_as_the_command_line_judges_them() -> None:
    fields = {field.name: field for field in COMMANDS.describe("promise").fields}

    assert fields["on"].wrong("") == "it is needed"
    assert "is not a date" in fields["on"].wrong("2027-13-01")
    assert fields["on"].wrong(f"{T0:%Y-%m-%d}") == ""
    assert fields["late_because"].wrong("") == ""
    progress = {field.name: field for field in COMMANDS.describe("progress").fields}
    assert progress["percent"].wrong("half")
    assert not progress["percent"].wrong("50")


def test_a_command_is_written_as_a_person_would_type_it() -> None:
    item, promise = COMMANDS.describe("check item"), COMMANDS.describe("promise")

    typed = item.words(
        ["H08@pod-001"], {"item": "rack-01", "readings": "a=1 'b=2 mohm'", "fail": "yes", "note": "-bent"}
    )
    assert typed == ["check", "item", "--fail", "--note=-bent", "H08@pod-001", "rack-01", "a=1", "b=2 mohm"]
    assert promise.words(["-x"], {"on": "2027-01-01"}) == ["promise", "--on=2027-01-01", "--", "-x"]
