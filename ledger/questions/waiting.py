"""What waits for a person, ordered by what it unblocks: their inbox, with non-conformances, changes and action items by their own ids."""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import datetime
from json import dumps
from math import inf
from typing import Literal, NamedTuple

from ledger.questions.action_items import action_items
from ledger.questions.case import actor
from ledger.questions.decisions_needed import ncrs_to_decide
from ledger.questions.inbox import InboxRow, inbox
from ledger.questions.ncrs import ncrs
from ledger.questions.open_links import OpenLinks
from ledger.questions.snapshot import Snapshot

Kind = Literal["activity", "order", "ncr", "change", "action"]

_OF_SUBJECT: dict[str, Kind] = {"order": "order", "change": "change"}
"""By action of the inbox, what it is about where that is no activity."""

_EVIDENCE = """
SELECT id, coalesce(json_array_length(plan, '$.policy.evidence'), 0) FROM activity
WHERE id IN (SELECT value FROM json_each(:names))"""


class WaitingItem(NamedTuple):
    """Something that waits for a person. `subject` is what the command is about, `activity` what it belongs to.

    An action item may belong to none: then it is empty. `unblocks` is how many open activities come after it, directly or only
    through it. `needed` is how many kinds of evidence the policy asks for before a sign-off, and `missing` are those that are not
    there yet. `blocked_by` says why the decision would be refused now. It is empty if the person may take it.
    """

    kind: Kind
    subject: str
    activity: str
    action: str
    title: str
    role: str
    since: datetime | None
    unblocks: int
    needed: int = 0
    missing: tuple[str, ...] = ()
    blocked_by: str = ""

    @property
    def step(self) -> str:
        """The step of the activity."""
        return self.activity.partition("@")[0]

    @property
    def key(self) -> str:
        """What names the row: nothing waits twice for the same decision."""
        return f"{self.action} {self.subject}"


def waiting(
    snapshot: Snapshot,
    person: str,
    lapsed: Container[str] = (),
    links: OpenLinks | None = None,
) -> list[WaitingItem]:
    """Return what waits for a person. What unblocks most comes first, then what has waited longest.

    `lapsed` is as for `inbox`. `links` are those of this snapshot, where they were read already.
    """
    rows = inbox(snapshot, person, lapsed)
    links = OpenLinks(snapshot) if links is None else links
    to_sign = dumps([row.activity for row in rows if row.action == "sign"])
    needed: dict[str, int] = dict(snapshot.ask(_EVIDENCE, names=to_sign))
    found = [_of_inbox(row, needed, links) for row in rows]
    found += _ncrs(snapshot, person, links)
    found += _action_items(snapshot, person, links)
    return sorted(found, key=_place)


def _place(row: WaitingItem) -> tuple[int, float, str]:
    since = row.since.timestamp() if row.since else inf
    return -row.unblocks, since, row.key


def _of_inbox(row: InboxRow, needed: dict[str, int], links: OpenLinks) -> WaitingItem:
    subject, title = row.activity, row.title
    if row.action == "change":  # the title begins with its id
        subject, _, title = row.title.partition(": ")
    return WaitingItem(
        kind=_OF_SUBJECT.get(row.action, "activity"),
        subject=subject,
        activity=row.activity,
        action=row.action,
        title=title,
        role=row.role,
        since=row.since,
        needed=needed.get(row.activity, 0) if row.action == "sign" else 0,
        missing=row.missing_evidence,
        blocked_by=row.blocked_by,
        unblocks=links.unblocks(row.activity),
    )


def _ncrs(snapshot: Snapshot, person: str, links: OpenLinks) -> Iterator[WaitingItem]:
    """Yield the non-conformances that a person may decide, and those that they own and that are to be closed."""
    me = actor(snapshot, person)
    to_decide = {one.subject: one.role_of(me) for one in ncrs_to_decide(snapshot)}
    for found in ncrs(snapshot, open_only=True):
        role = to_decide.get(found.id)
        if role is None and (not found.decided or found.owner != person):
            continue
        yield WaitingItem(
            kind="ncr",
            subject=found.id,
            activity=found.activity,
            action="close" if role is None else "ncr",
            title=f"class {found.ncr_class}: {found.reason}" + (f" ({found.decided})" if found.decided else ""),
            role=role or "owner",
            since=found.opened_at,
            unblocks=links.unblocks(found.activity),
        )


def _action_items(snapshot: Snapshot, person: str, links: OpenLinks) -> Iterator[WaitingItem]:
    """Yield what a person agreed to do."""
    for found in action_items(snapshot):
        if found.owner == person:
            yield WaitingItem(
                kind="action",
                subject=found.id,
                activity=found.activity,
                action="act",
                title=f"{found.text} (by {found.due})",
                role="owner",
                since=found.agreed_at,
                unblocks=links.unblocks(found.activity) if found.activity else 0,
            )
