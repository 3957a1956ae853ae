"""What an imported schedule changes, for people and as a document."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from clusterwright.incoming import JudgedProposal
from clusterwright.output import Document, in_line, say, table
from schedule.exchange.comparing import Difference
from schedule.exchange.first_mapping import Match
from schedule.exchange.mapping import NEW, NONE, PlanMapping
from schedule.exchange.model import ExchangeTask
from schedule.exchange.read import Read

SHOWN = 60
"""How many lines are shown; --json has all."""
NAMED = 12
"""How many activities of theirs are named in a sentence."""


def mapping_document(file: Path, target: Path, found: Sequence[Match]) -> Document:
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


def say_mapping(file: Path, target: Path, found: Sequence[Match]) -> None:
    """Print what a mapping that was written has, and what to do with it."""
    filled = [match for match in found if match.ours]
    sure = sum(match.confidence == 1 for match in filled)
    say(f"{target}: a first mapping by names, of {len(found):,} activities in {file}")
    say(f"  {len(filled):,} are filled in, {sure:,} of them by the same id or the same words")
    say(f"  {len(found) - len(filled):,} are left open; the column `why` has what is nearest")
    say(f"Check it. `ours` is one of ours, `{NONE}`, or `{NEW}` for work that our plan lacks. Then:")
    print(f"clusterwright import schedule {file} --map {target}")


def incoming_document(
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
    one = line.proposal
    return {
        "what": one.what.value,
        "id": one.id,
        "title": one.title,
        "was": one.was,
        "now": one.now,
        "line": one.line,
        "recorded_as": line.recorded_as,
        "refusal": line.refusal or None,
    }


def say_incoming(
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
        say(
            f"  {len(found.missing):,} activities of the plan have no counterpart in the file: nothing follows from that"
        )
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
    return in_line(one.id), in_line(one.title)[:40], one.what.value, one.was, in_line(one.now)
