"""A ledger of every release replays for ever, and says what it said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ledger.questions.counts import counts
from ledger.questions.site import project_time, site_of
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.trust.audit import audit

pytestmark = pytest.mark.own_file

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize(
    ("release", "done", "not_applicable"),
    [("v0.1.0", 180, 52), ("v0.2.0", 180, 52), ("v0.3.0", 182, 79), ("v0.4.0", 182, 79)],
)
def test_the_ledger_of_a_release_still_replays(tmp_path: Path, release: str, done: int, not_applicable: int) -> None:
    shutil.unpack_archive(GOLDEN / f"{release}.tar.xz", tmp_path)

    found = audit(tmp_path / release)

    assert found == []
    with open_snapshot(tmp_path / release) as snapshot:
        standing = counts(snapshot.at(project_time(snapshot)))
        assert site_of(snapshot).rehearsal
    assert standing.by_state[State.DONE] == done
    assert standing.by_state[State.NOT_APPLICABLE] == not_applicable
