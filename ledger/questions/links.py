"""Links between activities, orders and deliveries, each with the state of the node at its other end."""

from __future__ import annotations

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State, is_expired, seen, words
from ledger.rules.readiness import EXPIRED
from ledger.rules.rows import RECEIVED_AT, LinkRow
from steps.stamps import instant

OUT_OF_SEQUENCE = " out of sequence"
"""What is added to the state of a node that was done early, while something before it is open."""

_LINKS = f"""
SELECT l."before", l."after", l.type, l.lag_h, l.lag_calendar, l.reason, l.bridged, l.satisfied_at,
  a.state, a.ready_from, a.stale_since, a.hold_point, a.valid_until, o.id, o.placed_at,
  t.id, {RECEIVED_AT}, t.received_quantity,
  coalesce(a.early_because, o.early_because, ot.early_because, '') <> '' AND l.satisfied_at IS NULL, coalesce(json_extract(a.plan, '$.title'), o.title, ot.title, '')
FROM link l LEFT JOIN activity a ON a.id = {{end}}
LEFT JOIN order_line o ON o.id = {{end}} LEFT JOIN tranche t ON t.id = {{end}}
LEFT JOIN order_line ot ON ot.id = t.order_line WHERE {{where}} = :id ORDER BY l.id"""  # noqa: S608  our names


def predecessors(snapshot: Snapshot, name: str) -> list[LinkRow]:
    """Return the links from the predecessors of an activity or order, each with the predecessor's state."""
    return _links(snapshot, 'l."before"', 'l."after"', name)


def successors(snapshot: Snapshot, name: str) -> list[LinkRow]:
    """Return the links to the successors of an activity or order, each with the successor's state."""
    return _links(snapshot, 'l."after"', 'l."before"', name)


def _links(snapshot: Snapshot, end: str, where: str, name: str) -> list[LinkRow]:
    found = snapshot.ask(_LINKS.format(end=end, where=where), id=name)
    links = []
    for (
        *link,
        bridged,
        satisfied,
        state,
        ready,
        stale,
        hold,
        until,
        order,
        placed,
        tranche,
        received,
        part,
        is_early,
        title,
    ) in found:
        valid_until, early = instant(until), OUT_OF_SEQUENCE if is_early else ""
        if order is not None:
            how = f"placed{early}" if placed else "not ordered"
        elif tranche is not None:
            how = f"received{early}" if received else "partly received" if part != "0" else "not received"
        elif stale is not None:
            how = "stale"
        elif hold and state == State.DONE and is_expired(valid_until, snapshot.now):
            how = EXPIRED
        else:
            how = "" if state is None else seen(state, instant(ready), snapshot.now).value
            how = f"{State(how).words}{early}" if early else how
        seen_end = (how, title, instant(satisfied), valid_until)
        links.append(LinkRow._make([*link, words(bridged), *seen_end]))
    return links
