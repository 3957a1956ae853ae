"""Before the engine starts on a signed site, all of its record is compared with what its events say.

A decision compares what it rests on. The engine takes many, and goes by views that believe the tables. So it looks at everything
first: from this account's checkpoint if there is one, or else whole, and what was found right is the next start's checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from ledger.reading import open_snapshot
from ledger.stores.file import connect, is_copy
from ledger.trust.audit import Findings, audit
from ledger.trust.chain import Finding
from steps.errors import ClusterwrightError, UnreachableError


def refuse_differing(site_dir: Path, program: str) -> None:
    """Raise UnreachableError if the record of a signed site is not what its events say. Do nothing on other sites.

    A checkpoint is for one version of the program, `program`.
    """
    with open_snapshot(site_dir) as snapshot:
        if not snapshot.is_signed:
            return
    found = list(_still_wrong(site_dir, _audited(site_dir, program)))
    if found:
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        raise UnreachableError(
            f"the engine does not start on this record: {found[0].where} {found[0].message}{more}",
            hint="`clusterwright audit` lists what was changed; restore ledger.db from a backup",
        )


def _audited(site_dir: Path, program: str) -> Findings:
    try:
        return audit(site_dir, program=program, from_checkpoint=True)
    except ClusterwrightError:  # there is none that this program can use
        return audit(site_dir, program=program, keep_checkpoint=True)


def _still_wrong(site_dir: Path, found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings but for events that the copy of a shared log has refused: these change nothing, and stop nobody."""
    with closing(connect(site_dir)) as db:
        refused = db.execute("SELECT seq, kind, subject FROM refused") if is_copy(db) else ()
        known = {f"event {seq}": f"{kind} about {subject} " for seq, kind, subject in refused}
    for wrong in found:
        if wrong.where not in known or not wrong.message.startswith(known[wrong.where]):
            yield wrong
