"""Which site a command means, and who acts."""

import os
from pathlib import Path

from clusterwright.output import say
from ledger.account import account_of
from ledger.private import close_to_others
from ledger.questions.people import PersonRow, people
from ledger.questions.snapshot import Snapshot
from schedule.errors import InputError, NotSatisfiedError

SITE_FILE = "site.yaml"


def find_site(given: Path | None) -> Path:
    """Return the site's folder: the one given, CLUSTERWRIGHT_SITE, or the first upward with a site.yaml."""
    folder = site_if_any(given)
    if folder is None:
        raise InputError(
            f"no {SITE_FILE} here or above",
            hint="go to a site's folder, or name it with --site DIR; `clusterwright init DIR` makes a new one",
        )
    closed = close_to_others(folder)
    if closed:
        say(
            f"{folder}: other accounts had permissions on {closed:,} files and folders of the record; now only yours has"
        )
    return folder


def site_if_any(given: Path | None) -> Path | None:
    """Return the site's folder, or None where none is named and there is none here or above."""
    if given is None and "CLUSTERWRIGHT_SITE" in os.environ:
        given = Path(os.environ["CLUSTERWRIGHT_SITE"])
    if given is None:
        here = Path.cwd()
        upward = (here, *here.parents)
        return next((folder for folder in upward if (folder / SITE_FILE).exists()), None)
    folder = given.parent if given.name == SITE_FILE else given
    if not (folder / SITE_FILE).exists():
        raise InputError(f"{folder} has no {SITE_FILE}", hint="`clusterwright init DIR` writes one")
    return folder.resolve()


def acting_person(
    snapshot: Snapshot,
    claimed: str | None,
    key: Path | None = None,
) -> str:
    """Return the person who acts by the account: the operating system's, or the database role of a shared ledger.

    The account says who acts. `--as ID` chooses among the people of one account and proves nothing more. On a signed site it
    names any person, and their key proves it when they decide.
    """
    from ledger.acting import is_by_key, people_here  # OpenSSH, which commands that only look do not need

    if is_by_key(snapshot):
        return known_person(snapshot, claimed).id if claimed is not None else _by_key_at_hand(snapshot, key)
    account = account_of(snapshot.site_dir)
    mine = people_here(snapshot)
    if claimed is not None:
        if claimed in mine:
            return claimed
        known = known_person(snapshot, claimed)
        raise NotSatisfiedError(
            f"the account {account!r} may not act as {claimed!r}",
            hint=f"in site.yaml {claimed} has the account {known.account or 'of nobody'}; change it there and adopt the plan again",
        )
    if not mine:
        raise NotSatisfiedError(
            f"no person at this site has the account {account!r}",
            hint=f"write `account: {account}` for a person in site.yaml and adopt the plan again",
        )
    if len(mine) > 1:
        raise InputError(f"the account {account!r} is that of {', '.join(mine)}", hint="say which with --as ID")
    return mine[0]


def _by_key_at_hand(snapshot: Snapshot, key: Path | None) -> str:
    """Return the person whose key is at hand. Raise if there is none, or if there are several."""
    from ledger.acting import people_here

    here = people_here(snapshot, key)
    if len(here) != 1:
        found = f"the keys of {', '.join(here)} are at hand" if here else "no key of anybody at this site is at hand"
        raise InputError(f"only a key says who acts at this site, and {found}", hint="say who you are with --as ID")
    return here[0]


def known_person(snapshot: Snapshot, name: str) -> PersonRow:
    """Return a person in force. Raise for an unknown id, with those there are."""
    known = {person.id: person for person in people(snapshot)}
    if name not in known:
        raise InputError(f"nobody at this site is called {name!r}", hint="people: " + ", ".join(known))
    return known[name]
