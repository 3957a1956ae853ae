"""Steps 070 and 094: the as-built network and power, written from what the ledger holds and from nothing else.

What discovery, inspection and people recorded is put together and counted. Work that was attested, or done before Clusterwright,
was not recorded in the ledger. A count that would need it is `not measured`, and a person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

from flows.engine.state import Engine
from flows.performers.as_built_record import page, record
from ledger.questions.activities import activities
from ledger.questions.facts import FactRow
from ledger.questions.facts import facts as recorded_facts
from ledger.questions.ncrs import ncrs
from ledger.questions.records import items, measurements, runs
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import criteria
from ledger.rules.activity import Activity, State
from ledger.rules.judgement import MET
from ledger.rules.rows import RUN_DONE
from steps.design.calculations.calculation import Calculation, Facts, number
from steps.planning.activity import PlanActivity

UNRECORDED = frozenset({"attested", "before"})
"""Flags of work that was done outside. The ledger knows that it was done, and not what was found."""

NETWORK_STEPS = ("037", "044", "048", "049", "050", "053", "062", "H15")
POWER_STEPS = ("085", "086", "087", "088", "089", "091", "H13", "H31")
CONFIGURED = ("048", "050", "H15")
"""Steps after which a switch is configured."""

INSPECTED = ("085", "089", "091")
"""Steps that inspect the power."""

FED = ("021", "085")
"""Steps that record facts about the power feeds."""

DESIGNED = (("feed.voltage", "rack_feed_v", "V"), ("feed.breaker", "rack_breaker_a", "A"))
"""A fact of the feed, the design's figure of the same thing, and its unit."""

AsBuilt = Callable[[Engine, Snapshot, PlanActivity, Facts], Calculation]


def network(
    engine: Engine,
    snapshot: Snapshot,
    activity: PlanActivity,
    facts: Facts,
) -> Calculation:
    """Step 070: return the switches, links and addresses as discovery and configuration runs recorded them."""
    calculation = Calculation(evidence="as-built-network")
    found = _rows(snapshot, NETWORK_STEPS)
    discovered = _of(found, "062")
    switches = activity.items or 0
    cables = sum(row.plan.items or 0 for row in discovered)
    calculation.takes("switches", switches, "count", "design: leaf, spine, core and management switches")
    calculation.takes("cables", cables, "count", "links that discovery compares, pod by pod")
    covered = _switches_covered(engine, snapshot, _of(found, *CONFIGURED))
    if covered is not None and switches:
        _note_covered(calculation, covered, switches)
    if differences := _differences(snapshot, discovered, "topology."):
        count, named = differences
        said = named or "discovery found nothing else than was drawn"
        calculation.gives("as_built.unexplained_differences", count, "count", said)
    sampled, errors = number(facts, "cables.sampled"), number(facts, "cables.sample_errors")
    if sampled is not None and errors is not None and cables:
        ratio, over = sampled / cables, "cables followed by hand over all links"
        calculation.gives("as_built.sampled_cable_ratio", ratio, "ratio", over)
        calculation.gives("as_built.sampled_cable_errors", errors, "count", "of that sample")
    _write(engine, snapshot, calculation, found, "As-built network")
    return calculation


def _note_covered(calculation: Calculation, covered: int, switches: int) -> None:
    """Note how many switches were configured, as a count and as a share of the design's."""
    how = "configured by a run, or installed and signed for"
    calculation.gives("as_built.switches_covered", covered, "count", how)
    ratio = min(1.0, covered / switches)
    calculation.gives("as_built.switches_covered_ratio", ratio, "ratio", "over the switches of the design")


def power(
    engine: Engine,
    snapshot: Snapshot,
    activity: PlanActivity,  # noqa: ARG001  both steps are called alike
    facts: Facts,  # noqa: ARG001  both steps are called alike
) -> Calculation:
    """Step 094: return the circuits as they were recorded, labelled and inspected.

    The engineer's single-line diagram is attached by a person.
    """
    calculation = Calculation(evidence="panel-schedule")
    found, known = _rows(snapshot, POWER_STEPS), _feed(snapshot)
    for name, fact in known.items():
        source = f"{fact.by}, {fact.source or 'as evidence shows'}"
        calculation.takes(name, fact.value, fact.unit_of_measure, source)
    for name, figure, unit in DESIGNED:
        if name in known:
            value, said = float(engine.plan.design[figure]), "the design's figure, beside what is there"
            calculation.gives(f"{name}_in_design", value, unit, said)
    if differences := _differences(snapshot, _of(found, *INSPECTED)):
        count, named = differences
        said = named or "nothing was found that is not as it should be"
        calculation.gives("asbuilt.open_differences", count, "count", said)
    _write(engine, snapshot, calculation, found, "As-built power")
    return calculation


AS_BUILT: dict[str, AsBuilt] = {"070": network, "094": power}
"""Steps that are written from the ledger, and the function that does it."""


def _rows(snapshot: Snapshot, steps: Iterable[str]) -> list[Activity]:
    """Return the activities of steps that apply: step by step, in plan order."""
    found = [row for step in steps for row in activities(snapshot, step=step)]
    return [row for row in found if row.state is not State.NOT_APPLICABLE]


def _of(found: Iterable[Activity], *steps: str) -> list[Activity]:
    return [row for row in found if row.plan.step in steps]


def _feed(snapshot: Snapshot) -> dict[str, FactRow]:
    """Return the facts about the site's power feeds, by name."""
    asked = {row.id for step in FED for row in activities(snapshot, step=step)}
    known = recorded_facts(snapshot, "site")
    return {fact.name: fact for fact in known if fact.activity in asked}


def _write(
    engine: Engine,
    snapshot: Snapshot,
    calculation: Calculation,
    found: Iterable[Activity],
    title: str,
) -> None:
    """Put everything that the ledger holds of the activities into the document, and into a page for people."""
    calculation.records = [record(snapshot, row) for row in found]
    calculation.sheets.append(page(engine, title, calculation))


def _switches_covered(engine: Engine, snapshot: Snapshot, rows: Iterable[Activity]) -> int | None:
    """Return how many switches the ledger knows as configured. None where a step was done outside of it."""
    covered = 0
    for row in rows:
        if row.state is not State.DONE:
            continue
        hosts = _hosts_done(snapshot, row)
        if not hosts and row.flags & UNRECORDED:
            return None
        if row.plan.step == "H15":
            covered += int(engine.plan.design["management_switches"])
        else:
            covered += len(hosts) or row.items_done or 0
    return covered


def _hosts_done(snapshot: Snapshot, row: Activity) -> set[str]:
    """Return the hosts on which this attempt's runs did their work."""
    mine = [run for run in runs(snapshot, row.id) if run.attempt == row.attempt]
    results = [item for run in mine for item in items(snapshot, run.id)]
    return {item.host for item in results if item.status in RUN_DONE}


def _differences(
    snapshot: Snapshot,
    rows: Iterable[Activity],
    about: str = "",
) -> tuple[int, str] | None:
    """Return how many things are not as they should be, and their names. None where something was not recorded.

    Metrics that begin with `about` count. A waived metric still counts: a waiver lets the work go on and changes nothing
    that is there. A metric that is a count, for instance of links, counts as many as it says. Any other metric, and each
    open non-conformance, counts as one.
    """
    count, named = 0, []
    for row in rows:
        if row.flags & UNRECORDED or row.state is not State.DONE:
            return None
        for criterion in criteria(snapshot, row.id):
            if not criterion.metric.startswith(about) or criterion.verdict == MET:
                continue
            value = _last(snapshot, row, criterion.metric)
            if value is None:
                return None
            count += max(1, int(value)) if criterion.unit == "count" else 1
            named.append(f"{row.id} {criterion.metric} {criterion.measured} ({criterion.verdict})")
        for ncr in ncrs(snapshot, open_only=True, name=row.id):
            count += 1
            named.append(f"{ncr.id} of {row.id}: {ncr.reason}")
    return count, "; ".join(named)


def _last(snapshot: Snapshot, row: Activity, metric: str) -> Decimal | None:
    """Return the last readings of a metric in this attempt, summed over its items.

    None where there are none, or where one is no number.
    """
    mine = [m for m in measurements(snapshot, row.id) if m.attempt == row.attempt]
    last = {m.item: m.value for m in mine if m.metric == metric}
    numbers = [value for value in last.values() if isinstance(value, Decimal)]
    return sum(numbers, Decimal(0)) if numbers and len(numbers) == len(last) else None
