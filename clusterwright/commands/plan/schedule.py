"""Work out the dates of any network in CSV files.

FILE is a .csv file with a row an activity, or a folder with activities.csv, resources.csv and calendars.csv.
docs/reference/schedule.md has the columns. Nothing is recorded, and no site is needed.

Example:
    clusterwright schedule activities.csv
    clusterwright schedule project/ --level --risk 1000
    clusterwright schedule project/ --level --json

"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from clusterwright.commands.options import JsonOption
from clusterwright.output import Cells, Document, print_json, print_lines, say, table
from steps.amount import counted

if TYPE_CHECKING:
    from schedule.files.scheduling import ChainStep, DrivenBy, Scheduled
    from schedule.risk.odds import Odds, Quantile

MOST_ROWS = 200
"""Activities that are printed; --json has all."""
LEVELS = (0.5, 0.8)


def schedule(
    file: Annotated[Path, Argument(help="A .csv file, or a folder.")],
    level: Annotated[bool, Option("--level", help="Dates that the resources can keep.")] = False,
    risk: Annotated[int, Option(help="Draw so many samples, for P50 and P80.", min=0, metavar="N")] = 0,
    seed: Annotated[int, Option(help="Of the search and of the samples.", min=1, metavar="S")] = 1,
    as_json: JsonOption = False,
) -> None:
    from clusterwright.planning import say_if_code_is_made
    from schedule.files.csv_project import read_project
    from schedule.files.scheduling import odds_of
    from schedule.files.scheduling import schedule as scheduled

    if level:
        say_if_code_is_made()
    found = scheduled(read_project(file), level=level, seed=seed)
    odds = odds_of(found, samples=risk, seed=seed, threads=os.cpu_count() or 1) if risk else None
    if as_json:
        print_json(_document(found, odds, seed))
    else:
        _print(found, odds, seed)


def _document(found: "Scheduled", odds: "Odds | None", seed: int) -> Document:
    """Return everything that is known. Lengths, floats and waits are in hours."""
    project, at = found.project, found.project.timeline.at
    levelled = found.crewed.levelled if found.crewed else None
    return {
        "file": project.place.file,
        "unit": "hour",
        "start": at(found.begins),
        "data_date": None if project.actuals is None else at(project.actuals.data_date),
        "finish": at(found.finish),
        "makespan": found.project.timeline.length(found.finish - found.begins),
        "unlimited_finish": at(int(found.unlimited.finish.max())),
        "levelling": levelled
        and {
            "lower_bound": found.project.timeline.length(found.bound - found.begins),
            "earliest_finish": at(found.bound),
            "gap": found.gap,
            "method": levelled.method,
            "schedules": levelled.schedules,
            "seed": levelled.seed,
        },
        "odds": odds and _odds(found, odds, seed),
        "chain": [_step_document(found, step) for step in found.chain()],
        "activities": list(_rows(found)),
    }


def _print(found: "Scheduled", odds: "Odds | None", seed: int) -> None:
    """Print the finish and what is known of it, the chain that drives it, and the activities by their starts."""
    print_lines(_head(found))
    print_lines(_odds_lines(found, odds, seed))
    table(
        ("activity", "what", "start", "finish", "driven by"),
        [_step_cells(found, step) for step in found.chain()],
        title="What drives the finish, in this order",
    )
    rows = list(_in_order(found))
    headers = ("activity", "what", "start", "finish", "float", "free float", "with unlimited resources", "waits")
    shown = headers if found.crewed else headers[:6]
    table(
        shown,
        [_cells(found, row)[: len(shown)] for row in rows[:MOST_ROWS]],
        title="Activities by their starts",
        right=(4, 5, 7),
    )
    if len(rows) > MOST_ROWS:
        say(f"{len(rows) - MOST_ROWS:,} more activities; --json has all")


def _head(found: "Scheduled") -> Iterator[str]:
    project, text = found.project, found.project.timeline.text
    numbers = f"{len(project.activities):,} activities, {len(project.links):,} links"
    today = f", data date {text(project.actuals.data_date)}" if project.actuals else ""
    yield f"{project.place.file}: {numbers}, from {text(found.begins)}{today}"
    yield f"finish {text(found.finish)}, {_spell(found.finish - found.begins)} after the first start"
    levelled = found.crewed.levelled if found.crewed else None
    if levelled:
        proven = "no schedule is shorter" if found.gap <= 0 else f"{found.gap:.1%} above the bound"
        yield f"with unlimited resources {text(int(found.unlimited.finish.max()))}"
        yield (
            f"lower bound {text(found.bound)}: {proven}; {levelled.method}, the best of {counted(levelled.schedules, 'schedule')}, "
            f"seed {levelled.seed}"
        )


def _odds_lines(found: "Scheduled", odds: "Odds | None", seed: int) -> Iterator[str]:
    if odds is None:
        return
    text = found.project.timeline.text
    for quantile in (odds.quantile(level) for level in LEVELS):
        interval = f"between {text(quantile.low)} and {text(quantile.high)}"
        sure = (
            "with 95 % confidence"
            if quantile.is_bounded
            else "from the first to the last sample: too few for an interval"
        )
        yield f"P{quantile.level * 100:.0f} {text(quantile.value)}, {interval} {sure}"
    yield f"of {len(odds.samples):,} samples, seed {seed}, {_with_what(found)}"


def _with_what(found: "Scheduled") -> str:
    """Return which resources the samples keep."""
    return "each with its resources, in the order of this schedule" if found.crewed else "with unlimited resources"


def _odds(found: "Scheduled", odds: "Odds", seed: int) -> Document:
    return {
        "samples": len(odds.samples),
        "seed": seed,
        "resources": "kept" if found.crewed else "unlimited",
        **{f"p{level * 100:.0f}": _quantile(found, odds.quantile(level)) for level in LEVELS},
    }


def _quantile(found: "Scheduled", quantile: "Quantile") -> Document:
    at = found.project.timeline.at
    return {
        "finish": at(quantile.value),
        "low": at(quantile.low),
        "high": at(quantile.high),
        "is_bounded": quantile.is_bounded,
    }


def _in_order(found: "Scheduled") -> list[int]:
    start, finish = found.solution.start.tolist(), found.solution.finish.tolist()
    return sorted(range(len(start)), key=lambda row: (start[row], finish[row]))


def _rows(found: "Scheduled") -> Iterator[Document]:
    project, at, solution = found.project, found.project.timeline.at, found.solution
    length = project.timeline.length
    names, driving = found.network.activities.names, solution.driving_link.tolist()
    critical = {step.row for step in found.chain()}
    waits = found.waits.tolist()
    floats = (solution.total_float.tolist(), solution.free_float.tolist())
    columns = [
        column.tolist() for column in (solution.start, solution.finish, solution.late_start, solution.late_finish)
    ]
    early = found.unlimited.start.tolist()
    for row, name in enumerate(names):
        start, finish, late_start, late_finish = (at(column[row]) for column in columns)
        yield {
            "id": name,
            "title": project.titles[row],
            "start": start,
            "finish": finish,
            "late_start": late_start,
            "late_finish": late_finish,
            "total_float": length(floats[0][row]),
            "free_float": length(floats[1][row]),
            "on_chain": row in critical,
            "driven_by": None if driving[row] < 0 else names[int(found.network.links.before[driving[row]])],
            "unlimited_start": at(early[row]),
            "waits": length(waits[row]),
        }


def _cells(found: "Scheduled", row: int) -> Cells:
    project, text, solution = found.project, found.project.timeline.text, found.solution
    waited = int(found.waits[row])
    return (
        project.activities.names[row],
        project.titles[row],
        text(int(solution.start[row])),
        text(int(solution.finish[row])),
        _days(found, row, int(solution.total_float[row])),
        _days(found, row, int(solution.free_float[row])),
        text(int(found.unlimited.start[row])),
        _days(found, row, waited) if waited else "",
    )


def _step_cells(found: "Scheduled", step: "ChainStep") -> Cells:
    by = "the start of the project, or a date" if step.by is None else _driver(found, step.row, step.by)
    return *_cells(found, step.row)[:4], by


def _driver(found: "Scheduled", row: int, by: "DrivenBy") -> str:
    """Return in words what an activity of the chain waits for."""
    if by.resource is not None:
        return f"{by.resource} from {by.before}, {_days(found, row, by.waited)} later than its links allow"
    lag = f" {'+' if by.lag > 0 else '-'}{_spell(abs(by.lag))} on {by.calendar}" if by.lag else ""
    return f"{by.before} {by.type}{lag}"


def _step_document(found: "Scheduled", step: "ChainStep") -> Document:
    at, by = found.project.timeline.at, step.by
    return {
        "id": found.project.activities.names[step.row],
        "start": at(int(found.solution.start[step.row])),
        "finish": at(int(found.solution.finish[step.row])),
        "driven_by": by
        and {
            "id": by.before,
            "type": by.type,
            "lag": found.project.timeline.length(by.lag),
            "calendar": by.calendar,
            "resource": by.resource,
            "waits": found.project.timeline.length(by.waited),
        },
    }


def _spell(minutes: int) -> str:
    """Return elapsed time in words."""
    return f"{minutes / 1440:,.1f} days" if minutes >= 1440 else f"{minutes / 60:,.1f} h"


def _days(found: "Scheduled", row: int, minutes: int) -> str:
    """Return a length in days of an activity's calendar."""
    return f"{minutes / int(found.project.day[int(found.project.activities.calendar[row])]):,.1f} d"
