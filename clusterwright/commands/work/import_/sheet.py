"""Read a sheet of `export sheet` that people in the field filled in.

Every line is judged by the rules. Nothing is recorded without --record; then what is right is recorded at once, as you. What is
refused is written into a file with the reason in its row. Correct it there, and read that file. What the record has already is not
recorded again. A line that is older than what was recorded since is refused.

Example:
    clusterwright import sheet cables.xlsx
    clusterwright import sheet cables.xlsx --record

"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Acting
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import JsonOption
from clusterwright.output import Document, in_line, print_json, say
from clusterwright.sheets.columns import Part
from clusterwright.sheets.deeds import JudgedLine
from clusterwright.sheets.reading import Filled, read_sheet
from clusterwright.sheets.taking import about_refused, refused_lines, taken
from clusterwright.sheets.writing import write_sheet
from schedule.errors import NotSatisfiedError

SHOWN = 60
"""How many refused lines are shown; --json and the file of refused lines have all."""


def sheet(
    me: Acting,
    file: Annotated[Path, Argument(help="The sheet that came back.")],
    record: Annotated[bool, Option("--record", help="Record what the rules allow; without it nothing is.")] = False,
    refused: Annotated[
        Path | None, Option(help="Where to write the lines that are refused; FILE-refused beside it.", metavar="FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    filled = read_sheet(file)
    with me.deciding() as decider:
        with decider.together(record=record) as writing:
            lines = taken(decider, writing, filled)
        about = about_refused(decider.snapshot, filled)
    wrong = [one for one in lines if one.refusals]
    back = (refused or file.with_stem(f"{file.stem}-refused")) if wrong and (record or refused) else None
    if back is not None:
        write_sheet(refused_lines(filled, lines, about), back)
    if as_json:
        print_json(_document(filled, lines, back, is_recorded=record))
    else:
        _say_judged(filled, lines, back, is_recorded=record)
    moved = {Part.WORK, Part.DELIVERIES}
    if record and any(one.recorded and one.line.part in moved for one in lines):
        say_what_moves(me)
    if record and wrong:
        raise NotSatisfiedError(
            f"{len(wrong):,} of {len(lines):,} lines are refused", hint=f"correct them in {back}, and read that"
        )
    if lines and not record and not as_json:
        say("Nothing is recorded. `--record` records what is allowed.")


def _document(filled: Filled, lines: Sequence[JudgedLine], back: Path | None, *, is_recorded: bool) -> Document:
    """Return the document of --json."""
    new = [one for one in lines if one.recorded]
    return {
        "file": str(filled.path),
        "made_at": filled.origin.made_at,
        "as_of_event": filled.origin.event,
        "revision": filled.origin.revision,
        "organisation": filled.origin.organisation or None,
        "lines": len(lines),
        "empty": filled.empty,
        "allowed": len(new),
        "recorded": len(new) if is_recorded else 0,
        "recorded_before": sum(not (one.recorded or one.refusals) for one in lines),
        "refused": sum(bool(one.refusals) for one in lines),
        "refused_file": back and str(back),
        "rows": [
            {
                "table": one.line.part.value,
                "line": one.line.place.line,
                "id": one.line.id,
                "recorded": one.recorded,
                "refusals": one.refusals,
            }
            for one in lines
        ],
    }


def _say_judged(filled: Filled, lines: Sequence[JudgedLine], back: Path | None, *, is_recorded: bool) -> None:
    """Print the refused lines with their reasons, and how many are recorded."""
    origin = filled.origin
    whose = f" for {in_line(origin.organisation)}" if origin.organisation else ""
    say(
        f"{filled.path}: made{whose} at {in_line(origin.made_at)}, of revision {origin.revision}, event {origin.event:,}"
    )
    wrong = [one for one in lines if one.refusals]
    for one in wrong[:SHOWN]:
        about = f"{one.line.part} {one.line.place.line}: {in_line(one.line.id)}"
        print(f"refused: {about}: {in_line(' | '.join(one.refusals))}")
    if len(wrong) > SHOWN:
        say(f"and {len(wrong) - SHOWN:,} more; --json has all")
    kinds = Counter(one.line.part.value for one in lines if one.recorded)
    counted = ", ".join(f"{number:,} of {part}" for part, number in kinds.items())
    done = "recorded" if is_recorded else "can be recorded"
    before = sum(not (one.recorded or one.refusals) for one in lines)
    said = [f"{kinds.total():,} lines {done} ({counted or 'none'})", f"{len(wrong):,} refused"]
    said += [f"{before:,} recorded before"] if before else []
    said += [f"{filled.empty:,} say nothing yet"] if filled.empty else []
    say(", ".join(said))
    if back is not None:
        say(f"{back}: the refused lines, with the reason in each row")
