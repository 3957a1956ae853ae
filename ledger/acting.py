"""Who acts at a site: the people of the account or, where decisions are signed, the one who has a person's key at hand.

On a signed site the account plays no part: several people may share one, and root may be any. A decision that is not signed
itself is taken only after the key has signed a text that nobody could know before. A rehearsal has no keys of people.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ledger.account import account_of
from ledger.machine_time import machine_time
from ledger.questions.people import people, person_for_account
from ledger.questions.records import signer_keys, valid_key
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.trust import ssh
from schedule.errors import ClusterwrightError, NotSatisfiedError

NAMESPACE = "clusterwright-who"
"""The namespace of signatures that show who acts. They are not stored, and no decision can be signed in it."""


def is_by_key(snapshot: Snapshot) -> bool:
    """Return whether only keys say who acts. That is so if the owner of the site has one, and it is no rehearsal."""
    owner_key, rehearsal = snapshot.first("SELECT owner_key, rehearsal FROM site")
    return owner_key is not None and not rehearsal


def people_here(snapshot: Snapshot, key: Path | None = None) -> list[str]:
    """Return the people as whom this account may act. On a signed site, those whose public keys are at hand."""
    if not is_by_key(snapshot):
        account = account_of(snapshot.site_dir)
        return [person.id for person in person_for_account(snapshot, account)]
    known = [person.id for person in people(snapshot)]
    return [person for person in known if _is_at_hand(valid_key(snapshot, person), key)]


def _is_at_hand(public: str | None, key: Path | None) -> bool:
    """Return whether a public key is that of the named key file or, if none is named, of a key in ~/.ssh."""
    if public is None:
        return False
    named = key or (Path(os.environ["CLUSTERWRIGHT_KEY"]) if "CLUSTERWRIGHT_KEY" in os.environ else None)
    try:
        if named is None:
            ssh.find_key(public, None)
            return True
        beside = named if named.suffix == ".pub" else named.with_name(f"{named.name}.pub")
        return ssh.plain_key(beside.read_text(encoding="utf-8")) == public
    except (ClusterwrightError, OSError, UnicodeDecodeError):
        return False


def key_of(snapshot: Snapshot, person: str, key: Path | None = None) -> Path:
    """Return the file of the key with which a person signs here. Raise if the site knows no key of theirs, or it is not at hand."""
    public = valid_key(snapshot, person)
    if public is None:
        raise NotSatisfiedError(
            f"this site knows no key of {person}, and only keys say who acts here",
            hint="write `ssh_key` in site.yaml; then the owner adopts the plan",
        )
    return ssh.find_key(public, key)


def require_key(snapshot: Snapshot, person: str) -> None:
    """Raise unless a person's key signs a new text now. OpenSSH may ask for its passphrase.

    It does nothing where the account says who acts.
    """
    if not is_by_key(snapshot):
        return
    from ledger.trust import sshsig  # OpenSSL is slow to import

    key = key_of(snapshot, person)
    text = f"{person} acts at {site_of(snapshot).uuid}: {secrets.token_hex(16)}\n"
    signature = ssh.sign(text, key, NAMESPACE)
    keys = signer_keys(snapshot, person)
    why = sshsig.refusal(text, signature, person, keys, NAMESPACE, machine_time())
    if why is not None:
        raise NotSatisfiedError(
            f"{key} is not a key of {person}: {why}", hint="act as the person whose key it is, with --as ID"
        )
