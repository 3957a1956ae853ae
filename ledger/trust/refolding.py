"""What the verified events say of a few activities: their events are applied again, by the same projections, in tables of their own.

The tables are in memory, and empty but for the plan's part of these activities, which the authority of the plan in force proves.
Events of other activities are applied as far as they reach these: adopted plans, reopenings, facts, and imported progress.

For events under earlier plans the part of the plan in force is taken, unless all plans are read for orders. What came after an
activity by the links of an earlier plan is not known here, so that there the file is believed about what a reopening made stale.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Connection

from ledger.evidence.store import SiteFiles
from ledger.log.chain import Event
from ledger.log.events import readable
from ledger.log.payload import Again, Decided
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import NOT_BEGUN, Activity, State
from ledger.rules.approval import asks_for_signature
from ledger.rules.subjects import is_supply, order_of
from ledger.state.projection import EVERY, Projection
from ledger.state.readiness import settle
from ledger.state.reopening import mark_stale, open_again
from ledger.stores.sqlite import memory_engine
from ledger.subjects.facts.payloads import FactsRecorded
from ledger.subjects.plan.applying import LINK, take_rows, take_rules
from ledger.subjects.plan.payloads import BeforeRow, ProgressAdopted
from ledger.subjects.plan.revision_applying import cut_anew, first_state, planned_columns, revise_orders
from ledger.subjects.replay import HANDLERS
from ledger.subjects.work.payloads import Reopened
from ledger.trust.authority import Adoption, Authority, forged, is_over
from ledger.trust.own_events import Nodes, all_orders, listed, own_events
from ledger.trust.planned import IN, ORDER, TRANCHE, activities_in, orders_in
from ledger.trust.proving import DECISIONS, OF_SITE, binds, relied_on
from ledger.trust.statements import event_text, read_statement, signed_text
from schedule.errors import UnreachableError
from steps.planning.activity import activity_of
from steps.stamps import instant

_ORDERS = f"SELECT {', '.join(ORDER)}, ordinal, in_plan FROM order_line WHERE id {IN}"  # noqa: S608  our names
_TRANCHES = f"SELECT {', '.join(TRANCHE)}, order_line, in_plan FROM tranche WHERE order_line {IN}"  # noqa: S608  our names
_LINKS = f"""SELECT id, {", ".join(f'"{name}"' for name in LINK)} FROM link WHERE "after" {IN}"""  # noqa: S608  our names
_RECEIVED = f"SELECT id, received_quantity FROM tranche WHERE id {IN}"  # noqa: S608  our names
_BEFORE = f'SELECT "before" FROM link WHERE "after" {IN}'  # noqa: S608  our names
_kept = threading.local()

OPEN: dict[str, Any] = {"state": State.OPEN, "na_reason": None, "na_at": None}
"""The state of what has not begun."""


class Standing(NamedTuple):
    """What the file says of an activity: the plan's part of it, and what a decision cannot work out."""

    id: str
    plan: str
    ordinal: int
    in_plan: int
    stale_since: int | None
    na_reason: str | None
    na_at: str | None


_STANDING = f"SELECT {', '.join(Standing._fields)} FROM activity WHERE id {IN}"  # noqa: S608  our names


@contextmanager
def empty_tables() -> Iterator[Connection]:
    """Yield a connection to empty tables in memory. What is written into them is taken back at the end."""
    if not hasattr(_kept, "engine"):
        _kept.engine = memory_engine()  # making tables takes longer than a decision may
    with _kept.engine.connect() as connection:
        try:
            yield connection
        finally:
            connection.connection.driver_connection.rollback()


class Refolding:
    """The tables of a few nodes, as their verified events make them."""

    def __init__(
        self,
        connection: Connection,
        snapshot: Snapshot,
        authority: Authority,
        nodes: Nodes,
        *,
        by_all_plans: bool,
    ) -> None:
        """Take empty tables, the record, who may decide, and the nodes. Raise UnreachableError for an event that cannot be right.

        Orders and deliveries are those of the plan in force. With `by_all_plans` they are those of each plan while it was in force:
        one may have removed a delivery that another brought back. Reading them takes long.
        """
        assert authority.plan is not None
        self._snapshot, self._authority, self._nodes = snapshot, authority, nodes
        self._plan = authority.plan
        self._p = Projection(connection, HANDLERS, SiteFiles(snapshot.site_dir))
        self.tables = Snapshot(self._p.driver, snapshot.site_dir, snapshot.now)
        self._earlier: dict[str, set[str]] = {}
        self._by_all_plans, self._orders = by_all_plans, all_orders(snapshot, nodes)
        self.imported: set[str] = set()
        """Orders and deliveries that an import under an earlier plan brought."""
        self._fold()

    @property
    def _revision(self) -> int:
        return self._authority.adoptions[-1].payload.revision

    def _fold(self) -> None:
        """Put the plan's part of the nodes into the tables, apply the events in order, and work out when nodes may start."""
        standing = self._standing(self._nodes.activities).values()
        stale = [row.stale_since for row in standing if row.stale_since is not None]
        rows = own_events(self._snapshot, self._nodes, self._revision, stale, self._taking_over())
        self._orders |= {order_of(row["subject"]) for row in rows if is_supply(row["subject"])}
        self._add_nodes(row["subject"].partition("#")[0] for row in rows)
        adoptions = {adoption.event.seq: adoption for adoption in self._authority.adoptions}
        own = {row["seq"]: row for row in rows}
        raised = self._authority.raised
        for seq in sorted(adoptions.keys() | own.keys() | raised.keys()):
            if seq in raised:
                take_rules(self._p, raised[seq])
            elif seq in adoptions:
                self._adopt(adoptions[seq])
            else:
                for event in readable([own[seq]]):
                    self._take(event)
        self._copy(_LINKS, "link", names=listed(self._nodes.awaiting))
        for name, received in self._snapshot.ask(_RECEIVED, names=listed(self.imported)):
            self._p.update("tranche", name, received_quantity=received)
        self._p.touch(EVERY)
        settle(self._p)

    def _taking_over(self) -> Iterator[int]:
        """Yield the adoptions that took one of the activities over."""
        for event, payload in self._authority.adoptions:
            if any(row.subject in self._nodes.activities for row in payload.taken_over or ()):
                yield event.seq

    def _standing(self, names: Iterable[str]) -> dict[str, Standing]:
        found = self._snapshot.ask(_STANDING, names=listed(names))
        return {row[0]: Standing(*row) for row in found}

    def _add_nodes(self, subjects: Iterable[str]) -> None:
        """Add the nodes as the plan in force describes them, not begun. `subjects` are activities whose events reach them."""
        self._copy("SELECT * FROM site", "site")
        self._copy("SELECT * FROM plan_revision", "plan_revision")
        self._file = self._standing(self._nodes.activities | set(subjects))
        known = self._plan.activities
        said = {row.id for row in self._file.values() if row.in_plan}
        self._refuse_unplanned(said | (self._file.keys() & known.keys()))
        for row in self._file.values():
            planned = planned_columns(activity_of(row.plan))
            planned |= {"plan": row.plan, "ordinal": row.ordinal, "in_plan": bool(row.in_plan)}
            self._p.add("activity", **planned, **OPEN)
        self._refuse_unplanned(order for order in self._orders if order in self._plan.orders)
        if not self._by_all_plans:
            self._copy(_ORDERS, "order_line", names=listed(self._orders))
            self._copy(_TRANCHES, "tranche", names=listed(self._orders))

    def _copy(self, sql: str, table: str, names: str = "") -> None:
        """Copy columns of the file that are proved by other means. All other columns are those of a new row."""
        cursor = self._snapshot.db.execute(sql, {"names": names})
        columns = [column[0] for column in cursor.description]
        for row in cursor.fetchall():
            copied = dict(zip(columns, row, strict=True))
            self._p.add(table, **copied)

    def _take(self, event: Event) -> None:
        """Check an event's signature and apply it. Raise UnreachableError if it is not signed as it must be, or cannot be applied."""
        wrong = self._unproven(event)
        if wrong is not None:
            raise forged(f"event {event.seq}, {event.kind} about {event.subject}, {wrong}")
        try:
            self._apply(event)
        except UnreachableError:
            raise
        except Exception as error:
            raise forged(
                f"event {event.seq}, {event.kind} about {event.subject}, cannot be applied: {error}"
            ) from error

    def _unproven(self, event: Event) -> str | None:
        """Return why an event is not proved by its signature. None if it is, or if none is asked for."""
        payload = event.payload
        if event.actor == ENGINE and event.seq > self._authority.raised_at:
            why = self._authority.refusal_at(event, event_text(event.hash))
            return None if why is None else f"is not signed with the engine's key: {why}"
        if not isinstance(payload, Decided):
            return None
        if payload.statement is None:
            return "is not signed" if self._asks(event, payload) else None
        if not self._binds(event, payload, payload.statement):
            return f"is not what {event.actor} signed"
        why = self._authority.refusal_at(event, signed_text(payload.statement))
        return None if why is None else f"is not signed by {event.actor}: {why}"

    def _asks(self, event: Event, payload: Decided) -> bool:
        """Return whether a decision must be signed. Under an earlier plan only what every signed site asks for is known."""
        always = isinstance(payload, OF_SITE) and event.seq > self._authority.raised_at
        name = event.subject.partition("#")[0]
        is_known = event.plan_revision == self._revision and name in self._file
        under = self._p.activity(name) if is_known else None
        return asks_for_signature(under, self._authority.owner_key, always=always)

    def _binds(self, event: Event, payload: Decided, statement: str) -> bool:
        """Return whether a statement is of this decision. Under an earlier plan criteria were others, and its digest is not compared."""
        if not is_over(self._snapshot, statement):
            return False
        if event.plan_revision == self._revision or isinstance(payload, ProgressAdopted):
            self._p.flush()
            row = self._p.activities([event.subject]).get(event.subject)
            return binds(statement, event, payload, relied_on(self.tables, row))
        read = read_statement(statement)
        said, names = read["predicate"], {subject["name"] for subject in read["subject"]}
        decided = said["person"], said["decision"], event.subject in names
        return decided == (event.actor, DECISIONS[event.kind], True)

    def _apply(self, event: Event) -> None:
        """Apply an event as far as it reaches the nodes."""
        payload = event.payload
        match payload:
            case ProgressAdopted():
                self._import(event, payload.rows)
            case FactsRecorded():
                mine = self._mine(payload.reopened)
                if event.subject in self._file:
                    self._handle(event, payload.model_copy(update={"reopened": mine}))
                self._rest(event, [again.activity for again in payload.reopened])
            case Reopened():
                if event.subject in self._file:
                    self._handle(event, payload)
                unit = event.subject.partition("@")[2]
                self._rest(event, [event.subject], unit if payload.hosts else None)
            case _:
                self._handle(event, payload)

    def _handle(self, event: Event, payload: Any) -> None:
        for handle in HANDLERS[event.kind]:
            handle(self._p, event, payload)

    def _mine(self, reopened: Iterable[Again]) -> tuple[Again, ...]:
        return tuple(again for again in reopened if again.activity in self._file)

    def _import(self, event: Event, rows: Iterable[BeforeRow]) -> None:
        """Note what was done without an event of its own, as far as it is about the nodes."""
        supplies = self._p.ids("SELECT id FROM order_line UNION ALL SELECT id FROM tranche")
        known = {*self._file, *supplies}
        mine = [row for row in rows if row.subject in known]
        take_rows(self._p, event, mine)
        if event.plan_revision != self._revision:
            self.imported |= {row.subject for row in mine if is_supply(row.subject)}

    def _adopt(self, adoption: Adoption) -> None:
        """Put a plan revision in force for the nodes, as the plan in force describes them."""
        event, payload = adoption
        if self._by_all_plans:
            planned = enumerate(self._p.plan(payload.document).orders)
            revise_orders(self._p, (one for one in planned if one[1].id in self._orders))
        for row in self._p.activities(self._file).values():
            if row.state in NOT_BEGUN | {State.NOT_APPLICABLE} and not row.na_decided:
                self._p.change(row, **self._not_begun(row, adoption))
        reopened = payload.reopened or ()
        for again in self._mine(reopened):
            open_again(self._p, again.activity, f"revision {payload.revision}: {again.why}")
        self._rest(event, [again.activity for again in reopened])
        mark_stale(self._p, [again.activity for again in payload.sign_again or ()], event.seq)
        deliveries = self._p.ids("SELECT id FROM tranche")
        mine = [lot for lot in payload.recut or () if lot.delivery in deliveries]
        cut_anew(self._p, event, mine)
        self._import(event, payload.taken_over or ())

    def _not_begun(self, row: Activity, adoption: Adoption) -> dict[str, Any]:
        if adoption is not self._authority.adoptions[-1]:
            return OPEN
        if not row.in_plan:
            was = self._file[row.id]
            return {"state": State.NOT_APPLICABLE, "na_reason": was.na_reason, "na_at": instant(was.na_at)}
        return first_state(row.plan, adoption.event)

    def _rest(
        self,
        event: Event,
        reopened: Sequence[str],
        unit: str | None = None,
    ) -> None:
        """Mark as stale the nodes that are done and come after activities that were opened again: at one unit, if it is named."""
        if not reopened:
            return
        for row in self._p.activities(self._file).values():
            if row.state is not State.DONE or row.stale:
                continue
            if unit not in {None, row.plan.unit}:
                continue
            if event.plan_revision != self._revision:
                is_after = self._file[row.id].stale_since == event.seq
            else:
                is_after = row.id not in reopened and not self._before(row.id).isdisjoint(reopened)
            if is_after:
                self._p.change(row, stale_since=event.seq)

    def _before(self, name: str) -> set[str]:
        """Return everything that comes before a node, by the links of the plan in force."""
        if name not in self._earlier:
            seen: set[str] = set()
            new = {name}
            while new:
                self._refuse_unplanned({order_of(node) if is_supply(node) else node for node in new})
                new = set(self._snapshot.column(_BEFORE, names=listed(new))) - seen
                seen |= new
            self._earlier[name] = seen
        return self._earlier[name]

    def _refuse_unplanned(self, names: Iterable[str]) -> None:
        """Raise for activities and orders that are not as the plan in force describes them, or do not wait for what it says."""
        wanted = set(names)
        orders = {name for name in wanted if is_supply(name)}
        there = activities_in(self._snapshot, wanted - orders) | orders_in(self._snapshot, orders)
        for name in sorted(wanted):
            planned = self._plan.orders if name in orders else self._plan.activities
            if there.get(name) != planned.get(name):
                raise forged(
                    f"{name}: its policy, its criteria, its quantities or its links differ from the adopted plan"
                )
