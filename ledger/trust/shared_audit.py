"""A shared log held against a folder's copy: the same events, each appended by its person's account, and evidence as its digests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain, zip_longest
from pathlib import Path

from ledger.plan_store import load_plan
from ledger.reads import Reader
from ledger.shared.log import COLUMNS, MOVED, PAGE, Log
from ledger.writing import ENGINE
from steps.errors import UnreachableError


def shared_faults(site_dir: Path, url: str) -> Iterator[tuple[str, str]]:
    """Give where the database differs from this folder's copy, or from what its own rules would have let in."""
    try:
        with closing(Reader(site_dir)) as copy, Log(url) as log:
            yield from _events(copy, log)
            yield from _accounts(site_dir, copy, log)
            yield from _people(copy, log)
            yield from _evidence(site_dir, log)
    except UnreachableError as error:
        yield "database", error.what


def _events(copy: Reader, log: Log) -> Iterator[tuple[str, str]]:
    """Compare up to the copy's head: others go on recording meanwhile."""
    head = copy.head().seq
    sql = f"SELECT {', '.join(COLUMNS)} FROM event WHERE seq <= {head} ORDER BY seq"  # noqa: S608  our names
    for ours, theirs in zip_longest(chain.from_iterable(copy.batches(sql, PAGE)), log.events(0)):
        if theirs is not None and theirs["seq"] > head:
            return
        if ours is None or theirs is None or ours != tuple(theirs.values()):
            seq = ours[0] if ours else theirs["seq"] if theirs else head
            how = "another in the database than in this folder's copy" if theirs else "missing from the database"
            yield f"event {seq}", f"is {how}"
            return


def _accounts(site_dir: Path, copy: Reader, log: Log) -> Iterator[tuple[str, str]]:
    """Each event's account is the one that the plan in force gave its actor; the first plan's stands for what was before."""
    site = copy.site()
    if site.rehearsal:
        return
    plans = copy.rows("SELECT revision, document FROM plan_revision ORDER BY revision")
    accounts = {revision: _accounts_of(site_dir, document) for revision, document in plans}
    revisions = dict(copy.rows("SELECT seq, plan_revision FROM event"))
    adopted = {seq for (seq,) in copy.rows("SELECT seq FROM event WHERE kind = 'plan.adopted'")}
    for seq, actor, account in log.accounts():
        revision = revisions.get(seq, 0) - (seq in adopted)
        if actor == ENGINE or account == MOVED or revision < 1:
            continue
        expected = accounts[revision].get(actor)
        if account != expected:
            yield f"event {seq}", f"was appended by the account {account}; {actor}'s was {expected}"


def _accounts_of(site_dir: Path, document: str) -> dict[str, str | None]:
    return {person.id: person.account for person in load_plan(site_dir, document).people}


def _people(copy: Reader, log: Log) -> Iterator[tuple[str, str]]:
    """Who may append as whom is as the plan in force says."""
    if copy.site().revision == 0:
        return
    ours = {(person.id, person.account) for person in copy.people()}
    theirs = {(person, account) for person, account, _ in log.people()}
    for person, account in sorted(theirs ^ ours, key=str):
        where = "the database" if (person, account) in theirs else "the plan in force"
        yield f"person {person}", f"has the account {account} in {where} alone"


def _evidence(site_dir: Path, log: Log) -> Iterator[tuple[str, str]]:
    for digest in log.unlike_digest():
        yield f"evidence {digest[:12]}", "was changed in the database"
    kept = set(log.digests())
    for path in sorted((site_dir / "evidence" / "sha256").glob("??/*")):
        if len(path.name) == 64 and path.name not in kept:
            yield f"evidence {path.name[:12]}", "is missing from the database"
