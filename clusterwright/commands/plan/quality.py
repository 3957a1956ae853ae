"""Check how good a schedule is: the DCMA 14 points and GAO's practices.

Without FILE it is the site's own: the plan in force with its progress, or what the folder makes while none is adopted. FILE
is what `clusterwright schedule` reads. The exit code is 1 if a check fails.

Example:
    clusterwright quality
    clusterwright quality activities.csv --json

"""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from clusterwright.commands.asking import Asking
from clusterwright.output import Cells, Document, in_line, print_lines, table
from schedule.errors import NotSatisfiedError

if TYPE_CHECKING:
    from clusterwright.schedules import Judged
    from schedule.quality.check import Check

SHOWN = 3
"""Offenders that are printed beside a check; --json has all."""
VALUES = {"share": "{:.1%}", "index": "{:.2f}", "days": "{:,.1f} d"}
"""How the value of a check is printed, by what it is."""
OF_CHECK = ("id", "name", "asks", "verdict", "value", "unit", "threshold", "of", "because")
"""What --json has of a check, beside its offenders."""


def quality(
    ask: Asking,
    file: Annotated[Path | None, Argument(help="A .csv file, or a folder, instead of the site.")] = None,
) -> None:
    from clusterwright.schedules import of_file, of_site  # the schedule's engines

    judged = of_site(ask.folder) if file is None else of_file(file)
    ask.answer(None, _document(judged) if ask.as_json else None, lambda: _print(judged))
    failed = [check.id for check in judged.found.failed]
    if failed:
        raise NotSatisfiedError(f"{len(failed)} checks of {judged.what} fail: {', '.join(failed)}")


def _document(judged: "Judged") -> Document:
    """Return every check with all its offenders, and the practices that follow from them."""
    return {
        "schedule": judged.what,
        "activities": len(judged.network.activities),
        "links": len(judged.network.links),
        "checks": [_check(judged, check) for check in judged.found.checks],
        "practices": [
            {
                "number": practice.number,
                "name": practice.name,
                "verdict": verdict,
                "checks": practice.checks,
                "because": practice.because,
            }
            for practice, verdict in judged.found.practices
        ],
    }


def _print(judged: "Judged") -> None:
    """Print the checks with their first offenders, what each failed one asks, and the practices."""
    network, found = judged.network, judged.found
    print(in_line(f"{judged.what}: {len(network.activities):,} activities, {len(network.links):,} links"))
    table(
        ("check", "what", "found", "threshold", "verdict", "offenders", ""),
        [_cells(judged, check) for check in found.checks],
    )
    print_lines(f"{check.id}: {check.asks}" for check in found.failed)
    table(
        ("", "GAO's practice", "verdict", "checks"),
        [
            (practice.number, practice.name, verdict.value, ", ".join(practice.checks) or practice.because)
            for practice, verdict in found.practices
        ],
        right=(0,),
    )


def _cells(judged: "Judged", check: "Check") -> Cells:
    value = "" if check.value is None else VALUES[check.unit.value].format(check.value)
    first = ", ".join(islice(check.offenders(judged.network), SHOWN))
    more = f" and {check.found - SHOWN:,} more" if check.found > SHOWN else ""
    return check.id, check.name, value, check.threshold, check.verdict.value, f"{first}{more}", check.because


def _check(judged: "Judged", check: "Check") -> Document:
    return {name: getattr(check, name) for name in OF_CHECK} | {"offenders": list(check.offenders(judged.network))}
