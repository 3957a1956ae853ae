"""Commands that look load nothing heavy: asserted by what they import, not by the clock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "prefect",
    "sqlalchemy",
    "sqlmodel",
    "textual",
    "ansible",
    "ansible_runner",
    "numpy",
    "pint",
    "numba",
    "jinja2",
}

PROBE = """
import json, sys
sys.argv = ["clusterwright", *json.loads(sys.argv[1])]
from clusterwright.__main__ import main
try:
    main()
except SystemExit:
    pass
print("LOADED " + json.dumps(sorted(sys.modules)))
"""


def loaded(*arguments: object) -> set[str]:
    return {name.partition(".")[0] for name in modules_loaded(*arguments)}


def modules_loaded(*arguments: object) -> set[str]:
    result = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps([str(a) for a in arguments])],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    last = next(line for line in reversed(result.stdout.splitlines()) if line.startswith("LOADED "))
    return set(json.loads(last.removeprefix("LOADED ")))


def test_help_loads_no_library_of_any_room() -> None:
    assert not loaded("--help") & (HEAVY | {"yaml", "sqlite3", "ledger"})


@pytest.mark.parametrize("verb", [["status"], ["next"], ["why", "034@pod-001"], ["orders"], ["show", "034@pod-001"]])
def test_commands_that_look_load_nothing_heavy(adopted: Path, verb: list[str]) -> None:
    assert not loaded(*verb, "--site", adopted) & HEAVY


@pytest.mark.parametrize("verb", [["status"], ["next"], ["why", "034@pod-001"], ["orders"], ["show", "034@pod-001"]])
def test_commands_that_look_load_of_a_subject_who_may_its_rules_and_its_words(adopted: Path, verb: list[str]) -> None:
    """What makes and applies events is imported when somebody decides, and not before."""
    names = {name for name in modules_loaded(*verb, "--site", adopted) if name.startswith("ledger.subjects.")}

    assert "ledger.subjects.who_may" in names
    assert [name for name in names if name.endswith(("payloads", "making", "applying", "decisions", "replay"))] == []
    assert [name for name in names if "kinds" in name] == []


def test_plan_loads_the_planner_but_neither_engine_nor_screens(site: Path) -> None:
    names = loaded("plan", "--json", "--site", site)

    assert "numpy" in names
    assert not names & {"prefect", "textual", "sqlmodel", "ansible_runner", "pint"}


def test_adopting_a_plan_begins_without_what_writes() -> None:
    """It is loaded while the dates are worked out."""
    assert not loaded("plan", "adopt", "--help") & {"sqlalchemy", "sqlmodel"}


def imported(*modules: str) -> set[str]:
    """Return the libraries and rooms that importing modules loads."""
    result = subprocess.run(
        [sys.executable, "-c", f"import sys, {', '.join(modules)}; print(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in result.stdout.split()}


def test_the_screens_load_neither_prefect_nor_ansible() -> None:
    assert not imported("tui.app") & {"prefect", "ansible", "ansible_runner", "flows", "sqlalchemy", "numpy"}


def test_verbs_that_look_load_nothing_heavy_where_others_of_their_command_decide() -> None:
    commands = ("buy.change", "sign_off.ncr", "site.keys", "site.database", "work.action", "report.export")

    assert not imported(*(f"clusterwright.commands.{name}" for name in commands)) & HEAVY
