"""Write the site as a folder of pages that opens from a USB stick, with a search: no network and no server.

Overview, Gantt chart, floor, procurement, quality, record, and a page for each activity, as of the last event of the record. A folder
that holds anything but a portal is refused; a portal in it is replaced.

With --organisation it is a contractor's: their work alone, and nothing that is the owner's.

Example:
    clusterwright report site --html portal
    clusterwright report site --html sparks --organisation 'Sparks Ltd'

"""

from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast, dated, when
from clusterwright.commands.options import OrganisationOption
from clusterwright.output import print_json, say
from clusterwright.reports.handing_on import known_organisation

MB = 1e6


def site(
    ask: AskingPast,
    html: Annotated[Path, Option("--html", help="The folder, new or a portal's.", metavar="DIR")],
    organisation: OrganisationOption = None,
) -> None:
    with ask.record() as snapshot:
        whose = known_organisation(snapshot, organisation)
        from clusterwright.reports.portal.making import make_portal  # what draws: the extra `report`

        written = make_portal(snapshot, html, whose, when(snapshot))
        if ask.as_json:
            print_json(dated(snapshot, written))
            return
    say(f"wrote {written.files:,} files, {written.bytes / MB:,.1f} MB: open {html / 'index.html'}")
