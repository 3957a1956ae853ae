"""A ledger of every release replays for ever, and says what it said."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from ledger.audit import audit
from ledger.reads import Reader
from ledger.transitions import State

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize(("release", "done", "not_applicable"), [("v0.1.0", 180, 52)])
def test_the_ledger_of_a_release_still_replays(tmp_path: Path, release: str, done: int, not_applicable: int) -> None:
    with tarfile.open(GOLDEN / f"{release}.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")

    found = audit(tmp_path / release)

    assert found.findings == []
    with Reader.open(tmp_path / release) as reader:
        counts = reader.counts(reader.project_time())
        assert reader.site().rehearsal
    assert counts.by_state[State.DONE] == done
    assert counts.by_state[State.NOT_APPLICABLE] == not_applicable
