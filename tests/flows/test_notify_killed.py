"""Real engines that notify, killed between messages: nothing is sent twice, and what was not sent yet is sent by the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flows.notify.settings import FILE
from tests.conftest import Command
from tests.flows.receiving import Receiver, receiving
from tests.flows.test_engine import Up, machine, until, up

__all__ = ["machine", "up"]

NAME = "007@pod-001"
pytestmark = [pytest.mark.slow, pytest.mark.long]


def write(site: Path, receiver: Receiver, *paths: str) -> None:
    """Let everybody's sign-offs go to several addresses of a receiver, in this order."""
    addresses = "".join(f"  {path}: {{url: '{receiver.url(path)}'}}\n" for path in paths)
    rule = f"{{who: owner-pm, to: [{', '.join(paths)}], of: everybody, kinds: [sign-off]}}"
    file = site / FILE
    file.write_text(f"addresses:\n{addresses}rules:\n  - {rule}\n", encoding="utf-8")
    file.chmod(0o600)


def counts(receiver: Receiver) -> dict[str, int]:
    """Return how many messages about its sign-off came to each address."""
    return {path: sum(NAME in one["message"] for one in receiver.messages(path)) for path in "abc"}


def test_a_killed_engine_repeats_no_message_and_the_next_sends_the_others(
    machine: Path, up: Callable[..., Up], command: Command
) -> None:
    assert command("attest", NAME, "--reason", "read at the machine", "--as", "operator", cwd=machine).returncode == 0
    with receiving() as receiver:
        receiver.held = {"a"}
        write(machine, receiver, "a", "b")
        first = up(machine)
        until(lambda: receiver.messages("a"), seconds=120)
        first.kill()
        receiver.held = set()
        receiver.go_on.set()

        second = up(machine)
        until(lambda: "notified b:" in second.said(), seconds=120)
        second.kill()
        assert counts(receiver) == {"a": 1, "b": 1, "c": 0}

        write(machine, receiver, "a", "b", "c")
        third = up(machine)
        until(lambda: "notified c:" in third.said(), seconds=120)
        assert third.stop() == 0

    assert counts(receiver) == {"a": 1, "b": 1, "c": 1}
    assert f"clusterwright sign {NAME} --site" in receiver.messages("b")[0]["message"]
    log = (machine / ".clusterwright" / "log" / "engine.log").read_text(encoding="utf-8")
    assert "notices_not_known_to_have_arrived address=a" in log
    assert str(receiver.port) not in log
