"""See by which version of the rules events are judged, or put this program's version in force.

Only the owner raises it, and nobody lowers it. The events before stay judged by the earlier version.

Example:
    clusterwright authority rules
    clusterwright authority rules --raise --reason 'every decision is judged'

"""

from typing import Annotated, Any

from typer import Option

from clusterwright.commands.acting import Signing
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import JsonOption
from clusterwright.output import say
from clusterwright.record_health import say_what_is_missing
from ledger.questions.site import RAISE, RulesInForce, rules_in_force, site_of
from ledger.subjects.plan.decisions import raise_rules
from schedule.errors import InputError
from steps.stamps import minute


def rules(
    me: Signing,
    to_raise: Annotated[bool, Option("--raise", help="Put this program's version in force.")] = False,
    reason: Annotated[str, Option(help="Why; it stays on record.")] = "",
    as_json: JsonOption = False,
) -> None:
    if reason and not to_raise:
        raise InputError("a reason is for raising the rules", hint=f"`{RAISE}`")
    if to_raise:
        event: Any = me.take(raise_rules, reason)
        say(f"version {event.payload.rules} of the rules is in force from event {event.seq} on")
    with me.record() as snapshot:
        found = rules_in_force(snapshot)
        if to_raise:
            say_what_is_missing(snapshot)
        Asking(me.site, as_json).answer(snapshot, found, lambda: _print(found, site_of(snapshot).time_zone))


def _print(found: RulesInForce, zone: str) -> None:
    print(
        f"version {found.version} of the rules is in force since event {found.since_event} "
        f"({minute(found.since, zone)}, {found.by}); this program knows version {found.newest}"
    )
    if found.since_event > 1:
        print(f"events 1 to {found.since_event - 1} stay judged by the earlier version")
    if not found.is_newest:
        print(f"the owner puts version {found.newest} in force: {RAISE}")
