"""`notify`: what would be sent, and whether the addresses take a message. A rehearsal notifies nobody."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.notify.settings import FILE
from ledger.project_time import project_now
from ledger.subjects.plan.decisions import create_ledger
from tests.conftest import Command
from tests.flows.receiving import Receiver, receiving

SECRET = "hunter2-secret"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@pytest.fixture
def notifying(adopted: Path, receiver: Receiver, second_day: None) -> Path:
    """An adopted site that notifies its owner at an address of the receiver, whose URL has a secret."""
    url = f"{receiver.url(SECRET)}"
    text = f"addresses:\n  desk: {{url: '{url}'}}\nrules:\n  - {{who: owner, to: [desk]}}\n"
    file = adopted / FILE
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    return adopted


def test_a_dry_run_shows_what_would_be_sent_and_sends_nothing(
    notifying: Path, receiver: Receiver, command: Command
) -> None:
    shown = command("notify", "--dry-run", "--site", notifying)
    (message,) = json.loads(command("notify", "--dry-run", "--json", "--site", notifying).stdout)

    assert "clusterwright sign 141@site --site" in shown.stdout
    assert message["address"] == "desk"
    assert message["body"] in shown.stdout
    assert ["sign-off", "141@site", 0] in [[key["kind"], key["subject"], key["seq"]] for key in message["keys"]]
    assert receiver.got == []
    assert SECRET not in shown.stdout + shown.stderr


def test_a_test_message_goes_to_each_address_and_says_what_became_of_it(
    notifying: Path, receiver: Receiver, command: Command
) -> None:
    taken = command("notify", "--test", "--site", notifying)
    receiver.answer = 401
    refused = command("notify", "--test", "--json", "--site", notifying)

    assert taken.returncode == 0
    assert receiver.messages(SECRET)[0]["title"] == "site: test"
    assert refused.returncode == 3
    assert json.loads(refused.stdout) == [
        {"address": "desk", "arrived": False, "because": "the service answered 401"},
    ]
    assert SECRET not in taken.stdout + refused.stdout + refused.stderr


def test_the_addresses_are_not_tried_from_a_rehearsal(notifying: Path, receiver: Receiver, command: Command) -> None:
    played = notifying.parent / "played"
    about = {"site_name": "Played", "time_zone": "UTC", "owner": "owner"}
    create_ledger(played, **about, rehearsal=True, clock=project_now).close()
    for name in ("site.yaml", FILE):
        (played / name).write_bytes((notifying / name).read_bytes())
        (played / name).chmod(0o600)

    asked = command("notify", "--test", "--site", played)

    assert asked.returncode == 2
    assert "a rehearsal notifies nobody" in asked.stderr
    assert receiver.got == []


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda file: file.unlink(), 3, "docs/how-to/notifications.md"),
        (lambda file: file.chmod(0o644), 3, "chmod 600"),
        (lambda file: file.write_text(file.read_text().replace("owner", "nobody")), 2, "rules[0].who"),
        (lambda file: file.write_text(file.read_text().replace("owner", "nobody")), 2, "`clusterwright catalog roles`"),
        (lambda file: file.write_text(file.read_text().replace("url: ", "env: ")), 2, "addresses.desk.env"),
        (lambda file: file.write_text("addresses: {desk: {env: NO_X}}\nrules: [{who: owner, to: [desk]}]"), 2, "NO_X"),
        (
            lambda file: file.write_text("addresses: {a: {env: NO_X}}\nrules: [{who: owner, to: a}]"),
            2,
            "a list, not 'a'",
        ),
        (lambda file: file.write_text("addresses: {a: 7}\nrules: []"), 2, "expected keys and values, not 7"),
    ],
)
def test_what_is_wrong_with_the_file_is_said(
    notifying: Path, command: Command, change: object, code: int, said: str
) -> None:
    assert callable(change)
    change(notifying / FILE)

    asked = command("notify", "--test", "--site", notifying)

    assert asked.returncode == code
    assert said in asked.stderr
    assert SECRET not in asked.stderr


def test_neither_or_both_options_are_refused(notifying: Path, command: Command) -> None:
    for options in ((), ("--test", "--dry-run")):
        assert command("notify", *options, "--site", notifying).returncode == 2


def test_a_backup_has_no_addresses(notifying: Path, tmp_path: Path, command: Command) -> None:
    made = command("backup", tmp_path / "site.tar.gz", "--site", notifying)

    assert made.returncode == 0, made.stderr
    with tarfile.open(tmp_path / "site.tar.gz") as archive:
        assert FILE not in archive.getnames()
        for member in archive.getmembers():
            kept = archive.extractfile(member)
            assert kept is None or SECRET.encode() not in kept.read()
