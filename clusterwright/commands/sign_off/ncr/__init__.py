"""Decide on non-conformances, and close them.

Example:
    clusterwright ncr list
    clusterwright ncr disposition NCR-0001 rework --owner operator --due 2027-01-31

"""

from datetime import date, datetime
from operator import attrgetter
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Reporting, SigningReport
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import NcrId, day_option
from clusterwright.output import in_line, table
from ledger.questions.ncrs import ncrs, require_ncr
from ledger.questions.site import site_of
from ledger.rules.rows import NcrRow
from steps.stamps import minute


def list_(ask: Asking, everything: Annotated[bool, Option("--all", help="Closed ones too.")] = False) -> None:
    """List non-conformances, the oldest first.

    Example:
        clusterwright ncr list --all

    """
    with ask.record() as snapshot:
        found = ncrs(snapshot, open_only=not everything)
        ask.answer(snapshot, found, lambda: _print_list(found))


def _print_list(found: list[NcrRow]) -> None:
    headers = ("id", "activity", "class", "decided", "owner", "due", "inspected again", "reason")
    cells = attrgetter("id", "activity", "ncr_class", "decided", "owner", "due", "inspections", "reason")
    table(headers, map(cells, found), empty="nothing is open")


def show(ask: Asking, ncr: NcrId) -> None:
    """Show one non-conformance.

    Example:
        clusterwright ncr show NCR-0001

    """
    with ask.record() as snapshot:
        found = require_ncr(snapshot, ncr)
        ask.answer(snapshot, found, lambda: _print(found, site_of(snapshot).time_zone))


def _print(found: NcrRow, zone: str) -> None:
    for name, value in found._asdict().items():
        said = minute(value, zone) if isinstance(value, datetime) else value
        print(f"{name.removeprefix('ncr_').replace('_', ' '):<12} {in_line('' if said is None else said)}".rstrip())


def assign(
    me: Reporting,
    ncr: NcrId,
    person: Annotated[str, Argument(help="Who makes it good.")],
    due: Annotated[date | None, day_option("By when.")] = None,
) -> None:
    """Assign a non-conformance to a person, who makes it good.

    Example:
        clusterwright ncr assign NCR-0001 operator --due 2027-01-31

    """
    from ledger.subjects.ncr.decisions import assign_ncr

    me.once(ncr, f"assigned to {person}", assign_ncr, person, due)


def disposition(
    me: SigningReport,
    ncr: NcrId,
    disposition: Annotated[str, Argument(help="rework, repair, use-as-is or return.")],
    owner: Annotated[str, Option(help="Who makes it good.")] = "",
    due: Annotated[date | None, day_option("By when.")] = None,
    reason: Annotated[str, Option(help="Why; use-as-is needs one.")] = "",
) -> None:
    """Decide what is done about a non-conformance.

    Example:
        clusterwright ncr disposition NCR-0001 rework --owner operator --due 2027-01-31
        clusterwright ncr disposition NCR-0001 use-as-is --reason 'the tolerance is cosmetic'

    """
    from ledger.subjects.ncr.decisions import disposition_ncr

    me.once(ncr, disposition, disposition_ncr, disposition, owner=owner, due=due, reason=reason)


def close(
    me: SigningReport,
    ncr: NcrId,
    disposition: Annotated[str, Option("--disposition", help="If none was decided before.")] = "",
) -> None:
    """Close a non-conformance: what was decided is done.

    Example:
        clusterwright ncr close NCR-0001

    """
    from ledger.subjects.ncr.decisions import close_ncr

    me.once(ncr, "closed", close_ncr, disposition)
