"""Before the engine starts on a signed site, all of its record is compared with what its events say.

A decision compares what it rests on. The engine takes many, and goes by views that believe the tables. So it looks at everything
first: from this account's checkpoint if there is one, or else whole, and what was found right is the next start's checkpoint.
"""

from __future__ import annotations

from pathlib import Path

from ledger.reading import open_snapshot
from ledger.trust.audit import Findings, audit
from schedule.errors import ClusterwrightError, UnreachableError


def refuse_differing(site_dir: Path, program: str) -> None:
    """Raise UnreachableError if the record of a signed site is not what its events say. Do nothing on other sites.

    A checkpoint is for one version of the program, `program`.
    """
    with open_snapshot(site_dir) as snapshot:
        if not snapshot.is_signed:
            return
    found = _audited(site_dir, program).with_effect
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
