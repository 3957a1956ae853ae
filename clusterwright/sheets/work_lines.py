"""Lines of work: started, finished, how far it has come, and a note. Each cell is a decision of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

from clusterwright.sheets.columns import EARLY, FINISHED, ITEMS_DONE, NOTE, PERCENT, STARTED
from clusterwright.sheets.deeds import FINISHES, GOES_ON, IS_NOTED, STARTS, Deed, JudgedLine, Taking, refused
from ledger.questions.case import require_activity
from ledger.questions.since import comments_on, progress_since
from ledger.rules.activity import Activity, State
from ledger.subjects.work import decisions as work
from schedule.errors import NotSatisfiedError
from steps.stamps import minute


def work_deeds(taking: Taking, lines: Sequence[JudgedLine]) -> Iterator[Deed]:
    """Yield what the lines ask for. A cell that means nothing is refused at once."""
    progress = progress_since(taking.present(), taking.known)
    comments = comments_on(taking.present(), {one.line.id for one in lines})
    for one in lines:
        place = taking.places[one.line.id]
        for column, rank in ((STARTED, STARTS), (FINISHED, FINISHES)):
            with refused([one], column):
                at = one.line.moment(column, taking.zone)
                if at is not None:
                    yield Deed(at, place, rank, partial(_dated, taking, one, column, at))
        for column in (PERCENT, ITEMS_DONE):
            if one.line.text(column) and not one.line.text(FINISHED):
                last = progress.get(one.line.id)
                after = f"{last.by} on {minute(last.at, taking.zone)}" if last else ""
                yield Deed(taking.now, place, GOES_ON, partial(_progress, taking, one, column, after))
        note = one.line.text(NOTE)
        if note and (one.line.id, note) not in comments:
            yield Deed(taking.now, place, IS_NOTED, partial(_note, taking, one, note))


def _row(taking: Taking, one: JudgedLine) -> Activity:
    return require_activity(taking.present(), one.line.id)


def _dated(taking: Taking, one: JudgedLine, column: str, at: datetime) -> None:
    """Record a start or a finish. One that the record has already is left out, and another one is refused."""
    with refused([one], column):
        row = _row(taking, one)
        before = row.started_at if column == STARTED else row.finished_at
        if before is not None:
            if not _is_same(taking, one.line.text(column), at, before):
                raise NotSatisfiedError(
                    f"the record has {minute(before, taking.zone)}",
                    hint=f"`clusterwright log {row.id}` says who entered it",
                )
            return
        decision, early = work.start if column == STARTED else work.finish, one.line.text(EARLY)
        with taking.happened(at):
            try:
                taking.decider.take(decision, row.id, out_of_sequence=early)
            except NotSatisfiedError as error:
                if early or row.state is not State.BLOCKED:
                    raise
                raise NotSatisfiedError(error.what, hint=f"if it happened all the same, say {EARLY}") from None
        one.recorded.append(column)


def _is_same(taking: Taking, text: str, at: datetime, before: datetime) -> bool:
    """Return whether a cell says what the record says: to the minute, or only the day where the cell has no time."""
    said = minute(before, taking.zone)
    return said == minute(at, taking.zone) or said.startswith(text.removesuffix(" 00:00"))


def _progress(taking: Taking, one: JudgedLine, column: str, after: str) -> None:
    """Record how far the work has come. Less than somebody recorded after the sheet was made is refused: the line is old."""
    with refused([one], column):
        row, said = _row(taking, one), one.line.whole(column)
        assert said is not None  # only a cell that is filled in asks for this
        before = row.percent if column == PERCENT else row.items_done
        if before == said and row.started_at is not None:
            return
        if after and before is not None and said < before:
            raise NotSatisfiedError(
                f"since the sheet was made {after} recorded {before:g}",
                hint="write it into a new sheet if it is less again",
            )
        if column == PERCENT:
            taking.decider.take(work.progress, row.id, percent=said)
        else:
            taking.decider.take(work.progress, row.id, items_done=said)
        one.recorded.append(column)


def _note(taking: Taking, one: JudgedLine, note: str) -> None:
    with refused([one], NOTE):
        taking.decider.take(work.comment, one.line.id, note)
        one.recorded.append(NOTE)
