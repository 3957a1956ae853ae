"""Checks of a site's record that a person should know of: its database, the version of the rules, and the engine's key."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from clusterwright.health_check import ADVICE, FAULT, OK, Check
from clusterwright.output import say
from ledger.machine_time import machine_time
from ledger.questions.clock import REMEDY, clock_behind
from ledger.questions.site import RAISE, rules_in_force, site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.times import CLOCKS
from ledger.stores.following import has_ledger
from ledger.stores.place import database_of
from ledger.trust import engine_key
from schedule.errors import ClusterwrightError, NotSatisfiedError, UnreachableError
from steps.design.site import Site

DATABASE = "database"
KEY = "engine's key"
MINUTE = timedelta(minutes=1)
ENROL = "`clusterwright keys engine` prints the line to write there"


def say_what_is_missing(snapshot: Snapshot) -> None:
    """Say if the engine can record nothing until the owner enrols a key of it."""
    try:
        engine_key.signs(snapshot)
    except NotSatisfiedError as error:
        say(f"{error.what}, so the engine records nothing: {error.hint}")


def record_checks(folder: Path, site: Site) -> Iterator[Check]:
    """Yield the checks of a site's record. Where there is none yet, of what site.yaml proposes."""
    try:
        if has_ledger(folder):
            yield from _of_record(folder)
        elif site.assurance == "signed" and site.engine_key is None:
            yield Check(KEY, ADVICE, "site.yaml names no engine_key, so the engine could record nothing", ENROL)
    except ClusterwrightError as error:
        yield Check("ledger", FAULT, error.what, error.hint)


def _of_record(folder: Path) -> Iterator[Check]:
    with open_snapshot(folder) as snapshot:
        url = database_of(folder)
        if url is not None:
            yield _database(snapshot, url)
        yield _rules(snapshot)
        behind = clock_behind(snapshot)
        yield Check("clock", FAULT, behind, REMEDY) if behind else Check("clock", OK, "not behind the record")
        if not site_of(snapshot).rehearsal and engine_key.is_asked(snapshot):
            yield _engine_key(snapshot)


def _database(snapshot: Snapshot, url: str) -> Check:
    """Return whether the database of a shared ledger answers, and whether this folder can copy what it has."""
    from ledger.stores.postgres import Database  # most ledgers are not shared

    try:
        with Database(url) as database:
            ahead = database.standing().now - machine_time()
    except UnreachableError as error:
        return Check(DATABASE, FAULT, error.what, error.hint)
    if snapshot.cut_off is not None:
        return Check(DATABASE, FAULT, f"this folder cannot copy what it has: {snapshot.cut_off}")
    if abs(ahead) > CLOCKS:
        said = f"its clock is {ahead / MINUTE:+,.0f} minutes from this machine's, and decisions go by its clock"
        return Check(DATABASE, ADVICE, said, "set this machine's clock, or have the server's set")
    return Check(DATABASE, OK, "it answers, and this folder has all of its events")


def _rules(snapshot: Snapshot) -> Check:
    found = rules_in_force(snapshot)
    said = f"version {found.version}, since event {found.since_event}"
    if found.is_newest:
        return Check("rules", OK, said)
    return Check("rules", ADVICE, f"{said}; this program knows version {found.newest}", f"as the owner: {RAISE}")


def _engine_key(snapshot: Snapshot) -> Check:
    """Return whether the engine could sign now. On a shared site it may run in another folder than this one."""
    try:
        engine_key.require_key(snapshot)
    except UnreachableError as error:
        is_elsewhere = database_of(snapshot.site_dir) is not None
        return Check(KEY, ADVICE if is_elsewhere else FAULT, error.what, error.hint)
    except ClusterwrightError as error:
        return Check(KEY, FAULT, error.what, error.hint)
    return Check(KEY, OK, "the plan in force names it")
