"""End a delegation before its time.

Example:
    clusterwright authority withdraw D-0001 --reason 'back from leave'

"""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.acting import take
from clusterwright.commands.options import AsOption, KeyOption, ReasonOption, SiteOption
from clusterwright.output import say
from ledger.decisions import people


def withdraw(
    delegation: Annotated[str, typer.Argument(help="Its id; `authority` lists them.")],
    reason: ReasonOption,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take(site, who, key, people.withdraw, delegation, reason)
    say(f"{delegation}: withdrawn")
