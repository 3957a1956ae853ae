"""An activity's page: why it waits, what is approved, the criteria with what was measured, items, runs, links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from ledger.evidence.store import load
from ledger.questions.case import require_activity
from ledger.questions.checks import checked_items, checklist
from ledger.questions.links import predecessors, successors
from ledger.questions.ncrs import ncrs
from ledger.questions.records import comments, evidence, items, preview, runs, sign_offs
from ledger.questions.why import criteria, why
from ledger.questions.witnesses import attendances, invitation
from steps.errors import ClusterwrightError
from steps.value import value_text
from tui.deciding import Decisions
from tui.looks import COLOURS, safe, state_text
from tui.screens.base import SiteScreen

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from ledger.rules.activity import Activity

VERDICTS = {
    "met": ("✔", "good"),
    "failed": ("✘", "bad"),
    "not measured": ("?", "attention"),
    "waived": ("≈", "attention"),
}


DIFFERENCE = {"+": "good", "-": "bad"}

LINES = 200
"""How many lines of differences the page shows."""

ITEMS = 60
"""How many items of a checklist the page shows; the failed ones come first."""


class Page(NamedTuple):
    """The parts of the page, ready to paint."""

    head: Text
    why: Text
    criteria: Table
    checklist: Table | None
    preview: Text | None
    approval: Text
    faults: Table | None
    record: Text
    links: Table


class ActivityScreen(Decisions, SiteScreen):
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
        """Give the parts in the order in which a signer reads them."""
        with VerticalScroll(id="page"):
            for part in Page._fields:
                yield Static("", id=part)

    def ask(self, snapshot: Snapshot) -> Page:
        """Read everything about the activity."""
        row = require_activity(snapshot, self.activity)
        return Page(
            _head(row),
            _why(snapshot, row),
            _criteria(snapshot, row),
            _checklist(snapshot, row),
            _preview(snapshot, row),
            _approval(snapshot, row),
            _faults(snapshot, row),
            _record(snapshot, row),
            _links(snapshot, row),
        )

    def show(self, answer: Any) -> None:
        """Paint the parts; one that has nothing to say takes no room."""
        for part in Page._fields:
            said = getattr(answer, part)
            place = self.query_one(f"#{part}", Static)
            place.display = said is not None
            place.update(said or "")


def _heading(text: str) -> Text:
    return Text(f"\n{text}\n", style="bold underline")


def _head(row: Activity) -> Text:
    text = Text()
    text.append(f"{row.id}  ", style="bold")
    text.append_text(safe(row.plan.title))
    text.append("\n")
    text.append_text(state_text(row.state, row.flags))
    text.append(f"   {row.plan.phase.replace('_', ' ')} · {row.plan.kind} · {row.plan.role} · attempt {row.attempt}")
    dates = row.plan.dates
    if dates is not None:
        slack = "critical" if row.is_critical else f"float {dates.total_float_h:.0f} h"
        text.append(f"\nplanned {dates.early_start:%Y-%m-%d %H:%M} to {dates.early_finish:%Y-%m-%d %H:%M}, {slack}")
    if row.started_at:
        until = f" to {row.ended_at:%Y-%m-%d %H:%M}" if row.ended_at else ""
        text.append(f"\nactual  {row.started_at:%Y-%m-%d %H:%M}{until}")
    return text


def _why(snapshot: Snapshot, row: Activity) -> Text:
    answer = why(snapshot, row.id)
    text = _heading("Why it stands where it stands")
    text.append_text(safe(answer.state_sentence))
    for unmet in answer.unmet:
        text.append("\n  waits for ")
        text.append(unmet.predecessor, style="bold")
        through = f", through {', '.join(unmet.bridged)}" if unmet.bridged else ""
        text.append_text(safe(f" {unmet.title} ({unmet.state}{through}): {unmet.reason}"))
    for need in answer.needs:
        text.append_text(safe(f"\n  needs {need}"))
    return text


def _criteria(snapshot: Snapshot, row: Activity) -> Table:
    shown = Table(title="Acceptance criteria", title_justify="left", box=None, pad_edge=False)
    for header in ("", "metric", "limit", "each", "measured", "source of the limit"):
        shown.add_column(header, overflow="fold")
    for c in criteria(snapshot, row.id):
        glyph, role = VERDICTS.get(c.verdict, ("?", "attention"))
        verdict = Text(f"{glyph} {c.verdict}", style=COLOURS[role])
        limit = f"{c.op} {c.value} {c.unit}"
        if c.fleet_z is not None:
            limit += f", within {c.fleet_z} robust deviations"
        measured = ", read by ".join(filter(None, (c.measured, ", ".join(c.readers))))
        shown.add_row(verdict, safe(c.metric), limit, safe(c.each or ""), safe(measured), safe(c.source))
        for number, cause in enumerate(c.causes, start=1):
            shown.add_row("", f"likely cause {number}", "", "", safe(cause), "")
    return shown


def _checklist(snapshot: Snapshot, row: Activity) -> Table | None:
    """Give the items with their last entries, failed ones first; nothing where none was checked."""
    done = checklist(snapshot, row)
    if done is None:
        return None
    total = f" of {done.items}" if done.items is not None else ""
    title = f"Checklist: {done.passed}{total} {done.items_of} passed, {done.failed} failed, {done.open} open"
    shown = Table(title=safe(title), title_justify="left", box=None, pad_edge=False)
    for header in ("", "item", "readings", "serial", "note", "who", "when"):
        shown.add_column(header, overflow="fold")
    checks = checked_items(snapshot, row)
    for c in checks[:ITEMS]:
        glyph, role = VERDICTS["failed" if c.failing else "met"]
        word = f"failed {c.ncr}" if c.failing else "passed"
        readings = "; ".join(f"{r.metric} {value_text(r.value)} {r.unit}" for r in c.readings)
        cells = (safe(c.item), safe(readings), safe(c.serial), safe(c.note), safe(c.by), f"{c.at:%Y-%m-%d %H:%M}")
        shown.add_row(Text(f"{glyph} {word}", style=COLOURS[role]), *cells)
    if len(checks) > ITEMS:
        shown.add_row("", f"and {len(checks) - ITEMS} more: `clusterwright check {row.id}`")
    return shown


def _preview(snapshot: Snapshot, row: Activity) -> Text | None:
    """Give what the playbook would change, for who releases it; nothing where nobody looked in this attempt."""
    seen = preview(snapshot, row.id)
    if seen is None:
        return None
    text = _heading("What check mode showed")
    text.append_text(safe(f"{seen.summary}; {seen.at:%Y-%m-%d %H:%M}"))
    try:
        lines = load(snapshot.site_dir, seen.differences).decode("utf-8", "replace").splitlines()
    except ClusterwrightError as error:
        lines = [str(error)]
    for line in lines[:LINES]:
        said = safe(line)
        if line[:1] in DIFFERENCE:
            said.stylize(COLOURS[DIFFERENCE[line[:1]]])
        text.append("\n  ").append_text(said)
    if len(lines) > LINES:
        text.append(f"\n  and {len(lines) - LINES} lines more, in the evidence {seen.differences[:12]}")
    return text


def _approval(snapshot: Snapshot, row: Activity) -> Text:
    text = _heading("Approval")
    hold = "hold point; " if row.plan.policy.hold_point else ""
    who = " or ".join(row.plan.policy.roles)
    text.append_text(safe(f"{hold}{row.signed} of {row.plan.policy.quorum} by {who}; needed {row.plan.policy.needed}"))
    present = {e.kind for e in evidence(snapshot, row.id) if e.attempt == row.attempt}
    for kind in row.plan.policy.evidence:
        mark, role = ("✔", "good") if kind in present else ("✘ missing", "bad")
        text.append(f"\n  {mark} ", style=COLOURS[role])
        text.append_text(safe(kind))
    for s in sign_offs(snapshot, row.id):
        text.append_text(
            safe(f"\n  {s.decision} by {s.name} as {s.role}, {s.at:%Y-%m-%d %H:%M}, {s.assurance}. {s.comment}")
        )
        if s.witnessed:
            text.append_text(safe(f"\n    {s.witnessed}"))
    if row.valid_until is not None:
        text.append(f"\n  holds until {row.valid_until:%Y-%m-%d}")
    text.append_text(_witnesses(snapshot, row))
    return text


def _witnesses(snapshot: Snapshot, row: Activity) -> Text:
    """Say what the witnesses were told, and who came."""
    text = Text()
    witness = row.plan.policy.witness
    if witness is None:
        return text
    held = invitation(snapshot, row)
    told = "not invited yet" if held is None else f"invited for {held.on:%Y-%m-%d %H:%M} by {held.by}"
    text.append_text(safe(f"\n  witnesses, with {witness.notice_h:g} working hours' notice: {told}"))
    for a in attendances(snapshot, row):
        said = "nothing noted" if not a.noted else f"{a.witness} attended" if a.witness else "did not attend"
        text.append_text(safe(f"\n    {a.role}: {said} {a.note}".rstrip()))
    return text


def _faults(snapshot: Snapshot, row: Activity) -> Table | None:
    """Give every non-conformance with what was decided about it; nothing where there never was one."""
    found = ncrs(snapshot, name=row.id)
    if not found:
        return None
    shown = Table(title="Non-conformances", title_justify="left", box=None, pad_edge=False)
    for header in ("", "id", "class", "decided", "owner", "due", "inspected again", "reason"):
        shown.add_column(header, overflow="fold")
    for n in found:
        glyph, role = VERDICTS["failed" if n.closed_at is None else "met"]
        state = Text(f"{glyph} {'open' if n.closed_at is None else 'closed'}", style=COLOURS[role])
        cells = (n.decided or n.disposition, n.owner, str(n.due or ""), str(n.inspections), n.reason)
        shown.add_row(state, n.id, n.ncr_class, *(safe(cell) for cell in cells))
    return shown


def _record(snapshot: Snapshot, row: Activity) -> Text:
    text = _heading("Evidence, runs and notes")
    lines = [f"evidence {e.kind}: {e.name} {e.digest[:12]} by {e.by}" for e in evidence(snapshot, row.id)]
    for r in runs(snapshot, row.id):
        mark = " (simulated)" if r.simulated else ""
        lines.append(f"run {r.id[:8]} {r.started_at:%Y-%m-%d %H:%M}{mark}: {r.status} {r.summary}")
        lines += [f"    {i.host} {i.status} {i.duration_s:.1f} s {i.failed_task}" for i in items(snapshot, r.id)[:20]]
    lines += [f"note by {c.person}: {c.text}" for c in comments(snapshot, row.id)]
    text.append_text(safe("\n".join(lines) or "nothing yet"))
    return text


def _links(snapshot: Snapshot, row: Activity) -> Table:
    shown = Table(title="Before and after", title_justify="left", box=None, pad_edge=False)
    for header in ("", "id", "what", "state", "link", "reason"):
        shown.add_column(header, overflow="fold")
    ends = [("after", x.before, x) for x in predecessors(snapshot, row.id)]
    ends += [("before", x.after, x) for x in successors(snapshot, row.id)]
    for word, end, x in ends[:60]:
        lag = f" +{x.lag_h:g} h" if x.lag_h else ""
        shown.add_row(word, safe(end), safe(x.title), safe(x.state), f"{x.type}{lag}", safe(x.reason))
    return shown
