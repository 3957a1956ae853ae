"""`clusterwright redact`: a person's name leaves the record; what they did stays under their id."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from clusterwright.commands.options import AsOption, KeyOption, SiteOption
from ledger.decisions import people
from ledger.questions import log
from ledger.questions.people import person_name
from ledger.reading import open_snapshot
from steps.errors import InputError

SHOWN = 20
"""How many events that mention a name are listed."""


def redact(
    person: Annotated[str, typer.Argument(help="The person's id.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; it stays on record, so name nobody in it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ask every rule, record and remove nothing.")] = False,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Take a person's name out of the record for good; screens, reports and exports show the id alone."""
    from clusterwright.output import say
    from clusterwright.where import acting_person, find_site
    from ledger.decisions.by_key import decided
    from ledger.writing import Ledger

    folder = find_site(site)
    with open_snapshot(folder) as reader:
        me = acting_person(reader, who)
        held = person_name(reader, person)
    with Ledger.open(folder, clock=lambda: datetime.now(UTC)) as ledger:
        if held is None or not held.redacted:
            ledger.drafted(lambda: people.redact(ledger, me, person, reason))
            if dry_run:
                say(f"{person} may be redacted; nothing recorded (dry run)")
                return
            if not yes and typer.prompt("The name cannot be brought back. Type the person's id") != person:
                raise InputError("that is not the id; nothing recorded")
            decided(ledger, me, lambda: people.redact(ledger, me, person, reason), key=key)
        removed = people.take_away(ledger)
        say(f"{person}: redacted, {removed} documents removed; backups and packages made before still hold the name")
        if held is not None and held.name != person:
            _say_what_stays(folder, held.name)


def _say_what_stays(folder: Path, name: str) -> None:
    """Name every place that still holds the name and that nobody but a person can clear."""
    from clusterwright.output import say

    with open_snapshot(folder) as reader:
        events, plans = log.mentions(reader, name), log.naming_plans(reader)
    if events:
        listed = ", ".join(str(seq) for seq in events[:SHOWN]) + (", ..." if len(events) > SHOWN else "")
        say(f"{len(events)} events hold the name in what was written at the time, and cannot be changed: {listed}")
    if plans:
        listed = ", ".join(str(revision) for revision in plans)
        say(f"the plans of the first release hold names themselves, and are kept: revision {listed}")
    if name in (folder / "site.yaml").read_text(encoding="utf-8", errors="replace"):
        say("site.yaml still holds the name: take it out there; the id is enough")
