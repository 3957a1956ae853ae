"""The cables of a fabric: what should be heard at each end, and what was found."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.found_links import (
    NamesOption,
    ScheduleOption,
    UnitOption,
    cables_of,
    earlier,
    found_in,
    write_worklist,
)
from clusterwright.output import print_json, say, table
from ledger.project_time import project_now
from schedule.errors import NotSatisfiedError
from steps.cabling.comparing import Comparison
from steps.cabling.comparing import compare as compared
from steps.cabling.worklist import WorkItem, as_json, worklist
from steps.stamps import stamp

SHOWN = 20
"""How many cables that were not verified are listed."""


def ends(
    schedule: ScheduleOption = None,
    unit: UnitOption = "site",
    names: NamesOption = None,
    subnet: Annotated[
        bool, Option("--subnet", help="The links of an InfiniBand fabric, for its managers' hosts.")
    ] = False,
    site: SiteOption = None,
) -> None:
    """Print what each device should hear, as an inventory states it: `expected_neighbours`, from the cable schedule.

    Step 062 reads the neighbours of hosts that have it. Names on site go into a table of drawn, device and ports (docs/how-to/found-links.md).
    An InfiniBand fabric is read from one place: with --subnet all its links are `fabric_links` of the group `fabric_managers`, for 059, 060 and 062.

    Example:
        clusterwright fabric ends --names names.csv > inventory/ends.json
        clusterwright fabric ends --subnet --names names.csv > inventory/links.json

    """
    if subnet:
        links = [[str(cable.a), str(cable.b)] for cable in cables_of(schedule, unit, names, site)]
        print_json({"fabric_managers": {"vars": {"fabric_links": links}}})
        return
    devices: dict[str, dict[str, dict[str, str]]] = {}
    for cable in cables_of(schedule, unit, names, site):
        for end, far in ((cable.a, cable.b), (cable.b, cable.a)):
            devices.setdefault(end.device, {})[end.port] = {"host": far.device, "port": far.port}
    print_json({"all": {"hosts": {name: {"expected_neighbours": heard} for name, heard in devices.items()}}})


def compare(
    found: Annotated[list[Path], Argument(help="Files of what was read, or folders of them.", metavar="FOUND...")],
    schedule: ScheduleOption = None,
    unit: UnitOption = "site",
    names: NamesOption = None,
    before: Annotated[Path | None, Option(help="The JSON of an earlier reading.", metavar="FILE")] = None,
    csv: Annotated[Path | None, Option(help="Write the worklist.", metavar="FILE")] = None,
    as_json: JsonOption = False,
    site: SiteOption = None,
) -> None:
    """Compare neighbours as they were read with the cable schedule, and list what to put right, rack by rack.

    FOUND are files, or folders of files, each with the name of its device: what `playbooks/networking/062_found_links.yml` writes with
    `found_links_folder`, lldpcli -f json show neighbors, NVUE's or eAPI's interfaces, Redfish's ports; or iblinkinfo of a whole fabric.
    The schedule is that of the site's design, or a file like the cables.csv of `design --csv`. Names on site go into a table of drawn,
    device and ports (docs/how-to/found-links.md).

    Example:
        clusterwright fabric compare found/ --unit pod-001 --names names.csv
        clusterwright fabric compare iblinkinfo.txt --schedule cables.csv
        clusterwright fabric compare found/ --json > monday.json
        clusterwright fabric compare found/ --before monday.json --csv worklist.csv

    """
    cables = cables_of(schedule, unit, names, site)
    comparison = compared(cables, found_in(found))
    entries = worklist(comparison, earlier(before) if before else [], stamp(project_now()))
    if csv:
        write_worklist(csv, entries)
        say(f"{csv}: {len(entries):,} lines")
    if as_json:
        print_json(_document(len(cables), comparison, entries))
    else:
        _print(len(cables), comparison, entries)
    left = sum(not entry.closed for entry in entries)
    if left or comparison.unverified:
        raise NotSatisfiedError(
            f"findings: {left:,}, cables not verified: {len(comparison.unverified):,}",
            hint="put them right, read again, and compare with --before and the JSON of this reading",
        )


def _print(cables: int, comparison: Comparison, entries: list[WorkItem]) -> None:
    print(f"{len(comparison.right):,} of {cables:,} cables are as drawn.")
    table(
        ("rack", "finding", "seen", "to do", "since"),
        [
            (
                entry.finding.rack,
                entry.finding.kind,
                entry.finding.says,
                entry.finding.action,
                entry.note or entry.since,
            )
            for entry in entries
            if not entry.closed
        ],
        empty="nothing is left to put right",
    )
    closed = [entry for entry in entries if entry.closed]
    if closed:
        table(("closed", "finding", "was"), [(e.finding.rack, e.finding.kind, e.finding.says) for e in closed])
    if comparison.unread:
        table(("not read", "why"), sorted(comparison.unread.items()))
    if comparison.unverified:
        rows = sorted(comparison.unverified.items())
        table(("not verified", "why"), rows[:SHOWN])
        if len(rows) > SHOWN:
            print(f"and {len(rows) - SHOWN:,} more cables")


def _document(cables: int, comparison: Comparison, entries: list[WorkItem]) -> dict[str, object]:
    return {
        "cables": cables,
        "right": len(comparison.right),
        "worklist": [as_json(entry) for entry in entries if not entry.closed],
        "closed": [as_json(entry) for entry in entries if entry.closed],
        "unverified": comparison.unverified,
        "unread": comparison.unread,
    }
