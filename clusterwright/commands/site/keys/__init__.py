"""See whose keys count, and revoke one.

site.yaml proposes a person's key (`ssh_key`), and adopting the plan enrols it. Without a verb every key is listed that
counts or counted.

Example:
    clusterwright keys
    clusterwright keys revoke operator --reason 'laptop lost' --at 2026-12-01

"""

from clusterwright.commands.asking import Asking, record
from clusterwright.commands.options import SiteOption
from clusterwright.output import Cells
from ledger.questions.records import signer_keys
from ledger.questions.site import site_of
from ledger.rules.rows import SignerKey
from ledger.trust import ssh
from steps.stamps import minute


def keys(ask: Asking) -> None:
    with ask.record() as snapshot:
        zone = site_of(snapshot).time_zone

        def cells(r: SignerKey) -> Cells:
            return r.person, minute(r.since, zone), minute(r.until, zone), r.reason, r.key[:60]

        ask.table(snapshot, signer_keys(snapshot), ("person", "since", "until", "why", "key"), cells)


def allowed_signers(site: SiteOption = None) -> None:
    """Print the allowed_signers file, as ssh-keygen(1) reads it.

    Example:
        clusterwright keys allowed-signers

    """
    with record(site) as snapshot:
        namespace = ssh.namespace_of(rehearsal=site_of(snapshot).rehearsal)
        keys = signer_keys(snapshot)
    print(ssh.allowed_signers(keys, namespace), end="")
