"""Remove a person's name from the record for good.

Screens, reports and exports then show the id alone. What the person did stays under the id.

Example:
    clusterwright redact operator --reason 'asked for it' --dry-run

"""

from typing import Annotated

import typer
from typer import Argument, Option

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import YesOption
from clusterwright.output import say
from clusterwright.where import SITE_FILE
from ledger.evidence.names import people_file
from ledger.questions.log import mentions, naming_plans
from ledger.questions.people import person_name
from ledger.questions.snapshot import Snapshot
from ledger.subjects.people import decisions as people
from ledger.writing import Ledger
from schedule.errors import InputError
from steps.amount import counted

SHOWN = 20
"""How many events that mention a name are listed."""


def redact(
    me: Signing,
    person: Annotated[str, Argument(help="The person's id.")],
    reason: Annotated[str, Option(help="Why; it stays on record, so name nobody in it.")],
    yes: YesOption = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Ask every rule, record and remove nothing.")] = False,
) -> None:
    with me.deciding() as decider:
        held = person_name(decider.snapshot, person)
        if held is None or not held.redacted:
            decider.ledger.drafted(lambda: people.redact(decider.ledger, decider.person, person, reason))
            if dry_run:
                say(f"{person} may be redacted; nothing recorded (dry run)")
                return
            if not yes and typer.prompt("The name cannot be brought back. Type the person's id") != person:
                raise InputError("that is not the id; nothing recorded")
            decider.take(people.redact, person, reason)
    with Ledger.open(decider.snapshot.site_dir) as ledger:  # its file is written anew only where nobody reads it
        removed = people.take_away(ledger)
    say(
        f"{person}: redacted, {counted(removed, 'document')} removed; backups and packages made before still hold the name"
    )
    if held is not None and held.name != person:
        with me.record() as afterwards:  # the reason, too, may hold the name
            for place in _what_stays(afterwards, held.name):
                say(place)


def _what_stays(snapshot: Snapshot, name: str) -> list[str]:
    """Return every place that still holds the name and that only a person can clear."""
    places = []
    if events := mentions(snapshot, name):
        listed = _listed(events[:SHOWN]) + (", ..." if len(events) > SHOWN else "")
        places.append(
            f"the name is in {counted(len(events), 'event')}, as written at the time, and cannot be changed there: {listed}"
        )
    if plans := naming_plans(snapshot):
        places.append(f"the plans of the first release hold names themselves, and are kept: revision {_listed(plans)}")
    named = filter(None, [snapshot.site_dir / SITE_FILE, people_file(snapshot.site_dir)])
    holding = [file for file in named if file.is_file() and name in file.read_text(encoding="utf-8", errors="replace")]
    return places + [f"{file.name} still holds the name: take it out there; the id is enough" for file in holding]


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
