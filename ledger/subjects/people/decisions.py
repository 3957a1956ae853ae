"""Decisions about people: delegate a role for a time, revoke a key, and remove a name from the record."""

from __future__ import annotations

from ledger.evidence import names as documents
from ledger.questions.people import names
from ledger.stores.sqlite import write_anew
from ledger.subjects.people import making as made
from ledger.subjects.recording import about_site
from ledger.writing import Ledger

delegate = about_site(made.delegated)
withdraw = about_site(made.withdrawn)
revoke_key = about_site(made.key_revoked)
redact = about_site(made.person_redacted)


def take_away(ledger: Ledger) -> int:
    """Remove the documents that name redacted people, and write the ledger file anew without the names.

    Return how many documents were removed. Call it after `redact`, and again if a removal was interrupted.
    """
    with ledger.write() as writing:
        redacted = [name.id for name in names(writing.at()) if name.redacted]
        digests = [digest for person in redacted for digest in documents.documents_of(ledger.site_dir, person)]
        documents.forget(ledger.site_dir, digests)
    if redacted:
        write_anew(ledger.log.engine)
    return len(digests)
