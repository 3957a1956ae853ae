"""One activity whole, for eyes and as JSON."""

from collections.abc import Iterator, Mapping

from clusterwright.catalog_view import seed_line, sign_off_words
from clusterwright.check_view import counts
from clusterwright.flat import flat_activity
from clusterwright.output import Document, print_lines
from ledger.evidence.live_output import Tail, live_log
from ledger.questions import records
from ledger.questions.baseline import baseline_date
from ledger.questions.calendar import WorkingWeek, float_words, working_weeks
from ledger.questions.checks import check_history, checklist
from ledger.questions.engines import unheard
from ledger.questions.entries import corrections
from ledger.questions.expected import expected
from ledger.questions.facts import fact_needs
from ledger.questions.links import predecessors, successors
from ledger.questions.ncrs import ncrs
from ledger.questions.orders import orders
from ledger.questions.records import RunRow
from ledger.questions.run_list import LastRun, last_run
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import criteria, why
from ledger.questions.witnesses import attendances, invitation
from ledger.rules.activity import OVER, Activity
from ledger.rules.judgement import CriterionRow, Judged, asked_words, verdict_words
from ledger.rules.rows import NcrRow, OrderRow, ReleaseRow
from ledger.subjects.runs.host_name_rules import folded_within
from steps.amount import counted
from steps.catalog.loader import shipped_step
from steps.planning.activity import WORKING
from steps.stamps import minute

CAUSES = 20
"""How many causes `show` prints; --json has all."""

PRINTED = 20
"""How many of the last lines are shown that a run has printed so far."""

NAMES = 1000
"""How many characters of hosts' names it prints with each."""


def activity_document(snapshot: Snapshot, row: Activity) -> Document:
    """Return everything the ledger knows of an activity, with stable keys."""
    return {
        "activity": flat_activity(row),
        "seed_says": _seed_says(row.plan.step),
        "baseline_finish": baseline_date(snapshot, row.id),
        "forecast": expected(snapshot, row),
        "why": why(snapshot, row.id),
        "unheard": unheard(snapshot, row.id),
        "last_run": last_run(snapshot, row.id),
        "predecessors": predecessors(snapshot, row.id),
        "successors": successors(snapshot, row.id),
        "criteria": criteria(snapshot, row.id),
        "checklist": checklist(snapshot, row),
        "checks": check_history(snapshot, row),
        "facts": fact_needs(snapshot, row),
        "measurements": records.measurements(snapshot, row.id),
        "evidence": records.evidence(snapshot, row.id),
        "sign_offs": records.sign_offs(snapshot, row.id),
        "invitation": invitation(snapshot, row),
        "witnesses": attendances(snapshot, row),
        "preview": records.preview(snapshot, row.id),
        "ncrs": ncrs(snapshot, name=row.id),
        "orders": [order for order in orders(snapshot) if order.id.startswith(f"{row.id}#")],
        "attestations": records.attestations(snapshot, row.id),
        "releases": records.releases(snapshot, row.id),
        "runs": (found := records.runs(snapshot, row.id)),
        "live_output": _live_output(snapshot, found),
        "corrections": corrections(snapshot, row.id),
        "comments": records.comments(snapshot, row.id),
    }


def _seed_says(step: str) -> str | None:
    """Return what the list of 195 steps says of a step. None for hold points and a site's own steps."""
    shipped = shipped_step(step)
    return None if shipped is None else shipped.seed_says


def print_activity(document: Document, snapshot: Snapshot, row: Activity) -> None:
    """Print an activity's page from its document."""
    zone = site_of(snapshot).time_zone
    lines = [
        *_head(document, row, zone, working_weeks(snapshot)),
        *_causes(document["last_run"], row),
        *_work(document, row),
        *_approval(document, row, zone, witness_lines(snapshot, row, zone)),
    ]
    lines += [f"attested by {a.by}, {minute(a.at, zone)}: {a.reason}" for a in document["attestations"]]
    lines += [_release_line(release, zone) for release in document["releases"]]
    lines += [f"run {r.id}: {r.status} {r.summary}" for r in document["runs"]]
    lines += [f"  {line}" for line in document["live_output"]]
    lines += [
        f"taken back: event {c.entry} ({c.kind} by {c.entered_by}) by {c.by}, {minute(c.at, zone)}: {c.reason}"
        for c in document["corrections"]
    ]
    lines += [f"note by {c.person}, {minute(c.at, zone)}: {c.text}" for c in document["comments"]]
    print_lines(lines)


def _live_output(snapshot: Snapshot, found: list[RunRow]) -> list[str]:
    """Return the last lines that the activity's run has printed so far. Empty where none runs."""
    running = [run.id for run in found if run.status == "running"]
    return Tail(live_log(snapshot.site_dir, running[-1])).lines()[-PRINTED:] if running else []


def _head(
    document: Document,
    row: Activity,
    zone: str,
    weeks: Mapping[str, WorkingWeek],
) -> Iterator[str]:
    plan, answer = row.plan, document["why"]
    flags = _said(" [{}]", ", ".join(sorted(row.flags)))
    whose = _said(" · with {}", row.assignee or row.organisation)
    yield f"{row.id}  {plan.title}"
    yield f"{plan.phase} · {plan.kind} · {plan.role}{whose} · attempt {row.attempt}{flags}"
    yield f"{answer.state_sentence}"
    if plan.dates is not None:
        left = float_words(row, weeks)
        start, finish = plan.dates.early_start, plan.dates.early_finish
        yield f"planned {minute(start, zone)} to {minute(finish, zone)}, {left}"
        if document["baseline_finish"] is not None:
            yield f"baseline finish {minute(document['baseline_finish'], zone)}"
        if document["forecast"] is not None:
            yield from document["forecast"].lines
        if plan.calendar in weeks and plan.calendar != WORKING:
            yield f"on the calendar {plan.calendar}: {weeks[plan.calendar]}"
        if plan.dates.wait:
            yield f"{plan.dates.wait}; with unlimited crews it starts {minute(plan.dates.unlimited_start, zone)}"
    if document["seed_says"]:
        yield seed_line(document["seed_says"])
    yield from answer.lines(zone)


def _causes(run: LastRun | None, row: Activity) -> Iterator[str]:
    """Return what the last run left undone: each cause with its hosts and one whole message, failed hosts first."""
    if run is None or not run.causes:
        return
    not_done = sum(cause.host_count for cause in run.causes)
    yield f"{run.run} of attempt {run.attempt}: {not_done} of {len(run.hosts)} hosts {'is' if not_done == 1 else 'are'} not done"
    for cause in run.causes[:CAUSES]:
        yield f"  {cause.head}: {folded_within(cause.hosts, NAMES)}"
        yield f"    {cause.message or 'no reason was recorded'}"
    if len(run.causes) > CAUSES:
        yield f"  and {len(run.causes) - CAUSES} more causes: clusterwright show {row.id} --json"


def _work(document: Document, row: Activity) -> Iterator[str]:
    for need in document["facts"]:
        said = "not known" if need.known is None else f"{need.known.value} {need.unit_of_measure} by {need.known.by}"
        yield f"fact {need.name}: {said} ({need.meaning})"
    for criterion in document["criteria"]:
        yield _criterion(criterion)
        for number, cause in enumerate(criterion.causes, start=1):
            yield f"  likely cause {number}: {cause}"
    done = document["checklist"]
    if done is not None:
        yield f"checklist {counts(done)}; `clusterwright check list {row.id}` lists them"
    for e in document["evidence"]:
        yield f"evidence {e.kind} {e.name} {e.digest[:12]} by {e.by}{_earlier(e.attempt, row)}"


def _earlier(attempt: int, row: Activity) -> str:
    """Return of which attempt something is that does not count in this one. Empty if it is of this one."""
    return "" if attempt == row.attempt else f", of attempt {attempt}"


def _criterion(c: CriterionRow) -> str:
    readers = _said(", read by {}", ", ".join(c.readers))
    verdict = verdict_words(c, Judged(c.verdict, c.measured, c.worst, c.note))
    return f"criterion {asked_words(c)}: {verdict}{readers}"


def _approval(
    document: Document,
    row: Activity,
    zone: str,
    witnesses: list[str],
) -> Iterator[str]:
    seen = document["preview"]
    if seen is not None:
        yield f"check mode {minute(seen.at, zone)}: {seen.summary}"
    yield from witnesses
    if row.state not in OVER:
        policy = row.plan.policy
        yield f"to be {sign_off_words(policy.quorum, policy.roles, policy.needed, policy.evidence)}"
    for s in document["sign_offs"]:
        witnessed = _said("; {}", s.witnessed)
        who = f"{s.decision} by {s.name} as {s.role}, {minute(s.at, zone)}{_earlier(s.attempt, row)} ({s.assurance})"
        yield f"{who} {s.comment}".rstrip() + witnessed
    if row.valid_until is not None:
        yield f"its approval holds until {minute(row.valid_until, zone)}"
    yield from map(_ncr_line, document["ncrs"])
    yield from map(_order_line, document["orders"])


def witness_lines(snapshot: Snapshot, row: Activity, zone: str) -> list[str]:
    """Return what the witnesses of an activity were told, and who came. Empty where it invites none."""
    invited = attendances(snapshot, row)
    if not invited:
        return []
    held = invitation(snapshot, row)
    told = "not invited yet"
    if held is not None:
        agreed = ", a shorter notice agreed" if held.agreed else ""
        told = f"invited for {minute(held.on, zone)} by {held.by}{agreed}"
    lines = [f"witnesses {', '.join(one.role for one in invited)}: {told}"]
    for one in invited:
        if one.noted:
            said = f"witness {one.role}: " + (one.witness or "did not attend")
            lines.append(f"{said}, noted by {one.by} {minute(one.at, zone)} {one.note}".rstrip())
    return lines


def _ncr_line(n: NcrRow) -> str:
    closed, decided = n.closed_at is not None, _said("decided: {}", n.decided)
    parts = (
        f"class {n.ncr_class}",
        f"closed: {n.disposition}" if closed else "open",
        "" if closed else decided,
        _said("owner {}", n.owner),
        _said("due {}", n.due),
        f"inspected again {counted(n.inspections, 'time')}" if n.inspections else "",
    )
    return f"non-conformance {n.id} ({_listed(parts)}): {n.reason}"


def _release_line(r: ReleaseRow, zone: str) -> str:
    used = _said(", used by run {}", r.consumed_by)
    return f"release {r.id}, hosts: {r.host_count}, by {r.by} as {r.role}, {minute(r.at, zone)}{used}"


def _order_line(o: OrderRow) -> str:
    parts = (
        o.state,
        o.size,
        "" if o.value is None else f"{o.value} {o.currency}",
        _said("budget line {}", o.budget_line),
        _said("acknowledged {}", o.acknowledged and f"{o.acknowledged} ({o.acknowledgement})"),
        _said("promised {}", o.promised_last),
        o.late_words,
    )
    return f"order {o.id} {o.title}: {_listed(parts)}"


def _said(words: str, value: object) -> str:
    """Return words with a value in them. Empty where there is none."""
    return words.format(value) if value else ""


def _listed(parts: tuple[str, ...]) -> str:
    return ", ".join(filter(None, parts))
