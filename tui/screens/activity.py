"""An activity's page: why it waits, what is approved, the criteria with what was measured, items, runs, links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from ledger.questions.calendar import float_words, working_weeks
from ledger.questions.case import LookedUp, case_of
from ledger.questions.causes import last_run
from ledger.questions.checks import CheckRow, checked_items, checklist
from ledger.questions.expected import expected
from ledger.questions.links import predecessors, successors
from ledger.questions.ncrs import ncrs
from ledger.questions.records import RunRow, comments, evidence, items, preview, runs, sign_offs
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import CriterionRow, criteria, why
from ledger.questions.witnesses import attendances, invitation
from ledger.rules.approval import missing_evidence
from ledger.rules.host_names import folded_within
from ledger.rules.judgement import FAILED, MET, NOT_MEASURED, WAIVED
from ledger.rules.rows import NcrRow
from schedule.errors import ClusterwrightError
from steps.planning.activity import WORKING, PlanActivity
from steps.stamps import local_day, minute
from steps.value import value_text
from tui.looks import Cells, coloured, safe, safe_lines, sheet, state_text
from tui.screens.deciding import DecidingScreen

STEP: tuple[Callable[[PlanActivity], str], ...] = (
    lambda plan: plan.phase.replace("_", " "),
    lambda plan: plan.kind,
    lambda plan: plan.role,
    lambda plan: f"hazards: {', '.join(plan.hazards)}" if plan.hazards else "",
)
"""What the page says of the step, in this order. A new field of a step is shown by one line here."""

VERDICTS = {
    MET: ("✔ met", "good"),
    FAILED: ("✘ failed", "bad"),
    NOT_MEASURED: ("? not measured", "attention"),
    WAIVED: ("≈ waived", "attention"),
}
RESULTS = {"failed": "bad", "unreachable": "attention"}
DIFFERENCE = {"+": "good", "-": "bad"}

LINES = 200
"""How many lines of differences the page shows."""

ITEMS = 60
"""How many items of a checklist the page shows; the failed ones come first."""

HOSTS = 20
"""How many hosts of a run the page shows; those that are not done come first."""

CAUSES = 20
"""How many causes of the last run the page shows; those of failed hosts come first."""

NAMES = 400
"""How many characters of the hosts' names of a cause the page shows."""

LINKS = 60
"""How many links the page shows; those before come first."""


class ActivityScreen(DecidingScreen):
    """One activity; the keys in the footer decide about it."""

    TITLE = "Activity"

    def __init__(self, activity: str) -> None:
        """Keep which activity it is."""
        super().__init__()
        self.activity = activity

    @property
    def chosen(self) -> str:
        """The activity of the page."""
        return self.activity

    def body(self) -> ComposeResult:
        """Return the parts in the order in which a signer reads them."""
        with VerticalScroll(id="page"):
            for part in PARTS:
                yield Static("", id=part)

    def ask(self, snapshot: Snapshot) -> list[Text | Table | None]:
        """Return every part of the page, ready to paint; None for a part that has nothing to say."""
        case = case_of(snapshot, self.activity, self.owner.site.person or "")
        parts = PARTS | {"why": partial(_why, lapsed=self.owner.site.lapsed(snapshot))}
        return [part(case) for part in parts.values()]

    def show(self, answer: Any) -> None:
        """Paint the parts; one that has nothing to say takes no room."""
        for name, painted in zip(PARTS, answer, strict=True):
            place = self.query_one(f"#{name}", Static)
            place.display = painted is not None
            place.update(painted or "")


def _heading(text: str) -> Text:
    return Text().append(f"\n{text}\n", style="bold underline")


def _head(case: LookedUp) -> Text:
    row, dates = case.row, case.row.plan.dates
    text = Text().append(f"{row.id}  ", style="bold")
    text.append_text(safe(row.plan.title)).append("\n")
    text.append_text(state_text(row.state, row.flags))
    said = [part(row.plan) for part in STEP]
    text.append(f"   {' · '.join(filter(None, said))} · attempt {row.attempt}")
    if dates is not None:
        weeks = working_weeks(case.snapshot)
        slack = float_words(row, weeks)
        text.append(
            f"\nplanned {minute(dates.early_start, case.zone)} to {minute(dates.early_finish, case.zone)}, {slack}"
        )
        week = weeks.get(row.plan.calendar)
        if week is not None and row.plan.calendar != WORKING:
            text.append(f"\non the calendar {row.plan.calendar}: {week}")
        if dates.wait:
            text.append(f"\n{dates.wait}; with unlimited crews it starts {minute(dates.unlimited_start, case.zone)}")
    forecast = expected(case.snapshot, row)
    for line in forecast.lines if forecast else ():
        text.append("\n").append_text(safe(line))
    if row.started_at:
        until = f" to {minute(row.ended_at, case.zone)}" if row.ended_at else ""
        text.append(f"\nactual  {minute(row.started_at, case.zone)}{until}")
    return text


def _why(case: LookedUp, lapsed: Mapping[str, str] = MappingProxyType({})) -> Text:
    answer = why(case.snapshot, case.row.id, lapsed)
    text = _heading("State, and what it waits for")
    text.append_text(safe(answer.state_sentence))
    for unmet in answer.unmet:
        text.append("\n  waits for ").append(unmet.predecessor, style="bold")
        through = f", through {', '.join(unmet.bridged)}" if unmet.bridged else ""
        text.append_text(safe(f" {unmet.title} ({unmet.state}{through}): {unmet.reason}"))
    if answer.turn is not None:
        text.append("\n").append_text(safe(f"  {answer.turn.words(case.zone)}"))
    for need in answer.needs:
        text.append("\n").append_text(safe(f"  needs {need}"))
    return text


def _causes(case: LookedUp) -> Text | None:
    """Return why hosts of the last run are not done, each cause with one whole message. None where all are done."""
    run = last_run(case.snapshot, case.row.id)
    if run is None or not run.causes:
        return None
    not_done = sum(cause.host_count for cause in run.causes)
    text = _heading(f"Not done in {run.run}: {not_done} of {len(run.hosts)} hosts")
    for cause in run.causes[:CAUSES]:
        text.append("  ").append_text(coloured(safe(cause.head).plain, RESULTS.get(cause.status, "muted")))
        text.append_text(safe(f": {folded_within(cause.hosts, NAMES)}")).append("\n")
        text.append_text(safe(f"    {cause.message or 'no reason was recorded'}")).append("\n")
    if len(run.causes) > CAUSES:
        text.append(f"  and {len(run.causes) - CAUSES} more causes: clusterwright show {case.row.id}\n")
    text.right_crop(1)
    return text


def _criteria(case: LookedUp) -> Table:
    rows: list[Cells] = []
    for criterion in criteria(case.snapshot, case.row.id):
        rows.append(_criterion(criterion))
        for number, cause in enumerate(criterion.causes, start=1):
            rows.append(("", f"likely cause {number}", "", "", cause, ""))
    return sheet("Acceptance criteria", ("", "metric", "limit", "each", "measured", "source of the limit"), rows)


def _criterion(c: CriterionRow) -> Cells:
    limit = (
        ("yes" if (c.op == "==") is c.value else "no") if isinstance(c.value, bool) else f"{c.op} {c.value} {c.unit}"
    )
    if c.fleet_z is not None:
        limit += f", within {c.fleet_z} robust deviations"
    readers, each = ", ".join(c.readers), c.each or ""
    measured = f"{c.measured}, read by {readers}" if readers else c.measured
    verdict = coloured(*VERDICTS[c.verdict])
    return verdict, c.metric, limit, each, measured, c.source


def _checklist(case: LookedUp) -> Table | None:
    """Return the items with their last entries, failed ones first. None where none was checked."""
    done = checklist(case.snapshot, case.row)
    if done is None:
        return None
    total = f" of {done.items}" if done.items is not None else ""
    title = f"Checklist: {done.passed}{total} {done.items_of} passed, {done.failed} failed, {done.open} open"
    checks = checked_items(case.snapshot, case.row)
    rows = [_check(check, case.zone) for check in checks[:ITEMS]]
    if len(checks) > ITEMS:
        rows.append(("", f"and {len(checks) - ITEMS} more: `clusterwright check list {case.row.id}`"))
    return sheet(title, ("", "item", "readings", "serial", "note", "who", "when"), rows)


def _check(c: CheckRow, zone: str) -> Cells:
    verdict = coloured(f"✘ failed {c.ncr}", "bad") if c.failing else coloured("✔ passed", "good")
    readings = [f"{r.metric} {value_text(r.value)} {r.unit}" for r in c.readings]
    found = (c.item, "; ".join(readings), c.serial, c.note)
    return verdict, *found, c.by, minute(c.at, zone)


def _preview(case: LookedUp) -> Text | None:
    """Return what the playbook would change, for who releases it. None where nobody looked in this attempt."""
    seen = preview(case.snapshot, case.row.id)
    if seen is None:
        return None
    from ledger.evidence.store import load  # pydantic, which takes as long to load as the first screen to be painted

    text = _heading("What check mode showed")
    text.append_text(safe(f"{seen.summary}; {minute(seen.at, case.zone)}"))
    try:
        lines = load(case.snapshot.site_dir, seen.differences).decode("utf-8", "replace").splitlines()
    except ClusterwrightError as error:
        lines = [str(error)]
    for line in lines[:LINES]:
        said, role = safe(line), DIFFERENCE.get(line[:1])
        text.append("\n  ").append_text(coloured(said.plain, role) if role else said)
    if len(lines) > LINES:
        text.append(f"\n  and {len(lines) - LINES} lines more, in the evidence {seen.differences[:12]}")
    return text


def _approval(case: LookedUp) -> Text:
    row, policy, missing = case.row, case.row.plan.policy, missing_evidence(case)
    text = _heading("Approval")
    hold = "hold point; " if policy.hold_point else ""
    who = " or ".join(policy.roles)
    text.append_text(safe(f"{hold}{row.signed} of {policy.quorum} by {who}; needed {policy.needed}"))
    for kind in policy.evidence:
        mark = coloured("✘ missing", "bad") if kind in missing else coloured("✔", "good")
        text = Text.assemble(text, "\n  ", mark, " ", safe(kind))
    for s in sign_offs(case.snapshot, row.id):
        signed = f"  {s.decision} by {s.name} as {s.role}, {minute(s.at, case.zone)}, {s.assurance}. {s.comment}"
        text.append("\n").append_text(safe(signed))
        if s.witnessed:
            text.append("\n").append_text(safe(f"    {s.witnessed}"))
    if row.valid_until is not None:
        text.append(f"\n  holds until {local_day(row.valid_until, case.zone)}")
    return text.append_text(_witnesses(case))


def _witnesses(case: LookedUp) -> Text:
    """Return who is invited to witness it, and who came. Empty where the policy names no witness."""
    snapshot, row, witness = case.snapshot, case.row, case.row.plan.policy.witness
    if witness is None:
        return Text()
    held = invitation(snapshot, row)
    invited = "not invited yet" if held is None else f"invited for {minute(held.on, case.zone)} by {held.by}"
    lines = ["", f"  witnesses, with {witness.notice_h:g} working hours' notice: {invited}"]
    for a in attendances(snapshot, row):
        came = f"{a.witness} attended" if a.witness else "did not attend"
        said = came if a.noted else "nothing noted"
        lines.append(f"    {a.role}: {said} {a.note}".rstrip())
    return safe_lines(lines)


def _faults(case: LookedUp) -> Table | None:
    """Return every non-conformance with what was decided about it. None where there never was one."""
    found = [_fault(ncr) for ncr in ncrs(case.snapshot, name=case.row.id)]
    headers = ("", "id", "class", "decided", "owner", "due", "inspected again", "reason")
    return sheet("Non-conformances", headers, found) if found else None


def _fault(n: NcrRow) -> Cells:
    state = coloured("✘ open", "bad") if n.closed_at is None else coloured("✔ closed", "good")
    decided = (n.decided or n.disposition, n.owner, n.due or "")
    return state, n.id, n.ncr_class, *decided, n.inspections, n.reason


def _record(case: LookedUp) -> Text:
    snapshot, name = case.snapshot, case.row.id
    lines = [f"evidence {e.kind}: {e.name} {e.digest[:12]} by {e.by}" for e in evidence(snapshot, name)]
    for run in runs(snapshot, name):
        lines += _run(snapshot, run, case.zone)
    lines += [f"note by {c.person}: {c.text}" for c in comments(snapshot, name)]
    text = _heading("Evidence, runs and notes")
    return text.append_text(safe_lines(lines or ["nothing yet"]))


def _run(snapshot: Snapshot, run: RunRow, zone: str) -> list[str]:
    mark = " (simulated)" if run.simulated else ""
    head = f"run {run.id[:8]} {minute(run.started_at, zone)}{mark}: {run.status} {run.summary}"
    hosts = items(snapshot, run.id)
    lines = [f"    {host.host} {host.status} {host.duration_s:.1f} s {host.failed_task}" for host in hosts[:HOSTS]]
    more = [f"    and {len(hosts) - HOSTS} more"] if len(hosts) > HOSTS else []
    return [head, *lines, *more]


def _links(case: LookedUp) -> Table:
    snapshot, name = case.snapshot, case.row.id
    ends = [("after", link.before, link) for link in predecessors(snapshot, name)]
    ends += [("before", link.after, link) for link in successors(snapshot, name)]
    rows = []
    for word, end, link in ends[:LINKS]:
        lag = f" +{link.lag_h:g} h" if link.lag_h else ""
        rows.append((word, end, link.title, link.state, f"{link.type}{lag}", link.reason))
    return sheet("Before and after", ("", "id", "what", "state", "link", "reason"), rows)


PARTS: dict[str, Callable[[LookedUp], Text | Table | None]] = {
    "head": _head,
    "why": _why,
    "causes": _causes,
    "criteria": _criteria,
    "checklist": _checklist,
    "preview": _preview,
    "approval": _approval,
    "faults": _faults,
    "record": _record,
    "links": _links,
}
