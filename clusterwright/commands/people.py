"""What people do: the same services the terminal screens use, one verb each.

Ids may be patterns (`148@*`); a verb given several activities takes them in turn and stops at the first
that is refused, having recorded those before it. `--dry-run` asks every rule and records nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clusterwright.commands import buying
from clusterwright.commands.acting import act_once
from clusterwright.commands.options import AsOption, AtOption, KeyOption, SiteOption, a_day, instant
from ledger.decisions import evidence as files
from ledger.decisions import facts as facility
from ledger.decisions import progress as earlier
from ledger.decisions import requests, sign_off, work
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.why import criteria
from ledger.reading import open_snapshot
from steps.errors import InputError

if TYPE_CHECKING:
    from ledger.writing import Ledger

Activities = Annotated[list[str], typer.Argument(help="Activity ids or patterns, as 034@pod-001 or 03*@*.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it stays on record.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Ask every rule, record nothing.")]


def _each(
    site: Path | None,
    who: str | None,
    patterns: list[str],
    act: Callable[[Ledger, str, str], Any],
    done: str,
    key: Path | None = None,
) -> None:
    """Do one thing to every activity that the patterns name, signed where a key is given or asked for."""
    from clusterwright.output import say
    from clusterwright.where import acting_person, find_site
    from ledger.decisions.by_key import decided
    from ledger.writing import Ledger

    folder = find_site(site)
    with open_snapshot(folder) as reader:
        person = acting_person(reader, who)
        names = _matching(reader, patterns)
    with Ledger.open(folder, clock=lambda: datetime.now(UTC)) as ledger:
        for name in names:
            event = decided(ledger, person, lambda name=name: act(ledger, person, name), key=key)  # type: ignore[misc]
            say(f"{name}: {done}{_by_key(event)}{_taken_out(event)}")


def _by_key(event: Any) -> str:
    """Say that a decision carries a signature."""
    return " with your key" if getattr(getattr(event, "payload", None), "statement", None) else ""


def _taken_out(event: Any) -> str:
    """Say what was taken out of a file before it was kept."""
    payload = getattr(event, "payload", None)
    removed = [
        *getattr(payload, "removed", ()),
        *(x for f in getattr(payload, "evidence", ()) for x in getattr(f, "removed", ())),
    ]
    return f"; taken out before it was kept: {', '.join(removed)}" if removed else ""


def _matching(reader: Any, patterns: list[str]) -> list[str]:
    from fnmatch import fnmatchcase

    names: list[str] = []
    known: list[str] | None = None
    for pattern in patterns:
        if not any(mark in pattern for mark in "*?["):
            names.append(require_activity(reader, pattern).id)
            continue
        if known is None:
            known = [row.id for row in activities(reader) if row.state.value != "not_applicable"]
        found = [name for name in known if fnmatchcase(name, pattern)]
        if not found:
            raise InputError(f"no activity matches {pattern!r}", hint="quote patterns: '148@*'")
        names += [name for name in found if name not in names]
    return names


def assign(
    activities: Activities,
    to: Annotated[str | None, typer.Option("--to", help="A person's id.")] = None,
    organisation: Annotated[
        str | None, typer.Option("--organisation", help="Or a contractor, whose people then report; '' takes it back.")
    ] = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Give activities to a person, or activities and orders to an organisation."""
    if (to is None) == (organisation is None):
        raise InputError("to whom?", hint="--to PERSON, or --organisation NAME")
    if organisation is not None:
        name = organisation
        said = f"given to {name}" if name else "given to no organisation"
        orders = [one for one in activities if "#" in one]
        for one in orders:
            act_once(site, who, partial(_give, one, name), f"{one}: {said}")
        rest = [one for one in activities if one not in orders]
        _each(site, who, rest, lambda ledger, me, a: _give(a, name, ledger, me), said)
        return
    assert to is not None
    _each(site, who, activities, lambda ledger, me, a: work.assign(ledger, me, a, to), f"assigned to {to}")


def _give(subject: str, organisation: str, ledger: Ledger, me: str) -> Any:

    return work.assign_organisation(ledger, me, subject, organisation)


def start(activities: Activities, at: AtOption = None, site: SiteOption = None, who: AsOption = None) -> None:
    """Record that work has started."""
    _each(site, who, activities, lambda ledger, me, a: work.start(ledger, me, a, at=instant(at)), "started")


def progress(
    activity: str,
    items: Annotated[int | None, typer.Option(help="How many items are done.")] = None,
    percent: Annotated[float | None, typer.Option(help="Or how much, in percent.")] = None,
    note: Annotated[str, typer.Option(help="What stands out.")] = "",
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record how far the work has come."""
    _each(
        site,
        who,
        [activity],
        lambda ledger, me, a: work.progress(ledger, me, a, items_done=items, percent=percent, note=note),
        "noted",
    )


def finish(activities: Activities, at: AtOption = None, site: SiteOption = None, who: AsOption = None) -> None:
    """Record that work is finished; it then waits for its sign-off, or is done."""
    _each(site, who, activities, lambda ledger, me, a: work.finish(ledger, me, a, at=instant(at)), "finished")


def measure(
    activity: str,
    metric: str,
    value: Annotated[str, typer.Argument(help="A number, or true or false.")],
    unit: Annotated[str, typer.Argument(help="The unit it was read in.")],
    source: Annotated[str, typer.Option(help="The instrument or document.")],
    item: Annotated[str | None, typer.Option(help="Which rack, host, link.")] = None,
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record a measurement against an acceptance criterion."""
    _each(
        site,
        who,
        [activity],
        lambda ledger, me, a: work.measure(
            ledger, me, a, metric, _value(value), unit, item=item, source=source, at=instant(at)
        ),
        f"{metric} = {value} {unit}",
    )


def _value(text: str) -> Any:
    from decimal import Decimal, InvalidOperation

    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise InputError(f"{text!r} is not a number, nor true or false") from None
    if not number.is_finite():
        raise InputError(f"{text!r} is not a finite number")
    return number


def fact(
    activity: Annotated[str, typer.Argument(help="Who asks for it, as 114@hall-1; a pattern for several units.")],
    facts: Annotated[list[str], typer.Argument(metavar="NAME=VALUE...", help="As plant.capacity_one_unit_out=3.2MW.")],
    evidence: Annotated[list[Path], typer.Option("--evidence", help="A file that shows it.")],
    source: Annotated[str, typer.Option(help="Which document, drawing or person says so.")] = "",
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record what the facility is or gives, with evidence; whatever asks for it is then worked out."""
    for path in evidence:
        if not path.exists():
            raise InputError(f"{path} does not exist")
    entries = [_fact(text) for text in facts]
    _each(
        site,
        who,
        [activity],
        lambda ledger, me, a: facility.record_facts(
            ledger, me, a, entries, evidence=evidence, source=source, at=instant(at)
        ),
        ", ".join(facts),
    )


def _fact(text: str) -> Any:
    """Give a fact from NAME=VALUE; what follows the number is its unit, a word stands for itself."""
    import re

    from ledger.entries import FactEntry

    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InputError(f"{text!r} is not NAME=VALUE", hint="as plant.capacity_one_unit_out=3.2MW")
    number = re.fullmatch(r"([+-]?[0-9][0-9_]*(?:\.[0-9]+)?)\s*(.*)", value)
    if number is None:
        return FactEntry(name, value)
    return FactEntry(name, _value(number[1].replace("_", "")), number[2])


def attach(
    activities: Activities,
    file: Annotated[Path, typer.Option("--file", help="The file; its content is kept by its SHA-256.")],
    kind: Annotated[str, typer.Option("--kind", help="What it is, as the policy calls it.")],
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Attach a file as evidence."""
    if not file.exists():
        raise InputError(f"{file} does not exist")
    _each(site, who, activities, lambda ledger, me, a: files.attach(ledger, me, a, file, kind), f"{kind} attached")


def sign(
    activities: Annotated[list[str] | None, typer.Argument(help="Activity ids or patterns.")] = None,
    role: Annotated[str | None, typer.Option(help="In which role, if you hold several.")] = None,
    comment: Annotated[str, typer.Option(help="What you add.")] = "",
    key: KeyOption = None,
    export: Annotated[
        Path | None, typer.Option("--export", help="Write the statement, to be signed elsewhere.", metavar="FILE")
    ] = None,
    import_: Annotated[
        Path | None, typer.Option("--import", help="Record FILE, which was signed elsewhere.", metavar="FILE")
    ] = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Approve finished work, or pass a gate."""
    if import_ is not None:
        _import_signed(import_, site)
        return

    def act(ledger: Ledger, me: str, activity: str) -> Any:
        return sign_off.sign(ledger, me, activity, role=role, comment=comment)

    if not activities:
        raise InputError("which activity?", hint="as 034@pod-001, or --import FILE")
    if export is not None:
        _export_statement(export, site, who, activities, act)
        return
    _each(site, who, activities, act, "signed", key)


def _export_statement(
    path: Path, site: Path | None, who: str | None, activities: list[str], act: Callable[[Ledger, str, str], Any]
) -> None:
    from clusterwright.output import say
    from clusterwright.where import acting_person, find_site
    from ledger.decisions.by_key import export
    from ledger.writing import Ledger

    folder = find_site(site)
    with open_snapshot(folder) as reader:
        person = acting_person(reader, who)
        names = _matching(reader, activities)
    if len(names) != 1:
        raise InputError(f"{len(names)} activities are named, and a statement is about one")
    with Ledger.open(folder, clock=lambda: datetime.now(UTC)) as ledger:
        command = export(ledger, lambda: act(ledger, person, names[0]), path)
    say(f"{path}: sign it with `{command}`, then `clusterwright sign --import {path}`")


def _import_signed(path: Path, site: Path | None) -> None:
    from clusterwright.output import say
    from clusterwright.where import find_site
    from ledger.decisions.sign_off import sign_elsewhere
    from ledger.writing import Ledger

    with Ledger.open(find_site(site), clock=lambda: datetime.now(UTC)) as ledger:
        event = sign_elsewhere(ledger, path)
    say(f"{event.subject}: approved by {event.actor}, signed elsewhere")


def reject(activity: str, reason: Reason, key: KeyOption = None, site: SiteOption = None, who: AsOption = None) -> None:
    """Refuse finished work; a non-conformance opens and the work goes back."""
    _each(site, who, [activity], lambda ledger, me, a: sign_off.reject(ledger, me, a, reason), "rejected", key)


def waive(
    activities: Activities,
    reason: Reason,
    due: Annotated[str, typer.Option("--due", help="By when it is made good, 2027-01-31.")],
    metric: Annotated[list[str] | None, typer.Option(help="Which criterion; all unmet ones if not given.")] = None,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Decide to proceed with criteria unmet; each becomes a punch item with a due date."""
    from ledger.decisions.by_key import decided

    day = a_day(due)

    def act(ledger: Ledger, me: str, activity: str) -> None:
        with open_snapshot(ledger.site_dir) as reader:
            unmet = [c.metric for c in criteria(reader, activity) if c.verdict in {"failed", "not measured"}]
        for name in metric or unmet:
            decided(ledger, me, lambda name=name: sign_off.waive(ledger, me, activity, name, reason, day), key=key)  # type: ignore[misc]
        if not (metric or unmet):
            raise InputError(f"{activity} has no unmet criterion to waive")

    _each(site, who, activities, act, "waived")


def na(activities: Activities, reason: Reason, site: SiteOption = None, who: AsOption = None) -> None:
    """Decide that an activity does not apply; it is bridged."""
    _each(site, who, activities, lambda ledger, me, a: work.na(ledger, me, a, reason), "not applicable")


def hold(activities: Activities, reason: Reason, site: SiteOption = None, who: AsOption = None) -> None:
    """Stop an activity until it is resumed."""
    _each(site, who, activities, lambda ledger, me, a: work.hold(ledger, me, a, reason), "on hold")


def resume(activities: Activities, reason: Reason = "", site: SiteOption = None, who: AsOption = None) -> None:
    """Let a held activity go on."""
    _each(site, who, activities, lambda ledger, me, a: work.resume(ledger, me, a, reason), "resumed")


def release(
    activity: str,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Release an automated step that changes hosts: these hosts, this playbook, this once."""
    from clusterwright.output import say
    from clusterwright.releasing import release_terms
    from clusterwright.where import find_site

    terms = release_terms(find_site(site), activity)
    say(
        f"{activity} ({terms.effect}) runs {terms.playbook} [{terms.digest[:12]}] on {len(terms.hosts)} hosts: "
        + ", ".join(terms.hosts[:12])
    )
    if terms.effect == "destructive" and not yes:
        if typer.prompt("It destroys data. Type the activity's id to release it") != activity:
            raise InputError("that is not its id; nothing released")
    elif not yes and not typer.confirm("Release it?"):
        raise InputError("nothing released")
    _each(
        site,
        who,
        [activity],
        lambda ledger, me, a: sign_off.release(
            ledger, me, a, hosts=terms.hosts, count=len(terms.hosts), playbook_digest=terms.digest
        ),
        "released",
        key,
    )


def attest(
    activities: Activities,
    reason: Reason,
    evidence: Annotated[list[Path] | None, typer.Option("--evidence", help="A file that shows it.")] = None,
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """State that what software would do was done outside; another person then approves it."""
    for path in evidence or []:
        if not path.exists():
            raise InputError(f"{path} does not exist")
    _each(
        site,
        who,
        activities,
        lambda ledger, me, a: files.attest(ledger, me, a, reason, evidence=evidence or [], at=instant(at)),
        "attested",
    )


def comment(activity: str, text: str, site: SiteOption = None, who: AsOption = None) -> None:
    """Write something down about an activity."""
    _each(site, who, [activity], lambda ledger, me, a: work.comment(ledger, me, a, text), "noted")


def reopen(activities: Activities, reason: Reason, site: SiteOption = None, who: AsOption = None) -> None:
    """Open finished work again; what rested on it becomes stale."""
    _each(site, who, activities, lambda ledger, me, a: work.reopen(ledger, me, a, reason), "open again")


def retry(activities: Activities, site: SiteOption = None, who: AsOption = None) -> None:
    """Ask the engine to run an automated activity again; where hosts go in waves, only on those that are not done."""
    _each(site, who, activities, requests.request_retry, "retry asked for")


def cancel(activities: Activities, site: SiteOption = None, who: AsOption = None) -> None:
    """Ask the engine to stop a run."""
    _each(site, who, activities, requests.request_cancel, "cancellation asked for")


def adopt(
    file: Annotated[Path, typer.Argument(help="CSV: activity, state, started, finished, by, note.")],
    yes: Annotated[bool, typer.Option("--yes", help="Record it; without it only the check is made.")] = False,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Take over what was done before Clusterwright, from a CSV; a dry run unless --yes is given."""
    from clusterwright.output import say
    from clusterwright.progress_file import read_progress

    rows = read_progress(file)
    act_once(
        site,
        who,
        lambda ledger, me: earlier.adopt_progress(ledger, me, rows, dry_run=not yes),
        f"{len(rows)} rows " + ("adopted" if yes else "check out; --yes records them"),
    )
    if not yes:
        say("nothing recorded (dry run)")


VERBS = (
    assign,
    start,
    progress,
    finish,
    measure,
    fact,
    attach,
    sign,
    reject,
    waive,
    na,
    hold,
    resume,
    release,
    attest,
    comment,
    reopen,
    retry,
    cancel,
    *buying.VERBS,
)
