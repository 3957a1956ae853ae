"""A revoked key signs nothing from its revocation on, whatever day that names, and a new key takes the place of every older one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ledger.evidence.plans import read_plan
from ledger.questions.records import signer_keys
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.subjects.people.decisions import revoke_key
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment
from ledger.trust.audit import audit
from ledger.trust.proving import Proof
from ledger.trust.statements import signed_text
from ledger.writing import Ledger
from schedule.errors import NotPermittedError, NotSatisfiedError
from steps.planning.plan import Plan
from tests.ledger.conftest import T0, Clock, earlier_rules, recorded_by
from tests.ledger.forging import every_state, every_state_plan
from tests.ledger.keys import public, sign_as
from tests.ledger.test_golden import GOLDEN

pytestmark = pytest.mark.own_file  # the clock of a server is not a test's to move
AWAITING = "304@site"
YEAR = timedelta(days=365)


@pytest.fixture
def signed(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    """Return a signed site with something in every state, on a clock that the test moves."""
    site = tmp_path / "signed"
    site.mkdir()
    with every_state(site, clock, signed=True) as ledger:
        clock.forward(1)
        yield ledger


@pytest.fixture
def older(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    """Return the golden ledger of version 3 of the rules: a key was revoked for a day to come, and signed on."""
    shutil.unpack_archive(GOLDEN / "rules" / "rules-3.tar.xz", tmp_path)
    clock.now = T0 + timedelta(days=1)
    with recorded_by(clock), Ledger.open(tmp_path / "rules-3", clock=clock) as ledger:
        ledger.signer = sign_as
        yield ledger


def by_key(ledger: Ledger, key: str, person: str, activity: str) -> None:
    """Approve as a person, with the key of that name."""
    (text,) = ledger.drafted(lambda: sign(ledger, person, activity))
    ledger.proved(Proof(text, sign_as(key, signed_text(text))), lambda: sign(ledger, person, activity))


def with_keys(plan: Plan, **keys: str) -> Plan:
    """Return a plan in which people have other keys."""
    people = tuple(p.model_copy(update={"ssh_key": public(keys.get(p.id, p.id))}) for p in plan.people)
    return plan.model_copy(update={"people": people})


def in_force(ledger: Ledger, person: str, at: datetime) -> list[str]:
    """Return whose keys, by their test's name, count for a person."""
    names = {public(name).split()[1]: name for name in ("lead", "new", "third", ENGINE, "new engine")}
    with open_snapshot(ledger.site_dir) as snapshot:
        return [names[key.key.split()[1]] for key in signer_keys(snapshot, person) if key.counts_after(at)]


def test_a_key_that_is_revoked_for_a_day_to_come_signs_no_more(signed: Ledger, clock: Clock) -> None:
    """Who takes a key away wants it gone: nobody can say that it may be used for another year."""
    event = revoke_key(signed, "pm", "lead", "lost", since=clock.now + YEAR)
    clock.forward(1)

    with pytest.raises(NotSatisfiedError, match="signature of lead is invalid"):
        by_key(signed, "lead", "lead", AWAITING)
    assert event.payload.since == event.effective_at  # type: ignore[attr-defined]
    own = revoke_key(signed, "guest", "guest", "my telephone was stolen")
    assert [one.payload.model_dump()["role"] for one in (event, own)] == ["owner", "holder"]
    assert audit(signed.site_dir) == []


def test_a_revocation_is_repeated_for_an_earlier_time_and_for_no_later_one(signed: Ledger, clock: Clock) -> None:
    """The key was lost on Monday, and that is known on Wednesday only."""
    lost = clock.now
    clock.forward(48)
    revoke_key(signed, "pm", "lead", "lost")
    clock.forward(1)
    revoke_key(signed, "pm", "lead", "lost earlier than we knew", since=lost)
    for again in (None, lost):
        with pytest.raises(NotSatisfiedError, match="the key of lead ended"):
            revoke_key(signed, "pm", "lead", "once more", since=again)

    with open_snapshot(signed.site_dir) as snapshot:
        (key,) = signer_keys(snapshot, "lead")
    assert key.until == lost
    sign(signed, "lead2", AWAITING)  # the tables are what the signed events say
    assert audit(signed.site_dir) == []


def test_the_key_before_the_present_one_is_revoked_by_a_time_at_which_it_counted(signed: Ledger, clock: Clock) -> None:
    """The present key goes on: it was not there when the other one was lost."""
    lost = clock.now
    clock.forward(48)
    enrolled = clock.now
    adopt_plan(signed, "pm", with_keys(every_state_plan(signed=True), lead="new"), reason="a new laptop")
    clock.forward(1)
    event = revoke_key(signed, "pm", "lead", "the old laptop was stolen", since=lost)
    clock.forward(1)

    assert event.payload.key == " ".join(public("lead").split()[:2])  # type: ignore[attr-defined]
    assert in_force(signed, "lead", clock.now) == ["new"]
    by_key(signed, "new", "lead", AWAITING)
    adopt_plan(signed, "pm", with_keys(every_state_plan(signed=True), lead="third"), reason="another laptop")
    clock.forward(1)
    event = revoke_key(signed, "pm", "lead", "stolen on its first day", since=enrolled)
    assert event.payload.model_dump()["key"] == " ".join(public("new").split()[:2])
    assert in_force(signed, "lead", clock.now) == ["third"]
    assert audit(signed.site_dir) == []


def test_an_older_record_is_judged_as_it_was(older: Ledger) -> None:
    """Its lead signed with a key that was to end in 300 days, and with it still after a new one was enrolled."""
    assert audit(older.site_dir) == []
    assert in_force(older, "lead", older.clock()) == ["lead", "new"]


def test_from_version_4_on_a_revocation_ends_what_an_older_one_left(older: Ledger, clock: Clock) -> None:
    """The owner says it again, and from then on neither key counts."""
    raise_rules(older, "pm", "a revocation counts at once")
    clock.forward(1)
    event = revoke_key(older, "pm", "lead", "both")
    clock.forward(1)
    assert event.payload.model_dump()["key"] == " ".join(public("new").split()[:2])

    assert in_force(older, "lead", clock.now) == []
    assert audit(older.site_dir) == []


def test_from_version_4_on_a_new_key_ends_what_an_older_revocation_left(older: Ledger, clock: Clock) -> None:
    """A plan names one key of a person. Those before it are over, whatever end they were to have."""
    raise_rules(older, "pm", "a new key takes the place of all before it")
    with open_snapshot(older.site_dir) as snapshot:
        plan = read_plan(snapshot)
    adopt_plan(older, "pm", with_keys(plan, lead="new"), reason="the keys as they are")
    clock.forward(1)

    assert in_force(older, "lead", clock.now) == ["new"]
    assert audit(older.site_dir) == []


def test_the_engines_key_before_ends_with_the_new_one(tmp_path: Path, clock: Clock) -> None:
    """A machine was taken, and its key was to end in a year: the plan with another one ends it."""
    site = tmp_path / "signed"
    site.mkdir()
    with earlier_rules(3):
        ledger = every_state(site, clock, signed=True)
    with ledger:
        clock.forward(1)
        revoke_key(ledger, "pm", ENGINE, "stolen", since=clock.now + YEAR)
        raise_rules(ledger, "pm", "a new key takes the place of all before it")
        new = every_state_plan(signed=True).model_copy(update={"engine_key": public("new engine")})
        adopt_plan(ledger, "pm", new, reason="another machine")
        clock.forward(1)

        assert in_force(ledger, ENGINE, clock.now) == ["new engine"]
    assert audit(site) == []


def test_a_signed_record_across_two_versions_is_believed(older: Ledger, clock: Clock) -> None:
    """Each event is worked out again by the rules of its day: under version 3 to be named bound, and the table says so."""
    raise_rules(older, "pm", "who is named is not bound by it")
    clock.forward(1)
    with pytest.raises(NotPermittedError, match="lead2 did the work"):
        sign(older, "lead2", "303@site")

    comment(older, "tech", "303@site", "looked at again")

    assert audit(older.site_dir) == []
