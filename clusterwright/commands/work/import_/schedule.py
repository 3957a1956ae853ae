"""Read progress, dates and new activities from a schedule of another program.

FILE is Microsoft Project's XML, P6's XML or XER, or a table of `export schedule` (.csv, .xlsx). The differences to the record are shown
with what the rules say to each. Nothing is recorded without --record; then all that the rules allow is recorded at once.
Progress and promised dates are recorded as decisions. Other dates, durations and new activities are recorded as comments on their
activities: plans change by site.yaml, catalog/ and `plan adopt`.

A file that `export schedule` wrote has our ids. A plan of theirs needs --map: a CSV that says which of ours its activities are. If it is
not there yet, a first one is written, by names, for you to check; nothing is recorded then.

Example:
    clusterwright import schedule plan.xml
    clusterwright import schedule plan.xml --record
    clusterwright import schedule p6.xer --map p6-map.csv
    clusterwright import schedule p6.xer --map p6-map.csv --new-steps catalog

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Acting
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import JsonOption, SequenceOption
from clusterwright.exporting import exported
from clusterwright.incoming import compared, judged, mapped, recorded
from clusterwright.incoming_view import incoming_document, mapping_document, say_incoming, say_mapping
from clusterwright.new_steps import write_new_steps
from clusterwright.output import print_json, say
from ledger.questions.site import site_of
from schedule.errors import InputError, NotSatisfiedError
from schedule.exchange.first_mapping import first_mapping, write_mapping
from schedule.exchange.mapping import PlanMapping, read_mapping, require_mapping
from schedule.exchange.read import Read
from schedule.exchange.reading import read_exchange


def schedule(
    me: Acting,
    file: Annotated[Path, Argument(help="The schedule that another program wrote.")],
    record: Annotated[bool, Option("--record", help="Record what the rules allow; without it nothing is.")] = False,
    map_file: Annotated[
        Path | None,
        Option("--map", help="A CSV: which of ours their activities are. One that is not there is written, by names."),
    ] = None,
    new_steps: Annotated[
        Path | None, Option(help="A folder for a draft of a step for each activity that --map calls new.")
    ] = None,
    out_of_sequence: SequenceOption = "",
    as_json: JsonOption = False,
) -> None:
    if new_steps is not None and map_file is None:
        raise InputError("only a mapping says what is new", hint="add --map FILE.csv")
    read = read_exchange(file)
    if map_file is not None and not map_file.exists():
        if record or new_steps:
            require_mapping(map_file)
        _begin_mapping(me, file, read, map_file, as_json=as_json)
        return
    with me.deciding() as decider:
        folder = decider.snapshot.site_dir
        mapping: PlanMapping | None = None
        if map_file is None:
            found = compared(folder, read)
        else:
            ours = exported(folder).schedule
            mapping = read_mapping(map_file, read.schedule, [task.id for task in ours.tasks])
            found = mapped(read.schedule, mapping, ours)
            if new_steps is not None:
                write_new_steps(folder, new_steps, file, read.schedule, mapping, ours)
        zone = site_of(decider.snapshot).time_zone
        take = recorded if record else judged
        lines = take(decider, found.proposals, file.name, zone, out_of_sequence)
    refused = [line for line in lines if line.refusal]
    if as_json:
        print_json(incoming_document(file, read, found, lines, mapping, is_recorded=record))
    else:
        say_incoming(file, read, found, lines, mapping, is_recorded=record)
    if record and len(refused) < len(lines):
        say_what_moves(me)
    if record and refused:
        raise NotSatisfiedError(
            f"{len(refused):,} of {len(lines):,} changes are refused", hint="the others are recorded"
        )
    if lines and not record and not as_json:
        say("Nothing is recorded. `--record` records what is allowed.")


def _begin_mapping(me: Acting, file: Path, read: Read, target: Path, *, as_json: bool) -> None:
    """Write a first mapping, and say how much of it is sure."""
    with me.record() as snapshot:
        ours = exported(snapshot.site_dir).schedule
    found = first_mapping(read.schedule, ours)
    write_mapping(found, target)
    if as_json:
        print_json(mapping_document(file, target, found))
    else:
        say_mapping(file, target, found)
