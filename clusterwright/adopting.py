"""Putting a plan in force that a person has looked at. The first one makes the site's ledger."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

from clusterwright.adoption import Adoption
from clusterwright.output import say
from clusterwright.record_health import say_what_is_missing
from ledger.project_time import project_now
from ledger.reading import open_snapshot
from ledger.stores.file import LEDGER_FILE
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.plan.first_plan import genesis_key, lacking_keys
from ledger.trust.signed_decisions import decided
from ledger.writing import Ledger
from schedule.text import require_visible


def adopt_prepared(
    adoption: Adoption,
    *,
    reason: str,
    baseline: str | None,
    rehearsal: bool,
    key: Path | None,
) -> int:
    """Put a plan in force and return the number of its revision. The first adoption makes the ledger."""
    folder, plan, person = adoption.folder, adoption.plan, adoption.person
    require_visible(reason, "the reason", lines=True)
    require_visible(baseline or "", "the baseline's name")
    if adoption.is_first and key is not None and genesis_key(plan, person) is None:
        say("not signed: this site asks for no signatures, and nobody could verify one before its first plan")
        key = None
    begun = _begun(adoption, rehearsal=rehearsal)
    with begun if adoption.is_first else Ledger.open(folder) as ledger:
        event: Any = decided(
            ledger,
            person,
            lambda: adopt_plan(
                ledger,
                person,
                plan,
                reason=reason,
                baseline=baseline,
                committed=adoption.committed,
            ),
            key=key,
        )
    with open_snapshot(folder) as snapshot:
        say_what_is_missing(snapshot)
    return int(event.payload.revision)


@contextmanager
def _begun(adoption: Adoption, *, rehearsal: bool) -> Iterator[Ledger]:
    """Yield the site's new ledger. Its first event names the owner, who adopts the first plan. Without the plan no file is left."""
    plan, owner = adoption.plan, adoption.person
    owner_key = genesis_key(plan, owner)
    if lacking := lacking_keys(plan):
        say(f"no key yet: {', '.join(lacking)}; they cannot sign until a plan that names their ssh_key is adopted")
    ledger = create_ledger(
        adoption.folder,
        site_name=plan.site,
        time_zone=plan.time_zone,
        rehearsal=rehearsal,
        owner=owner,
        owner_key=owner_key,
        clock=project_now,
    )
    try:
        yield ledger
    except BaseException:
        _abandon(ledger)
        raise
    ledger.close()


def _abandon(ledger: Ledger) -> None:
    """Close a ledger that has only its first event, and remove it and its documents, so that it can be begun anew. Keep any other."""
    with ledger.write() as writing:
        is_only_begun = writing.at().first("SELECT count(*) FROM event") == (1,)
    ledger.close()
    if is_only_begun and not ledger.is_shared:
        for suffix in ("", "-wal", "-shm"):
            (ledger.site_dir / f"{LEDGER_FILE}{suffix}").unlink(missing_ok=True)
        for documents in ("sha256", "people"):  # there were none before: `refuse_lost`
            rmtree(ledger.site_dir / "evidence" / documents, ignore_errors=True)
