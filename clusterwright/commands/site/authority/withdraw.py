"""End a delegation before its time.

Example:
    clusterwright authority withdraw D-0001 --reason 'back from leave'

"""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import ReasonOption
from clusterwright.output import say
from ledger.decisions import people


def withdraw(
    me: Signing,
    delegation: Annotated[str, typer.Argument(help="Its id; `authority` lists them.")],
    reason: ReasonOption,
) -> None:
    me.take(people.withdraw, delegation, reason)
    say(f"{delegation}: withdrawn")
