"""The engine's key: what software records on a signed site is signed with the enrolled key, and with no other."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ledger.entries import RunOutcome
from ledger.log.chain import hashed_text
from ledger.questions.site import rules_in_force
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.rules.version import RULES
from ledger.subjects.people.decisions import revoke_key
from ledger.subjects.plan.decisions import adopt_plan, create_ledger, raise_rules
from ledger.subjects.runs.decisions import settle
from ledger.subjects.work.decisions import comment
from ledger.trust import engine_key, ssh
from ledger.trust.anchors import head_anchor
from ledger.trust.audit import audit
from ledger.trust.package import write_package
from ledger.trust.proving import Proof
from ledger.trust.statements import signed_text
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from steps.design import people
from tests.ledger.conftest import Clock, activity, earlier_rules
from tests.ledger.journey import take
from tests.ledger.test_bundle import bare, verify
from tests.ledger.test_signed import Keys, keys, public, put_name, signed_plan
from tests.needs import needs

pytestmark = [needs("ssh-keygen"), pytest.mark.own_file]  # a shared log has the time of its server, and these move it

__all__ = ["bare", "keys"]

RUNS = "030@pod-001"


def adopted(ledger: Ledger, keys: Keys, line: str | None) -> None:
    """Put a plan in force that names this key of the engine, and one activity that software runs."""
    runs = activity(RUNS, kind="verify", effect="read", playbook="networking/030.yml", policy={"needed": "by-hand"})
    plan = signed_plan(keys, activities=[runs], links=[], orders=[]).model_copy(update={"engine_key": line})
    put_name(ledger, keys["pm"], lambda: adopt_plan(ledger, "pm", plan, reason="its key"))


def run(ledger: Ledger) -> None:
    """Let software begin and be interrupted: two events of the engine."""
    take(ledger, RUNS)
    settle(ledger, "engine-1", RUNS, RunOutcome("interrupted"))


def begun(site_dir: Path, clock: Callable[[], datetime], keys: Keys) -> Ledger:
    """Return the ledger of a signed site, with genesis only."""
    key = public(keys, "pm")
    names = {"site_name": "Small", "time_zone": "UTC", "owner": "pm"}
    return create_ledger(site_dir, **names, rehearsal=False, owner_key=key, clock=clock)


@pytest.fixture
def site(site_dir: Path, clock: Clock, keys: Keys) -> Iterator[Ledger]:
    """Return a signed site whose engine has a key."""
    with begun(site_dir, clock, keys) as ledger:
        adopted(ledger, keys, engine_key.make_key(site_dir))
        clock.forward(1)
        yield ledger


def test_what_software_records_is_signed_with_its_key(site: Ledger) -> None:
    """Who has the key of no person can still record what software did, and only with this file."""
    run(site)

    assert audit(site.site_dir) == []
    assert (site.site_dir / engine_key.KEY).stat().st_mode & 0o077 == 0


def test_a_key_that_the_plan_does_not_name_signs_nothing(site: Ledger) -> None:
    """Its events would be refused by everybody, and what software did would be lost."""
    (site.site_dir / engine_key.KEY).unlink()
    engine_key.make_key(site.site_dir)

    with pytest.raises(NotSatisfiedError, match="not the engine's key that the plan in force names") as error:
        run(site)

    hint = str(error.value.hint)  # a team's other dispatcher had the key before the last one, and was told to enrol it
    assert hint.startswith("copy that one here if another engine has it")
    assert audit(site.site_dir) == []


def test_the_old_key_signs_until_the_plan_names_the_new_one(site: Ledger, keys: Keys, clock: Clock) -> None:
    """The engine goes on through the days that a plan needs to be adopted, and after it without a pause."""
    old, new = site.site_dir / engine_key.KEY, site.site_dir / engine_key.NEXT
    first = engine_key.public_key(old)
    line = engine_key.make_key(site.site_dir, replace=True)
    run(site)
    with open_snapshot(site.site_dir) as before:
        assert not engine_key.tidy(before)

    adopted(site, keys, line)
    clock.forward(1)
    run(site)
    with open_snapshot(site.site_dir) as after:
        assert engine_key.tidy(after)
    run(site)

    assert audit(site.site_dir) == []
    assert (engine_key.public_key(old), new.exists()) == (line, False)
    assert line != first


def test_a_key_that_others_can_read_signs_nothing(site: Ledger) -> None:
    """As with OpenSSH: who knows how many copies there are?"""
    path = site.site_dir / engine_key.KEY
    run(site)
    path.chmod(0o640)

    with pytest.raises(UnreachableError, match="other accounts can use"):
        run(site)

    path.chmod(0o600)
    run(site)


def test_without_a_valid_key_software_records_nothing(site: Ledger, keys: Keys, clock: Clock) -> None:
    """A lost key is revoked by the owner, and the next plan enrols another."""
    put_name(site, keys["pm"], lambda: revoke_key(site, "pm", ENGINE, "the machine was stolen"))
    clock.forward(1)
    with pytest.raises(NotSatisfiedError, match="no valid key of the engine"):
        run(site)

    adopted(site, keys, engine_key.make_key(site.site_dir, replace=True))
    clock.forward(1)
    run(site)

    assert audit(site.site_dir) == []


def test_a_second_key_is_made_only_where_it_is_asked_for(site: Ledger) -> None:
    """The file in force is never written over."""
    held = (site.site_dir / engine_key.KEY).read_bytes()

    with pytest.raises(InputError, match="exists already"):
        engine_key.make_key(site.site_dir)

    assert (site.site_dir / engine_key.KEY).read_bytes() == held


def test_the_audit_counts_what_nothing_witnesses(site: Ledger) -> None:
    """Until then whoever can write the file may change these events, and nobody could tell."""
    assert audit(site.site_dir).unwitnessed == 0  # genesis and the adoption: the owner signed

    comment(site, "tech", RUNS, "seen")
    comment(site, "tech", RUNS, "seen again")
    assert audit(site.site_dir).unwitnessed == 2
    assert audit(site.site_dir, [head_anchor(site.site_dir)]).unwitnessed == 0

    run(site)
    comment(site, "tech", RUNS, "and again")
    assert audit(site.site_dir).unwitnessed == 1


def test_a_statement_witnesses_what_was_there_when_it_was_made(site: Ledger, keys: Keys, clock: Clock) -> None:
    """What others recorded while a person was signing is not covered by that signature."""
    comment(site, "tech", RUNS, "before")
    decide = lambda: revoke_key(site, "pm", "guest", "left", since=clock.now)  # noqa: E731  taken twice
    (text,) = site.drafted(decide)
    comment(site, "tech", RUNS, "meanwhile")
    site.proved(Proof(text, ssh.sign(signed_text(text), keys["pm"], ssh.NAMESPACE)), decide)

    assert audit(site.site_dir).unwitnessed == 1


def test_the_owner_raises_the_rules_and_the_audit_says_from_which_event(
    site_dir: Path, clock: Clock, keys: Keys
) -> None:
    """What an earlier release recorded stays judged by its rules, also where the engine did not sign yet."""
    with earlier_rules(1):
        ledger = begun(site_dir, clock, keys)
    with ledger:
        adopted(ledger, keys, engine_key.make_key(site_dir))
        clock.forward(1)
        run(ledger)
        put_name(ledger, keys["pm"], lambda: raise_rules(ledger, "pm", "every decision is judged"))
        run(ledger)

    found = audit(site_dir)
    assert (list(found), found.refused) == ([], [])
    assert [tuple(period) for period in found.rules] == [(1, 1, 4), (RULES, 5, 7)]
    with open_snapshot(site_dir) as snapshot:
        assert rules_in_force(snapshot)[:3] == (RULES, RULES, 5)


def summed(bundle: Path) -> None:
    """Write SHA256SUMS anew, as somebody would who changes a package."""
    files = sorted(path for path in bundle.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(bundle)}\n" for path in files]
    (bundle / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def chained(bundle: Path, number: int, **changed: Any) -> None:
    """Change an event of a package, and chain all that follow anew."""
    rows = [json.loads(line) for line in (bundle / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    rows[number - 1] |= changed
    hashes: list[str] = []
    for row in rows:
        row["prev_hash"] = hashes[-1] if hashes else row["prev_hash"]
        hashes.append(hashlib.sha256(hashed_text(row).encode()).hexdigest())
    (bundle / "events.jsonl").write_text("".join(f"{hashed_text(row)}\n" for row in rows), encoding="utf-8")
    (bundle / "hashes").write_text("".join(f"{digest}\n" for digest in hashes), encoding="utf-8")
    summed(bundle)


@pytest.fixture
def bundle(site: Ledger, keys: Keys, tmp_path: Path) -> Path:
    """Return a package of a site on which people and software recorded something: events 3 and 6, and 4 and 5."""
    comment(site, "tech", RUNS, "seen")
    run(site)
    comment(site, "tech", RUNS, "seen again")
    write_package(site.site_dir, tmp_path / "bundle", keys["pm"])
    return tmp_path / "bundle"


def test_the_package_has_the_signatures_of_the_engine(bundle: Path, bare: str) -> None:
    """Its owner can verify them years later, with OpenSSH alone."""
    done = verify(bundle, bare)

    assert done.returncode == 0, done.stdout
    assert "1 signatures of people and 2 of the engine" in done.stdout


def refused(bundle: Path, bare: str) -> str:
    """Return what the script says about a package that is not valid."""
    done: subprocess.CompletedProcess[str] = verify(bundle, bare)
    assert done.returncode == 1, done.stdout
    return done.stdout


def test_a_package_without_a_signature_of_the_engine_is_refused(bundle: Path, bare: str) -> None:
    """Whoever adds an event of the engine has no signature for it, and could leave it out."""
    (bundle / "engine" / "000004.sig").unlink()
    summed(bundle)

    assert "event 4 is the engine's, and has no valid signature" in refused(bundle, bare)


@pytest.mark.parametrize(
    ("event", "changed", "said"),
    [
        # a comment that was changed before the engine signed: each hash after it is another one
        (3, {"payload": json.dumps({"text": "never seen"})}, "event 4 is the engine's, and has no valid signature"),
        # nothing witnesses the last event, and it cannot be earlier than the one before it all the same
        (6, {"recorded_at": "2026-01-05T09:00:00.000000Z"}, "was recorded before the event before it"),
        # the owner signed the first plan over this genesis, so another one takes the signature's place away
        (1, {"effective_at": "2026-01-05T08:00:00.000000Z"}, "was made over another ledger"),
    ],
)
def test_a_package_that_was_chained_anew_is_refused(
    bundle: Path, bare: str, event: int, changed: dict[str, str], said: str
) -> None:
    chained(bundle, event, **changed)

    assert said in refused(bundle, bare)


def test_the_engine_has_one_name() -> None:
    """site.yaml refuses it for a person, because the ledger writes it for software."""
    assert people.ENGINE == ENGINE
