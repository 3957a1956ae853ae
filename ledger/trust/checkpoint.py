"""A checkpoint of the audit: what a whole audit replayed, kept for the next one, which then begins after its last event.

It is in the auditor's own folder for state, not in the site's: people who can write the site's folder cannot change it. It says up
to which event this account on this machine audited a site, with which program and rules, and has the tables of the replay as
they were then. It is a memory of this account and proves nothing to others. Anchors do that.

An audit from a checkpoint reads: whether the event of the checkpoint is still the same, the chain, evidence, signatures and
rules of every event after it, the triggers, and every row of the file against the tables of the replay plus these events. It
does not read again: the events up to the checkpoint, their signatures and evidence, and the pages of the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import StaticPool
from sqlmodel import SQLModel

from ledger.account import account_state, machine_account
from ledger.machine_time import machine_time
from ledger.private import is_open_to_others, make_file
from ledger.stores.file import ledger_path, read_only
from ledger.stores.sqlite import OPERATIONAL, columns_of, driver_of
from ledger.trust.archive import digest_of
from ledger.trust.statements import Place
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from steps.stamps import minute, moment, stamp

FORMAT = 1
WHOLE = "audit the whole ledger: `clusterwright audit --keep-checkpoint`"
"""What to do if a checkpoint cannot be used."""


class Checkpoint(NamedTuple):
    """The last event that a whole audit looked at, and by whom, when and with what it was audited.

    `digest` is the SHA-256 of the file with the tables of the replay.
    """

    site: str
    seq: int
    hash: str
    rules: int
    program: str
    account: str
    audited_at: datetime
    digest: str

    def words(self, zone: str) -> str:
        """Return who audited what and when, in words, in a time zone."""
        return (
            f"events 1 to {self.seq} were audited on {minute(self.audited_at, zone)}"
            f" by {self.account} on this machine, and are not read again"
        )


def state_folder(site: str) -> Path:
    """Return the folder in which this account keeps the checkpoint of a site."""
    return account_state() / "audits" / site


def keep(db: sqlite3.Connection, replay: Engine, last: Place, program: str) -> Checkpoint:
    """Keep the tables of a replay as the checkpoint of an audit that found nothing. An earlier checkpoint of the site is replaced."""
    site, rules = db.execute("SELECT uuid, rules FROM site").fetchone()
    folder = state_folder(site)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    fresh = folder / "replay.db.new"
    fresh.unlink(missing_ok=True)
    make_file(fresh)
    with driver_of(replay) as driver, closing(sqlite3.connect(fresh)) as kept:
        driver.backup(kept)
    digest = digest_of(fresh)
    made = Checkpoint(
        site,
        *last,
        rules,
        program,
        machine_account(),
        machine_time(),
        digest,
    )
    (folder / "checkpoint.json").unlink(missing_ok=True)  # it never names another file than its own
    fresh.rename(folder / "replay.db")
    _write(folder / "checkpoint.json", made)
    return made


def _write(path: Path, made: Checkpoint) -> None:
    fields = made._asdict() | {"format": FORMAT, "audited_at": stamp(made.audited_at)}
    make_file(path)
    path.write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")


def kept(db: sqlite3.Connection, program: str) -> Checkpoint:
    """Return this account's checkpoint of a site. Raise InputError if there is none, and NotSatisfiedError if it cannot be used."""
    site, rules = db.execute("SELECT uuid, rules FROM site").fetchone()
    path = state_folder(site) / "checkpoint.json"
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        form = fields.pop("format")
        found = Checkpoint(**fields | {"audited_at": moment(fields["audited_at"])})
    except FileNotFoundError:
        raise InputError(f"this account has no checkpoint of this site in {path.parent}", hint=WHOLE) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreachableError(f"{path} cannot be read: {error}", hint=WHOLE) from None
    _refuse_strange(path.parent)
    if (form, found.site, found.program) != (FORMAT, site, program):
        raise NotSatisfiedError(
            f"the checkpoint was made by clusterwright {found.program}, this is {program}", hint=WHOLE
        )
    if found.rules != rules:
        raise NotSatisfiedError(
            f"the checkpoint was made under version {found.rules} of the rules; in force is {rules}", hint=WHOLE
        )
    return found


def _refuse_strange(folder: Path) -> None:
    """Raise NotSatisfiedError if somebody else could have written the checkpoint."""
    for path in (folder, folder / "checkpoint.json", folder / "replay.db"):
        try:
            is_ours = path.lstat().st_uid == os.geteuid() and not path.is_symlink()
        except OSError as error:
            raise UnreachableError(f"{path} cannot be read: {error}", hint=WHOLE) from None
        if not is_ours or is_open_to_others(path):
            raise NotSatisfiedError(
                f"{path} is not this account's alone: somebody else may have written it", hint=WHOLE
            )


@contextmanager
def opened(checkpoint: Checkpoint) -> Iterator[Engine]:
    """Yield an engine of the checkpoint's tables in memory.

    Raise UnreachableError if the tables are not those that were kept.
    """
    path = state_folder(checkpoint.site) / "replay.db"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreachableError(f"{path} cannot be read: {error}", hint=WHOLE) from None
    if hashlib.sha256(content).hexdigest() != checkpoint.digest:
        raise UnreachableError(f"{path} was changed after it was made", hint=WHOLE)
    driver = sqlite3.connect(":memory:", uri=True, check_same_thread=False)
    with closing(driver):
        driver.deserialize(content)
        del content
        yield create_engine("sqlite://", poolclass=StaticPool, creator=lambda: driver)


def differing_from_file(replay: Engine, site_dir: Path) -> set[str]:
    """Return the tables whose rows may differ from those of a site's file, as it is now. SQLite compares them itself.

    Equal rows in another order of insertion, and what was recorded during the audit, may differ here. The caller compares the rows
    of these tables by their keys, as they were when the audit began.
    """
    with driver_of(replay) as driver:
        ask = driver.execute
        ask("ATTACH ? AS site", [read_only(ledger_path(site_dir))])
        names = SQLModel.metadata.tables.keys() - OPERATIONAL
        differing = {name for name in names if ask(_differs(name)).fetchone()[0]}
        ask("DETACH site")
        return differing


def _differs(name: str) -> str:
    columns, _ = columns_of(name)
    unlike = " OR ".join(f'a."{column}" IS NOT b."{column}"' for column in columns)
    return f"""
SELECT (SELECT count(*) FROM main."{name}") <> (SELECT count(*) FROM site."{name}") OR EXISTS (
  SELECT 1 FROM main."{name}" a LEFT JOIN site."{name}" b ON b.rowid = a.rowid WHERE {unlike})"""  # noqa: S608  our names
