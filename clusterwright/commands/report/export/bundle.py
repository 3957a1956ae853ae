"""Write the turnover package, with a script that verifies it.

It holds events, statements, signatures and evidence. OpenSSH and coreutils are enough to verify it. The owner's key signs
it: with --key, or later the file `manifest` in it. Without that it proves no more than its chain.

Example:
    clusterwright export bundle turnover
    clusterwright export bundle turnover --key ~/.ssh/id_ed25519

"""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.commands.options import KeyOption, SiteOption
from clusterwright.output import say
from clusterwright.where import find_site
from ledger.trust.package import write_package


def bundle(
    folder: Annotated[Path, Argument(help="A new folder.")],
    key: KeyOption = None,
    site: SiteOption = None,
) -> None:
    made = write_package(find_site(site), folder, key)
    signed = f"{made.statements} signed statements, {made.of_engine} signatures of the engine"
    say(f"{folder}: {made.events} events, {signed}, {made.evidence} files of evidence")
    say(f"head {made.head}; verify it with {folder}/verify.sh")
    if made.to_sign:
        say(f"chain only until the owner signs it: {made.to_sign}")
