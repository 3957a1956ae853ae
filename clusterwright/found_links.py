"""The files of `fabric compare`: what was found, the schedule, names on site, and worklists."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.planning import read_all
from clusterwright.text_file import files_of, text_in, writing
from clusterwright.where import find_site
from ledger.evidence.store import content_of
from schedule.csv_lines import write_rows
from schedule.errors import InputError, Place
from steps.cabling.cable import Cable, Reading, together
from steps.cabling.reading.found_file import read_found
from steps.cabling.schedule_file import named, read_names, read_schedule
from steps.cabling.worklist import WorkItem, from_json

ScheduleOption = Annotated[Path | None, Option("--schedule", help="A cable schedule, not the design's.", metavar="CSV")]
UnitOption = Annotated[
    str, Option("--unit", help="Only the cables of a pod's servers and leaf switches.", metavar="UNIT")
]
NamesOption = Annotated[Path | None, Option("--names", help="Names of devices and ports on site.", metavar="CSV")]


def found_in(paths: Iterable[Path]) -> Reading:
    """Return what the files say, and those in folders. Each has the name of its device."""
    files = files_of(paths, InputError("no file of what was found", hint="name files, or folders of them"))
    return together([read_found(file.stem, text_in(file), str(file)) for file in files])


def cables_of(schedule: Path | None, unit: str, names: Path | None, site: Path | None) -> list[Cable]:
    """Return the cables of a schedule's file, or of the site's design, with the names that they have on site."""
    if schedule:
        cables = read_schedule(content_of(schedule, str(schedule)), str(schedule))
        if unit != "site":
            cables = [cable for cable in cables if cable.a.device.startswith(f"{unit}-")]
    else:
        cables = _designed(unit, site)
    if not cables:
        raise InputError(f"the schedule has no cable at {unit}", hint="--unit names the site or a pod, as pod-001")
    return named(cables, read_names(content_of(names, str(names)), str(names))) if names else cables


def earlier(path: Path) -> list[WorkItem]:
    """Return the worklist of an earlier reading."""
    try:
        return from_json(json.loads(text_in(path))["worklist"])
    except (ValueError, LookupError, TypeError, AttributeError):
        raise InputError(
            "this is no earlier reading",
            hint="--before takes what `fabric compare --json` printed",
            place=Place(str(path)),
        ) from None


def write_worklist(path: Path, entries: Sequence[WorkItem]) -> None:
    """Write the worklist as CSV."""
    rows: list[Sequence[object]] = [("rack", "finding", "cables", "seen", "to do", "since", "closed", "note")]
    for entry in entries:
        found = entry.finding
        about = (found.rack, found.kind, " ".join(found.cables), found.says, found.action)
        rows.append((*about, entry.since, entry.closed, entry.note))
    with writing(path), path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, rows)


def _designed(unit: str, site: Path | None) -> list[Cable]:
    """Return the cables of the compute fabric of a site's design."""
    from steps.cabling.designed import designed  # numpy, which a schedule in a file does without

    _, design, _ = read_all(find_site(site))
    return designed(design, unit)
