"""A signed site on several machines. Each folder has a copy that can be forged, and software needs the engine's key there."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.entries import RunOutcome
from ledger.machine_time import machine_time
from ledger.reading import open_snapshot
from ledger.stores.file import LEDGER_FILE
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.trust import engine_key
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from tests.ledger.conftest import elsewhere, share
from tests.ledger.journey import take
from tests.ledger.test_engine_key import RUNS, adopted, begun
from tests.ledger.test_signed import Keys, keys, put_name, signed
from tests.needs import needs
from tests.postgres_server import EVERYBODY, Server

__all__ = ["keys", "signed"]

pytestmark = needs("ssh-keygen")


def forge(site_dir: Path, sql: str) -> None:
    with closing(sqlite3.connect(site_dir / LEDGER_FILE)) as copy:
        copy.execute(sql)
        copy.commit()


def head_of(site_dir: Path) -> tuple[int, str]:
    with open_snapshot(site_dir) as snapshot:
        seq, digest = snapshot.first("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1")
    return seq, digest


def test_nothing_is_recorded_on_a_forged_state(signed: Ledger, keys: Keys) -> None:
    """Work that nobody did is not signed off because a table says that it was done."""
    before = head_of(signed.site_dir)
    forge(signed.site_dir, "UPDATE activity SET state = 'awaiting_sign_off' WHERE id = '001@site'")

    with pytest.raises(UnreachableError, match="says state 'awaiting_sign_off'; its events say 'open'"):
        put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site"))

    assert head_of(signed.site_dir) == before
    assert [finding.where for finding in audit(signed.site_dir)] == ["activity 001@site"]


@pytest.mark.own_file  # it brings its own database
def test_software_on_another_machine_records_nothing_without_the_key(
    postgres: Server, tmp_path: Path, keys: Keys
) -> None:
    """The right to append for the engine is not enough. With the key copied by hand it goes on."""
    one = tmp_path / "one"
    one.mkdir()
    with postgres.borrowed() as database:
        share(one, postgres.url(database, EVERYBODY))
        with begun(one, machine_time, keys) as first:
            adopted(first, keys, engine_key.make_key(one))
        other = elsewhere(one, "other")
        with Ledger.open(other) as second:
            before = head_of(one)
            with pytest.raises(UnreachableError, match="the engine has no key"):
                take(second, RUNS)
            assert head_of(one) == before

            copied = other / engine_key.KEY
            copied.parent.mkdir(mode=0o700, exist_ok=True)
            shutil.copy(one / engine_key.KEY, copied)
            take(second, RUNS)
            settle(second, "engine-1", RUNS, RunOutcome("interrupted"))

        assert (audit(one), audit(other)) == ([], [])
