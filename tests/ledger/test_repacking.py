"""Packages that were altered by somebody without the keys and hashed anew: none is accepted."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from ledger.evidence.plans import read_plan
from ledger.reading import open_snapshot
from ledger.subjects.people.decisions import revoke_key
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.trust.package import write_package
from ledger.writing import Ledger
from tests.ledger import repacking
from tests.ledger.conftest import Clock
from tests.ledger.repacking import (
    ALTERATIONS,
    ENDS,
    RUNS,
    WORK,
    Repacker,
    hash_anew,
    make_package,
    sign_package,
    verdict,
)
from tests.ledger.test_revoking import AWAITING, older, signed, with_keys
from tests.needs import needs

pytestmark = [needs("ssh-keygen"), pytest.mark.own_file]  # a package is files, wherever the ledger is

__all__ = ["older", "signed"]

GOLDEN = Path(__file__).parents[1] / "golden"
SLICE = range(0, len(ALTERATIONS) * len(ENDS), 7)


@pytest.fixture(scope="module")
def repacker(tmp_path_factory: pytest.TempPathFactory) -> Repacker:
    scratch = tmp_path_factory.mktemp("repacked")
    return Repacker(make_package(scratch), scratch)


def statements_of(folder: Path, decision: str) -> list[Path]:
    return sorted((folder / "statements").glob(f"*-{decision}.*"))


def evidence_removed(folder: Path) -> str:
    """The photograph of bad work is gone."""
    attached = next(row for row in repacking.events_in(folder) if row["kind"] == "evidence.attached")
    digest = json.loads(attached["payload"])["digest"]
    (folder / "evidence" / digest).unlink()
    return f"evidence/{digest} is missing"


def rejection_removed(folder: Path) -> str:
    """Nobody rejected it."""
    gone = statements_of(folder, "rejected")
    for path in gone:
        path.unlink()
    listed = (folder / "statements.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "statements.tsv").write_text("".join(line for line in listed if "rejected" not in line), encoding="utf-8")
    return f"statements/{gone[0].name} is missing"


def rejection_turned(folder: Path) -> str:
    """The rejection is an approval, under a key that allowed_signers has now."""
    repacking.turn(folder, statements_of(folder, "rejected")[0].name.partition(".")[0])
    return "allowed_signers has other keys than the events"


def engine_refused(folder: Path) -> str:
    """The engine's run failed, and its signature is left out as that of an event that the rules refuse."""
    settled = next(
        row for row in repacking.events_in(folder) if row["kind"] == "run.settled" and row["subject"] == RUNS
    )
    (folder / "engine" / f"{settled['seq']:06}.sig").unlink()
    (folder / "refused").write_text(f"{settled['seq']}\trun.settled\tengine\n", encoding="utf-8")
    return "the list of refused events"


@pytest.mark.parametrize("alter", [evidence_removed, rejection_removed, rejection_turned, engine_refused])
def test_what_the_events_say_cannot_be_left_out_or_turned(repacker: Repacker, alter: Callable[[Path], str]) -> None:
    """The head is the true one and every sum is right, and the owner's signature was left out."""
    with repacker.copy() as folder:
        wrong = alter(folder)
        hash_anew(folder)
        kept = verdict(folder)
        (folder / "manifest.sig").unlink()
        alone = verdict(folder)

    assert (kept.code, alone.code) == (1, 1), alone.said
    assert wrong in alone.said or (alter is engine_refused and "has no valid signature of it" in alone.said)
    assert "the owner, over the manifest is invalid" in kept.said


def test_all_done_in_the_status_is_refused_and_without_the_owner_named_as_not_proven(repacker: Repacker) -> None:
    with repacker.copy() as folder:
        repacking.all_done(folder, Random(1))
        hash_anew(folder)
        kept = verdict(folder)
        (folder / "manifest.sig").unlink()
        alone = verdict(folder)

    assert kept.code == 1
    assert alone.code == 4
    assert "Not proven" in alone.said
    assert "status.json" in alone.said
    assert "`clusterwright audit` does that" in verdict(repacker.package).said


def test_a_package_has_the_keys_statements_and_words_that_its_events_have(repacker: Repacker) -> None:
    """A replaced and a revoked key are in it, and a comment with every kind of letter."""
    found = verdict(repacker.package)

    assert found.code == 0, found.said
    assert "5 signatures of people and 2 of the engine" in found.said
    signers = (repacker.package / "allowed_signers").read_text(encoding="utf-8")
    assert signers.count("valid-before") == 2
    (approved,) = (path for path in statements_of(repacker.package, "approved") if path.name.endswith("approved.json"))
    said = json.loads(approved.read_text(encoding="utf-8"))
    assert said["predicate"]["comment"] == repacking.MARKS
    assert said["subject"][0]["name"] == WORK


@pytest.mark.parametrize("place", ["evidence/*", "engine/*.sig", "README.md", "/dev/zero"])
def test_what_could_be_read_for_ever_is_named_and_not_read(repacker: Repacker, place: str) -> None:
    """A pipe in the package, or a device among its sums: verify.sh would never end."""
    with repacker.copy() as folder:
        if place.startswith("/"):
            with (folder / "SHA256SUMS").open("a", encoding="utf-8") as sums:
                sums.write(f"{'0' * 64}  {place}\n")
        else:
            (path, *_) = folder.glob(place)
            path.unlink()
            os.mkfifo(path)
        found = verdict(folder)

    assert found.code == 1
    assert "is not a plain file" in found.said or "SHA256SUMS does not list every file once" in found.said


def test_no_altered_package_is_accepted(repacker: Repacker) -> None:
    """A slice of `make bench-packages`, with the owner's signature kept, left out, and replaced."""
    tried = [repacker.once(seed) for seed in SLICE]

    assert [trial for trial in tried if trial.accepted] == []
    assert {trial.signature for trial in tried} == {*ENDS}
    assert len({trial.name for trial in tried}) == len(SLICE)


def test_the_envelopes_of_an_earlier_release_are_held_against_their_statements(repacker: Repacker) -> None:
    with repacker.copy() as folder:
        one, other, *_ = repacking.put_envelopes(folder)
        hash_anew(folder)
        sign_package(folder, "pm")
        found = verdict(folder)
        one.write_bytes(other.read_bytes())
        hash_anew(folder)
        sign_package(folder, "pm")
        altered = verdict(folder)

    assert found.code == 0, found.said
    assert altered.code == 1
    assert f"{one.name} is not the envelope of this statement" in altered.said


@pytest.mark.parametrize("ended_by", ["nothing", "a revocation", "a plan"])
def test_keys_that_were_revoked_for_a_day_to_come_are_those_of_the_record(
    older: Ledger, clock: Clock, tmp_path: Path, ended_by: str
) -> None:
    """Version 3 of the rules let them go on signing, and version 4 ends them by the next word about the person's key."""
    if ended_by != "nothing":
        raise_rules(older, "pm", "a revocation counts at once")
        clock.forward(1)
    if ended_by == "a revocation":
        revoke_key(older, "pm", "lead", "both")
    if ended_by == "a plan":
        with open_snapshot(older.site_dir) as snapshot:
            plan = read_plan(snapshot)
        adopt_plan(older, "pm", with_keys(plan, lead="new"), reason="the keys as they are")
    write_package(older.site_dir, tmp_path / "package")
    sign_package(tmp_path / "package", "pm")

    found = verdict(tmp_path / "package")

    assert found.code == 0, found.said
    assert "owner, signed it" in found.said


def test_what_was_recorded_before_a_revocation_that_goes_back_further_is_valid_and_named(
    signed: Ledger, clock: Clock, tmp_path: Path
) -> None:
    """The record believes it, and nobody can take a revocation back: the package would never be valid again."""
    lost = clock.now
    clock.forward(1)
    sign(signed, "lead", AWAITING)
    clock.forward(1)
    revoke_key(signed, "pm", "lead", "lost since yesterday", since=lost)
    write_package(signed.site_dir, tmp_path / "package")
    sign_package(tmp_path / "package", "pm")

    found = verdict(tmp_path / "package")

    assert found.code == 0, found.said
    assert [line.rpartition(": ")[2] for line in found.said.splitlines() if "signed by" in line] == ["signed by lead"]


@pytest.mark.slow
def test_the_package_of_an_earlier_release_is_verified_and_what_it_cannot_prove_is_named(tmp_path: Path) -> None:
    """Without a manifest, and with keys in plans that the script cannot read. A removed statement still shows."""
    shutil.unpack_archive(GOLDEN / "v0.2.0.tar.xz", tmp_path)
    write_package(tmp_path / "v0.2.0", tmp_path / "old")
    for name in ("manifest", "refused"):
        (tmp_path / "old" / name).unlink()
    (tmp_path / "old" / "engine").rmdir()
    repacking.put_envelopes(tmp_path / "old")
    hash_anew(tmp_path / "old")
    (tmp_path / "old" / "manifest").unlink()
    found = verdict(tmp_path / "old")
    gone = min((tmp_path / "old" / "statements").glob("*-approved.json"))
    gone.unlink()
    altered = verdict(tmp_path / "old")

    assert found.code == 4, found.said
    assert "CHAIN ONLY" in found.said
    assert "allowed_signers was believed" in found.said
    assert "A REHEARSAL" in found.said
    assert altered.code == 1
    assert f"{gone.name} is missing" in altered.said
