"""`clusterwright export`: what leaves the site for others to check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clusterwright.commands.options import SiteOption

app = typer.Typer(no_args_is_help=True, help="Write packages for others.")


@app.callback()
def export() -> None:
    """Write packages for others."""


@app.command()
def bundle(folder: Annotated[Path, typer.Argument(help="A new folder.")], site: SiteOption = None) -> None:
    """Write the turnover package: events, statements, signatures, evidence, and a script that verifies them."""
    from clusterwright.output import say
    from clusterwright.where import find_site
    from ledger.trust.package import write_package

    made = write_package(find_site(site), folder)
    say(f"{folder}: {made.events} events, {made.statements} signed statements, {made.evidence} files of evidence")
    say(f"head {made.head}; verify it with {folder}/verify.sh")
