"""What was measured and found, on an activity's page: criteria, checklist, non-conformances, and why hosts are not done."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.questions.case import LookedUp
from ledger.questions.checks import checked_items, checklist, unchecked_items
from ledger.questions.ncrs import ncrs
from ledger.questions.records import waivers
from ledger.questions.run_list import last_run
from ledger.questions.why import criteria
from ledger.rules.judgement import ACCEPTED, FAILED, MET, NOT_MEASURED, WAIVED, CriterionRow, bound_words
from ledger.rules.rows import CheckRow, NcrRow
from ledger.subjects.runs.cause_rules import Cause
from ledger.subjects.runs.host_name_rules import folded_within
from steps.amount import counted
from steps.stamps import minute
from steps.value import value_text
from tui.lists.column import Span
from tui.looks import Role
from tui.screens.page_lines import PageLine, Target, said

VERDICTS: dict[str, Span] = {
    MET: ("✔ met", "good"),
    FAILED: ("✘ failed", "bad"),
    NOT_MEASURED: ("? not measured", "attention"),
    WAIVED: ("≈ waived", "attention"),
    ACCEPTED: ("≈ used as it is", "attention"),
}
CRITERIA, FAULTS = "Acceptance criteria", "Non-conformances"

ITEMS = 500
"""How many items of a checklist the page shows; the failed ones come first, those that nobody checked last."""

CAUSES = 50
"""How many causes of the last run the page shows; those of failed hosts come first."""

NAMES = 400
"""How many characters of the hosts' names of a cause the page shows."""


def measured(case: LookedUp) -> Iterator[PageLine]:
    """Yield every criterion with its verdict, its limit and what was measured; the likely causes below one that failed."""
    yield PageLine(CRITERIA, _heads("", "metric", "limit", "measured", "source of the limit"), table="criteria")
    found = criteria(case.snapshot, case.row.id)
    for criterion in found:
        yield PageLine(CRITERIA, _criterion(criterion), table="criteria")
        for number, cause in enumerate(criterion.causes, start=1):
            yield said(CRITERIA, f"    likely cause {number}: {cause}", "muted")
    for waiver in waivers(case.snapshot, case.row.id):
        if waiver.attempt == case.row.attempt:
            words = f"{waiver.id}: {waiver.metric} waived by {waiver.by} as {waiver.role}, due {waiver.due}: {waiver.reason}"
            yield said(CRITERIA, words, "attention")


def _criterion(c: CriterionRow) -> tuple[Span, ...]:
    limit = bound_words(c)
    if c.fleet_z is not None:
        limit += f", within {c.fleet_z} robust deviations"
    if c.each:
        limit += f" each {c.each}"
    verdict = VERDICTS[c.verdict]
    where = f" at {c.worst}" if c.worst else ""
    by = f", read by {', '.join(c.readers)}" if c.readers else ""
    found = f": {c.note}" if c.note else ""
    value = f"{c.measured}{where}{found}{by}" if c.measured != NOT_MEASURED else ""
    return verdict, (c.metric, "text"), (limit, "text"), (value, verdict[1]), (c.source, "muted")


def checked(case: LookedUp) -> Iterator[PageLine]:
    """Yield the items with their last entries, failed ones first. Nothing before one was checked."""
    done = checklist(case.snapshot, case.row)
    if done is None:
        return
    total = f" of {done.items}" if done.items is not None else ""
    section = f"Checklist: {done.passed}{total} {done.items_of} passed, {done.failed} failed, {done.open} open"
    checks = checked_items(case.snapshot, case.row)
    left = unchecked_items(case.snapshot, case.row)
    for check in checks[:ITEMS]:
        yield _check(section, check, case.zone)
    for item in left[: max(ITEMS - len(checks), 0)]:
        yield PageLine(section, (("· open", "muted"), (item, "text"), ("", "text")), table="checks")
    more = len(checks) + len(left) - ITEMS
    if more > 0:
        yield said(section, f"and {more} more: clusterwright check list {case.row.id}", "muted")


def _check(section: str, c: CheckRow, zone: str) -> PageLine:
    verdict: Span = (f"✘ failed {c.ncr or ''}".rstrip(), "bad") if c.failing else ("✔ passed", "good")
    readings = [f"{r.metric} {value_text(r.value)} {r.unit}" for r in c.readings]
    words = (*readings, c.serial, c.note, f"{c.by} {minute(c.at, zone)}")
    pieces: tuple[Span, ...] = (verdict, (c.item, "text"), ("; ".join(filter(None, words)), "text"))
    target = Target("evidence", c.photos[0]) if c.photos else None
    return PageLine(section, pieces, target, "checks")


def faults(case: LookedUp) -> Iterator[PageLine]:
    """Yield every non-conformance with what was decided about it."""
    for n in ncrs(case.snapshot, name=case.row.id):
        is_open = n.closed_at is None
        state: Span = ("✘ open", "bad") if is_open else ("✔ closed", "good")
        yield PageLine(
            FAULTS, (state, (n.id, "text"), (f"class {n.ncr_class}", "text"), (_decided(n), "text")), table="faults"
        )


def _decided(n: NcrRow) -> str:
    decided = n.decided or n.disposition
    words = (
        decided,
        f"owner {n.owner}" if n.owner else "no owner" if n.closed_at is None else "",
        f"due {n.due}" if n.due else "",
        f"inspected again {counted(n.inspections, 'time')}" if n.inspections else "",
    )
    return f"{', '.join(filter(None, words))}: {n.reason}"


def not_done(case: LookedUp) -> Iterator[PageLine]:
    """Yield why hosts of the last run are not done, each cause with one whole message. Nothing where all are done."""
    run = last_run(case.snapshot, case.row.id)
    if run is None or not run.causes:
        return
    count = sum(cause.host_count for cause in run.causes)
    yield from cause_lines(
        f"Not done in {run.run}: {count} of {counted(len(run.hosts), 'host')}", run.causes, Target("run", run.run)
    )


def cause_lines(section: str, causes: list[Cause], target: Target | None = None) -> Iterator[PageLine]:
    """Yield each cause: how many hosts at which task, their names, and one whole message."""
    for cause in causes[:CAUSES]:
        role: Role = "bad" if cause.status == "failed" else "attention"
        names = folded_within(cause.hosts, NAMES)
        yield PageLine(section, ((f"{cause.head}: ", role), (names, "text")), target)
        yield said(section, f"    {cause.message or 'no reason was recorded'}")
    if len(causes) > CAUSES:
        yield said(section, f"and {len(causes) - CAUSES} more causes", "muted")


def _heads(*titles: str) -> tuple[Span, ...]:
    return tuple((title, "muted") for title in titles)
