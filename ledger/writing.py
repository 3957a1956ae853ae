"""One decision in the making: what services read and write inside their transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select, text
from sqlmodel import Session, SQLModel, col

from ledger.append import append, machine_clock
from ledger.authority import roles_at
from ledger.events import Draft, Event
from ledger.lapsing import LAPSED
from ledger.payloads import Decided, Payload
from steps.stamps import stamp
from ledger.statements import signed_text
from ledger.tables import Activity, EventRow, Person, PersonRole, Site
from ledger.transitions import Action, State, check, seen
from steps.errors import InputError

if TYPE_CHECKING:
    from ledger.proving import Proof

ENGINE = "engine"
"""The actor of what software did; it holds no role and signs nothing."""

_HELD_BY_LAPSED = text(f"SELECT 1 WHERE :node IN {LAPSED}")

SLACK = timedelta(days=1)
"""How far ahead of project time something may be dated: a day given without its hour."""


@dataclass
class Writing:
    """An open transaction, the site's folder and project time.

    `drafts` is a list while decisions are only put into words; `proof` is what the actor signed of the one to
    come; `signer` signs at once for an actor, as a rehearsal's throw-away keys do; `machine` is machine time.
    """

    session: Session
    site_dir: Path
    clock: Callable[[], datetime]
    machine: Callable[[], datetime] = machine_clock
    drafts: list[str] | None = None
    proof: Proof | None = None
    signer: Callable[[str, str], str] | None = None
    _site: Site | None = field(default=None, init=False, repr=False)
    """Held, as a session forgets what nobody holds and would read it again for every time that is asked."""

    def append(self, actor: str, payload: Payload, *, subject: str, at: datetime | None = None) -> Event:
        """Record one event; `at` is when it happened, project time now if not given."""
        when, signature = self.when(at), None
        if isinstance(payload, Decided):
            payload, signature = self._proven(actor, payload, subject, when)
        draft = Draft(actor, payload, subject, when, signature)
        return append(self.session, self.site_dir, draft, machine=self.machine)[0]

    def _proven(self, actor: str, payload: Decided, subject: str, when: datetime) -> tuple[Payload, str | None]:
        """Give a decision with its statement and signature, where there is a proof or one is asked for."""
        from ledger import proving  # ssh is asked only where decisions are taken

        if self.drafts is not None:
            signed = proving.as_signed(payload)
            self.drafts.append(proving.draft_statement(self.session, actor, signed, subject, when))
            return payload, None
        proof, self.proof = self.proof, None
        if proof is None and not proving.asks_for_signature(self.session, payload, subject):
            return payload, None
        if proof is None and self.signer is not None:
            text = proving.draft_statement(self.session, actor, proving.as_signed(payload), subject, when)
            proof = proving.Proof(text, self.signer(actor, signed_text(text)))
        if proof is None:
            raise proving.unsigned(actor, subject)
        return proving.accepted(self.session, actor, payload, subject, when, proof), proof.signature

    def when(self, at: datetime | None) -> datetime:
        """Give when something happened."""
        if at is None:
            return self._now()
        if at.tzinfo is None:
            raise InputError(f"the time {at.isoformat()} has no time zone", hint="give UTC")
        if at > self._now() + SLACK:
            raise InputError(f"{at:%Y-%m-%d %H:%M}Z lies in the future", hint="record it when it has happened")
        return at

    def _now(self) -> datetime:
        """Give project time; a rehearsal's never falls behind what it has recorded, whoever looks in later."""
        now = self.clock()
        site = self._site = self.session.get(Site, 1)
        if site is None or not site.rehearsal:
            return now
        last = select(col(EventRow.effective_at)).order_by(col(EventRow.seq).desc()).limit(1)
        return max(now, datetime.fromisoformat(self.session.execute(last).scalar_one()))

    def site(self) -> Site:
        """Give what genesis said."""
        return self.session.get_one(Site, 1)

    def activity(self, name: str) -> Activity:
        """Give an activity's row; an unknown id is the caller's mistake, with the nearest named."""
        row = self.session.get(Activity, name)
        if row is None:
            from ledger.nearest import unknown_activity

            raise unknown_activity(name, list(self.session.scalars(select(col(Activity.id)))))
        return row

    def permitted(self, row: Activity, action: Action, at: datetime | None, result: State | None = None) -> State:
        """Give the activity's state at that time, once the transition table allows the action."""
        state = self.seen(row, self.when(at))
        check(row.id, state, action, result)
        return state

    def seen(self, row: Activity, now: datetime) -> State:
        """Give the state an activity has at a time; what comes after a hold point that has expired is blocked."""
        state = seen(row.state, row.ready_from, now)
        return State.BLOCKED if state is State.READY and self.lapsed(row.id, now) else state

    def lapsed(self, node: str, now: datetime) -> bool:
        """Say whether a hold point just before an activity or order has expired."""
        asked = {"node": node, "now": stamp(now)}
        return self.session.execute(_HELD_BY_LAPSED, asked).first() is not None

    def person(self, actor: str) -> Person:
        """Give a person in force."""
        person = self.session.get(Person, actor)
        if person is None:
            raise InputError(
                f"nobody at this site is called {actor!r}",
                hint="add the person to site.yaml and adopt the plan again",
            )
        return person

    def roles(self, actor: str) -> set[str]:
        """Give the roles a person holds; the engine and strangers hold none."""
        held = select(col(PersonRole.role)).where(col(PersonRole.person) == actor)
        return set(self.session.scalars(held))

    def delegation(self, actor: str, role: str) -> str | None:
        """Give the delegation under which a person acts in a role; none for a role of their own."""
        return roles_at(self.session, actor, self.when(None)).get(role)

    def next_id(self, table: type[SQLModel], prefix: str) -> str:
        """Give the next id of a numbered record."""
        count = self.session.execute(select(func.count()).select_from(table)).scalar() or 0
        return f"{prefix}-{count + 1:04d}"
