"""The projection that handlers of events change: it collects new and changed rows, and has what several events do alike.

Rows are written together: those of a table before a query reads it, all when many were collected, and at the end. Activities that
were read are cached, because most events are about few of them. `changed` has the nodes whose successors may be ready now.
`ledger.state.readiness` works that out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from json import JSONEncoder, dumps, loads
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection
from sqlmodel import SQLModel

from ledger.rules.activity import COLUMNS, Activity, State, stored_activity
from ledger.state.columns import columns_of, fields_in
from schedule.errors import UnreachableError
from steps.planning.plan import Plan
from steps.planning.plan_document import plan_of
from steps.stamps import stamp

if TYPE_CHECKING:
    from ledger.evidence.store import SiteFiles
    from ledger.log.chain import Event
    from ledger.log.payload import Batch, Left, Part, Payload
    from ledger.subjects.checklists.payloads import ItemsChecked
    from ledger.subjects.orders.payloads import TrancheReceived
    from ledger.subjects.runs.payloads import RunSettled
    from ledger.subjects.sign_off.payloads import Rejected
    from ledger.subjects.work.payloads import Attached, MeasurementRecorded

    OpensNcr = ItemsChecked | TrancheReceived | RunSettled | Rejected | MeasurementRecorded

Handler = Callable[["Projection", "Event", Any], None]
"""Applies one kind of payload."""

Handlers = dict["type[Payload]", Handler]
"""The handler of each kind of payload in a module."""


Row = dict[str, Any]
Values = tuple[Any, ...]
"""The values of a row, as they are stored."""

Shape = tuple[str, tuple[str, ...]]
"""A table, and the columns of rows that are written together."""

MANY = 5000
"""How many rows are collected at most before they are written."""

UNCHANGED = frozenset({str, int, bool, float, type(None)})
"""Types of values that are stored unchanged."""

_NAMED = re.compile(r'(?:\bFROM|\bJOIN|,|\()\s*"?(\w+)', re.IGNORECASE)
_word_list = JSONEncoder(ensure_ascii=False).encode


EVERY = "*"
"""In `changed`, this means every node. No activity, order or delivery has this id."""

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
"""The columns of a new attempt. Nothing of the earlier attempt counts in it."""

_ACTIVITIES = f"SELECT {', '.join(COLUMNS)} FROM activity WHERE id IN (SELECT value FROM json_each(:names))"  # noqa: S608  our names
_DECIDED = """
SELECT id FROM activity WHERE state NOT IN (:open, :not_applicable) OR na_decided OR early_because <> ''"""
_WITHOUT_DUE_DATE = "SELECT id FROM ncr WHERE activity = :activity AND closed_at IS NULL AND due IS NULL"


class Collected:
    """New and changed rows of a database that are not written yet. `added` counts the new rows of each table."""

    def __init__(self, driver: Any) -> None:
        """Take the driver's own connection."""
        self.driver = driver
        self.added: Counter[str] = Counter()
        self._query = driver.execute
        self._query_many = driver.executemany
        self._new: dict[Shape, list[Values]] = {}
        self._changed: dict[str, dict[str | int, Row]] = {}
        self._waiting: set[str] = set()
        self._collected = 0

    def add(self, table: str, **columns: Any) -> None:
        """Add a row. A column that is not among `columns` has the value that its table has for new rows."""
        values = columns.values()
        row = tuple([value if type(value) in UNCHANGED else stored(value) for value in values])
        self.add_stored((table, tuple(columns)), row)

    def add_stored(self, shape: Shape, row: Values) -> None:
        """Add a row whose values are as they are stored."""
        rows = self._new.get(shape)
        if rows is None:
            rows = self._new[shape] = []
            self._waiting.add(shape[0])
        rows.append(row)
        self.added[shape[0]] += 1
        self._collected += 1
        if self._collected >= MANY:
            self.flush()

    def update(self, table: str, key: str | int, **columns: Any) -> None:
        """Change columns of the row with this id."""
        rows = self._changed.get(table)
        if rows is None:
            rows = self._changed[table] = {}
            self._waiting.add(table)
        changes = rows.setdefault(key, {})
        for name, value in columns.items():
            changes[name] = value if type(value) in UNCHANGED else stored(value)

    def execute(self, sql: str, values: Any = ()) -> Any:
        """Write what was collected for the tables of a query, and return its cursor, as the driver's connection does."""
        read = tables_in(sql)
        if not read.isdisjoint(self._waiting):
            self._write(self._waiting & read)
        return self._query(sql, values)

    def flush(self) -> None:
        """Write everything that was collected."""
        if self._waiting:
            self._write(self._waiting)

    def _write(self, tables: AbstractSet[str]) -> None:
        """Write what was collected for some tables: first the new rows, then the changes."""
        for shape in [shape for shape in self._new if shape[0] in tables]:
            insertion, rows = _insertion(*shape), self._new.pop(shape)
            self._collected -= len(rows)
            self._query_many(insertion.sql, [row + insertion.defaults for row in rows])
        for table in self._changed.keys() & tables:
            alike: dict[tuple[str, ...], list[Values]] = {}
            for key, columns in self._changed.pop(table).items():
                values = (*columns.values(), key)
                alike.setdefault(tuple(columns), []).append(values)
            for names, changes in alike.items():
                self._query_many(_change(table, names), changes)
        self._waiting = self._waiting - tables


class Projection(Collected):
    """An open transaction that events change, and the files that events name by their digest."""

    def __init__(
        self,
        connection: Connection,
        handlers: Mapping[str, tuple[Handler, ...]],
        files: SiteFiles,
    ) -> None:
        """Take the transaction, the handlers of each kind of event, and what reads files."""
        super().__init__(connection.connection.driver_connection)
        self.connection = connection
        self.files = files
        self.changed: dict[str, None] = {}
        self.latest_words: dict[str, str] = {}
        """By subject, as far as it was asked: of what time its latest entry is (see `ledger.subjects.later_words`)."""
        self._handlers = handlers
        self._activities: dict[str, Activity] = {}

    def refuse(self, row: Mapping[str, Any]) -> None:
        """Note that the event of a stored row is refused. It changes nothing else."""
        names = ("seq", "kind", "actor", "subject")
        self.add("refused", **{name: row[name] for name in names})

    def apply(self, event: Event) -> None:
        """Apply an event: change the rows that it is about."""
        for handle in self._handlers[event.kind]:
            handle(self, event, event.payload)

    def plan(self, document: str) -> Plan:
        """Return an adopted plan."""
        return plan_of(self.files.load(document))

    def batched(self, batches: Iterable[Batch]) -> Iterator[Row]:
        """Yield the rows that were too many for an event and are in files."""
        for batch in batches:
            yield from loads(self.files.load(batch.digest))

    def ask(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        """Write what was collected for the tables of a query, and return its rows."""
        found: list[tuple[Any, ...]] = self.execute(sql, values).fetchall()
        return found

    def ids(self, sql: str, **values: Any) -> list[str]:
        """Return the only column of a query's rows."""
        return [name for (name,) in self.ask(sql, **values)]

    def run(self, sql: str, **values: Any) -> None:
        """Write what was collected, and run a statement."""
        self.flush()
        self._query(sql, values)

    def keep_activities(self) -> None:
        """Read all activities at once, as a handler needs that changes many of them."""
        found = self.ask(f"SELECT {', '.join(COLUMNS)} FROM activity")  # noqa: S608  our names
        self._activities = {row.id: row for row in map(stored_activity, found)}

    def forget_activities(self) -> None:
        """Write what was collected and empty the cache, before a plan changes the rows of all activities."""
        self.flush()
        self._activities = {}

    def decided_activities(self) -> dict[str, Activity]:
        """Return the activities of which something was decided or recorded, by id. The state of all others is that of the plan."""
        return self.activities(self.ids(_DECIDED, open=State.OPEN, not_applicable=State.NOT_APPLICABLE))

    def activities(self, names: Iterable[str]) -> dict[str, Activity]:
        """Return the named activities by id. Ids without an activity are left out."""
        wanted = list(names)
        unknown = [name for name in wanted if name not in self._activities]
        if unknown:
            found = map(stored_activity, self.ask(_ACTIVITIES, names=dumps(unknown)))
            self._activities |= {row.id: row for row in found}
        return {name: self._activities[name] for name in wanted if name in self._activities}

    def find(self, name: str) -> Activity | None:
        """Return an activity. None if no plan has it."""
        return self._activities.get(name) or self.activities([name]).get(name)

    def activity(self, name: str) -> Activity:
        """Return an activity. Raise UnreachableError if no plan has it: then the event cannot be right."""
        row = self.find(name)
        if row is None:
            raise UnreachableError(f"an event speaks of {name}, which no plan holds", hint="`clusterwright audit`")
        return row

    def change(self, row: Activity, **columns: Any) -> None:
        """Change an activity, in the cache and in its table."""
        changes = {}
        for name, value in columns.items():
            if value != getattr(row, name):
                setattr(row, name, value)
                changes[name] = value
        if changes:
            self.update("activity", row.id, **changes)

    def touch(self, *names: str) -> None:
        """Note that these nodes have changed, so that their successors are worked out again."""
        self.changed |= dict.fromkeys(names)

    @property
    def rules(self) -> int:
        """The version of the rules in force at the event."""
        return int(self.ask("SELECT rules FROM site")[0][0])

    @property
    def is_rehearsal(self) -> bool:
        """Whether genesis says that this is a rehearsal."""
        return bool(self.ask("SELECT rehearsal FROM site")[0][0])

    def next_attempt(self, row: Activity, state: State) -> None:
        """Begin the next attempt."""
        begun = {} if state is not State.OPEN else {"started_at": None, "early_because": ""}
        self.change(row, attempt=row.attempt + 1, state=state, **FRESH, **begun)

    def reach(self, row: Activity, result: str, event: Event, **columns: Any) -> None:
        """Put an activity into the state that was decided. If it is done, its non-conformances are closed."""
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
        """Note from which event on and until when an approval is valid, if the policy limits its time."""
        days = row.plan.policy.valid_days
        if days is not None:
            self.change(row, valid_since=event.seq, valid_until=event.effective_at + timedelta(days=days))

    def _close_ncrs(self, row: Activity, event: Event) -> None:
        """Close the non-conformances of an activity that is done. One with a due date stays open until a person closes it."""
        how = "accepted under waiver" if row.waived else f"accepted at attempt {row.attempt}"
        for ncr in self.ids(_WITHOUT_DUE_DATE, activity=row.id):
            self.update("ncr", ncr, closed_at=event.effective_at, disposition=how)

    def record(self, table: str, event: Event, said: Part, **columns: Any) -> None:
        """Add the row of an event: the fields of `said`, its payload or a part of that, for which the table has columns, and `columns`.

        Where the table has columns for it, the row also says which event it is of, about which activity, by whom, when it happened,
        and the activity's present attempt.
        """
        known = columns_of(table)
        of_event = {
            "seq": event.seq,
            "activity": event.subject,
            "person": event.actor,
            "at": event.effective_at,
        }
        row: Row = {name: value for name, value in of_event.items() if name in known}
        row |= {name: getattr(said, name) for name in fields_in(table, type(said))}
        row |= columns
        if "attempt" in known and "attempt" not in row:
            row["attempt"] = self.activity(row["activity"]).attempt
        self.add(table, **row)

    def open_ncr(self, event: Event, activity: str, payload: OpensNcr, reason: str) -> None:
        """Open the non-conformance that a payload names, against an activity's present attempt. Do nothing if it names none."""
        if payload.ncr is not None:
            self.add(
                "ncr",
                id=payload.ncr,
                activity=activity,
                attempt=self.activity(activity).attempt,
                ncr_class=payload.ncr_class,
                reason=reason,
                opened_by=event.actor,
                opened_at=event.effective_at,
            )

    def add_evidence(self, event: Event, activity: str, *files: Left | Attached) -> None:
        """Note that files are evidence of an activity's present attempt."""
        for ordinal, file in enumerate(files):
            self.record("evidence_item", event, file, activity=activity, ordinal=ordinal, kind=file.evidence)


@lru_cache(maxsize=1024)
def tables_in(sql: str) -> frozenset[str]:
    """Return the words of a query that may be tables. The name of one follows FROM, JOIN, a comma or a bracket."""
    return frozenset(_NAMED.findall(sql))


def stored(value: Any) -> Any:
    """Return a value as it is stored. Whole numbers, words and truth values are stored unchanged."""
    as_text = TEXTS.get(type(value))
    return value if as_text is None else as_text(value)


def _words(value: Values) -> str:
    return _word_list(value) if value else "[]"


TEXTS: dict[type, Callable[[Any], str]] = {
    datetime: stamp,
    tuple: _words,
    Decimal: "{:f}".format,
    date: date.isoformat,
}
"""By type: how a value is stored as text."""


class Insertion(NamedTuple):
    """The statement that inserts rows, and the values of the columns that the rows do not name."""

    sql: str
    defaults: Values


@lru_cache(maxsize=256)
def _insertion(table: str, names: tuple[str, ...]) -> Insertion:
    """Return how rows with these columns are inserted. SQLAlchemy takes as long for each statement as SQLite for the row."""
    left_out = [column for column in SQLModel.metadata.tables[table].columns if column.name not in names]
    defaults: list[Any] = [column for column in left_out if column.default is not None]
    unnamed = {column.name: stored(column.default.arg) for column in defaults}
    columns = (*names, *unnamed)
    named = ", ".join(f'"{name}"' for name in columns)
    marks = ", ".join("?" * len(columns))
    return Insertion(f'INSERT INTO "{table}" ({named}) VALUES ({marks})', tuple(unnamed.values()))  # noqa: S608  names of our own tables


@lru_cache(maxsize=1024)
def _change(table: str, names: tuple[str, ...]) -> str:
    changes = ", ".join(f'"{name}" = ?' for name in names)
    return f'UPDATE "{table}" SET {changes} WHERE id = ?'  # noqa: S608  names of our own tables
