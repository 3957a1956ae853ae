"""Proposals from a schedule of another program, judged by the rules and recorded as the decisions that they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from clusterwright.commands.acting import Deciding
from clusterwright.exporting import exported, exported_about
from clusterwright.output import reason
from ledger.questions.since import comments_on
from ledger.subjects.orders import decisions as orders
from ledger.subjects.work import decisions as work
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError
from schedule.exchange.comparing import DatesOf, Difference, Proposal, What, difference
from schedule.exchange.mapping import PlanMapping, under_our_ids
from schedule.exchange.model import Exchange
from schedule.exchange.read import Read
from schedule.exchange.writing import Form
from schedule.text import shown_in_line
from steps.planning.dates.milestones import CONTINGENCY
from steps.stamps import at_site

COMMENT, PROPOSED = "comment", "Proposed in "
"""How a change of the plan is recorded, and how its text begins."""


class JudgedProposal(NamedTuple):
    """A proposal, how it is recorded, and why it cannot be; empty where it can."""

    proposal: Proposal
    recorded_as: str
    refusal: str


def mapped(theirs: Exchange, mapping: PlanMapping, ours: Exchange) -> Difference:
    """Return how another plan differs from our schedule, where a mapping says what its activities are.

    It was not made from ours, so that all its dates are its own.
    """
    found = under_our_ids(theirs, mapping, ours)
    return difference(ours, found, before=ours, dates=DatesOf.OTHER_PLAN)


def compared(folder: Path, read: Read) -> Difference:
    """Return how a file differs from the record. Raise InputError for another project's file.

    Progress is compared with the record as it is, plans with what was known at the file's data date. That has minutes: of the
    schedules that were exported in its minute, the nearest to the file counts.
    """
    present = exported(folder).schedule
    known = {task.id for task in present.tasks}
    if not any(task.id in known for task in read.schedule.tasks):
        raise InputError(
            "the file has no activity of this site",
            hint="of a file that `export schedule` wrote ids must stay as they are. For the plan of another program add "
            "`--map FILE.csv`: it writes a first mapping of their activities to ours",
        )
    dates = DatesOf.PEOPLE if read.form in {Form.CSV, Form.XLSX} else DatesOf.PROGRAM
    data_date = read.schedule.data_date
    once = difference(present, read.schedule, before=present, dates=dates)
    if data_date is None:
        return _of_work(once)
    before = exported_about(folder, data_date) if once.proposals else ()
    found = [difference(present, read.schedule, before=one.schedule, dates=dates) for one in before]
    return _of_work(min([once, *found], key=lambda one: len(one.proposals)))


def _of_work(found: Difference) -> Difference:
    """Return a difference without the schedule contingency: it follows from the commitment, and nobody works on it."""
    return Difference(
        [one for one in found.proposals if one.id != CONTINGENCY],
        [name for name in found.missing if name != CONTINGENCY],
    )


def taken(decider: Deciding, proposals: Sequence[Proposal], file: str, zone: str, why: str) -> list[JudgedProposal]:
    """Return each proposal as it was taken, with what the rules say against it when those before it are recorded.

    What a comment on its activity says already, of a file of another week, is none.
    """
    comments = comments_on(decider.snapshot, {_subject(one) for one in proposals})
    known = {(name, _asked_for(text)) for name, text in comments if text.startswith(PROPOSED)}
    found = []
    for one in proposals:
        if _recorded_as(one) == COMMENT and (_subject(one), _asked_for(_comment(one, file))) in known:
            continue
        refusal = ""
        try:
            _take(decider, one, file, zone, why)
        except ClusterwrightError as error:
            refusal = reason(error)
        found.append(JudgedProposal(one, _recorded_as(one), refusal))
    return found


def _recorded_as(one: Proposal) -> str:
    match one.what:
        case What.STARTED | What.PROGRESS | What.PROMISED:
            return one.what.value
        case What.FINISHED:
            return "order" if "#" in one.id else one.what.value
    return COMMENT


def _subject(one: Proposal) -> str:
    """Return what a proposal is recorded about: a new activity at one of ours beside it."""
    return one.beside if one.what is What.NEW else one.id


def _take(decider: Deciding, one: Proposal, file: str, zone: str, why: str) -> None:
    """Take the decision that a proposal is. Raise what the rules say against it."""
    if one.what in {What.STARTED, What.FINISHED} and one.at is not None:
        with decider.ledger.happened(at_site(one.at, zone), f"from {shown_in_line(file)}"):
            _decide(decider, one, file, why)
    else:
        _decide(decider, one, file, why)


def _decide(decider: Deciding, one: Proposal, file: str, why: str) -> None:
    match one.what:
        case What.STARTED:
            decider.take(work.start, one.id, out_of_sequence=why)
        case What.PROGRESS:
            decider.take(work.progress, one.id, percent=one.percent, note=f"from {shown_in_line(file)}")
        case What.FINISHED if "#" not in one.id:
            decider.take(work.finish, one.id, out_of_sequence=why)
        case What.FINISHED if "/" not in one.id.rpartition("#")[2]:
            decider.take(orders.order, one.id, out_of_sequence=why)
        case What.FINISHED:
            raise NotSatisfiedError("a delivery is received piece by piece", hint=f"clusterwright receive '{one.id}'")
        case What.PROMISED:
            assert one.at is not None
            decider.take(orders.promise, one.id, one.at.date(), reason=f"from {shown_in_line(file)}")
        case _:
            subject = _subject(one)
            if not subject:
                raise NotSatisfiedError(
                    "no activity of the plan is beside it",
                    hint="write a step in catalog/; with --map, `--new-steps catalog` writes a draft",
                )
            if "#" in subject:
                raise NotSatisfiedError(
                    "orders have no comments", hint="change site.yaml or catalog/, then `plan adopt`"
                )
            decider.take(work.comment, subject, _comment(one, file))


def _comment(one: Proposal, file: str) -> str:
    source = f"{shown_in_line(file)}, line {one.line}" if one.line else shown_in_line(file)
    if one.what is What.NEW:
        return f"{PROPOSED}{source}: new activity {shown_in_line(one.id)} {shown_in_line(one.title)!r}, {one.now}"
    return f"{PROPOSED}{source}: {one.what.value} {one.now} instead of {one.was}"


def _asked_for(comment: str) -> str:
    """Return what a comment proposes, without its file and without what was there, which a forecast moves each day."""
    return comment.partition(": ")[2].partition(" instead of ")[0]
