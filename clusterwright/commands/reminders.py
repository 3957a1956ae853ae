"""`clusterwright reminders`: who is to be reminded of what, for people, or for a mail that cron sends."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.options import AsOfOption, JsonOption, SiteOption
from ledger.questions.people import people
from ledger.questions.reminders import reminders as due
from ledger.questions.site import site_of
from steps.errors import InputError


def reminders(
    person: Annotated[str | None, typer.Option("--person", help="Only this person's.", metavar="ID")] = None,
    days: Annotated[int, typer.Option("--days", min=0, help="How many days ahead.")] = 14,
    site: SiteOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what each person is to be reminded of: what waits, is due or overdue, ends, or is to be told."""
    from clusterwright.as_of import dated, open_reader, print_when
    from clusterwright.output import day, print_json, say, table
    from clusterwright.where import find_site

    with open_reader(find_site(site), as_of) as reader:
        known = [row.id for row in people(reader)]
        if person is not None and person not in known:
            raise InputError(f"nobody at this site is called {person!r}", hint="people: " + ", ".join(known))
        rows = due(reader, days=days, person=person)
        if as_json:
            print_json(dated(reader, rows))
            return
        print_when(reader)
        if not rows:
            say(f"nobody is to be reminded of anything within {days} days")
            return
        zone = site_of(reader).time_zone
        table(
            ("person", "", "due", "waits since", "what", "about", "", "do"),
            [
                (r.person, r.urgency.value, r.due or "", day(r.since, zone), r.kind, r.subject, r.what, r.command)
                for r in rows
            ],
        )
