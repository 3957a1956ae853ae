"""Recording the items of an activity: one by hand, or many from a file."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.check_file import read_checks
from clusterwright.check_view import tell_recorded
from clusterwright.commands.acting import Reporting
from clusterwright.commands.handing import say_shut_out
from clusterwright.commands.options import ActivityId, JsonOption, NoteOption
from clusterwright.output import say
from ledger.entries import ItemEntry, reading_of
from ledger.subjects.checklists import decisions as checklists


def item(
    me: Reporting,
    activity: ActivityId,
    item: Annotated[str, Argument(metavar="ITEM", help="Which one, as the plan calls it.")],
    readings: Annotated[
        list[str] | None, Argument(metavar="[METRIC=VALUE...]", help="As rack.bond_resistance=0.05ohm.")
    ] = None,
    fail: Annotated[bool, Option("--fail", help="It is not good; say why with --note.")] = False,
    note: NoteOption = "",
    serial: Annotated[str | None, Option(help="The serial number of what is there.")] = None,
    photo: Annotated[list[Path] | None, Option(help="A picture of it.")] = None,
    source: Annotated[str, Option(help="The instrument or document.")] = "checklist",
    as_json: JsonOption = False,
) -> None:
    """Record one item as you found it.

    Example:
        clusterwright check item H08@pod-001 hall-1/row-02/rack-01 rack.bond_resistance=50mohm --serial RK-0417
        clusterwright check item H08@pod-001 hall-1/row-02/rack-02 --fail --note 'door is bent'

    """
    say_shut_out(me, [activity])
    given = tuple(reading_of(text) for text in readings or ())
    entry = ItemEntry(item, not fail, given, note, serial, tuple(photo or ()))
    tell_recorded(
        me.take(
            checklists.check,
            activity,
            [entry],
            source=source,
        ),
        1,
        as_json,
    )


def import_(
    me: Reporting,
    activity: ActivityId,
    file: Annotated[Path, Argument(metavar="FILE", help="The CSV.")],
    source: Annotated[str | None, Option(help="The instrument or document; the file's name.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Record a CSV that came back from the field.

    All of it is recorded, or none. Rows that say what the record says already change nothing. Columns: item, result, note, photo,
    serial, and metrics with their unit, as `rack.bond_resistance [mohm]`.

    Example:
        clusterwright check import H08@pod-001 field.csv

    """
    read = read_checks(file)
    say_shut_out(me, [activity])
    entries, said_by = read.entries, source or file.name
    done = me.take(
        checklists.check,
        activity,
        entries,
        source=said_by,
        skip_recorded=True,
    )
    tell_recorded(done, len(entries), as_json)
    if read.empty:
        say(f"rows that say nothing yet: {read.empty}")
