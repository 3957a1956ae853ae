"""`clusterwright check`: the items of an activity, one by one, from a scanner, or from a CSV of the field."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clusterwright.commands.options import AsOfOption, AsOption, AtOption, JsonOption, SiteOption, instant
from ledger.decisions import checklists
from ledger.questions.case import require_activity
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from steps.errors import ClusterwrightError, InputError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.decisions.checklists import Checked
    from ledger.entries import ItemEntry
    from ledger.writing import Ledger


def check(
    activity: Annotated[str, typer.Argument(help="Whose items, as H08@pod-001.")],
    item: Annotated[str | None, typer.Argument(help="Which one, as the plan calls it; none lists them.")] = None,
    readings: Annotated[
        list[str] | None, typer.Argument(metavar="METRIC=VALUE...", help="As rack.bond_resistance=0.05ohm.")
    ] = None,
    fail: Annotated[bool, typer.Option("--fail", help="It is not good; say why with --note.")] = False,
    note: Annotated[str, typer.Option("--note", help="What stands out.")] = "",
    serial: Annotated[str | None, typer.Option("--serial", help="The serial number of what stands there.")] = None,
    photo: Annotated[list[Path] | None, typer.Option("--photo", help="A picture of it.")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--csv", help="Record a CSV: item, result, metrics as `name [unit]`, note, photo, serial."),
    ] = None,
    scanner: Annotated[
        bool, typer.Option("--scan", help="Read items from a scanner, one a line, until it ends.")
    ] = False,
    template: Annotated[bool, typer.Option("--template", help="Print a CSV to fill in, of the items left.")] = False,
    open_only: Annotated[bool, typer.Option("--open", help="List only what is left: open and failed.")] = False,
    history: Annotated[bool, typer.Option("--history", help="List every entry that was ever made.")] = False,
    source: Annotated[str | None, typer.Option("--source", help="The instrument or document.")] = None,
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the items of an activity: record, import, scan, or list how they stand."""
    if sum((item is not None, file is not None, scanner, template)) > 1:
        raise InputError("an item, --csv, --scan and --template are different ways", hint="take one of them")
    if item is None and (readings or fail or note or serial or photo):
        raise InputError("which item?", hint=f"clusterwright check {activity} ITEM …")
    if scanner:
        _scan(activity, site, who, as_json=as_json)
    elif file is not None:
        _import(activity, file, source or file.name, at, site, who, as_json=as_json)
    elif item is not None:
        from ledger.entries import ItemEntry, reading_of

        given = tuple(reading_of(text) for text in readings or ())
        entry = ItemEntry(item, not fail, given, note, serial, tuple(photo or ()))
        done = _recorded(activity, [entry], source or "checklist", at, site, who, skip_recorded=False)
        _tell(done, of=1, as_json=as_json)
    else:
        _list(activity, site, as_of, template=template, open_only=open_only, history=history, as_json=as_json)


def _import(
    activity: str, file: Path, source: str, at: str | None, site: Path | None, who: str | None, *, as_json: bool
) -> None:
    from clusterwright.check_file import read_checks
    from clusterwright.output import say

    read = read_checks(file)
    done = _recorded(activity, read.entries, source, at, site, who, skip_recorded=True)
    _tell(done, of=len(read.entries), as_json=as_json)
    if read.empty:
        say(f"rows that say nothing yet: {read.empty}")


def _recorded(
    activity: str,
    entries: Iterable[ItemEntry],
    source: str,
    at: str | None,
    site: Path | None,
    who: str | None,
    *,
    skip_recorded: bool,
) -> Checked:

    person, ledger = _acting(activity, site, who)
    with ledger:
        return checklists.check(
            ledger, person, activity, tuple(entries), source=source, skip_recorded=skip_recorded, at=instant(at)
        )


def _tell(done: Checked, *, of: int, as_json: bool) -> None:
    from clusterwright.check_view import recorded_document, say_recorded
    from clusterwright.output import print_json

    if as_json:
        print_json(recorded_document(done))
    else:
        say_recorded(done, of=of)


def _acting(activity: str, site: Path | None, who: str | None) -> tuple[str, Ledger]:
    """Give who acts, and the ledger open for them."""
    from clusterwright.where import acting_person, find_site
    from ledger.writing import Ledger

    folder = find_site(site)
    with open_snapshot(folder) as reader:
        person = acting_person(reader, who)
        require_activity(reader, activity)
    return person, Ledger.open(folder, clock=lambda: datetime.now(UTC))


def _scan(activity: str, site: Path | None, who: str | None, *, as_json: bool) -> None:
    """Answer every line as it comes: a scanner is a keyboard that ends each code with Enter."""
    from clusterwright.output import say

    person, ledger = _acting(activity, site, who)
    refused = 0
    with ledger:
        checklists.check(ledger, person, activity, ())  # whoever may not check hears it before the first item
        if sys.stdin.isatty():
            say(f"{activity}: scan items; Ctrl-D ends")
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")  # a garbled code is an unknown item
        for line in iter(sys.stdin.readline, ""):
            if line.strip():
                answer = _answer(ledger, person, activity, line)
                refused += answer["answer"] == "refused"
                _print_answer(answer, as_json=as_json)
    if refused:
        raise InputError(f"{refused} scans were refused", hint="what was answered ok is recorded")


def _answer(ledger: Ledger, person: str, activity: str, line: str) -> dict[str, Any]:

    try:
        found = checklists.scan(ledger, person, activity, line)
    except UnreachableError:
        raise
    except ClusterwrightError as error:
        return {"answer": "refused", "item": line.strip()[:100], "why": error.what, "hint": error.hint}
    answer = "already" if found.already else "ok"
    return {"answer": answer, "item": found.item, "passed": found.passed, "items": found.items}


def _print_answer(answer: dict[str, Any], *, as_json: bool) -> None:
    import json

    from clusterwright.output import clean

    if as_json:
        print(json.dumps(answer, ensure_ascii=False), flush=True)
        return
    if answer["answer"] == "refused":
        said = f"{answer['why']}; {answer['hint']}".rstrip("; ")
        if sys.stdin.isatty():
            print("\a", end="", file=sys.stderr)  # who scans looks at the rack
    else:
        of = f" of {answer['items']}" if answer["items"] is not None else ""
        said = f"{answer['item']} ({answer['passed']}{of})"
    print(clean(f"{answer['answer']:<8} {said}").replace("\n", " "), flush=True)


def _list(
    activity: str,
    site: Path | None,
    as_of: str | None,
    *,
    template: bool,
    open_only: bool,
    history: bool,
    as_json: bool,
) -> None:
    from clusterwright.as_of import dated, open_reader, print_when
    from clusterwright.check_view import checklist_document, print_checklist, print_template
    from clusterwright.output import print_json
    from clusterwright.where import find_site

    with open_reader(find_site(site), as_of) as reader:
        row = require_activity(reader, activity)
        if template:
            print_template(reader, row)
            return
        document = checklist_document(reader, row, open_only=open_only, history=history)
        if as_json:
            print_json(dated(reader, document))
            return
        print_when(reader)
        print_checklist(document, site_of(reader).time_zone)
