"""What the handlers of events work on: rows by their tables, changes collected, and effects that several events share.

Rows are written together: when a handler asks the database, when many have come together, and at the end. The activities that
handlers ask for are kept, since most events are about few of them. `changed` collects the nodes whose successors may be ready
now; `ledger.state.readiness` works that out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from json import dumps, loads
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Connection, Insert, Update, bindparam, insert, update
from sqlmodel import SQLModel

from ledger.rules.activity import COLUMNS, Activity, State, stored_activity
from steps.errors import UnreachableError
from steps.schedule.plan import Plan
from steps.stamps import stamp

if TYPE_CHECKING:
    from ledger.log.chain import Event
    from ledger.log.payloads.base import Batch, ReadingPart

Handler = Callable[["Projection", "Event", Any], None]
"""Applies one kind of payload."""


class Files(Protocol):
    """Where the files are that events name."""

    def load(self, digest: str) -> bytes:
        """Return the content of evidence, checked against its digest."""

    def name_in(self, digest: str) -> str | None:
        """Return the name in a person's document. None where the document was removed."""


class File(Protocol):
    """A file of the evidence store, as an event names it."""

    @property
    def digest(self) -> str:
        """The SHA-256 of its content."""

    @property
    def evidence(self) -> str:
        """What kind of evidence it is."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def size(self) -> int:
        """Its size in bytes."""


MANY = 5000
"""So many rows are collected at most before they are written."""

EVERY = "*"
"""In `changed`, this means every node: no activity, order or delivery has this id."""

FRESH: dict[str, Any] = {
    "finished_at": None,
    "done_at": None,
    "performers": (),
    "kept": (),
    "items_done": None,
    "percent": None,
    "stale_since": None,
    "valid_since": None,
    "valid_until": None,
    "waived": False,
    "attested": False,
    "simulated": False,
    "before": False,
}
"""How an attempt begins: nothing that the one before showed counts."""

_ACTIVITIES = f"SELECT {', '.join(COLUMNS)} FROM activity WHERE id IN (SELECT value FROM json_each(:names))"  # noqa: S608  our names
_AFTER = """
WITH RECURSIVE root(id) AS (SELECT value FROM json_each(:names)),
  after(id) AS (SELECT id FROM root UNION SELECT link."after" FROM link JOIN after ON link."before" = after.id)
SELECT id FROM after WHERE id NOT IN (SELECT id FROM root) ORDER BY id"""
_DONE = """
SELECT id FROM activity WHERE state = 'done' AND stale_since IS NULL
AND id IN (SELECT value FROM json_each(:names)) ORDER BY id"""
_UNANSWERED = "SELECT id FROM ncr WHERE activity = :activity AND closed_at IS NULL AND due IS NULL"


class Projection:
    """An open transaction over the projections, and the files that events name by their digest."""

    def __init__(
        self,
        connection: Connection,
        handlers: Mapping[str, tuple[Handler, ...]],
        files: Files,
    ) -> None:
        """Take the transaction, the handlers of each kind of event, and where files are read."""
        self.connection = connection
        self.files = files
        self.changed: dict[str, None] = {}
        self._handlers = handlers
        driver: Any = connection.connection.driver_connection
        self._query = driver.execute
        self._activities: dict[str, Activity] = {}
        self._added: dict[tuple[str, tuple[str, ...]], list[dict[str, Any]]] = {}
        self._updated: dict[tuple[str, str], dict[str, Any]] = {}
        self._collected = 0
        self._rehearsal: bool | None = None
        self._plan: tuple[str, Plan] | None = None

    def apply(self, event: Event) -> None:
        """Change the projections as an event says."""
        for handle in self._handlers[event.kind]:
            handle(self, event, event.payload)

    def plan(self, document: str) -> Plan:
        """Return an adopted plan. The last one that was asked for is kept."""
        if self._plan is None or self._plan[0] != document:
            self._plan = (document, Plan.model_validate_json(self.files.load(document)))
        return self._plan[1]

    def batched(self, batches: Iterable[Batch]) -> Iterator[dict[str, Any]]:
        """Return the rows that were too many for an event and are kept as files."""
        for batch in batches:
            yield from loads(self.files.load(batch.digest))

    def add(self, table: str, **columns: Any) -> None:
        """Add a row, with every column by its name."""
        row = {name: stored(value) for name, value in columns.items()}
        self._added.setdefault((table, tuple(columns)), []).append(row)
        self._collected += 1
        if self._collected >= MANY:
            self.flush()

    def update(self, table: str, key: str, **columns: Any) -> None:
        """Change columns of the row that has this id."""
        changes = self._updated.setdefault((table, key), {})
        changes.update((name, stored(value)) for name, value in columns.items())

    def ask(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, after everything collected was written."""
        self.flush()
        found: list[tuple[Any, ...]] = self._query(sql, values).fetchall()
        return found

    def run(self, sql: str, **values: Any) -> None:
        """Run a statement on the database, after everything collected was written."""
        self.flush()
        self._query(sql, values)

    def flush(self) -> None:
        """Write what was collected: first the rows that are new, then what is changed."""
        added, self._added, self._collected = self._added, {}, 0
        for (table, _), rows in added.items():
            self.connection.execute(_insertion(table), rows)
        updated, self._updated = self._updated, {}
        alike: dict[tuple[str, tuple[str, ...]], list[dict[str, Any]]] = {}
        for (table, key), columns in updated.items():
            alike.setdefault((table, tuple(columns)), []).append(columns | {"its_id": key})
        for (table, names), rows in alike.items():
            self.connection.execute(_change(table, names), rows)

    def keep_activities(self) -> None:
        """Read every activity at once, for a replay of many events; forget those of an earlier plan."""
        found = self.ask(f"SELECT {', '.join(COLUMNS)} FROM activity")  # noqa: S608  our names
        self._activities = {row.id: row for row in map(stored_activity, found)}

    def forget_activities(self) -> None:
        """Forget the activities that were read, since a plan is about to change all of them."""
        self.flush()
        self._activities = {}

    def activities(self, names: Iterable[str]) -> dict[str, Activity]:
        """Return those of the named activities that there are, by id."""
        wanted = list(names)
        unknown = [name for name in wanted if name not in self._activities]
        if unknown:
            found = map(stored_activity, self.ask(_ACTIVITIES, names=dumps(unknown)))
            self._activities |= {row.id: row for row in found}
        return {name: self._activities[name] for name in wanted if name in self._activities}

    def activity(self, name: str) -> Activity:
        """Return an activity. Raise where an event is about one that no plan has."""
        row = self._activities.get(name) or self.activities([name]).get(name)
        if row is None:
            raise UnreachableError(f"an event speaks of {name}, which no plan holds", hint="`clusterwright audit`")
        return row

    def change(self, row: Activity, **columns: Any) -> None:
        """Change an activity."""
        changes = {name: value for name, value in columns.items() if getattr(row, name) != value}
        for name, value in changes.items():
            setattr(row, name, value)
        if changes:
            self.update("activity", row.id, **changes)

    def touch(self, *names: str) -> None:
        """Note that the successors of these nodes may be ready now, or no longer."""
        self.changed |= dict.fromkeys(names)

    @property
    def is_rehearsal(self) -> bool:
        """Whether genesis says that this is a rehearsal."""
        if self._rehearsal is None:
            self._rehearsal = bool(self.ask("SELECT rehearsal FROM site")[0][0])
        return self._rehearsal

    def next_attempt(self, row: Activity, state: State) -> None:
        """Begin the next attempt."""
        begun = {} if state is not State.OPEN else {"started_at": None}
        self.change(row, attempt=row.attempt + 1, state=state, **FRESH, **begun)

    def reach(self, row: Activity, result: str, event: Event, **columns: Any) -> None:
        """Put an activity into the state that was decided. Being done closes its non-conformances."""
        self.change(row, state=State(result), **columns)
        if row.state is State.DONE:
            at = event.effective_at
            self.change(
                row,
                done_at=at,
                finished_at=row.finished_at or at,
                started_at=row.started_at or at,
                simulated=row.simulated or self.is_rehearsal,
            )
            self.approve_for_its_time(row, event)
            self._close_ncrs(row, event)
        self.touch(row.id)

    def approve_for_its_time(self, row: Activity, event: Event) -> None:
        """Note from which event on and until when an approval holds, where the policy gives it an end."""
        days = row.plan.policy.valid_days
        if days is not None:
            self.change(row, valid_since=event.seq, valid_until=event.effective_at + timedelta(days=days))

    def _close_ncrs(self, row: Activity, event: Event) -> None:
        """Close what a done activity has answered. What a person set a day for stays open until it is closed."""
        how = "accepted under waiver" if row.waived else f"accepted at attempt {row.attempt}"
        for (ncr,) in self.ask(_UNANSWERED, activity=row.id):
            self.update("ncr", ncr, closed_at=event.effective_at, disposition=how)

    def open_ncr(
        self,
        event: Event,
        activity: str,
        *,
        ncr: str,
        ncr_class: str,
        reason: str,
    ) -> None:
        """Open a non-conformance against an activity's present attempt."""
        self.add(
            "ncr",
            id=ncr,
            activity=activity,
            attempt=self.activity(activity).attempt,
            ncr_class=ncr_class,
            reason=reason,
            opened_by=event.actor,
            opened_at=event.effective_at,
            closed_at=None,
            disposition="",
            decided="",
            owner="",
            due=None,
        )

    def add_reading(
        self,
        event: Event,
        reading: ReadingPart,
        ordinal: int,
        *,
        ncr: str | None = None,
    ) -> None:
        """Keep a reading of an activity's present attempt. `ncr` is the non-conformance that a failed one belongs to."""
        self.add(
            "measurement",
            seq=event.seq,
            ordinal=ordinal,
            activity=event.subject,
            attempt=self.activity(event.subject).attempt,
            metric=reading.metric,
            item=reading.item,
            value=reading.value,
            unit=reading.unit,
            source=reading.source,
            instrument=reading.instrument,
            note=reading.note,
            person=event.actor,
            at=event.effective_at,
            ncr=ncr,
        )

    def add_evidence(self, event: Event, activity: str, file: File, ordinal: int) -> None:
        """Keep that a file is evidence of an activity's present attempt."""
        self.add(
            "evidence_item",
            seq=event.seq,
            ordinal=ordinal,
            activity=activity,
            attempt=self.activity(activity).attempt,
            kind=file.evidence,
            name=file.name,
            digest=file.digest,
            size=file.size,
            person=event.actor,
            at=event.effective_at,
        )

    def open_again(self, name: str, why: str) -> None:
        """Put an activity into its next attempt, open. What was decided not to apply is asked for again."""
        row = self.activity(name)
        self.next_attempt(row, State.OPEN)
        self.change(
            row,
            na_decided=False,
            na_reason=None,
            na_at=None,
            held_from=None,
            last_note=why,
        )

    def mark_resting(self, opened: Iterable[str], seq: int) -> None:
        """Mark as stale what is done and rested on what was opened again."""
        names = list(opened)
        if names:
            self.touch(*names, *self.mark_stale((name for (name,) in self.ask(_AFTER, names=dumps(names))), seq))

    def mark_stale(self, names: Iterable[str], seq: int) -> list[str]:
        """Mark activities as stale since an event, where they are done and not stale already. Return those."""
        stale = [name for (name,) in self.ask(_DONE, names=dumps(list(names)))]
        for row in self.activities(stale).values():
            self.change(row, stale_since=seq)
        return stale


def stored(value: Any) -> Any:
    """Return a value as its column holds it. Whole numbers, words, dates and truth values stay as they are."""
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, tuple):
        return dumps(value, ensure_ascii=False)
    return value


@lru_cache(maxsize=256)
def _insertion(table: str) -> Insert:
    return insert(SQLModel.metadata.tables[table])


@lru_cache(maxsize=1024)
def _change(table: str, names: tuple[str, ...]) -> Update:
    held = SQLModel.metadata.tables[table]
    return update(held).where(held.c.id == bindparam("its_id")).values({name: bindparam(name) for name in names})
