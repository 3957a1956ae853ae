"""A step whose playbook plays no host of the inventory, or cannot be read: said, nothing to release, and left to people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.engine.log_file import file_handler
from flows.engine.questions_asked import Asked, Key
from tests.clusterwright.one_step import one_step_site
from tests.conftest import Command

NAME = "143@site"

OTHER = """\
id: X01
slug: other
title: Read something else
description: A step of this site.
phase: procurement
section: Own
kind: verify
scope: site
starts_freely: nothing comes before it
crew: {{role: provisioning-engineer, size: 1}}
duration: {{fixed: {{value: 1, unit: elapsed-hour, source: assumption}}}}
effect: read
playbook: "{playbook}"
sign_off: {{needed: by-hand, policy: {{roles: [provisioning-lead]}}}}
sources: {{}}
"""


@pytest.fixture
def machine(tmp_path: Path, command: Command) -> Path:
    """This machine, which is in none of the groups that step 143 plays, as a site to which the step applies."""
    return one_step_site(tmp_path / "machine", command, NAME, applicable=True, not_applicable_because=None)


def test_why_names_what_is_missing_and_the_way_by_hand(machine: Path, command: Command) -> None:
    needs = json.loads(command("why", NAME, "--json", "--site", machine).stdout)["needs"]

    (need,) = needs
    assert need.startswith(
        "hosts: the inventory names none of site for software_stack/143_configuration_management.yml"
    )
    assert need.endswith("or do it and attest")


def test_a_release_of_nothing_is_refused(machine: Path, command: Command) -> None:
    refused = command("release", NAME, "--yes", "--as", "owner", "--site", machine)

    assert refused.returncode == 1
    assert "the inventory names no host of site" in refused.stderr
    assert f"clusterwright why {NAME}" in refused.stderr


def test_it_is_in_the_inbox_as_work_by_hand_and_can_be_attested(machine: Path, command: Command) -> None:
    waiting = json.loads(command("inbox", "--json", "--as", "operator", "--site", machine).stdout)
    note = machine / "note.txt"
    note.write_text("done by hand\n", encoding="utf-8")

    done = command("attest", NAME, "--reason", "by hand", "--evidence", note, "--as", "operator", "--site", machine)

    assert [(row["activity"], row["action"]) for row in waiting] == [(NAME, "attest")]
    assert done.returncode == 0, done.stderr


def test_one_with_a_host_is_not_left_to_people(tmp_path: Path, command: Command) -> None:
    machine = one_step_site(tmp_path / "machine", command, "008@pod-001")

    assert json.loads(command("why", "008@pod-001", "--json", "--site", machine).stdout)["needs"] == []


def test_why_says_what_of_its_own_playbook_cannot_be_read_and_then_that_it_waits_to_be_allowed(
    tmp_path: Path, command: Command
) -> None:
    """A mistake in the playbook of another step keeps nobody from the answer."""
    name, book, other = "008@pod-001", tmp_path / "own plays" / "read.yml", tmp_path / "own plays" / "other.yml"
    book.parent.mkdir()
    for broken in (book, other):
        broken.write_text("- hosts: [\n", encoding="utf-8")
    machine = one_step_site(tmp_path / "my machine", command, name, playbook=str(book))
    (machine / "catalog").mkdir()
    (machine / "catalog" / "X01_other.yaml").write_text(OTHER.format(playbook=other), encoding="utf-8")
    asked = Asked(machine)
    asked.add(Key(name, 1, "cannot be read"))
    asked.keep()
    file_handler(machine).close()

    for verb in ("why", "show"):
        assert f"needs to be put right: {book}:2: not valid YAML" in command(verb, name, "--site", machine).stdout
    book.write_text("- hosts: all\n", encoding="utf-8")
    needs = command("why", name, "--site", machine).stdout

    assert f"it runs the playbook {book}" in needs
    assert f"clusterwright allow --site '{machine}'" in needs
