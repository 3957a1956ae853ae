"""What a look for drift found, as people read it: in the terminal, and as the evidence that the engine keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from flows.runs.drift.look import Finding, Look
from ledger.questions.drift import Origin
from ledger.questions.records import preview
from ledger.reading import open_snapshot
from ledger.subjects.runs.decisions import record_preview
from ledger.writing import Ledger
from steps.stamps import minute


def keep(ledger: Ledger, look: Look, zone: str) -> None:
    """Record a look, with what differs as evidence. One that found just what the look before it found is not recorded again."""
    run, text = look.origin.run, "\n".join(told(look, zone)).encode()
    with open_snapshot(ledger.site_dir) as snapshot:
        seen = preview(snapshot, look.origin.row.id)
    assert run.settled_at
    is_known = seen is not None and seen.at >= run.settled_at and seen.differences == hashlib.sha256(text).hexdigest()
    if is_known or not look.hosts:
        return
    record_preview(
        ledger,
        look.origin.row.id,
        hosts=look.hosts,
        playbook_digest=look.digest,
        differences=text,
        summary=look.summary,
        changed=look.changed,
    )


def told(look: Look, zone: str) -> Iterator[str]:
    """Yield the lines of a look. Equal findings have equal lines, whenever somebody looks."""
    row = look.origin.row
    yield f"{row.id} {row.plan.title}: {look.summary}"
    for host, why in sorted(look.passed_over.items()):
        yield f"  {host}: not looked at: {why}"
    if look.findings:
        yield f"  {_set_by(look.origin, zone)}"
        yield "  - is on the host and would be undone, + is what the playbook sets"
    for finding in look.findings:
        yield from _finding(finding, zone)


def _set_by(origin: Origin, zone: str) -> str:
    run, release = origin.run, origin.release
    assert run.settled_at
    words = [f"set by {run.id}, {minute(run.settled_at, zone)}"]
    if release is not None:
        words.append(f"released by {release.by} as {release.role}, {minute(release.at, zone)}")
    words += [f"{one.decision} by {one.name} as {one.role}, {minute(one.at, zone)}" for one in origin.signed]
    return "; ".join(words)


def _finding(finding: Finding, zone: str) -> Iterator[str]:
    yield f"  {finding.host} {finding.path or finding.task}: {finding.cause}"
    if finding.path:
        yield f"    task: {finding.task}"
    if finding.changed_at is not None:
        yield f"    last changed {minute(finding.changed_at, zone)}; owner {finding.owner}, which does not say who changed it"
    yield from (f"    {line}" for line in finding.lines.splitlines())
