"""What people have to decide now: nothing else is asked of them, and nothing that waits for them is left out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ledger.project_time import project_now
from ledger.questions.decisions_needed import decisions_needed, decisions_words
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from tests.ledger.forging import every_state

pytestmark = pytest.mark.own_file


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """A site with an activity in each state."""
    folder = tmp_path_factory.mktemp("every-state")
    with every_state(folder, project_now, signed=False), open_snapshot(folder) as found:
        yield found


def test_what_waits_for_people_is_named_once_and_in_words(snapshot: Snapshot) -> None:
    """What is finished, failed, not met, on hold, and what changes hosts and is ready."""
    needed = decisions_needed(snapshot)

    assert [(one.kind, one.subject) for one in needed] == [
        ("sign", "304@site"),
        ("decide", "313@site"),
        ("decide", "314@site"),
        ("resume", "306@site"),
        ("release", "040@pod-001"),
        ("release", "040@pod-002"),
        ("release", "315@site"),
    ]
    assert decisions_words(needed).startswith("decisions needed: 7 (1 sign-off, 2 failures, 1 hold, 3 releases); ")
    assert decisions_words([]) == "decisions needed: 0"


def test_who_did_the_work_is_not_asked_to_approve_it(snapshot: Snapshot) -> None:
    (sign_off,) = (one for one in decisions_needed(snapshot) if one.kind == "sign")

    assert sign_off.never == {"tech"}
    assert sign_off.roles == ("network-lead",)
