"""Record how far the work has come.

Example:
    clusterwright progress 049@pod-001 --items 12 --note 'row 2 is closed'
    clusterwright progress 049@pod-001 --percent 40
    clusterwright progress '049@*' --percent 100

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.handing import say_shut_out
from clusterwright.commands.options import Activities, NoteOption
from ledger.subjects.work import decisions as work


def progress(
    me: Reporting,
    activities: Activities,
    items: Annotated[int | None, Option(help="How many items are done.")] = None,
    percent: Annotated[float | None, Option(help="Or how much, in percent.")] = None,
    note: NoteOption = "",
) -> None:
    say_shut_out(me, activities)
    me.each(
        activities,
        "noted",
        work.progress,
        items_done=items,
        percent=percent,
        note=note,
    )
