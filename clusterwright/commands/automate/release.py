"""Release an automated step that changes hosts.

A release is for these hosts and this playbook, once. It lapses when either changes.

Example:
    clusterwright release 143@site

"""

from __future__ import annotations

import typer

from clusterwright.commands.acting import deciding, say_done
from clusterwright.commands.options import ActivityId, AsOption, KeyOption, SiteOption, YesOption
from clusterwright.looking import record
from clusterwright.output import say
from clusterwright.releasing import Terms, release_terms
from clusterwright.where import acting_person
from ledger.decisions import sign_off
from steps.errors import InputError


def release(
    activity: ActivityId,
    yes: YesOption = False,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    with record(site) as snapshot:
        terms, person = release_terms(snapshot, activity), acting_person(snapshot, who)
    count = len(terms.hosts)
    runs = f"runs {terms.playbook} [{terms.digest[:12]}] on {count} hosts"
    say(f"{activity} ({terms.effect}) {runs}: {', '.join(terms.hosts[:12])}")
    if not yes:
        _ask(activity, terms)
    with deciding(snapshot.site_dir, person, key) as me:
        event = me.take(
            sign_off.release,
            activity,
            hosts=terms.hosts,
            count=count,
            playbook_digest=terms.digest,
        )
    say_done(activity, "released", event)


def _ask(activity: str, terms: Terms) -> None:
    if terms.effect == "destructive":
        if typer.prompt("It destroys data. Type the activity's id to release it") != activity:
            raise InputError("that is not its id; nothing released")
    elif not typer.confirm("Release it?"):
        raise InputError("nothing released")
