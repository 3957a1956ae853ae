"""Recording the items of an activity: one by hand, many from a file, or one after the other with a scanner."""

import json
import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.check_file import read_checks
from clusterwright.check_view import tell_recorded
from clusterwright.commands.acting import Acting, Deciding, Reporting
from clusterwright.commands.consequences import say_shut_out
from clusterwright.commands.options import ActivityId, JsonOption, NoteOption
from clusterwright.output import Document, in_line, say
from ledger.entries import ItemEntry, reading_of
from ledger.subjects.checklists import decisions as checklists
from schedule.errors import ClusterwrightError, InputError, UnreachableError
from schedule.text import shown_in_json


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


def scan(me: Acting, activity: ActivityId, as_json: JsonOption = False) -> None:
    """Record items from a barcode scanner, one a line.

    A line is an item, or an item and its serial number. Each is answered at once: a scanner is a keyboard that ends every code
    with Enter.

    Example:
        clusterwright check scan H08@pod-001

    """
    say_shut_out(me, [activity])
    refused = 0
    with me.deciding() as decider:
        decider.take(checklists.check, activity, ())  # who may not check hears it before the first item
        if sys.stdin.isatty():
            say(f"{activity}: scan items; Ctrl-D ends")
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")  # a garbled code is an unknown item
        for line in iter(sys.stdin.readline, ""):
            if line.strip():
                answer = _answer(decider, activity, line)
                refused += answer["answer"] == "refused"
                said = shown_in_json(json.dumps(answer, ensure_ascii=False)) if as_json else _in_words(answer)
                print(said, flush=True)
    if refused:
        raise InputError(f"{refused} scans were refused", hint="what was answered ok is recorded")


def _answer(decider: Deciding, activity: str, line: str) -> Document:
    try:
        found = decider.take(checklists.scan, activity, line)
    except UnreachableError:
        raise
    except ClusterwrightError as error:
        return {
            "answer": "refused",
            "item": line.strip()[:100],
            "why": error.what,
            "hint": error.hint,
        }
    answer = "already" if found.already else "ok"
    return {"answer": answer, "item": found.item, "passed": found.passed, "items": found.items}


def _in_words(answer: Document) -> str:
    if answer["answer"] == "refused":
        said = f"{answer['why']}; {answer['hint']}".rstrip("; ")
        if sys.stdin.isatty():
            print("\a", end="", file=sys.stderr)  # who scans looks at the rack
    else:
        of = f" of {answer['items']}" if answer["items"] is not None else ""
        said = f"{answer['item']} ({answer['passed']}{of})"
    return in_line(f"{answer['answer']:<8} {said}")
