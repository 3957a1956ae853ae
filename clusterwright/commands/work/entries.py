"""What people enter about work: readings, facts, files and notes, and that an entry was a mistake."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Acting, Reporting
from clusterwright.commands.consequences import say_shut_out, say_what_moves
from clusterwright.commands.options import Activities, ActivityId, ReasonOption
from clusterwright.output import say
from ledger.entries import fact_of
from ledger.rules.subjects import is_supply
from ledger.subjects.corrections import decisions as corrections
from ledger.subjects.facts.decisions import record_facts
from ledger.subjects.work import decisions as work
from ledger.subjects.work import evidence_decisions as evidence


def measure(
    me: Reporting,
    activity: ActivityId,
    metric: Annotated[str, Argument(help="What was read, as the criterion names it.")],
    value: Annotated[str, Argument(help="A number, or true or false.")],
    unit: Annotated[str, Argument(help="The unit it was read in.")],
    source: Annotated[str, Option(help="The instrument or document.")],
    item: Annotated[str | None, Option(help="Which rack, host, link.")] = None,
) -> None:
    """Record a reading against an acceptance criterion.

    It is judged at once, and one that fails opens a non-conformance. `show` names the criteria of an activity.

    Example:
        clusterwright measure H08@pod-001 rack.bond_resistance 50 mohm --source 'Megger 4' --item hall-1/row-02/rack-07

    """
    said = f"{metric} = {value} {unit}"
    say_shut_out(me, [activity])
    me.each([activity], said, work.measure, metric, value, unit, item=item, source=source)


def fact(
    me: Reporting,
    activity: ActivityId,
    facts: Annotated[list[str], Argument(metavar="NAME=VALUE...", help="As plant.capacity_one_unit_out=3.2MW.")],
    evidence: Annotated[list[Path], Option(help="A file that shows it.")],
    source: Annotated[str, Option(help="Which document, drawing or person says so.")] = "",
) -> None:
    """Record what the facility is or can supply, with evidence.

    Whatever asks for the fact is then worked out. `why` names the facts that an activity lacks.

    Example:
        clusterwright fact 114@hall-1 plant.capacity_one_unit_out=3.2MW --evidence plant.pdf

    """
    entries = [fact_of(text) for text in facts]
    said = ", ".join(facts)
    me.each([activity], said, record_facts, entries, evidence=evidence, source=source)


def attach(
    me: Reporting,
    activities: Activities,
    file: Annotated[Path, Option(help="The file.")],
    kind: Annotated[str, Option(help="What it is, as the policy calls it.")],
) -> None:
    """Attach a file as evidence.

    Its content is kept under its SHA-256. The place where a photo was taken is removed before.

    Example:
        clusterwright attach H08@pod-001 --file torque.csv --kind anchor-torque

    """
    me.each(activities, f"{kind} attached", evidence.attach, file, kind)


def comment(me: Reporting, activity: ActivityId, text: Annotated[str, Argument(help="The note.")]) -> None:
    """Write a note on an activity.

    Example:
        clusterwright comment 034@pod-001 'fan 3 is loud'

    """
    me.each([activity], "noted", work.comment, text)


def correct(me: Acting, event: Annotated[int, Argument(help="The number of the event.")], reason: ReasonOption) -> None:
    """Let an entry that was made by mistake not count any more.

    A start, an end, progress, a reading, a checked item, a file, a comment, an order, a promise, a shipment or a receipt. It is
    named by the number of its event, as `log` lists it. It stays in the record and does not count; enter the right one anew.

    Example:
        clusterwright correct 412 --reason 'pod 2, not pod 1'

    """
    recorded = me.take(corrections.correct, event, reason)
    say(f"{recorded.subject}: event {event} does not count any more")
    if is_supply(recorded.subject):
        say_what_moves(me)
