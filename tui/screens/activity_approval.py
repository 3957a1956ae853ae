"""Who approves an activity, on its page: the policy, who can sign and who is shut out, sign-offs, witnesses, evidence, check mode."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.questions.case import LookedUp
from ledger.questions.people import delegations
from ledger.questions.records import attestations, evidence, preview, releases, sign_offs
from ledger.questions.signers import SignerRow, signers
from ledger.questions.witnesses import attendances, invitation
from ledger.rules.activity import OVER
from ledger.rules.approval import missing_evidence
from schedule.errors import ClusterwrightError
from steps.amount import counted
from steps.stamps import local_day, minute
from tui.lists.column import Span
from tui.looks import Role
from tui.screens.page_lines import PageLine, Target, difference, said

APPROVAL, EVIDENCE, PREVIEW = "Approval, and who can sign", "Evidence", "What check mode showed"

SHOWN = 2000
"""How many lines of differences the page shows."""


def approval(case: LookedUp) -> Iterator[PageLine]:
    """Yield the policy, the people who can sign or are shut out, what was signed, and witnesses."""
    row, policy = case.row, case.row.plan.policy
    hold = "hold point; " if policy.hold_point else ""
    roles = " or ".join(policy.roles)
    yield said(APPROVAL, f"{hold}{row.signed} of {policy.quorum} by {roles}; needed {policy.needed}")
    if row.separates_duties:
        yield said(APPROVAL, "who has had a hand in the work may not approve it", "muted")
    for signer in signers(case.snapshot, row):
        yield _signer(case, signer)
    for s in sign_offs(case.snapshot, row.id):
        role: Role = "bad" if s.decision == "rejected" else "good"
        earlier = "" if s.attempt == row.attempt else f", of attempt {s.attempt}"
        words = f"{s.decision} by {s.name} as {s.role}, {minute(s.at, case.zone)}{earlier}, {s.assurance}. {s.comment}"
        yield said(APPROVAL, words.rstrip(), role)
        if s.witnessed:
            yield said(APPROVAL, f"    {s.witnessed}")
    if row.valid_until is not None:
        yield said(APPROVAL, f"holds until {local_day(row.valid_until, case.zone)}", "bad" if row.expired else "text")
    for a in attestations(case.snapshot, row.id):
        yield said(APPROVAL, f"attested by {a.by}, {minute(a.at, case.zone)}: {a.reason}", "attention")
    for r in releases(case.snapshot, row.id):
        used = f", used by {r.consumed_by}" if r.consumed_by else "" if r.live else ", of an earlier attempt"
        words = (
            f"release {r.id} of {counted(r.host_count, 'host')} by {r.by} as {r.role}, {minute(r.at, case.zone)}{used}"
        )
        yield said(APPROVAL, words)
    yield from _witnesses(case)


def _signer(case: LookedUp, signer: SignerRow) -> PageLine:
    lent = ""
    if signer.delegation is not None:
        found = (d for d in delegations(case.snapshot) if d.id == signer.delegation)
        lent = next((f", lent by {d.person} until {local_day(d.until, case.zone)}" for d in found), "")
    me = " (you)" if signer.person == case.actor.id else ""
    may: Span = ("✘ may not", "bad") if signer.why_not else ("✔ may sign", "good")
    if signer.has_signed:
        may = ("✎ signed", "good")
    who: Span = (f"{signer.name}{me}", "text")
    why = f": {signer.why_not}" if signer.why_not else ""
    return PageLine(APPROVAL, (may, who, (f"{signer.role}{lent}{why}", "text")), table="signers")


def _witnesses(case: LookedUp) -> Iterator[PageLine]:
    """Yield who is invited to witness it, and who came. Nothing where the policy names no witness."""
    snapshot, row, witness = case.snapshot, case.row, case.row.plan.policy.witness
    if witness is None:
        return
    held = invitation(snapshot, row)
    invited = "not invited yet" if held is None else f"invited for {minute(held.on, case.zone)} by {held.by}"
    yield said(APPROVAL, f"witnesses, with {witness.notice_h:g} working hours' notice: {invited}")
    for a in attendances(snapshot, row):
        came = f"{a.witness} attended" if a.witness else "did not attend"
        words = came if a.noted else "nothing noted"
        yield said(APPROVAL, f"    {a.role}: {words} {a.note}".rstrip())


def pieces(case: LookedUp) -> Iterator[PageLine]:
    """Yield the kinds of evidence that are needed, and every file with a way to look at it. Files of earlier attempts come last."""
    lacking: Span = ("– none", "muted") if case.row.state in OVER else ("✘ missing", "bad")
    for kind in missing_evidence(case):
        yield PageLine(EVIDENCE, (lacking, (kind, "text"), ("", "text")), table="evidence")
    found = evidence(case.snapshot, case.row.id)
    found.sort(key=lambda e: (e.attempt != case.row.attempt, -e.attempt))
    for e in found:
        old = "" if e.attempt == case.row.attempt else f", of attempt {e.attempt}"
        words = f"{e.name}, {e.size:,} bytes, by {e.by} {minute(e.at, case.zone)}, {e.digest[:12]}{old}"
        mark: Span = ("✔", "muted" if old else "good")
        yield PageLine(EVIDENCE, (mark, (e.kind, "text"), (words, "text")), Target("evidence", e.digest), "evidence")


def check_mode(case: LookedUp) -> Iterator[PageLine]:
    """Yield what the playbook would change, for who releases it. Nothing where nobody looked in this attempt."""
    seen = preview(case.snapshot, case.row.id)
    if seen is None:
        return
    yield said(PREVIEW, f"{seen.summary}; {minute(seen.at, case.zone)}", target=Target("evidence", seen.differences))
    yield from difference_lines(case, PREVIEW, seen.differences)


def difference_lines(case: LookedUp, section: str, digest: str) -> Iterator[PageLine]:
    """Yield the lines of differences that the evidence store has, or why it has none."""
    from ledger.evidence.store import load  # pydantic, which takes as long to load as the first screen to be painted

    try:
        lines = load(case.snapshot.site_dir, digest).decode("utf-8", "replace").splitlines()
    except ClusterwrightError as error:
        lines = [str(error)]
    for line in lines[:SHOWN]:
        yield difference(section, line)
    if len(lines) > SHOWN:
        yield said(section, f"and {counted(len(lines) - SHOWN, 'line')} more, in the evidence {digest[:12]}", "muted")
