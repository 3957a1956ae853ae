"""Read progress, dates and new activities from a schedule that another program changed.

FILE is Microsoft Project's XML, P6's XML or XER, or a table of `export schedule` (.csv, .xlsx). The differences to the record are shown
with what the rules say to each. Nothing is recorded without --record; then all that the rules allow is recorded at once.
Progress and promised dates are recorded as decisions. Other dates, durations and new activities are recorded as comments on their
activities: plans change by site.yaml, catalog/ and `plan adopt`.

Example:
    clusterwright import schedule plan.xml
    clusterwright import schedule plan.xml --record
    clusterwright import schedule plan.xlsx --json

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Acting
from clusterwright.commands.moving import say_what_moves
from clusterwright.commands.options import JsonOption, SequenceOption
from clusterwright.incoming import compared, judged, recorded
from clusterwright.incoming_view import incoming_document, say_incoming
from clusterwright.output import print_json, say
from ledger.questions.site import site_of
from steps.errors import NotSatisfiedError
from steps.schedule.exchange.reading import read_exchange


def schedule(
    me: Acting,
    file: Annotated[Path, Argument(help="The schedule that another program wrote.")],
    record: Annotated[bool, Option("--record", help="Record what the rules allow; without it nothing is.")] = False,
    out_of_sequence: SequenceOption = "",
    as_json: JsonOption = False,
) -> None:
    read = read_exchange(file)
    with me.deciding() as decider:
        found = compared(decider.snapshot.site_dir, read)
        zone = site_of(decider.snapshot).time_zone
        take = recorded if record else judged
        lines = take(decider, found.proposals, file.name, zone, out_of_sequence)
    refused = [line for line in lines if line.refusal]
    if as_json:
        print_json(incoming_document(file, read, found, lines, is_recorded=record))
    else:
        say_incoming(file, read, found, lines, is_recorded=record)
    if record and len(refused) < len(lines):
        say_what_moves(me)
    if record and refused:
        raise NotSatisfiedError(
            f"{len(refused):,} of {len(lines):,} changes are refused", hint="the others are recorded"
        )
    if lines and not record and not as_json:
        say("Nothing is recorded. `--record` records what is allowed.")
