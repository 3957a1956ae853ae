"""List the next three weeks for a meeting: by trade and contractor, with the constraints to remove and the decisions they need.

A trade is a role, as rigger; `list` names them.

Example:
    clusterwright report meeting --trade rigger
    clusterwright report meeting --organisation 'Sparks Ltd' --out meeting.html

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast, dated, when
from clusterwright.commands.options import FormOption, OrganisationOption, OutOption
from clusterwright.output import print_json
from clusterwright.reports.handing_on import form_of, known_organisation, write
from clusterwright.reports.meeting import meeting_report
from clusterwright.week_report import FORMATS
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.snapshot import Snapshot
from schedule.errors import InputError

HTML = "html"


def meeting(
    ask: AskingPast,
    trade: Annotated[str | None, Option(help="Only this trade's.", metavar="ROLE")] = None,
    form: FormOption = None,
    out: OutOption = None,
    organisation: OrganisationOption = None,
) -> None:
    named = form_of(form, out, (*FORMATS, HTML))
    with ask.record() as snapshot:
        _refuse_unknown(snapshot, trade)
        whose = known_organisation(snapshot, organisation)
        report = meeting_report(snapshot, trade, whose, when(snapshot), lapsed_releases(snapshot))
        if ask.as_json:
            print_json(dated(snapshot, report))
            return
    if named == HTML:
        from clusterwright.reports.html import html_page  # the extra `report`

        write(html_page(None, report).encode(), out)
    else:
        write(FORMATS[named](report).encode(), out)


def _refuse_unknown(snapshot: Snapshot, trade: str | None) -> None:
    roles = snapshot.column("SELECT DISTINCT role FROM activity ORDER BY role")
    if trade is not None and trade not in roles:
        raise InputError(f"{trade!r} does no work here", hint=f"trades: {', '.join(roles)}")
