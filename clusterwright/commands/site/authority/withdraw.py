"""End a delegation before its time.

Example:
    clusterwright authority withdraw D-0001 --reason 'back from leave'

"""

from typing import Annotated

from typer import Argument

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import ReasonOption
from clusterwright.output import say
from ledger.subjects.people import decisions as people


def withdraw(
    me: Signing,
    delegation: Annotated[str, Argument(help="Its id; `authority` lists them.")],
    reason: ReasonOption,
) -> None:
    me.take(people.withdraw, delegation, reason)
    say(f"{delegation}: withdrawn")
