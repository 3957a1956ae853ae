"""List what each person is to be reminded of.

That is what waits, is due or overdue, ends, or is to be said to somebody. Cron can mail it.

Example:
    clusterwright reminders --days 7
    clusterwright reminders --person operator --json

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.output import Cells, day
from clusterwright.where import known_person
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions import reminders as questions
from ledger.questions.decisions_needed import decisions_needed, decisions_words
from ledger.questions.reminders import ReminderRow
from ledger.questions.site import site_of


def reminders(
    ask: AskingPast,
    person: Annotated[str | None, Option(help="Only this person's.", metavar="ID")] = None,
    days: Annotated[int, Option(min=0, help="How many days ahead.")] = 14,
) -> None:
    with ask.record() as snapshot:
        if person is not None:
            known_person(snapshot, person)
        lapsed = lapsed_releases(snapshot)
        rows = questions.reminders(snapshot, days=days, person=person, lapsed=lapsed)
        zone = site_of(snapshot).time_zone
        headers = ("person", "", "due", "waits since", "what", "about", "", "do")
        empty = f"nobody is to be reminded of anything within {days} days"
        ask.table(snapshot, rows, headers, lambda row: _cells(row, zone), empty=empty)
        if not ask.as_json and person is None:
            print(decisions_words(decisions_needed(snapshot, lapsed)))


def _cells(r: ReminderRow, zone: str) -> Cells:
    when = (r.urgency.value, r.due, day(r.since, zone))
    return r.person or "nobody", *when, r.kind, r.subject, r.what, r.command
