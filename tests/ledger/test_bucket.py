"""Evidence in an S3-compatible bucket, against a server that speaks S3 over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.evidence import folder
from ledger.evidence import store as evidence
from ledger.evidence.plans import read_plan
from ledger.machine_time import machine_time
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.work.evidence_decisions import attach
from ledger.subjects.work.payloads import Attached
from ledger.trust.audit import audit
from ledger.trust.backup import back_up, restore
from ledger.trust.package import write_package
from ledger.writing import Ledger
from schedule.errors import InputError, UnreachableError
from tests.ledger.conftest import small_plan
from tests.s3_server import ACCOUNT, bucket_at, keys_of

BUCKET = "site-evidence"


@pytest.fixture
def s3(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a client, with an empty bucket."""
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    with bucket_at(s3_address, BUCKET) as client:
        yield client


def keys(client: Any) -> list[str]:
    return keys_of(client, BUCKET)


def kept_in(folder: Path, s3_address: str, **more: str) -> Path:
    """Let a site keep its evidence in the bucket."""
    said = {"bucket": BUCKET, "prefix": "site-a", "endpoint": s3_address, "region": "us-east-1"} | more
    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    (folder / "evidence" / "store.yaml").write_text("".join(f"{key}: {value}\n" for key, value in said.items()))
    return folder


@pytest.fixture
def site(tmp_path: Path, s3_address: str, s3: Any) -> Path:
    """Return a folder whose evidence is in the bucket."""
    return kept_in(tmp_path / "site", s3_address)


def test_content_lies_in_the_bucket_once_and_not_on_disk(site: Path, s3: Any) -> None:
    digest = evidence.store(site, b"photo")

    assert evidence.store(site, b"photo") == digest
    assert evidence.load(site, digest) == b"photo"
    assert keys(s3) == [f"site-a/sha256/{digest[:2]}/{digest}"]
    assert not folder.place_of(site, digest).exists()


def test_changed_and_missing_content_is_told(site: Path, s3: Any) -> None:
    """Somebody who may write to the bucket may forge; the digest shows it."""
    digest = evidence.store(site, b"report")
    s3.put_object(Bucket=BUCKET, Key=keys(s3)[0], Body=b"forged")
    with pytest.raises(UnreachableError, match="was changed"):
        evidence.load(site, digest)
    with pytest.raises(UnreachableError, match="was changed"):
        evidence.store(site, b"report")

    s3.delete_object(Bucket=BUCKET, Key=keys(s3)[0])
    with pytest.raises(UnreachableError, match="it is missing") as missing:
        evidence.load(site, digest)
    assert BUCKET in missing.value.hint


def test_a_whole_site_works_on_a_bucket(site: Path, s3_address: str, s3: Any, empty: Ledger, tmp_path: Path) -> None:
    """Adopting, attaching, auditing, packing and backing up ask for evidence by its digest alone."""
    kept_in(empty.site_dir, s3_address)
    adopt_plan(empty, "pm", small_plan(), reason="first")
    event = attach(empty, "tech", "001@site", b"quote", "quote")

    assert isinstance(event.payload, Attached)
    assert any(key.endswith(event.payload.digest) for key in keys(s3))
    assert not (empty.site_dir / "evidence" / "sha256").exists()
    with open_snapshot(empty.site_dir) as snapshot:
        assert read_plan(snapshot).people[0].id == "pm"
    assert audit(empty.site_dir) == []
    write_package(empty.site_dir, tmp_path / "package")
    assert (tmp_path / "package" / "evidence" / event.payload.digest).read_bytes() == b"quote"
    (empty.site_dir / "site.yaml").write_text("name: small\n")
    made = back_up(empty.site_dir, tmp_path / "b.tar.gz", made_at=machine_time(), program="test")
    assert made.left_out == ()
    restore(tmp_path / "b.tar.gz", tmp_path / "restored")
    assert audit(tmp_path / "restored") == []

    s3.delete_object(Bucket=BUCKET, Key=next(key for key in keys(s3) if key.endswith(event.payload.digest)))
    assert [f.where for f in audit(empty.site_dir)] == [f"evidence {event.payload.digest[:12]}"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"bucket": "not-there"}, "bucket does not exist"),
        ({"endpoint": "http://127.0.0.1:9"}, "Could not connect"),
    ],
)
def test_a_bucket_that_does_not_answer_is_said_in_words(
    tmp_path: Path, s3_address: str, s3: Any, more: dict[str, str], said: str
) -> None:
    """Content that cannot be read is not content that is missing, and nothing is taken as kept."""
    site = kept_in(tmp_path / "site", s3_address, **more)

    with pytest.raises(UnreachableError, match=said) as refused:
        evidence.store(site, b"photo")
    assert "evidence/store.yaml" in refused.value.hint
    with pytest.raises(UnreachableError, match=said):
        evidence.is_intact(site, "0" * 64)


@pytest.mark.parametrize(
    "text",
    [
        "bucket: site-evidence\nsecret: x\n",
        "prefix: a\n",
        "bucket: site-evidence\nendpoint: http://s3.example.org\n",
        "bucket: x\n",
    ],
)
def test_a_store_file_that_is_wrong_is_refused(tmp_path: Path, text: str) -> None:
    """Evidence does not travel in clear, and credentials have no place there."""
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "store.yaml").write_text(text)

    with pytest.raises(InputError, match=r"store\.yaml"):
        evidence.store(tmp_path, b"photo")
