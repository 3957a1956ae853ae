"""Options that many verbs share."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer

from steps.errors import InputError

SiteOption = Annotated[
    Path | None, typer.Option("--site", help="The site's folder; found upward from here if not given.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
AsOption = Annotated[str | None, typer.Option("--as", help="Which person of this account acts.", metavar="ID")]
AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", help="As the record had it after event 120, or by 2026-11-20T12:00.", metavar="WHEN"),
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it stays on record.")]
KeyOption = Annotated[
    Path | None, typer.Option("--key", help="Sign with this key; a .pub file if an agent holds it.", metavar="FILE")
]
AtOption = Annotated[
    str | None,
    typer.Option("--at", help="When it happened, if not now: 2026-11-21 or 2026-11-21T14:30+01:00."),
]


def instant(text: str | None) -> datetime | None:
    """Give a UTC instant from what a person wrote after --at."""
    if text is None:
        return None
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is not a date or time", hint="write 2026-11-21T14:30+01:00") from None
    return (given if given.tzinfo else given.astimezone()).astimezone(UTC)


def a_day(text: str) -> date:
    """Give a date from what a person wrote."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is not a date", hint="write 2026-11-21") from None
