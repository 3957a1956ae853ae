"""Arguments and options that many commands share. Dates and times are parsed here."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

from typer import Argument, Option

from schedule.errors import InputError

YEARS = range(1990, 2300)
"""The years in which work happens: beyond them dates overflow when a time zone or a lead time is added."""

SHOWN = 60

Day = TypeVar("Day", bound=date)


def instant(text: str) -> datetime:
    """Return the instant that a person wrote. Without an offset it is the site's time, which `Deciding.take` makes an instant."""
    try:
        given = datetime.fromisoformat(text)
        found = given.astimezone(UTC) if given.tzinfo else given
    except (ValueError, OverflowError):
        raise InputError(
            f"{text[:SHOWN]!r} is not a date or time",
            hint="write 2026-11-21T14:30, or 2026-11-21T14:30+01:00 with an offset",
        ) from None
    return _in_years(found, text)


def a_day(text: str) -> date:
    """Return the date that a person wrote."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text[:SHOWN]!r} is not a date", hint="write 2026-11-21") from None
    return _in_years(found, text)


def _in_years(found: Day, text: str) -> Day:
    if found.year not in YEARS:
        raise InputError(f"{text[:SHOWN]!r} is in no year from {YEARS[0]} to {YEARS[-1]}")
    return found


def day_option(about: str) -> Any:
    """Return an option that takes a day."""
    return Option(parser=a_day, metavar="YYYY-MM-DD", help=about)


ActivityId = Annotated[str, Argument(metavar="ACTIVITY", help="Its id, as 034@pod-001; `list` prints them.")]
Activities = Annotated[list[str], Argument(metavar="ACTIVITY", help="Ids or patterns, as 034@pod-001 or '03*@*'.")]
SiteOption = Annotated[Path | None, Option("--site", help="The site's folder; found upward from here if not given.")]
JsonOption = Annotated[bool, Option("--json", help="Print one JSON document.")]
SamplesOption = Annotated[
    int | None,
    Option(
        "--samples", min=20, max=100_000, help="Samples for P50 and P80; left out, 1,000, or fewer of a large plan."
    ),
]
SeedOption = Annotated[int, Option("--seed", min=0, help="Another seed draws other samples.")]
FormOption = Annotated[
    str | None, Option("--format", help="md, csv, html or pdf; left out, as the file's name says, else md.")
]
OutOption = Annotated[Path | None, Option("--out", help="Write to a file, not to stdout.", metavar="FILE")]
OrganisationOption = Annotated[str | None, Option("--organisation", help="Only this contractor's part.")]
AsOption = Annotated[str | None, Option("--as", help="Which person acts, if several may.", metavar="ID")]
AsOfOption = Annotated[
    str | None,
    Option("--as-of", help="As the record had it after event 120, or by 2026-11-20T12:00 at the site.", metavar="WHEN"),
]
SequenceOption = Annotated[
    str, Option("--out-of-sequence", metavar="WHY", help="Why it happened although something before it is open.")
]
"""Why something is recorded out of sequence."""

ReasonOption = Annotated[str, Option("--reason", help="Why; it stays on record.")]
YesOption = Annotated[bool, Option("--yes", help="Do not ask.")]
KeyOption = Annotated[
    Path | None, Option("--key", help="Sign with this key; a .pub file if an agent holds it.", metavar="FILE")
]
AtOption = Annotated[
    datetime | None,
    Option(
        "--at",
        parser=instant,
        metavar="TIME",
        help="When it happened, if not now, in the site's time: 2026-11-21 or 2026-11-21T14:30; with an offset in that.",
    ),
]
LateOption = Annotated[
    str,
    Option("--late-because", metavar="WHY", help="Why it is recorded more than a day after --at; it stays on record."),
]
OrderId = Annotated[str, Argument(metavar="ORDER", help="As 001@site#gpu-server; `orders` lists them.")]
TrancheId = Annotated[str, Argument(metavar="DELIVERY", help="A delivery, as 001@site#gpu-server/1.")]
OrderIds = Annotated[list[str], Argument(metavar="ORDER", help="As 001@site#gpu-server, quoted patterns, or a CSV.")]
TrancheIds = Annotated[
    list[str], Argument(metavar="DELIVERY", help="Deliveries, as 001@site#gpu-server/1, patterns, or a CSV.")
]
PortOption = Annotated[int, Option("--port", help="Port of the dashboard on 127.0.0.1.", min=1, max=65535)]
DamagedOption = Annotated[bool, Option("--damaged", help="Go on even if the audit of the copy finds faults.")]
ChangeId = Annotated[str, Argument(metavar="CHANGE", help="Its id, as CO-0001.")]
ActionItemId = Annotated[str, Argument(metavar="ACTION", help="Its id, as A-0001; `action list` prints them.")]
NcrId = Annotated[str, Argument(help="Its id, as NCR-0001.")]
NoteOption = Annotated[str, Option(help="What is worth knowing.")]
PhaseOption = Annotated[str | None, Option(help="Only this phase.")]
