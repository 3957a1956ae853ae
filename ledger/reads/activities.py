"""Activities as they stand at an instant: filtered lists, one by id, what is ready."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ledger.lapsing import LAPSED
from ledger.reads.connected import Connected, text_of, words
from ledger.reads.rows import ActivityRow, Standing
from ledger.reads.site import LATE
from steps.stamps import instant
from ledger.transitions import State
from steps.errors import InputError

_COLUMNS = (
    "id, step, unit, title, phase, kind, scope, state, role, crew_size, assignee, attempt,"  # noqa: S608  our own text
    " ready_from, started_at, coalesce(done_at, finished_at), early_start, early_finish,"
    " late_start, late_finish, total_float_h, effect, playbook, hold_point, needed, quorum, roles,"
    " evidence, items_of, items, items_done, percent, na_reason, completed_by, last_note,"
    " duration_m_h, calendar, stale_since IS NOT NULL, waived, attested, simulated, before,"
    " EXISTS (SELECT 1 FROM override o WHERE o.activity = a.id),"
    " (SELECT count(*) FROM sign_off s WHERE s.activity = a.id AND s.attempt = a.attempt"
    "  AND s.decision = 'approved' AND s.seq > max(coalesce(a.stale_since, 0), coalesce(a.valid_since, 0))),"
    f" {LATE},"
    " CASE WHEN organisation <> '' OR assignee IS NULL THEN organisation"
    "  ELSE coalesce((SELECT p.organisation FROM person p WHERE p.id = a.assignee), '') END,"
    f" witnesses, notice_h, valid_until, a.id IN {LAPSED}"
)
_FLAGS = ("stale", "waived", "attested", "simulated", "before", "overridden", "expired")
_NONE: frozenset[str] = frozenset()


class ActivityReads(Connected):
    """Questions about activities."""

    def activities(
        self,
        now: datetime,
        *,
        phase: str | None = None,
        unit: str | None = None,
        state: State | str | None = None,
        step: str | None = None,
        search: str | None = None,
        owner: str | None = None,
        organisation: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[ActivityRow]:
        """Give activities in plan order; `owner` is an assignee or a crew role.

        An organisation's are those given to it, and those given to its people.
        """
        where: list[str] = []
        values: dict[str, Any] = {"now": text_of(now), "limit": -1 if limit is None else limit}
        for name, wanted in (("phase", phase), ("unit", unit), ("step", step)):
            if wanted is not None:
                where.append(f"{name} = :{name}")
                values[name] = str(wanted)
        if state is not None:
            where.append(_in_state(State(state)))
            values["state"] = State(state).value
        if search:
            where.append("(instr(lower(id), :search) OR instr(lower(title), :search))")
            values["search"] = search.lower()
        if owner is not None:
            where.append("(assignee = :owner OR role = :owner)")
            values["owner"] = owner
        if organisation is not None:
            where.append(
                "(lower(organisation) = :organisation OR (organisation = '' AND assignee IN"
                " (SELECT p.id FROM person p WHERE lower(p.organisation) = :organisation)))"
            )
            values["organisation"] = organisation.lower()
        return self._select(" AND ".join(where) or "1", values | {"offset": offset}, now)

    def ready(self, now: datetime, phase: str | None = None) -> list[ActivityRow]:
        """Give what may start now, in plan order."""
        return self.activities(now, phase=phase, state=State.READY)

    def approved_until(self, until: datetime, now: datetime) -> list[ActivityRow]:
        """Give what is done and approved for a time that is over by `until`."""
        return self._select(
            "state = 'done' AND valid_until <= :until", {"until": text_of(until), "now": text_of(now)}, now
        )

    def activity(self, name: str, now: datetime) -> ActivityRow | None:
        """Give an activity, or None where there is none of that id."""
        found = self._select("id = :id", {"id": name, "now": text_of(now)}, now)
        return found[0] if found else None

    def require_activity(self, name: str, now: datetime) -> ActivityRow:
        """Give an activity; an unknown id is refused with the nearest ones."""
        found = self.activity(name, now)
        if found is None:
            raise self.unknown(name)
        return found

    def standing(self) -> dict[str, Standing]:
        """Give how everything stands that has begun, by id: state, attempt, and whether it is stale."""
        found = self.rows("SELECT id, state, attempt, stale_since IS NOT NULL FROM activity WHERE state <> 'open'")
        return {r[0]: Standing(State(r[1]), r[2], bool(r[3])) for r in found}

    def hosts_of(self, activity: str, playbook_digest: str) -> tuple[str, ...]:
        """Give the hosts that the next run of an activity touches: those of its unit that its playbook's plays name.

        Those that a retry keeps are not among them, unless another playbook has done them. A plan from before host sets
        knows the unit's nodes only.
        """
        for nodes, shared, kept, named, done_by in self.rows(
            "SELECT u.hosts, u.shared, a.kept, s.hosts, (SELECT r.playbook_digest FROM run r"
            " WHERE r.activity = a.id AND r.attempt = a.attempt - 1 ORDER BY r.id DESC LIMIT 1)"
            " FROM activity a JOIN unit u ON u.id = a.unit LEFT JOIN host_set s ON s.name = a.plays WHERE a.id = ?",
            activity,
        ):
            there = words(nodes) if named is None else words(nodes) + words(shared)
            played = set(there if named is None else words(named))
            stays = set(words(kept)) if done_by == playbook_digest else set()
            return tuple(host for host in there if host in played - stays)
        return ()

    def unknown(self, name: str) -> InputError:
        """Give the refusal of an unknown id."""
        from ledger.nearest import unknown_activity

        return unknown_activity(name, [row[0] for row in self.rows("SELECT id FROM activity")])

    def _select(self, where: str, values: dict[str, Any], now: datetime) -> list[ActivityRow]:
        with self._explained():
            found = self._db.execute(
                f"SELECT {_COLUMNS} FROM activity a WHERE {where}"  # noqa: S608  our own text
                " ORDER BY ordinal LIMIT :limit OFFSET :offset",
                {"limit": -1, "offset": 0} | values,
            )
            at = text_of(now)
            return [_activity(row, at) for row in found]


def _in_state(state: State) -> str:
    if state is State.READY:
        return f"state = 'open' AND ready_from <= :now AND id NOT IN {LAPSED}"
    if state is State.BLOCKED:
        return f"state = 'open' AND (ready_from IS NULL OR ready_from > :now OR id IN {LAPSED})"
    return "state = :state"


def _activity(row: tuple[Any, ...], now: str) -> ActivityRow:
    state = State(row[7])
    if state is State.OPEN:
        state = State.READY if row[12] is not None and row[12] <= now and not row[48] else State.BLOCKED
    set_flags = (*row[36:42], row[47] is not None and row[47] <= now)
    total_float = row[19]
    return ActivityRow._make(
        (
            *row[:7],
            state,
            *row[8:12],
            frozenset(f for f, on in zip(_FLAGS, set_flags, strict=True) if on) if any(set_flags) else _NONE,
            *map(instant, row[12:19]),
            total_float,
            total_float is not None and total_float < 1e-6,
            bool(row[43]),
            row[20],
            row[21],
            bool(row[22]),
            row[23],
            row[24],
            words(row[25]),
            words(row[26]),
            row[42],
            *row[27:32],
            words(row[32]),
            *row[33:36],
            row[44],
            words(row[45]),
            row[46],
            instant(row[47]),
        )
    )
