"""Write the turnover package, with a script that verifies it.

It holds events, statements, signatures and evidence. OpenSSH and coreutils are enough to verify it.

Example:
    clusterwright export bundle turnover

"""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.commands.options import SiteOption
from clusterwright.output import say
from clusterwright.where import find_site
from ledger.trust.package import write_package


def bundle(
    folder: Annotated[Path, Argument(help="A new folder.")],
    site: SiteOption = None,
) -> None:
    made = write_package(find_site(site), folder)
    signed = f"{made.statements} signed statements, {made.of_engine} signatures of the engine"
    say(f"{folder}: {made.events} events, {signed}, {made.evidence} files of evidence")
    say(f"head {made.head}; verify it with {folder}/verify.sh")
