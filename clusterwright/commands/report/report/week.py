"""Report the week: done, past its planned finish, next, orders and decisions.

It is sorted by owner, with a part for every contractor where work was given to any.

Example:
    clusterwright report week
    clusterwright report week --format html --out week.html

"""

from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast, dated, when
from clusterwright.output import print_json, say
from clusterwright.week_report import FORMATS, week_report
from flows.runs.releases.lapsed import lapsed_releases
from schedule.errors import InputError


def week(
    ask: AskingPast,
    form: Annotated[str, Option("--format", help="md, html or csv.")] = "md",
    out: Annotated[Path | None, Option(help="Write to a file, not to stdout.")] = None,
    organisation: Annotated[str | None, Option(help="Only this contractor's part.")] = None,
) -> None:
    if form not in FORMATS:
        raise InputError(f"{form!r} is no format", hint="md, html or csv")
    with ask.record() as snapshot:
        report = week_report(snapshot, when(snapshot), organisation, lapsed_releases(snapshot))
    if ask.as_json:
        print_json(dated(snapshot, report))
        return
    text = FORMATS[form](report)
    if report.record and form == "csv":
        say(report.record)  # a table for spreadsheets has no head line
    if out is None:
        print(text, end="")
    else:
        out.write_text(text, encoding="utf-8")
        say(f"wrote {out}")
