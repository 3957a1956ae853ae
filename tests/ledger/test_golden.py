"""A ledger of every release replays for ever, and says what it said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ledger.questions.activities import activities
from ledger.questions.counts import counts
from ledger.questions.site import project_time, rules_in_force, site_of
from ledger.questions.why import criteria
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.trust.audit import audit

pytestmark = pytest.mark.own_file

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize(
    ("release", "done", "not_applicable"),
    [("v0.1.0", 180, 52), ("v0.2.0", 180, 52), ("v0.3.0", 182, 79), ("v0.4.0", 182, 79), ("v0.5.0", 182, 79)],
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


def test_what_version_6_of_the_rules_accepted_as_it_is_stays_accepted(tmp_path: Path) -> None:
    """One rack's reading by its non-conformance, and another's dent; a later dent of the same rack and a worse reading were not."""
    shutil.unpack_archive(GOLDEN / "rules" / "rules-6.tar.xz", tmp_path)

    for site, verdict in (("readings", "used as it is"), ("items", "waived")):
        folder = tmp_path / "rules-6" / site
        assert audit(folder) == []
        with open_snapshot(folder) as snapshot:
            assert rules_in_force(snapshot).version == 6
            (row,) = activities(snapshot, state=State.AWAITING_SIGN_OFF)
            assert [one.verdict for one in criteria(snapshot, row.id)] == [verdict]
