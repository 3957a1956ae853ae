"""`clusterwright ncr` and `punch`: what does not conform, what is done about it, and what is left to make good."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from clusterwright.commands.acting import act_once
from clusterwright.commands.options import AsOption, JsonOption, KeyOption, SiteOption, a_day
from ledger.decisions import ncr as conforming
from ledger.questions.ncrs import ncrs
from ledger.questions.ncrs import punch as left_to_do
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from steps.errors import InputError

app = typer.Typer(no_args_is_help=True, help="Non-conformances: listed, dispositioned, closed.")


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """List non-conformances, oldest first."""
    found = _ncrs(site, open_only=not everything)
    _print(
        found,
        ["id", "activity", "class", "decided", "owner", "due", "inspected again", "reason"],
        [(n.id, n.activity, n.ncr_class, n.decided, n.owner, n.due or "", n.inspections, n.reason) for n in found],
        as_json,
    )


@app.command()
def show(ncr: str, site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Show one non-conformance."""
    from clusterwright.output import clean, print_json

    found = next((n for n in _ncrs(site, open_only=False) if n.id == ncr), None)
    if found is None:
        raise InputError(f"there is no non-conformance {ncr!r}", hint="clusterwright ncr list --all")
    if as_json:
        print_json(found._asdict())
        return
    for name, value in found._asdict().items():
        print(f"{name:<12} {clean('' if value is None else value)}".rstrip())


@app.command()
def disposition(
    ncr: str,
    what: Annotated[str, typer.Argument(help="rework, repair, use-as-is or return.")],
    owner: Annotated[str, typer.Option("--owner", help="Who makes it good.")] = "",
    due: Annotated[str | None, typer.Option("--due", help="By when, 2027-01-31.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why; use-as-is needs one.")] = "",
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Decide what is done about a non-conformance, by whom and by when."""
    day = None if due is None else a_day(due)
    act_once(
        site,
        who,
        lambda ledger, me: conforming.disposition_ncr(ledger, me, ncr, what, owner=owner, due=day, reason=reason),
        f"{ncr}: {what}",
        key,
    )


@app.command()
def close(
    ncr: str,
    what: Annotated[str, typer.Option("--disposition", help="If none was decided before.")] = "",
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Close a non-conformance: what was decided is done."""
    act_once(site, who, lambda ledger, me: conforming.close_ncr(ledger, me, ncr, what), f"{ncr}: closed", key)


def punch(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """List what is left to make good, by trade: open non-conformances and waivers."""
    from zoneinfo import ZoneInfo

    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        found = left_to_do(reader, datetime.now(UTC).astimezone(ZoneInfo(site_of(reader).time_zone)).date())
    rows = [
        (p.trade, p.id, p.kind, p.ncr_class, p.due or "", "overdue" if p.overdue else "", p.owner, p.activity, p.said)
        for p in found
    ]
    _print(found, ["trade", "id", "kind", "class", "due", "", "owner", "activity", "what"], rows, as_json)


def _ncrs(site: Path | None, *, open_only: bool) -> list[Any]:
    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        return list(ncrs(reader, open_only=open_only))


def _print(found: list[Any], headers: list[str], rows: list[tuple[Any, ...]], as_json: bool) -> None:
    from clusterwright.output import print_json, table

    if as_json:
        print_json([row._asdict() for row in found])
    elif found:
        table(headers, [[str(cell) for cell in row] for row in rows])
    else:
        print("nothing is open")
