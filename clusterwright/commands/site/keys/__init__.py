"""See whose keys count, and revoke one.

site.yaml proposes a person's key (`ssh_key`), and adopting the plan enrols it. Without a verb every key is listed that
counts or counted.

Example:
    clusterwright keys
    clusterwright keys revoke operator --reason 'laptop lost' --at 2026-12-01

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import Cells
from ledger.questions.records import signer_keys
from ledger.rules.rows import SignerKey


def keys(ask: Asking) -> None:
    with ask.record() as snapshot:
        ask.table(snapshot, signer_keys(snapshot), ("person", "since", "until", "why", "key"), _cells)


def _cells(r: SignerKey) -> Cells:
    until = f"{r.until:%Y-%m-%d %H:%M}" if r.until else ""
    return r.person, f"{r.since:%Y-%m-%d %H:%M}", until, r.reason, r.key[:60]
