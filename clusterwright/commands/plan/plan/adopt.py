"""Put the plan in force as the next revision.

The engine reads nothing else. The first adoption makes the site's ledger, and is the baseline, against which plan and forecast
are held. It stays the baseline until --baseline puts another revision in its place, with a reason. The first adoption also commits
to dates: P80, or P50 if site.yaml says `commit_to: P50`. They stay until --recommit, with a reason.

Example:
    clusterwright plan adopt --as owner --reason 'second hall'
    clusterwright plan adopt --as owner --baseline 'contract 2' --reason 'change order 7 was agreed'
    clusterwright plan adopt --as owner --recommit --reason 'the utility is half a year late'
    clusterwright plan adopt --dry-run

"""

from importlib import import_module
from threading import Thread
from typing import Annotated

import typer
from typer import Option

from clusterwright.adoption import prepared
from clusterwright.commands.acting import Acting, Signing
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import YesOption
from clusterwright.output import day, say
from clusterwright.where import find_site
from ledger.project_time import project_now
from ledger.questions.forecast_words import days_words
from ledger.stores.following import has_ledger
from schedule.errors import InputError
from steps.planning.checks.approvers import unsignable_lines
from steps.planning.plan import Plan
from steps.stamps import days_between


def adopt(
    me: Signing,
    reason: Annotated[str | None, Option(help="Why this revision. --baseline and --recommit ask for it.")] = None,
    baseline: Annotated[str | None, Option(metavar="NAME", help="Let it be the baseline, under this name.")] = None,
    recommit: Annotated[
        bool, Option("--recommit", help="Commit anew, to dates that follow from what happened.")
    ] = False,
    rehearsal: Annotated[bool, Option("--rehearsal", help="A new ledger is for rehearsing only.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would change.")] = False,
    yes: YesOption = False,
) -> None:
    folder = find_site(me.site)
    replaced = [name for name, is_new in (("baseline", baseline is not None), ("commitment", recommit)) if is_new]
    if replaced and reason is None and has_ledger(folder):
        raise InputError(
            f"a {' and a '.join(replaced)} is replaced for a reason",
            hint="add --reason 'why the dates that were promised change'",
        )
    # what writes takes half a second to load, and while dates are worked out a processor is idle
    Thread(target=import_module, args=("clusterwright.adopting",)).start()
    adoption = prepared(
        folder, me.who, me.key, rehearsal=rehearsal, recommit=recommit, baseline=baseline, dry_run=dry_run
    )
    if adoption.in_force is not None:
        say(f"nothing to adopt: the plan in force, revision {adoption.in_force}, is the same")
        return
    for line in unsignable_lines(adoption.plan):
        say(f"! {line}")
    if adoption.is_first:
        _say_what_is_gone(adoption.plan)
    if dry_run:
        say(f"would be {adoption.summary}; nothing adopted (dry run)")
        return
    if not yes and not typer.confirm(f"would be {adoption.summary}. Adopt as {adoption.person}?"):
        say("nothing adopted")
        return
    from clusterwright.adopting import adopt_prepared

    revision = adopt_prepared(
        adoption, reason=reason or "first plan", baseline=baseline, rehearsal=rehearsal, key=me.key
    )
    say(f"adopted {adoption.summary}; revision {revision}")
    if not rehearsal:
        say_what_moves(Acting(me.site, me.who))


def _say_what_is_gone(plan: Plan) -> None:
    """Say how much of a plan is in the past: the forecast is later by all that nobody has recorded."""
    gone = days_between(plan.start, project_now(), plan.time_zone)
    if gone > 0:
        say(
            f"! the plan begins {days_words(gone)} before today, on {day(plan.start, plan.time_zone)}: record what was done since with "
            "`clusterwright import-progress`, or set a later `start` in site.yaml"
        )
