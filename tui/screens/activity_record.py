"""What happened about an activity and what it is linked to, on its page: runs, orders, notes, links, and every event with its undo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.questions.case import LookedUp
from ledger.questions.entries import correctable, corrections
from ledger.questions.links import predecessors, successors
from ledger.questions.log import EventRow, last_events
from ledger.questions.orders import orders
from ledger.questions.records import RunRow, comments, items, runs
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from ledger.rules.rows import RUN_DONE, LinkRow
from ledger.rules.subjects import is_supply, order_of
from steps.stamps import minute
from tui.lists.column import Span
from tui.looks import STATE_ROLES, Role, day_text
from tui.screens.page_lines import PageLine, Target, said

RUNS, ORDERS, NOTES, BEFORE, AFTER, HISTORY = "Runs", "Orders", "Notes", "Before it", "After it", "History"

HOSTS = 20
"""How many hosts of a run the page shows; those that are not done come first, and the run's own page has all."""

LINKS = 500
"""How many links of a side the page shows."""

EVENTS = 500
"""How many events the page shows, the newest ones."""

RUN_ROLES: dict[str, Span] = {
    "running": ("▶ running", "active"),
    "ok": ("✔ ok", "good"),
    "failed": ("✘ failed", "bad"),
    "interrupted": ("⏸ interrupted", "attention"),
    "rehearsed": ("≈ rehearsed", "muted"),
}
"""How a run ended, as glyph and word with its colour."""

STATES = {state.value: state for state in State}

TAKES_BACK = "[z takes it back]"

SAID = ("reason", "comment", "text", "note", "evidence", "name", "item", "person", "organisation", "status", "summary")
"""What of an event's content the history repeats, in this order."""


def run_words(status: str) -> Span:
    """Return how a run ended, as glyph and word with its colour."""
    return RUN_ROLES.get(status, (status, "muted"))


def ran(case: LookedUp) -> Iterator[PageLine]:
    """Yield the runs, the newest first, each with the first of its hosts."""
    for run in reversed(runs(case.snapshot, case.row.id)):
        yield from _run(case.snapshot, run, case.zone)


def _run(snapshot: Snapshot, run: RunRow, zone: str) -> Iterator[PageLine]:
    simulated = " (simulated)" if run.simulated else ""
    words = f"attempt {run.attempt}, {minute(run.started_at, zone)} on {run.host}{simulated}: {run.summary}"
    yield PageLine(RUNS, ((run.id, "text"), run_words(run.status), (words, "text")), Target("run", run.id), "runs")
    hosts = items(snapshot, run.id)
    for host in hosts[:HOSTS]:
        role: Role = "good" if host.status in RUN_DONE else "bad"
        at = f"at {host.failed_task}" if host.failed_task else ""
        yield said(RUNS, f"    {host.host} {host.status} {host.duration_s:.1f} s {at}".rstrip(), role)
    if len(hosts) > HOSTS:
        yield said(RUNS, f"    and {len(hosts) - HOSTS} more", "muted")


def ordered(case: LookedUp) -> Iterator[PageLine]:
    """Yield the orders that the activity places, each with its state, its dates and its deliveries."""
    for order in orders(case.snapshot):
        if f"{order.step}@{order.unit}" != case.row.id:
            continue
        day = order.promised_last
        dates = f"promised {day}" if day else f"order by {day_text(order.order_by, case.zone)}"
        came = sum(delivery.received_at is not None for delivery in order.tranches)
        words = (
            order.size,
            order.supplier_name or order.supplier,
            dates,
            f"{came} of {len(order.tranches)} deliveries came",
        )
        role: Role = "bad" if order.late_words else "text"
        late = f"; {order.late_words}" if order.late_words else ""
        pieces: tuple[Span, ...] = ((order.id, "text"), (order.state, "text"), (f"{', '.join(words)}{late}", role))
        yield PageLine(ORDERS, pieces, Target("order", order.id), "orders")


def notes(case: LookedUp) -> Iterator[PageLine]:
    """Yield the comments, the newest first."""
    for c in reversed(comments(case.snapshot, case.row.id)):
        yield PageLine(NOTES, ((c.person, "text"), (minute(c.at, case.zone), "muted"), (c.text, "text")), table="notes")


def links(case: LookedUp) -> Iterator[PageLine]:
    """Yield what comes before it and after it, each with its state and the reason of the link."""
    for section, found in (
        (BEFORE, [(link.before, link) for link in predecessors(case.snapshot, case.row.id)]),
        (AFTER, [(link.after, link) for link in successors(case.snapshot, case.row.id)]),
    ):
        for end, link in found[:LINKS]:
            yield link_line(section, end, link)
        if len(found) > LINKS:
            yield said(section, f"and {len(found) - LINKS} more", "muted")


def link_line(section: str, end: str, link: LinkRow) -> PageLine:
    """Return the line of a link: what is at its other end, in which state, and why one waits for the other."""
    state = STATES.get(link.state)
    shown: Span = (link.state, "text") if state is None else (f"{state.glyph} {state.words}", STATE_ROLES[state])
    lag = f" +{link.lag_h:g} h" if link.lag_h else ""
    words = f"{link.title}: {link.reason}"
    pieces: tuple[Span, ...] = ((end, "ready"), shown, (f"{link.type}{lag}", "muted"), (words, "text"))
    target = Target("order", order_of(end)) if is_supply(end) else Target("activity", end)
    return PageLine(section, pieces, target, section)


def history(case: LookedUp) -> Iterator[PageLine]:
    """Yield every event about it, the newest first. An entry that can be taken back says so."""
    name, zone = case.row.id, case.zone
    open_entries = set(correctable(case))
    taken_back = {c.entry: c for c in corrections(case.snapshot, name)}
    for event in reversed(last_events(case.snapshot, EVENTS, subject=name)):
        gone = taken_back.get(event.seq)
        is_open = event.seq in open_entries
        mark = TAKES_BACK if is_open else f"[taken back by {gone.by}]" if gone else ""
        pieces: tuple[Span, ...] = (
            (f"{event.seq}", "muted"),
            (minute(event.effective_at, zone), "muted"),
            (event.actor, "text"),
            (event.kind.partition(".")[2].replace("_", " "), "muted" if gone else "text"),
            (" ".join(filter(None, (event_words(event), mark))), "muted" if gone else "text"),
        )
        yield PageLine(HISTORY, pieces, Target("entry" if is_open else "event", f"{event.seq}"), "history")


def event_words(event: EventRow) -> str:
    """Return what an event says beside its kind: reasons, names, readings."""
    content: dict[str, Any] = event.payload
    words = [str(content[name]) for name in SAID if content.get(name)]
    reading = content.get("reading")
    if isinstance(reading, dict):
        at = f" at {reading['item']}" if reading.get("item") else ""
        words.insert(0, f"{reading['metric']} {reading['value']} {reading['unit']}{at}")
    if content.get("role"):
        words.append(f"as {content['role']}")
    if "passed" in content:
        words.insert(0, f"{content['passed']} passed, {content['failed']} failed")
    return ", ".join(words)
