"""Releasing a step that changes hosts, and before that a look at what it would change."""

import typer

from clusterwright.commands.acting import Signing
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import ActivityId, YesOption
from clusterwright.output import clean, print_json, say
from clusterwright.previewing import preview as look
from flows.runs.bundle.digest import short
from flows.runs.releases.terms import Terms, release_terms
from ledger.private import private_files
from ledger.subjects.runs import decisions
from schedule.errors import InputError


def preview(ask: Asking, activity: ActivityId) -> None:
    """Show what an automated step would change on its hosts.

    Its playbook runs in check mode, and nothing is changed. What it showed is kept for those who release it.

    Example:
        clusterwright preview 143@site

    """
    with private_files():
        seen = look(ask.folder, activity)
    text = seen.text.decode("utf-8", "replace")
    if ask.as_json:
        print_json({"activity": activity, "summary": seen.summary, "differences": text})
        return
    print(clean(text))
    say(f"{activity}: {seen.summary}; nothing was changed")


def release(me: Signing, activity: ActivityId, yes: YesOption = False) -> None:
    """Release an automated step that changes hosts.

    A release is for these hosts and this playbook, once. It lapses when either changes.

    Example:
        clusterwright release 143@site

    """
    with me.record() as snapshot:
        terms = release_terms(snapshot, activity)
        me.person(snapshot)  # nobody is asked who may not act
    count = len(terms.hosts)
    runs = f"runs {terms.playbook} [{short(terms.digest)}] on {count} host{'' if count == 1 else 's'}"
    say(f"{activity} ({terms.effect}) {runs}: {', '.join(terms.hosts[:12])}")
    if not yes:
        _ask(activity, terms)
    me.once(activity, "released", decisions.release, hosts=terms.hosts, count=count, playbook_digest=terms.digest)


def _ask(activity: str, terms: Terms) -> None:
    if terms.effect == "destructive":
        if typer.prompt("It destroys data. Type the activity's id to release it") != activity:
            raise InputError("that is not its id; nothing released")
    elif not typer.confirm("Release it?"):
        raise InputError("nothing released")
