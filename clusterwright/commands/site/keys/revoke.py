"""Let a person's key count no longer.

It counts no longer from now, or from when it was lost (--at). What it signed before still holds. If it was lost earlier than
was known, revoke it again with that time. A time before a person's present key ends the key that they had then.

Example:
    clusterwright keys revoke operator --reason 'laptop lost' --at 2026-11-20

"""

from typing import Annotated, Any

from typer import Argument

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import AtOption, ReasonOption
from clusterwright.output import say
from ledger.questions.records import valid_key
from ledger.questions.site import site_of
from ledger.subjects.people.decisions import revoke_key
from steps.stamps import at_site, minute


def revoke(
    me: Signing,
    person: Annotated[str, Argument(help="Whose key.")],
    reason: ReasonOption,
    since: AtOption = None,
) -> None:
    with me.deciding() as decider:
        event: Any = decider.take(revoke_key, person, reason, since=since)
        zone = site_of(decider.snapshot).time_zone
        other = valid_key(decider.snapshot, person)
    ends = event.payload.since
    if since is not None and ends < at_site(since, zone):
        say("a revocation counts at once, and not from a later time on")
    say(f"the key of {person} counts no longer; what it signed before {minute(ends, zone)} still holds")
    if other not in {None, event.payload.key}:
        say(f"that was the key of {person} then; their present one still counts, and is revoked without --at")
