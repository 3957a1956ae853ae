"""The site as a whole: head, plan revision, phases, counts, events, forecasts."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from ledger.lapsing import LAPSED
from ledger.reads.connected import Connected, text_of, words
from ledger.reads.record_rows import EventRow, ForecastRow
from ledger.reads.rows import Counts, Head, PhaseRow, SiteRow, UnitRow
from steps.stamps import instant
from ledger.transitions import State
from steps.errors import InputError

LATE = "(state NOT IN ('done', 'not_applicable') AND (late_finish < :now OR (state = 'open' AND late_start < :now)))"
"""Past its latest finish, or not begun at its latest start."""

PHASES = (
    "procurement",
    "server_assembly",
    "networking",
    "power",
    "cooling",
    "storage",
    "software_stack",
    "monitoring",
    "go_live",
)
"""The order in which phases are shown."""


class SiteReads(Connected):
    """Questions about the whole site."""

    def head(self) -> Head:
        """Give the last event."""
        found = self.row("SELECT seq, hash, recorded_at FROM event ORDER BY seq DESC LIMIT 1")
        assert found is not None
        return Head(found[0], found[1], datetime.fromisoformat(found[2]))

    def project_time(self) -> datetime:
        """Give the moment of the last recorded event: in a rehearsal, that is now."""
        found = self.row("SELECT effective_at FROM event ORDER BY seq DESC LIMIT 1")
        assert found is not None
        return datetime.fromisoformat(found[0])

    def site(self) -> SiteRow:
        """Give the site and the plan revision in force."""
        s = self.row("SELECT name, uuid, time_zone, rehearsal, owner FROM site")
        assert s is not None
        p = self.row(
            "SELECT revision, start, finish, currency, preset, facility, adopted_at, adopted_by,"
            " (SELECT baseline FROM plan_revision WHERE baseline IS NOT NULL"
            "  ORDER BY revision DESC LIMIT 1), time_zone"
            " FROM plan_revision ORDER BY revision DESC LIMIT 1"
        ) or (0, None, None, "", "", "", None, "", None, s[2])
        return SiteRow(
            name=s[0],
            uuid=s[1],
            time_zone=p[9],
            rehearsal=bool(s[3]),
            owner=s[4],
            revision=p[0],
            plan_start=instant(p[1]),
            plan_finish=instant(p[2]),
            currency=p[3],
            preset=p[4],
            facility=p[5],
            adopted_at=instant(p[6]),
            adopted_by=p[7],
            baseline=p[8],
        )

    def plan_document(self, revision: int | None = None) -> str:
        """Give the digest of an adopted plan's document; of the one in force if none is named."""
        found = self.row(
            "SELECT document FROM plan_revision WHERE revision ="
            " coalesce(?, (SELECT max(revision) FROM plan_revision))",
            revision,
        )
        if found is None:
            raise InputError(
                "no plan was adopted yet" if revision is None else f"there is no revision {revision}",
                hint="`clusterwright plan adopt`",
            )
        return str(found[0])

    def baseline_document(self, name: str | None = None) -> str | None:
        """Give the digest of the named baseline's document, or of the latest baseline."""
        found = self.row(
            "SELECT document FROM plan_revision WHERE baseline IS NOT NULL"
            " AND baseline = coalesce(?, baseline) ORDER BY revision DESC LIMIT 1",
            name,
        )
        return None if found is None else str(found[0])

    def phases(self, now: datetime) -> list[PhaseRow]:
        """Give every phase that has activities, in the order of the work."""
        found = self._db.execute(
            "SELECT phase, count(*), sum(state = 'done'),"  # noqa: S608  our own text
            f" sum(state = 'open' AND ready_from <= :now AND id NOT IN {LAPSED}) AS ready, sum(state = 'running'),"
            " sum(state = 'in_progress'), sum(state = 'awaiting_sign_off'),"
            " sum(state IN ('failed', 'checked_not_met')), sum(state = 'open'),"
            " sum(state = 'on_hold'), sum(state = 'not_applicable'), sum(waived), sum(attested),"
            f" sum({LATE}), min(early_start), max(early_finish)"
            " FROM activity GROUP BY phase",
            {"now": text_of(now)},
        ).fetchall()
        rows = []
        for phase, *n in found:
            counts = [x or 0 for x in n[:13]]
            counts[7] -= counts[2]
            rows.append(PhaseRow._make((phase, *counts, instant(n[13]), instant(n[14]))))
        return sorted(rows, key=lambda r: PHASES.index(r.phase) if r.phase in PHASES else 99)

    def counts(self, now: datetime) -> Counts:
        """Give the whole site in figures."""
        found = self._db.execute(
            f"SELECT CASE WHEN state <> 'open' THEN state WHEN ready_from <= :now AND id NOT IN {LAPSED} THEN 'ready'"  # noqa: S608  our own
            " ELSE 'blocked' END AS seen, count(*), sum(waived), sum(attested),"
            f" sum(stale_since IS NOT NULL), sum(simulated), sum(before), sum({LATE})"
            " FROM activity GROUP BY seen",
            {"now": text_of(now)},
        ).fetchall()
        by_state: dict[State, int] = {state: 0 for state in State if state != State.OPEN}
        by_state |= {State(row[0]): row[1] for row in found}
        sums = [sum(row[i] or 0 for row in found) for i in range(1, 8)]
        return Counts(sums[0], by_state, *sums[1:])

    def next_wake(self, now: datetime) -> datetime | None:
        """Give the next moment at which a lag ends and something may start or finish."""
        found = self._db.execute(
            "SELECT min(t) FROM ("
            "SELECT min(ready_from) AS t FROM activity WHERE state = 'open' AND ready_from > :now"
            " UNION ALL SELECT min(ready_from) FROM order_line"
            " WHERE placed_at IS NULL AND ready_from > :now"
            " UNION ALL SELECT min(finish_from) FROM activity"
            " WHERE (state = 'in_progress' OR (kind = 'compute' AND state IN ('open', 'running')))"
            " AND finish_from > :now)",
            {"now": text_of(now)},
        ).fetchone()
        return instant(found[0])

    def units(self) -> list[UnitRow]:
        """Give the site's tree, enclosing units first."""
        found = self.rows("SELECT id, kind, parent, title, hosts, shared FROM unit ORDER BY ordinal")
        return [UnitRow._make((*row[:4], words(row[4]), words(row[5]))) for row in found]

    def events(self, after_seq: int = 0, limit: int | None = None, *, subject: str | None = None) -> list[EventRow]:
        """Give events after a place in the chain, oldest first."""
        found = self.rows(
            "SELECT seq, recorded_at, effective_at, actor, kind, schema_version, subject,"
            " plan_revision, payload, hash FROM event WHERE seq > ? AND (? IS NULL OR subject = ?)"
            " ORDER BY seq LIMIT ?",
            after_seq,
            subject,
            subject,
            -1 if limit is None else limit,
        )
        return [
            EventRow._make(
                (
                    row[0],
                    datetime.fromisoformat(row[1]),
                    datetime.fromisoformat(row[2]),
                    *row[3:8],
                    _said(row),
                    row[9],
                )
            )
            for row in found
        ]

    def last_events(self, limit: int, *, subject: str | None = None) -> list[EventRow]:
        """Give the newest events, oldest of them first, without reading those before."""
        found = self.row(
            "SELECT min(seq) FROM (SELECT seq FROM event WHERE (? IS NULL OR subject = ?) ORDER BY seq DESC LIMIT ?)",
            subject,
            subject,
            limit,
        )
        first = found[0] if found and found[0] is not None else 1
        return self.events(first - 1, subject=subject)

    def forecast(self) -> ForecastRow | None:
        """Give the latest published forecast."""
        found = self.forecasts()
        return found[0] if found else None

    def forecasts(self) -> list[ForecastRow]:
        """Give published forecasts, newest first."""
        found = self.rows("SELECT seq, at, person, finish, phases, note FROM forecast ORDER BY seq DESC")
        zero = datetime.min.replace(tzinfo=UTC)
        return [
            ForecastRow(
                row[0],
                instant(row[1]) or zero,
                row[2],
                instant(row[3]) or zero,
                json.loads(row[4]),
                row[5],
            )
            for row in found
        ]


def _said(row: tuple[Any, ...]) -> dict[str, Any]:
    """Give an event's payload; the first release printed the signer's name in it, which is not for screens."""
    said: dict[str, Any] = json.loads(row[8])
    if row[5] == 1 and row[4] in {"activity.signed", "activity.rejected"}:
        said.pop("name", None)
    return said
