"""Release an automated step that changes hosts.

A release is for these hosts and this playbook, once. It lapses when either changes.

Example:
    clusterwright release 143@site

"""

import typer

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import ActivityId, YesOption
from clusterwright.output import say
from flows.runs.bundle.digest import short
from flows.runs.releases.terms import Terms, release_terms
from ledger.subjects.runs import decisions as sign_off
from schedule.errors import InputError


def release(
    me: Signing,
    activity: ActivityId,
    yes: YesOption = False,
) -> None:
    with me.record() as snapshot:
        terms = release_terms(snapshot, activity)
        me.person(snapshot)  # nobody is asked who may not act
    count = len(terms.hosts)
    runs = f"runs {terms.playbook} [{short(terms.digest)}] on {count} hosts"
    say(f"{activity} ({terms.effect}) {runs}: {', '.join(terms.hosts[:12])}")
    if not yes:
        _ask(activity, terms)
    me.once(
        activity,
        "released",
        sign_off.release,
        hosts=terms.hosts,
        count=count,
        playbook_digest=terms.digest,
    )


def _ask(activity: str, terms: Terms) -> None:
    if terms.effect == "destructive":
        if typer.prompt("It destroys data. Type the activity's id to release it") != activity:
            raise InputError("that is not its id; nothing released")
    elif not typer.confirm("Release it?"):
        raise InputError("nothing released")
