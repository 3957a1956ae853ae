"""Print the allowed_signers file, as ssh-keygen(1) reads it.

Example:
    clusterwright keys allowed-signers

"""

from clusterwright.commands.asking import record
from clusterwright.commands.options import SiteOption
from ledger.questions.records import signer_keys
from ledger.questions.site import site_of
from ledger.trust import ssh


def allowed_signers(site: SiteOption = None) -> None:
    with record(site) as snapshot:
        namespace = ssh.namespace_of(rehearsal=site_of(snapshot).rehearsal)
        keys = signer_keys(snapshot)
    print(ssh.allowed_signers(keys, namespace), end="")
