"""The evidence store: by content, written once, nothing but plain files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ledger import evidence
from steps.errors import InputError, UnreachableError


def test_content_is_found_by_its_digest_and_kept_once(tmp_path: Path) -> None:
    """The same photo attached twice is one file."""
    first = evidence.store(tmp_path, b"photo")

    assert evidence.store(tmp_path, b"photo") == first
    assert evidence.load(tmp_path, first) == b"photo"
    assert evidence.place_of(tmp_path, first).parent.name == first[:2]


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
    place = evidence.place_of(tmp_path, digest)
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
        evidence.place_of(tmp_path, "../../etc/passwd")
