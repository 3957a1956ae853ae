"""Let a person's key count no longer.

It counts no longer from now, or from when it was lost (--at). What it signed before still holds.

Example:
    clusterwright keys revoke operator --reason 'laptop lost' --at 2026-12-01

"""

from typing import Annotated, Any

from typer import Argument

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import AtOption, ReasonOption
from clusterwright.output import say
from ledger.decisions.people import revoke_key
from ledger.questions.site import site_of
from steps.stamps import minute


def revoke(
    me: Signing,
    person: Annotated[str, Argument(help="Whose key.")],
    reason: ReasonOption,
    since: AtOption = None,
) -> None:
    with me.deciding() as decider:
        event: Any = decider.take(revoke_key, person, reason, since=since)
        until = minute(event.payload.since, site_of(decider.snapshot).time_zone)
    say(f"the key of {person} counts no longer; what it signed before {until} still holds")
