"""Opening a site's log for writing: a copy of a shared one is begun, an earlier format is brought up."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path

from ledger.stores.file import LEDGER_FILE, connect, is_copy, is_older
from ledger.stores.following import is_begun
from ledger.stores.log import Log
from ledger.stores.place import FILE, database_of
from ledger.stores.sqlite import FileLog, create_schema, explained_engine, file_engine
from steps.errors import InputError, UnreachableError


def open_log(site_dir: Path) -> Log:
    """Open a site's log. Raise for a file that is missing, damaged or foreign."""
    path, url = site_dir / LEDGER_FILE, database_of(site_dir)
    if url is not None and not path.exists() and is_begun(url):
        begin_copy(path)
    with closing(connect(site_dir)) as found:
        older = is_older(found)
        _refuse_mistaken(path, is_copy=is_copy(found), is_shared=url is not None)
    log = log_on(site_dir)
    if older:
        from ledger.stores.upgrade import upgrade  # only a ledger of an earlier release needs the replay

        with explained_engine(path), log.engine.begin() as connection:
            upgrade(connection, site_dir)
    log.catch_up()
    return log


def log_on(site_dir: Path) -> Log:
    """Return the log on a site's file, as it is."""
    engine, url = file_engine(site_dir / LEDGER_FILE), database_of(site_dir)
    if url is None:
        return FileLog(engine)
    # the driver is heavy, and most sites are a folder
    from ledger.stores.postgres import Database
    from ledger.stores.shared_log import SharedLog

    return SharedLog(site_dir, engine, Database(url))


def begin_copy(path: Path) -> None:
    """Make an empty copy, whole or not at all. One that somebody else began meanwhile is as good."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".copying-") as scratch:
        aside = Path(scratch) / path.name
        engine = file_engine(aside)
        create_schema(engine, copy=True)
        engine.dispose()
        try:
            os.link(aside, path)
        except FileExistsError:
            return


def _refuse_mistaken(path: Path, *, is_copy: bool, is_shared: bool) -> None:
    """Raise for a copy whose ledger.yaml is gone, and for a record of its own where a database is named."""
    if is_copy and not is_shared:
        raise UnreachableError(
            f"{path} is a copy of a shared ledger, and {FILE} beside it is gone",
            hint=f"bring {FILE} back; the copy may be read, and no decision is taken on it alone",
        )
    if is_shared and not is_copy:
        raise InputError(
            f"{path} is a record of its own, and {FILE} names a database",
            hint="`clusterwright database load` moves the record there; or remove " + FILE,
        )
