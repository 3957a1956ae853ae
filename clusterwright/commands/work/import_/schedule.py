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

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Acting
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import JsonOption, SequenceOption
from clusterwright.exporting import exported
from clusterwright.incoming import JudgedProposal, compared, mapped, taken
from clusterwright.new_steps import write_new_steps
from clusterwright.output import Document, in_line, print_json, say, table
from ledger.questions.site import site_of
from schedule.errors import InputError, NotSatisfiedError
from schedule.exchange.comparing import Difference
from schedule.exchange.first_mapping import Match, first_mapping, write_mapping
from schedule.exchange.mapping import NEW, NONE, PlanMapping, read_mapping, require_mapping
from schedule.exchange.model import ExchangeTask
from schedule.exchange.read import Read
from schedule.exchange.reading import read_exchange

SHOWN = 60
"""How many lines are shown; --json has all."""
NAMED = 12
"""How many activities of theirs are named in a sentence."""
PROPOSED = ("what", "id", "title", "was", "now", "line")
"""What --json has of a proposal."""


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
        with decider.together(record=record):
            lines = taken(decider, found.proposals, file.name, zone, out_of_sequence)
    refused = [line for line in lines if line.refusal]
    if as_json:
        print_json(_document(file, read, found, lines, mapping, is_recorded=record))
    else:
        _say_incoming(file, read, found, lines, mapping, is_recorded=record)
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
        print_json(_mapping_document(file, target, found) | {"notices": list(read.notices)})
    else:
        _say_mapping(file, target, found, read.notices)


def _mapping_document(file: Path, target: Path, found: Sequence[Match]) -> Document:
    """Return the document of --json for a mapping that was written."""
    return {
        "file": str(file),
        "mapping": str(target),
        "activities": [
            {
                "theirs": match.task.id,
                "their_title": match.task.title,
                "ours": match.ours or None,
                "our_title": match.our_title or None,
                "confidence": match.confidence,
                "why": match.why,
            }
            for match in found
        ],
    }


def _say_mapping(file: Path, target: Path, found: Sequence[Match], notices: Sequence[str]) -> None:
    """Print what a mapping that was written has, and what to do with it."""
    filled = [match for match in found if match.ours]
    sure = sum(match.confidence == 1 for match in filled)
    say(f"{target}: a first mapping by names, of {len(found):,} activities in {file}")
    say(f"  {len(filled):,} are filled in, {sure:,} of them by the same id or the same words")
    say(f"  {len(found) - len(filled):,} are left open; the column `why` has what is nearest")
    for notice in notices:
        say(f"  {notice}")
    say(f"Check it. `ours` is one of ours, `{NONE}`, or `{NEW}` for work that our plan lacks. Then:")
    print(f"clusterwright import schedule {quote(str(file))} --map {quote(str(target))}")


def _document(
    file: Path,
    read: Read,
    found: Difference,
    lines: Sequence[JudgedProposal],
    mapping: PlanMapping | None,
    *,
    is_recorded: bool,
) -> Document:
    """Return the document of --json."""
    left_out = [] if mapping is None else mapping.of(NONE)
    undecided = [] if mapping is None else mapping.undecided(read.schedule)
    return {
        "file": str(file),
        "form": read.form.value,
        "data_date": read.schedule.data_date,
        "tasks": len(read.schedule.tasks),
        "links": len(read.schedule.links),
        "calendars": len(read.schedule.calendars),
        "recorded": sum(not line.refusal for line in lines) if is_recorded else 0,
        "refused": sum(bool(line.refusal) for line in lines),
        "missing": found.missing,
        "left_out": left_out,
        "undecided": [{"id": task.id, "title": task.title} for task in undecided],
        "notices": list(read.notices),
        "changes": [_change(line) for line in lines],
    }


def _change(line: JudgedProposal) -> Document:
    proposed = {name: getattr(line.proposal, name) for name in PROPOSED}
    return proposed | {"recorded_as": line.recorded_as, "refusal": line.refusal or None}


def _say_incoming(
    file: Path,
    read: Read,
    found: Difference,
    lines: Sequence[JudgedProposal],
    mapping: PlanMapping | None,
    *,
    is_recorded: bool,
) -> None:
    """Print the differences as a table; refused ones last, with the reason of each."""
    own = read.schedule
    say(f"{file}: {len(own.tasks):,} tasks, {len(own.links):,} links, as {read.form}")
    for notice in read.notices:
        say(f"  {notice}")
    if mapping is not None:
        _say_mapped(read, mapping)
    if found.missing:
        say(f"  of the plan's activities {len(found.missing):,} are not in the file: nothing follows from that")
    allowed = [line for line in lines if not line.refusal]
    refused = [line for line in lines if line.refusal]
    if not lines:
        print("The file says nothing that the record does not have.")
        return
    if allowed:
        rows = [(*_cells(line), line.recorded_as) for line in allowed[:SHOWN]]
        table(("ID", "TITLE", "WHAT", "WAS", "IS", "RECORDED AS"), rows)
    for line in refused[:SHOWN]:
        name, _, what, was, now = _cells(line)
        print(f"refused: {name}: {what} {now} (was {was or 'not there'}): {in_line(line.refusal)}")
    more = max(0, len(allowed) - SHOWN) + max(0, len(refused) - SHOWN)
    if more:
        say(f"and {more:,} more; --json has all")
    kinds = Counter(line.proposal.what.value for line in allowed)
    counted = ", ".join(f"{number:,} {what}" for what, number in kinds.items())
    done = "recorded" if is_recorded else "can be recorded"
    say(f"{len(allowed):,} {done} ({counted or 'none'}), {len(refused):,} refused")


def _say_mapped(read: Read, mapping: PlanMapping) -> None:
    """Print which activities of theirs nothing follows from."""
    titled = {task.id: task for task in read.schedule.tasks}
    left_out = [titled[name] for name in mapping.of(NONE)]
    if left_out:
        say(f"  mapped to none, {len(left_out):,} of theirs: {_named(left_out)}")
    undecided = mapping.undecided(read.schedule)
    if undecided:
        say(f"  not mapped yet, {len(undecided):,} of theirs: {_named(undecided)}")
        say(f"  write in {mapping.path} what each is: one of ours, `{NONE}` or `{NEW}`")


def _named(tasks: Sequence[ExchangeTask]) -> str:
    more = len(tasks) - NAMED
    named = ", ".join(f"{in_line(task.id)} {in_line(task.title)[:40]!r}" for task in tasks[:NAMED])
    return f"{named} and {more:,} more; --json has all" if more > 0 else named


def _cells(line: JudgedProposal) -> tuple[str, str, str, str, str]:
    one = line.proposal
    return in_line(one.id), in_line(one.title), one.what.value, one.was, in_line(one.now)
