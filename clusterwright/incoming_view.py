"""What an imported schedule changes, for people and as a document."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from clusterwright.incoming import JudgedProposal
from clusterwright.output import Document, in_line, say, table
from steps.schedule.exchange.comparing import Difference
from steps.schedule.exchange.read import Read

SHOWN = 60
"""How many lines are shown; --json has all."""


def incoming_document(
    file: Path, read: Read, found: Difference, lines: Sequence[JudgedProposal], *, is_recorded: bool
) -> Document:
    """Return the document of --json."""
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
    file: Path, read: Read, found: Difference, lines: Sequence[JudgedProposal], *, is_recorded: bool
) -> None:
    """Print the differences as a table; refused ones last, with the reason of each."""
    own = read.schedule
    say(f"{file}: {len(own.tasks):,} tasks, {len(own.links):,} links, as {read.form}")
    for notice in read.notices:
        say(f"  {notice}")
    if found.missing:
        say(f"  {len(found.missing):,} activities of the plan are not in the file: nothing follows from that")
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


def _cells(line: JudgedProposal) -> tuple[str, str, str, str, str]:
    one = line.proposal
    return in_line(one.id), in_line(one.title)[:40], one.what.value, one.was, in_line(one.now)
