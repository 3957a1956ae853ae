"""Show the whole site: phases, counts, go-live, halls in service, orders.

The commitment is the day that was promised, the working schedule what the crews can keep, the forecast what follows from what has
happened; P80 is the day that 80 of 100 samples keep. The table counts activities by phase and state: `work` is people's work in
progress, `sign` waits for a signature, `past` should be finished by now.

Example:
    clusterwright status
    clusterwright status --as-of 2026-11-20

"""

from clusterwright.commands.asking import AskingPast
from clusterwright.output import Document, day, in_line, print_lines
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.counts import counts, phases
from ledger.questions.drift import drifted
from ledger.questions.engines import unheard
from ledger.questions.halls import halls, halls_words
from ledger.questions.headlines import headlines
from ledger.questions.ncrs import ncrs
from ledger.questions.orders import orders
from ledger.questions.site import head, site_of
from ledger.rules.rows import OrderRow
from steps.amount import counted
from steps.stamps import minute

_COLUMNS = ("done", "running", "in_progress", "awaiting", "ready", "blocked", "failed", "on_hold", "not_applicable")
_HEADER = ("total", "done", "running", "work", "sign", "ready", "blocked", "failed", "hold", "n/a", "past")


def status(ask: AskingPast) -> None:
    with ask.record() as snapshot:
        every = orders(snapshot)
        to_place = [o for o in every if o.state == "planned"]
        of_others = [o for o in every if o.product_was]
        top = headlines(snapshot, lapsed_releases(snapshot))
        fresh = top.fresh
        document = {
            "site": site_of(snapshot),
            "as_of": snapshot.now,
            "head": head(snapshot),
            "counts": counts(snapshot),
            "phases": phases(snapshot),
            "orders_to_place": [o.id for o in to_place],
            "orders_for_other_products": [o.id for o in of_others],
            "drift": drifted(snapshot),
            "unheard": unheard(snapshot),
            "open_ncrs": len(ncrs(snapshot, open_only=True)),
            "halls": halls(snapshot, fresh.forecast if fresh else None),
            "forecast": fresh.document if fresh else None,
            **top.document,
        }
        ask.answer(snapshot, document, lambda: _print(document, to_place, of_others, top.lines))


def _print(document: Document, to_place: list[OrderRow], of_others: list[OrderRow], go_live: list[str]) -> None:
    site, now, found = document["site"], document["as_of"], document["counts"]
    zone = site.time_zone
    mark = "REHEARSAL, nothing here was really done. " if site.rehearsal else ""
    print(in_line(f"{mark}{site.name}: {site.preset}, {site.facility}; plan revision {site.revision}"))
    planned, *others = go_live or ["no plan is adopted"]
    print(f"{planned}; as of {day(now, zone)}")
    print_lines(others)
    if document["halls"]:
        print("; ".join(halls_words(document["halls"], lambda date: day(date, zone))))
    print(f"{'phase':<17}" + "".join(f"{name:>8}" for name in _HEADER))
    for row in document["phases"]:
        cells = (row.total, *(getattr(row, name) for name in _COLUMNS), row.past_planned_finish)
        print(f"{row.phase:<17}" + "".join(f"{cell:>8}" for cell in cells))
    marks = ", ".join(f"{name} {getattr(found, name)}" for name in ("waived", "attested", "stale", "simulated"))
    marks += f", out of sequence {found.out_of_sequence}"
    print(f"{found.total} activities; {marks}")
    for row in document["drift"]:
        print(in_line(f"drift: {row.activity}, seen {minute(row.at, zone)}: {row.summary}"))
    for row in document["unheard"]:
        print(in_line(f"{row.activity} is running in the record only. It needs {row.words(zone)}"))
    if to_place:
        late = sum(o.order_by is not None and o.order_by < now for o in to_place)
        first = min(to_place, key=lambda o: (o.order_by is None, o.order_by))
        by = f"first {first.id} by {day(first.order_by, zone)}"
        print(in_line(f"{len(to_place)} orders to place, {late} past their date; {by}"))
    if of_others:
        first = of_others[0]
        count = counted(len(of_others), "order")
        print(
            in_line(f"{count} went out for another product than the plan has; first {first.id} for {first.product_was}")
        )
