"""Lending a role to another person."""

from datetime import datetime
from typing import Annotated, Any

from typer import Argument, Option

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import ReasonOption, instant
from clusterwright.output import say
from ledger.project_time import project_now
from ledger.questions.site import site_of
from ledger.subjects.people import decisions as people
from steps.stamps import minute


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
            help="As 2027-01-31, in the site's time.",
        ),
    ],
    reason: ReasonOption,
    since: Annotated[
        datetime | None, Option("--from", parser=instant, metavar="TIME", help="Now if not given.")
    ] = None,
) -> None:
    """Let another person act in one of your roles for a time.

    Example:
        clusterwright authority delegate quality-inspector --to operator --until 2027-01-31 --reason leave

    """
    with me.deciding() as decider:
        event: Any = decider.take(
            people.delegate,
            to,
            role,
            since=since or project_now(),
            until=until,
            reason=reason,
        )
        end = minute(event.payload.until, site_of(decider.snapshot).time_zone)
    say(f"{event.payload.delegation}: {to} may act as {role} until {end}")


def withdraw(
    me: Signing,
    delegation: Annotated[str, Argument(help="Its id; `authority` lists them.")],
    reason: ReasonOption,
) -> None:
    """End a delegation before its time.

    Example:
        clusterwright authority withdraw D-0001 --reason 'back from leave'

    """
    me.take(people.withdraw, delegation, reason)
    say(f"{delegation}: withdrawn")
