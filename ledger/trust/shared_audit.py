"""The audit of a shared log: compare the database with the folder's copy, and the accounts with the plans in force."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

from ledger.evidence import names
from ledger.evidence.plans import load_plan
from ledger.log.columns import COLUMNS, EVENTS
from ledger.machine_time import machine_time
from ledger.questions.people import people
from ledger.questions.site import head, site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.stores.file import connect
from ledger.stores.held import KINDS, is_held
from ledger.stores.postgres import MOVED, Database
from ledger.trust.chain import DATABASE, Finding
from schedule.errors import UnreachableError


def shared_faults(site_dir: Path, url: str) -> Iterator[Finding]:
    """Yield every difference between the database and this folder's copy, and everything that the database should have refused."""
    try:
        with closing(connect(site_dir)) as db, Database(url) as database:
            copy = Snapshot(db, site_dir, machine_time())
            yield from _events(copy, database)
            yield from _accounts(copy, database)
            yield from _people(copy, database)
            yield from _beside(database)
            yield from _evidence(site_dir, database)
    except UnreachableError as error:
        yield Finding(DATABASE, error.what)


def _events(copy: Snapshot, database: Database) -> Iterator[Finding]:
    """Yield the first event that differs. Later events than the copy's last one are left out: others may be recording."""
    last = head(copy).seq
    ours: sqlite3.Cursor = copy.db.execute(f"{EVENTS} WHERE seq <= ? ORDER BY seq", [last])
    for mine, theirs in zip_longest(ours, database.events(0)):
        if theirs is not None and theirs["seq"] > last:
            return
        if mine is None or theirs is None or mine != tuple(theirs[name] for name in COLUMNS):
            seq = mine[0] if mine else theirs["seq"] if theirs else last
            how = "another one in the database than in this folder's copy" if theirs else "missing from the database"
            yield Finding(f"event {seq}", f"is {how}")
            return


def _accounts(copy: Snapshot, database: Database) -> Iterator[Finding]:
    """Yield events that were appended by another account than the one that the plan in force named for the event's actor.

    Events before the first plan, events that were moved here from a file, and the engine's are left out. So are events that are
    refused: the audit says why.
    """
    if site_of(copy).rehearsal:
        return
    plans = copy.ask("SELECT revision, document FROM plan_revision ORDER BY revision")
    accounts = {revision: _accounts_of(copy.site_dir, document) for revision, document in plans}
    revisions = dict(copy.ask("SELECT seq, plan_revision FROM event"))
    refused = set(copy.column("SELECT seq FROM refused"))
    adopted = set(copy.column("SELECT seq FROM event WHERE kind = 'plan.adopted'"))
    for seq, actor, account in database.accounts():
        revision = revisions.get(seq, 0) - (seq in adopted)
        if actor == ENGINE or account == MOVED or revision < 1 or seq in refused:
            continue
        expected = accounts[revision].get(actor)
        if account != expected:
            yield Finding(
                f"event {seq}", f"was appended by the account {account}; the account of {actor} was {expected}"
            )


def _accounts_of(site_dir: Path, document: str) -> dict[str, str | None]:
    return {person.id: person.account for person in load_plan(site_dir, document).people}


def _people(copy: Snapshot, database: Database) -> Iterator[Finding]:
    """Yield the people of the plan in force whose account the database does not know, and accounts that no plan names.

    The database also has the accounts of earlier plans.
    """
    if site_of(copy).revision == 0:
        return
    documents = copy.column("SELECT document FROM plan_revision")
    named = {pair for document in documents for pair in _accounts_of(copy.site_dir, document).items()}
    theirs = {(person, account) for person, account, _ in database.people()}
    ours = {(person.id, person.account) for person in people(copy)}
    for person, account in sorted(ours - theirs, key=str):
        yield Finding(f"person {person}", f"has the account {account} in the plan in force only")
    for person, account in sorted(theirs - named, key=str):
        if person != site_of(copy).owner:
            yield Finding(f"person {person}", f"has the account {account} in the database, and no plan names it")


def _beside(database: Database) -> Iterator[Finding]:
    """Yield what somebody wrote beside the record that no program writes. Every copy leaves it out."""
    for content in database.names():
        if names.person_in(content) is None:
            digest = hashlib.sha256(content).hexdigest()
            yield Finding(f"name {digest[:12]}", "in the database is no document with a person's name", refused=True)
    for what, kind in KINDS.items():
        for row in database.held(what):
            if not is_held(row, kind):
                said = row.get("activity") if isinstance(row, dict) else row
                yield Finding(
                    f"{what} {str(said)[:60]}", f"in the database is no {what} that a program writes", refused=True
                )


def _evidence(site_dir: Path, database: Database) -> Iterator[Finding]:
    for digest in database.unlike_digest():
        yield Finding(f"evidence {digest[:12]}", "was changed in the database")
    kept = set(database.digests())
    for path in sorted((site_dir / "evidence" / "sha256").glob("??/*")):
        if len(path.name) == 64 and path.name not in kept:
            yield Finding(f"evidence {path.name[:12]}", "is missing from the database")
