"""A checkpoint of the audit: what it says again, what it finds after it, and when it is not believed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from ledger.evidence.folder import place_of
from ledger.subjects.work.decisions import comment
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust.audit import Findings, audit
from ledger.trust.chain import Finding
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from tests.ledger.conftest import Clock
from tests.ledger.journey import all_but_gate, bought
from tests.ledger.test_audit import tamper

PROGRAM = "1.2.3"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for state of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "clusterwright" / "audits"


def kept(ledger: Ledger) -> Findings:
    """Audit the whole ledger and keep a checkpoint."""
    return audit(ledger.site_dir, program=PROGRAM, keep_checkpoint=True)


def continued(ledger: Ledger) -> Findings:
    """Audit from the checkpoint."""
    return audit(ledger.site_dir, program=PROGRAM, from_checkpoint=True)


def test_the_next_audit_judges_what_came_after_and_says_what_it_did_not_read(ledger: Ledger, clock: Clock) -> None:
    """Its rows are compared with the replay that was kept and the events after it."""
    comment(ledger, "tech", "001@site", "seen")
    whole = kept(ledger)
    all_but_gate(ledger, clock)

    found = continued(ledger)

    assert found == []
    assert found.events > whole.events
    assert found.checkpoint is not None
    assert (found.checkpoint.seq, found.checkpoint.hash) == (whole.events, whole.head)
    assert f"events 1 to {whole.events} were audited" in found.checkpoint.words("UTC")


@pytest.mark.own_file
def test_a_forged_event_after_it_is_found(ledger: Ledger, clock: Clock) -> None:
    """The chain goes on from the event of the checkpoint."""
    kept(ledger)
    bought(ledger)
    event = comment(ledger, "tech", "001@site", "as it was")

    tamper(ledger, "UPDATE event SET payload = replace(payload, 'was', 'is') WHERE seq = ?", event.seq)

    assert [f.where for f in continued(ledger)] == [f"event {event.seq}"]


def test_a_changed_row_is_found_also_if_nothing_was_recorded_since(ledger: Ledger) -> None:
    """Whoever changes what screens show is found, whenever they do it."""
    bought(ledger)
    kept(ledger)

    tamper(ledger, "UPDATE activity SET waived = 1 WHERE id = '001@site'")

    assert list(continued(ledger)) == [Finding("activity 001@site", "waived is 1; its events say 0")]


def test_a_missing_row_and_a_row_too_many_are_found(ledger: Ledger) -> None:
    """Also where all other rows are the same."""
    bought(ledger)
    kept(ledger)

    tamper(ledger, "DELETE FROM person_role WHERE person = 'lead2'")
    tamper(ledger, "INSERT INTO person_role (person, role) VALUES ('guest', 'sponsor')")

    assert {f.where.split()[0] for f in continued(ledger)} == {"person_role"}


@pytest.mark.own_file
def test_a_ledger_that_was_chained_anew_before_it_is_found(ledger: Ledger) -> None:
    """Its event has another hash, or is gone."""
    bought(ledger)
    whole = kept(ledger)

    tamper(ledger, "UPDATE event SET hash = substr(hash, 33) || substr(hash, 1, 32) WHERE seq = ?", whole.events)

    (found,) = continued(ledger)
    assert found.where == f"event {whole.events}"
    assert "is not the event that was audited on" in found.message


@pytest.mark.own_file
def test_a_missing_file_of_a_later_event_is_found(ledger: Ledger) -> None:
    """Evidence of earlier events is read by the audit of the whole ledger."""
    kept(ledger)
    attach(ledger, "tech", "001@site", b"what was seen", "quote", name="seen.txt")
    digest = hashlib.sha256(b"what was seen").hexdigest()

    place_of(ledger.site_dir, digest).unlink()

    assert [f.where for f in continued(ledger)] == [f"evidence {digest[:12]}"]


def test_nothing_is_kept_of_an_audit_with_findings(ledger: Ledger, state: Path) -> None:
    """The next audit cannot begin after a fault."""
    bought(ledger)
    tamper(ledger, "UPDATE activity SET waived = 1 WHERE id = '001@site'")

    assert kept(ledger) != []

    assert not list(state.rglob("*.json"))
    with pytest.raises(InputError, match="has no checkpoint of this site"):
        continued(ledger)


def test_only_this_account_can_read_and_write_it(ledger: Ledger, state: Path) -> None:
    """It is not in the site's folder, and one that others could have written is not believed."""
    kept(ledger)
    (folder,) = state.iterdir()

    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())} == {0}
    (folder / "checkpoint.json").chmod(0o660)
    with pytest.raises(NotSatisfiedError, match="somebody else may have written it"):
        continued(ledger)


def test_another_program_other_rules_and_a_changed_replay_are_refused(ledger: Ledger, state: Path) -> None:
    """Each asks for an audit of the whole ledger."""
    kept(ledger)
    (folder,) = state.iterdir()
    text = (folder / "checkpoint.json").read_text()

    with pytest.raises(NotSatisfiedError, match=r"made by clusterwright 1\.2\.3, this is 1\.2\.4"):
        audit(ledger.site_dir, program="1.2.4", from_checkpoint=True)
    (folder / "checkpoint.json").write_text(json.dumps(json.loads(text) | {"rules": 1}))
    with pytest.raises(NotSatisfiedError, match="version 1 of the rules"):
        continued(ledger)
    (folder / "checkpoint.json").write_text(text)
    with (folder / "replay.db").open("r+b") as file:
        file.seek(5000)
        file.write(b"x")
    with pytest.raises(UnreachableError, match="was changed after it was made"):
        continued(ledger)


def test_an_audit_from_it_leaves_it_as_it_was(ledger: Ledger, clock: Clock, state: Path) -> None:
    """Only an audit of the whole ledger makes one, so the same events are judged again until then."""
    kept(ledger)
    (folder,) = state.iterdir()
    before = (folder / "replay.db").read_bytes()
    all_but_gate(ledger, clock)

    first, second = continued(ledger), continued(ledger)

    assert (first, second, first.events) == ([], [], second.events)
    assert (folder / "replay.db").read_bytes() == before
