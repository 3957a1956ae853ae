"""Read a sheet of `export sheet` that people in the field filled in.

Every line is judged by the rules. Nothing is recorded without --record; then what is right is recorded at once, as you. What is
refused is written into a file with the reason in its row. Correct it there, and read that file. What the record has already is not
recorded again. A line that is older than what was recorded since is refused.

Example:
    clusterwright import sheet cables.xlsx
    clusterwright import sheet cables.xlsx --record

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Acting
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import JsonOption
from clusterwright.output import print_json, say
from clusterwright.sheets.columns import Part
from clusterwright.sheets.reading import read_sheet
from clusterwright.sheets.taking import about_refused, judged, recorded, refused_lines
from clusterwright.sheets.view import say_judged, sheet_document
from clusterwright.sheets.writing import write_sheet
from schedule.errors import NotSatisfiedError


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
        lines = (recorded if record else judged)(decider, filled)
        about = about_refused(decider.snapshot, filled)
    wrong = [one for one in lines if one.refusals]
    back = (refused or file.with_stem(f"{file.stem}-refused")) if wrong and (record or refused) else None
    if back is not None:
        write_sheet(refused_lines(filled, lines, about), back)
    if as_json:
        print_json(sheet_document(filled, lines, back, is_recorded=record))
    else:
        say_judged(filled, lines, back, is_recorded=record)
    moved = {Part.WORK, Part.DELIVERIES}
    if record and any(one.recorded and one.line.part in moved for one in lines):
        say_what_moves(me)
    if record and wrong:
        raise NotSatisfiedError(
            f"{len(wrong):,} of {len(lines):,} lines are refused", hint=f"correct them in {back}, and read that"
        )
    if lines and not record and not as_json:
        say("Nothing is recorded. `--record` records what is allowed.")
