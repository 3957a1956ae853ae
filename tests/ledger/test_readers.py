"""Snapshots on connections that stay open show what the file says now, as those that open it anew."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from ledger.questions.site import head
from ledger.reading import Readers
from ledger.subjects.work.decisions import comment
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from tests.ledger.conftest import T0

pytestmark = pytest.mark.own_file


def test_a_snapshot_shows_what_was_recorded_since_the_last_one(ready: Ledger) -> None:
    readers = Readers(ready.site_dir)
    with readers.snapshot(T0) as before:
        first = head(before).seq
        comment(ready, "tech", "030@pod-001", "it hums")
        assert head(before).seq == first, "an open snapshot stays as it is"
    with readers.snapshot(T0) as after:
        assert head(after).seq == first + 1
        assert after.db is before.db
    readers.close()


def test_another_file_in_the_ledgers_place_is_read_and_a_missing_one_is_said(ready: Ledger) -> None:
    """A backup was restored, or the folder was emptied, while an engine runs."""
    readers, file = Readers(ready.site_dir), ready.site_dir / "ledger.db"
    with readers.snapshot(T0) as before:
        pass
    copy = shutil.copy(file, file.with_suffix(".copy"))
    file.unlink()
    with pytest.raises(UnreachableError, match="is missing: its evidence is there"):
        readers.snapshot(T0)

    shutil.move(copy, file)
    with readers.snapshot(T0) as after:
        assert after.db is not before.db
    readers.close()


class LastTaken(list[Any]):
    """Idle connections as a thread sees them just before another one takes the last."""

    def __len__(self) -> int:
        return 1


def test_a_connection_that_another_thread_takes_first_is_not_waited_for(ready: Ledger) -> None:
    readers = Readers(ready.site_dir)
    readers._idle = LastTaken()

    with readers.snapshot(T0) as snapshot:
        assert head(snapshot).seq > 0
