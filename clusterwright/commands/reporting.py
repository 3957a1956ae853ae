"""`clusterwright report`: what a project meeting needs on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clusterwright.commands.options import AsOfOption, JsonOption, SiteOption
from ledger.questions.site import counts, site_of, units
from ledger.reading import open_snapshot

app = typer.Typer(no_args_is_help=True, help="Reports from the ledger.")


@app.command()
def week(
    form: Annotated[str, typer.Option("--format", help="md, html or csv.")] = "md",
    out: Annotated[Path | None, typer.Option("--out", help="Write to a file, not to stdout.")] = None,
    organisation: Annotated[str | None, typer.Option(help="Only this contractor's part.")] = None,
    site: SiteOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Done last week, late, next three weeks, orders due, decisions needed; by owner, and by contractor."""
    from clusterwright.as_of import dated, now_of, open_reader, when
    from clusterwright.output import print_json, say
    from clusterwright.week_report import render, week_report
    from clusterwright.where import find_site
    from steps.errors import InputError

    if form not in {"md", "html", "csv"}:
        raise InputError(f"{form!r} is no format", hint="md, html or csv")
    with open_reader(find_site(site), as_of) as reader:
        report = week_report(reader, now_of(reader), when(reader), organisation)
        document = dated(reader, report)
    if as_json:
        print_json(document)
        return
    text = render(report, form)
    if report.record and form == "csv":
        say(report.record)  # a table for spreadsheets has no head line
    if out is None:
        print(text, end="")
    else:
        out.write_text(text, encoding="utf-8")
        say(f"wrote {out}")


@app.command()
def summary(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Say in one line how the site ended: hosts, done, waived, attested, not applicable."""
    from clusterwright.output import print_json
    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        found = counts(reader)
        hosts = max((len(u.hosts) + len(u.shared) for u in units(reader)), default=0)
        by_state = {state.value: n for state, n in found.by_state.items()}
        live = site_of(reader)
    facts = {
        "hosts": hosts,
        "done": by_state.get("done", 0),
        "waived": found.waived,
        "attested": found.attested,
        "not_applicable": by_state.get("not_applicable", 0),
        "open": found.total - by_state.get("done", 0) - by_state.get("not_applicable", 0),
        "rehearsal": live.rehearsal,
    }
    if as_json:
        print_json(facts)
        return
    prefix = "REHEARSAL: " if live.rehearsal else ""
    print(
        f"{prefix}{hosts} host{'' if hosts == 1 else 's'}, {facts['done']} done, {facts['waived']} waived, "
        f"{facts['attested']} attested, {facts['not_applicable']} not applicable, {facts['open']} open"
    )
