"""Whether a site's ledger is shared, and the copy of it that a folder begins with."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.schema import create_schema, file_engine
from ledger.shared.place import FILE, database_of
from steps.errors import InputError, UnreachableError

if TYPE_CHECKING:
    from ledger.shared.replica import Replica


def replica_of(site_dir: Path) -> Replica | None:
    """Give a folder's copy and its log; none where the folder's own file is the ledger."""
    url = database_of(site_dir)
    if url is None:
        return None
    # the driver is heavy, and most sites are a folder
    from ledger.shared.log import Log
    from ledger.shared.replica import Replica

    return Replica(site_dir, Log(url))


def begin_copy(path: Path) -> None:
    """Make an empty copy, whole or not at all; one that somebody else began meanwhile will do as well."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".copying-") as scratch:
        aside = Path(scratch) / path.name
        engine = file_engine(aside)
        create_schema(engine, copy=True)
        engine.dispose()
        try:
            os.link(aside, path)
        except FileExistsError:
            return


def refuse_mistaken(path: Path, *, is_copy: bool, is_shared: bool) -> None:
    """Refuse a copy that has lost its log, and a record of its own where a database is named."""
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
