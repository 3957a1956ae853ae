"""Let another person act in one of your roles for a time.

Example:
    clusterwright authority delegate quality-inspector --to operator --until 2027-01-31 --reason leave

"""

from datetime import datetime
from typing import Annotated, Any

from typer import Argument, Option

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import ReasonOption, instant
from clusterwright.output import say
from ledger.decisions import people
from ledger.project_time import project_now


def delegate(
    me: Signing,
    role: Annotated[str, Argument(help="The role, as `catalog roles` names it.")],
    to: Annotated[str, Option(metavar="ID", help="Who may act in it.")],
    until: Annotated[
        datetime,
        Option(
            "--until",
            parser=instant,
            metavar="TIME",
            help="As 2027-01-31.",
        ),
    ],
    reason: ReasonOption,
    since: Annotated[
        datetime | None, Option("--from", parser=instant, metavar="TIME", help="Now if not given.")
    ] = None,
) -> None:
    begin = since or project_now()
    event: Any = me.take(
        people.delegate,
        to,
        role,
        since=begin,
        until=until,
        reason=reason,
    )
    say(f"{event.payload.delegation}: {to} may act as {role} until {until:%Y-%m-%d}")
