"""When something may be said to have happened on a signed site: near its recording, and under the rights of both moments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ledger.subjects.corrections.decisions import correct
from ledger.subjects.people.decisions import revoke_key
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, hold, resume
from ledger.trust import proving
from ledger.trust.audit import audit
from ledger.trust.proving import STATEMENT_AGE, Proof
from ledger.trust.statements import signed_text
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, NotPermittedError, NotSatisfiedError, StaleHeadError
from tests.ledger.conftest import Clock
from tests.ledger.forging import every_state
from tests.ledger.keys import sign_as

pytestmark = pytest.mark.own_file  # the clock of a server is not a test's to move
AWAITING = "304@site"


@pytest.fixture
def signed(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    """Return a signed site on a clock that the test moves."""
    site = tmp_path / "signed"
    site.mkdir()
    with every_state(site, clock, signed=True) as ledger:
        yield ledger


def drafted(ledger: Ledger, person: str, at: datetime | None = None) -> Proof:
    """Return a person's signed statement that approves the waiting activity."""
    with ledger.happened(at):
        (text,) = ledger.drafted(lambda: sign(ledger, person, AWAITING))
    return Proof(text, sign_as(person, signed_text(text)))


def test_a_statement_is_recorded_within_days_of_its_own_time(signed: Ledger, clock: Clock) -> None:
    """It may come from a machine without a network; it may not come from the year before."""
    proof = drafted(signed, "lead")
    clock.now += STATEMENT_AGE + timedelta(hours=1)
    with pytest.raises(NotSatisfiedError, match="its statement is of"):
        signed.proved(proof, lambda: sign(signed, "lead", AWAITING))
    clock.now -= timedelta(hours=2)
    signed.proved(proof, lambda: sign(signed, "lead", AWAITING))

    assert audit(signed.site_dir) == []


@pytest.mark.parametrize("at", [datetime(2001, 1, 1, tzinfo=UTC), datetime(2025, 12, 1, tzinfo=UTC)])
def test_a_statement_is_not_older_than_what_it_was_made_over(signed: Ledger, at: datetime) -> None:
    with pytest.raises(ClusterwrightError):
        signed.proved(drafted(signed, "lead", at), lambda: sign(signed, "lead", AWAITING))


def test_nothing_is_signed_for_a_time_that_has_not_come(signed: Ledger, clock: Clock) -> None:
    """Neither for 2099, nor for the end of today: what a person signs is of now."""
    for ahead in (timedelta(days=30_000), timedelta(hours=20)):
        with pytest.raises(ClusterwrightError):
            signed.proved(drafted(signed, "lead", clock.now + ahead), lambda: sign(signed, "lead", AWAITING))


def test_a_lapsed_delegation_is_not_revived_by_an_earlier_statement(signed: Ledger, clock: Clock) -> None:
    """Who decides needs the right when it is recorded, whatever time the statement names."""
    proof = drafted(signed, "guest")  # to whom the lead lent the role for three days
    clock.now += timedelta(days=4)

    with pytest.raises(NotPermittedError, match="the role network-lead is not theirs any more"):
        signed.proved(proof, lambda: sign(signed, "guest", AWAITING))


def test_a_key_is_revoked_from_now_on_while_the_clock_moves(signed: Ledger, clock: Clock) -> None:
    """Between the statement and its recording seconds pass: a person types a passphrase."""
    (text,) = signed.drafted(lambda: revoke_key(signed, "pm", "guest", "lost"))
    clock.now += timedelta(seconds=40)
    signed.proved(Proof(text, sign_as("pm", signed_text(text))), lambda: revoke_key(signed, "pm", "guest", "lost"))

    assert audit(signed.site_dir) == []


def test_a_revoked_key_signs_nothing_that_is_recorded_later(signed: Ledger, clock: Clock) -> None:
    """Not even a statement that was signed before, since nobody can know that."""
    proof = drafted(signed, "lead")
    clock.now += timedelta(minutes=1)
    revoke_key(signed, "pm", "lead", "lost")
    clock.now += timedelta(minutes=1)

    with pytest.raises(NotSatisfiedError, match="signature of lead is invalid"):
        signed.proved(proof, lambda: sign(signed, "lead", AWAITING))


def test_recorded_time_never_goes_back_for_a_verifier_either(signed: Ledger, clock: Clock) -> None:
    """A clock that was set back changes no order; the audit stays green, and the events say how far it was behind."""
    clock.forward(24)
    last = comment(signed, "tech", "301@site", "before")
    clock.forward(-20)
    after = comment(signed, "tech", "301@site", "after")

    assert after.recorded_at == last.recorded_at
    assert after.payload.clock_behind_s == 20 * 3600
    assert audit(signed.site_dir) == []


def comment_on(ledger: Ledger) -> None:
    comment(ledger, "tech", AWAITING, "cracked, do not sign")


def held(ledger: Ledger) -> None:
    hold(ledger, "tech", AWAITING, "cracked")
    resume(ledger, "tech", AWAITING)


def taken_back(ledger: Ledger) -> None:
    correct(ledger, "tech", comment(ledger, "tech", AWAITING, "cracked").seq, "another one")


@pytest.mark.parametrize("meanwhile", [comment_on, held, taken_back])
def test_a_statement_from_before_a_hold_or_a_comment_is_made_anew(
    signed: Ledger, clock: Clock, meanwhile: Callable[[Ledger], None]
) -> None:
    """Who signs has not seen it. Whatever became of it, they look again."""
    proof = drafted(signed, "lead")
    clock.forward(1)
    meanwhile(signed)
    clock.forward(1)

    with pytest.raises(StaleHeadError, match=f"after the statement about {AWAITING} was made"):
        signed.proved(proof, lambda: sign(signed, "lead", AWAITING))
    signed.proved(drafted(signed, "lead"), lambda: sign(signed, "lead", AWAITING))

    assert audit(signed.site_dir) == []


def test_who_writes_the_log_does_not_bring_an_overtaken_statement_in(signed: Ledger, clock: Clock) -> None:
    """The audit judges it as the services do."""
    proof = drafted(signed, "lead")
    clock.forward(1)
    comment_on(signed)
    with pytest.MonkeyPatch.context() as below:
        below.setattr(proving, "said_since", lambda *_: None)
        signed.proved(proof, lambda: sign(signed, "lead", AWAITING))

    (found,) = audit(signed.site_dir)
    assert "after the statement about 304@site was made" in str(found)


def test_what_is_said_of_other_work_overtakes_no_statement(signed: Ledger, clock: Clock) -> None:
    proof = drafted(signed, "lead")
    clock.forward(1)
    comment(signed, "tech", "301@site", "of other work")
    clock.forward(1)

    signed.proved(proof, lambda: sign(signed, "lead", AWAITING))
    assert audit(signed.site_dir) == []
