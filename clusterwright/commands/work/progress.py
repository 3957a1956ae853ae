"""Record how far the work has come.

A CSV has an activity a line. Columns: activity, items or percent, note, at and late_because. A cell that is empty is as the option
of its name says. Wrong lines are named, and the right ones are recorded at once.

Example:
    clusterwright progress 049@pod-001 --items 12 --note 'row 2 is closed'
    clusterwright progress 049@pod-001 --percent 40
    clusterwright progress '049@*' --percent 100
    clusterwright progress week.csv

"""

from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Deciding, Reporting
from clusterwright.commands.consequences import say_shut_out
from clusterwright.commands.options import NoteOption
from clusterwright.decision_file import lines_in, record_lines
from clusterwright.filled_lines import FilledLine
from ledger.subjects.work import decisions as work

COLUMNS = ("activity", "items", "percent", "note")


def progress(
    me: Reporting,
    activities: Annotated[
        list[str], Argument(metavar="ACTIVITY", help="Ids or patterns, as 034@pod-001 or '03*@*', or a CSV.")
    ],
    items: Annotated[int | None, Option(help="How many items are done.")] = None,
    percent: Annotated[float | None, Option(help="Or how much, in percent.")] = None,
    note: NoteOption = "",
) -> None:
    def of_line(decider: Deciding, line: FilledLine) -> None:
        done, share = line.whole("items"), line.number("percent")
        if done is None and share is None:
            done, share = items, percent
        about = line.text("activity")
        decider.take(work.progress, about, items_done=done, percent=share, note=line.text("note") or note)

    if lines := lines_in(activities, COLUMNS):
        say_shut_out(me, [line.text("activity") for line in lines])
        record_lines(me, lines, "activity", "noted", of_line)
        return
    say_shut_out(me, activities)
    me.each(
        activities,
        "noted",
        work.progress,
        items_done=items,
        percent=percent,
        note=note,
    )
