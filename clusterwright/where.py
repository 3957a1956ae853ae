"""Which site a command means, and who gives it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.questions.people import people, person_for_account
from steps.errors import InputError, NotSatisfiedError

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot

SITE_FILE = "site.yaml"


def find_site(given: Path | None) -> Path:
    """Give the site's folder: the one given, CLUSTERWRIGHT_SITE, or the first upward with a site.yaml."""
    if given is None and "CLUSTERWRIGHT_SITE" in os.environ:
        given = Path(os.environ["CLUSTERWRIGHT_SITE"])
    if given is not None:
        folder = given.parent if given.name == SITE_FILE else given
        if not (folder / SITE_FILE).exists():
            raise InputError(f"{folder} has no {SITE_FILE}", hint="`clusterwright init DIR` writes one")
        return folder.resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / SITE_FILE).exists():
            return folder
    raise InputError(
        f"no {SITE_FILE} here or above",
        hint="go to a site's folder, or give --site DIR; `clusterwright init DIR` makes a new one",
    )


def acting_person(reader: Snapshot, claimed: str | None) -> str:
    """Give the person the account stands for: the operating system's, or the database role of a shared ledger.

    The account says who acts. `--as ID` chooses among the people of one account and proves nothing more.
    """
    from ledger.account import account_of

    account = account_of(reader.site_dir)
    mine = person_for_account(reader, account)
    ids = [person.id for person in mine]
    if claimed is not None:
        if claimed in ids:
            return claimed
        known = {person.id: person for person in people(reader)}
        if claimed not in known:
            raise InputError(f"nobody at this site is called {claimed!r}", hint="people: " + ", ".join(known))
        raise NotSatisfiedError(
            f"the account {account!r} may not act as {claimed!r}",
            hint=f"in site.yaml {claimed} has the account {known[claimed].account!r}; "
            "change it there and adopt the plan again",
        )
    if not ids:
        raise NotSatisfiedError(
            f"no person at this site has the account {account!r}",
            hint="give someone `account: " + account + "` in site.yaml and adopt the plan again",
        )
    if len(ids) > 1:
        raise InputError(f"the account {account!r} stands for {', '.join(ids)}", hint="say which with --as ID")
    return ids[0]
