"""Read what another program's tests found, as readings.

FILE is a report in the Common Test Report Format (CTRF), as NVIDIA's AICR writes it, or what NVIDIA Infra Controller's API returns as the
results of one machine's validation. --map is a CSV that says which test answers which criterion; if it is not there yet, one with all
tests of FILE is written for you to fill in. `value` is `passed` for true or false, `failures` for 0 or 1, or a regular expression with one
group for a figure in the test's output.

Nothing is recorded without --record. A reading has the time at which its test ended. A test that was skipped or broke off is no reading.
With a kind in the column `evidence`, FILE is attached as that.

Example:
    clusterwright import results report.json --map aicr.csv
    clusterwright import results machine.json --map validation.csv --item pod-001-n07 --record

"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Acting
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import JsonOption
from clusterwright.foreign_results import ForeignReport, read_report
from clusterwright.output import Document, in_line, print_json, say, table
from clusterwright.result_readings import (
    ACTIVITY,
    METRIC,
    TEST,
    ResultReading,
    decided_lines,
    taken,
    write_first_mapping,
)
from schedule.errors import InputError, NotSatisfiedError


def results(
    me: Acting,
    file: Annotated[Path, Argument(help="What the other program wrote.")],
    map_file: Annotated[Path, Option("--map", help="A CSV: which test answers which criterion.")],
    item: Annotated[str, Option(help="The host of all results, where the mapping names none.")] = "",
    record: Annotated[bool, Option("--record", help="Record what the rules allow; without it nothing is.")] = False,
    as_json: JsonOption = False,
) -> None:
    report = read_report(file)
    if not map_file.exists() and not record:
        write_first_mapping(map_file, report)
        if as_json:
            print_json({"file": str(file), "mapping": str(map_file), "tests": [one.test for one in report.results]})
        say(f"{map_file}: the tests of {file}. Fill in which criterion each answers, and run this again")
        return
    lines = decided_lines(map_file)
    if not lines:
        raise InputError(f"{map_file} names no activity", hint=f"fill in `{ACTIVITY}` and `{METRIC}`")
    with me.deciding() as decider:
        found = taken(decider, report, file, lines, item, record=record)
    if as_json:
        print_json(_document(file, report, found, is_recorded=record))
    else:
        _say_found(report, found, is_recorded=record)
    new = sum(one.is_new for one in found)
    refused = sum(bool(one.refusal) for one in found)
    if record and new:
        say_what_moves(me)
    if record and refused:
        raise NotSatisfiedError(
            f"of {refused:,} of {len(found):,} lines something is refused", hint="the rest is on record"
        )
    if new and not record and not as_json:
        say("Nothing is recorded. `--record` records what is allowed.")


def _document(file: Path, report: ForeignReport, found: Sequence[ResultReading], *, is_recorded: bool) -> Document:
    """Return the document of --json."""
    return {
        "file": str(file),
        "tool": report.tool,
        "tests": len(report.results),
        "earlier": report.earlier,
        "recorded": sum(one.is_new for one in found) if is_recorded else 0,
        "rows": [
            {
                "test": one.line.text(TEST),
                "activity": one.line.text(ACTIVITY),
                "metric": one.line.text(METRIC),
                "value": one.value or None,
                "new": one.is_new,
                "refusal": one.refusal or None,
            }
            for one in found
        ],
    }


def _say_found(report: ForeignReport, found: Sequence[ResultReading], *, is_recorded: bool) -> None:
    """Print what is read from each test, and what is refused."""
    table(
        ("test", "activity", "metric", "value", "says"),
        [
            (
                in_line(one.line.text(TEST)),
                in_line(one.line.text(ACTIVITY)),
                in_line(one.line.text(METRIC)),
                in_line(one.value),
                "; ".join(filter(None, (_done(one, is_recorded=is_recorded), in_line(one.refusal)))),
            )
            for one in found
        ],
        empty="the mapping answers no criterion by a test of this file",
    )
    named = {one.line.text(TEST) for one in found}
    left = sum(one.test not in named for one in report.results)
    earlier = f", earlier results of the same tests: {report.earlier:,}, not read" if report.earlier else ""
    say(f"{in_line(report.tool)}: {len(report.results):,} tests by name, answering no criterion: {left:,}{earlier}")


def _done(one: ResultReading, *, is_recorded: bool) -> str:
    """Return what became of a reading. Empty if it is refused."""
    if one.is_new:
        return "recorded" if is_recorded else "can be recorded"
    return "" if one.refusal else "recorded before"
