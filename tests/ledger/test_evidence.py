"""The evidence store: by content, written once, nothing but plain files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.entries import FactEntry
from ledger.evidence import folder
from ledger.evidence import store as evidence
from ledger.questions import records
from ledger.questions.site import head
from ledger.reading import open_snapshot
from ledger.subjects.facts.decisions import record_facts
from ledger.subjects.facts.payloads import FactsRecorded
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.work.evidence_decisions import attach, attest
from ledger.subjects.work.payloads import Attached, Attested
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, UnreachableError
from steps.evidence_rules import EvidenceRules
from tests.ledger import malicious as bad
from tests.ledger.conftest import Clock, activity, small_plan
from tests.ledger.journey import bought, passed, racked


def test_content_is_found_by_its_digest_and_kept_once(tmp_path: Path) -> None:
    """The same photo attached twice is one file."""
    first = evidence.store(tmp_path, b"photo")

    assert evidence.store(tmp_path, b"photo") == first
    assert evidence.load(tmp_path, first) == b"photo"
    assert folder.place_of(tmp_path, first).parent.name == first[:2]


def test_links_pipes_and_folders_are_refused(tmp_path: Path) -> None:
    """A link could lead to a secret, a pipe would hang."""
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe")

    for name, said in (
        ("link", "symbolic link"),
        ("pipe", "not a file"),
        (".", "not a file"),
        ("no", "cannot be read"),
    ):
        with pytest.raises(InputError, match=said):
            evidence.store(tmp_path, tmp_path / name)


def test_size_is_limited(tmp_path: Path) -> None:
    """A disk image is not evidence."""
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(evidence.MAX_BYTES + 1)

    with pytest.raises(InputError, match="the limit is"):
        evidence.store(tmp_path, big)


def test_changed_or_missing_content_is_told(tmp_path: Path) -> None:
    """Trust in a digest ends where the content differs."""
    digest = evidence.store(tmp_path, b"report")
    place = folder.place_of(tmp_path, digest)
    place.chmod(0o644)
    place.write_bytes(b"forged")
    with pytest.raises(UnreachableError, match="was changed"):
        evidence.load(tmp_path, digest)

    place.unlink()
    with pytest.raises(UnreachableError, match="cannot be read"):
        evidence.load(tmp_path, digest)


def test_digest_cannot_lead_out_of_the_store(tmp_path: Path) -> None:
    """An id from outside is not a path."""
    with pytest.raises(InputError, match="not a SHA-256"):
        folder.place_of(tmp_path, "../../etc/passwd")


def test_content_that_was_changed_is_not_taken_for_what_is_given(tmp_path: Path) -> None:
    """The same file attached again must not vouch for a forged one."""
    place = folder.place_of(tmp_path, evidence.store(tmp_path, b"report"))
    place.chmod(0o644)
    place.write_bytes(b"forged")

    with pytest.raises(UnreachableError, match="was changed"):
        evidence.store(tmp_path, b"report")


KILLED = """
import os, signal, sys
from pathlib import Path
from ledger.evidence import store as evidence

def end(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

{where} = end
evidence.store(Path(sys.argv[1]), b"a report of many pages" * 100_000)
"""


@pytest.mark.parametrize("where", ["os.fsync", "Path.chmod", "Path.replace"])
def test_a_process_killed_while_it_stores_leaves_no_half_file(tmp_path: Path, where: str) -> None:
    """A digest names whole content or nothing, and the next attempt stores it."""
    content = b"a report of many pages" * 100_000

    ended = subprocess.run([sys.executable, "-c", KILLED.format(where=where), str(tmp_path)], check=False)

    assert ended.returncode == -signal.SIGKILL
    left = [path.name for path in (tmp_path / "evidence").rglob("*") if path.is_file()]
    assert len(left) == 1
    assert left[0].startswith(".new-")
    digest = evidence.store(tmp_path, content)
    assert evidence.load(tmp_path, digest) == content


def test_what_a_killed_process_began_is_cleared_by_a_later_one(tmp_path: Path) -> None:
    """An hour later nobody is writing it any more; a younger one may be another process at work."""
    place = folder.place_of(tmp_path, evidence.store(tmp_path, b"photo")).parent
    killed, at_work = place / ".new-killed", place / ".new-at-work"
    killed.write_bytes(b"half")
    at_work.write_bytes(b"half")
    hours_ago = time.time() - 2 * folder.ABANDONED_S
    os.utime(killed, (hours_ago, hours_ago))

    folder.write(place / "another", b"report")

    assert sorted(path.name for path in place.iterdir() if path.name.startswith(".new-")) == [".new-at-work"]


def test_content_is_on_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rename that reaches the disk before the bytes would leave an empty file after a power cut."""
    order: list[str] = []
    sync, rename = os.fsync, Path.replace

    def synced(handle: int) -> None:
        order.append("sync")
        sync(handle)

    def renamed(self: Path, to: Path) -> Path:
        order.append("name")
        return rename(self, to)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)

    evidence.store(tmp_path, b"photo")

    assert order[:2] == ["sync", "name"]
    assert order.count("sync") == 5, "the file, its folder, and each folder that holds a new one"


@pytest.mark.parametrize(
    "name", ["../../ledger.db", "/etc/passwd", "a\\b", "", "..", "a\nb", "photo\u202egpj.exe", "x" * 201]
)
def test_a_name_is_a_name_and_no_path(ledger: Ledger, name: str) -> None:
    """Names travel into packages and onto screens."""
    with pytest.raises(InputError, match="name"):
        evidence.file_name(name)
    if name:
        with pytest.raises(InputError, match="name"):
            attach(ledger, "tech", "001@site", b"quote", "quote", name=name)


def test_attaching_a_photo_says_that_its_place_was_taken_out(ledger: Ledger, tmp_path: Path) -> None:
    """Who attached it learns that the kept file is not the camera's own."""
    path = tmp_path / "IMG_1.HEIC"
    path.write_bytes(bad.photo(exif=bad.exif()))

    event = attach(ledger, "tech", "001@site", path, "photo")

    assert isinstance(event.payload, Attached)
    assert event.payload.removed == ("the location",)
    assert event.payload.media_type == "image/jpeg"
    kept = evidence.load(ledger.site_dir, event.payload.digest)
    assert len(kept) == event.payload.size
    assert kept != path.read_bytes()
    with open_snapshot(ledger.site_dir) as snapshot:
        assert [e.name for e in records.evidence(snapshot, "001@site")] == ["IMG_1.HEIC"]
    assert not audit(ledger.site_dir)


def test_the_same_file_is_kept_once_for_two_activities(ledger: Ledger) -> None:
    """A certificate covers many cables."""
    first = attach(ledger, "tech", "001@site", b"certificate", "quote").payload
    second = attach(ledger, "tech", "010@pod-001", b"certificate", "photo").payload

    assert isinstance(first, Attached)
    assert isinstance(second, Attached)
    assert first.digest == second.digest
    place = folder.place_of(ledger.site_dir, first.digest)
    assert [path.name for path in place.parent.iterdir()] == [first.digest]


def test_what_is_refused_leaves_neither_event_nor_file(ledger: Ledger, tmp_path: Path) -> None:
    """A refusal is the end of it, in every way a file comes in."""
    script = tmp_path / "photo.jpg"
    script.write_bytes(b"#!/bin/sh\n")
    before = sorted((ledger.site_dir / "evidence").rglob("*"))
    with open_snapshot(ledger.site_dir) as snapshot:
        before_it = head(snapshot).seq

    with pytest.raises(InputError, match="jpg is a script"):
        attach(ledger, "tech", "001@site", script, "photo")
    with pytest.raises(InputError, match="jpg is a script"):
        attest(ledger, "lead", "030@pod-001", "done by hand", evidence=[script])
    with pytest.raises(InputError, match="jpg is a script"):
        record_facts(ledger, "tech", "001@site", [FactEntry("a", "b")], evidence=[script])

    assert sorted((ledger.site_dir / "evidence").rglob("*")) == before
    with open_snapshot(ledger.site_dir) as snapshot:
        assert head(snapshot).seq == before_it


def test_an_attestation_says_file_by_file_what_was_taken_out(ledger: Ledger, clock: Clock, tmp_path: Path) -> None:
    """Several photos come with it, and not every one named a place."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    (tmp_path / "a.jpg").write_bytes(bad.photo(exif=bad.exif()))
    (tmp_path / "b.png").write_bytes(bad.photo("PNG"))

    event = attest(
        ledger, "lead", "030@pod-001", "measured by the maker", evidence=[tmp_path / "a.jpg", tmp_path / "b.png"]
    )

    assert isinstance(event.payload, Attested)
    assert event.payload.removed == ("a.jpg: the location",)
    assert len(event.payload.digests) == 2
    assert not audit(ledger.site_dir)


def test_a_photo_that_shows_a_fact_loses_its_place(empty: Ledger) -> None:
    """Facts come with pictures of rating plates."""
    asks = {"name": "plant.rating", "unit": "kW", "meaning": "rating", "options": [], "evidence": "plate"}
    plan = small_plan(activities=[activity("001@site", kind="compute", facts=[asks])], links=[], orders=[])
    adopt_plan(empty, "pm", plan, reason="first plan")

    photo = bad.photo(exif=bad.exif())
    event = record_facts(empty, "tech", "001@site", [FactEntry("plant.rating", Decimal(3))], evidence=[photo])

    assert isinstance(event.payload, FactsRecorded)
    assert event.payload.evidence[0].removed == ("the location",)


def test_a_site_sets_its_own_limits_by_adopting_them(ledger: Ledger) -> None:
    """What the site takes is in the plan: writing it into site.yaml alone changes nothing."""
    attach(ledger, "tech", "001@site", b"x" * 1_500_000, "quote")
    rules = EvidenceRules(max_mb=1, types=("text", "pdf"))
    adopt_plan(ledger, "pm", small_plan(evidence=rules), reason="smaller, and no pictures")

    with pytest.raises(InputError, match="1,500,000 bytes; the limit is 1,000,000"):
        attach(ledger, "tech", "001@site", b"x" * 1_500_000, "quote")
    with pytest.raises(InputError, match="is JPEG, which this site does not take"):
        attach(ledger, "tech", "001@site", bad.photo(), "photo")
    assert attach(ledger, "tech", "001@site", b"text", "quote")
