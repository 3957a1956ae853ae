"""Simulated crews and signers. They decide through the same functions as people, and say that they are simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from ledger.questions.case import require_activity
from ledger.questions.ncrs import ncrs
from ledger.questions.why import may_finish
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.rules.rows import NcrRow
from ledger.subjects.ncr import decisions as ncr
from ledger.subjects.ncr.rules import REWORK
from ledger.subjects.runs import request_decisions as requests
from ledger.subjects.sign_off import decisions as sign_off
from ledger.subjects.sign_off.kinds import signed
from ledger.subjects.work import decisions as work
from ledger.subjects.work import evidence_decisions as evidence
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from steps.acceptance.meeting import value_that_fails, value_that_meets
from steps.catalog.terms import PEOPLES_WORK, Kind
from steps.planning.activity import PlanActivity
from steps.planning.plan import Plan

SOURCE = "simulated"
STAND_IN = "owner-pm"
"""The role that acts where a plan names none that a simulated person holds."""

UNFINISHED = frozenset({State.IN_PROGRESS, State.READY, State.RUNNING})


class SimulatedPeople:
    """One person for each role, `sim-ROLE`. Nobody signs their own work."""

    def __init__(
        self,
        ledger: Ledger,
        plan: Plan,
        now: Callable[[], datetime],
    ) -> None:
        self.ledger = ledger
        self.now = now
        self.there = {person.id for person in plan.people}

    def one(self, role: str) -> str:
        """Return the person of a role, or the stand-in."""
        return self._person(role) or f"sim-{STAND_IN}"

    def _person(self, role: str) -> str | None:
        """Return the person of a role. None where there is none."""
        return f"sim-{role}" if f"sim-{role}" in self.there else None

    def start(self, activity: PlanActivity) -> None:
        """Begin people's work, with the witnesses that it asks for."""
        self.invite(activity)
        work.start(self.ledger, self._performer(activity), activity.id)

    def finish(self, activity: PlanActivity, *, fails: bool) -> bool:
        """Measure what is asked for, and finish. Return False where the finish waits for another activity's.

        Work that fails is rejected, and is then in progress again. A gate that fails has a reading that does not meet its criterion.
        """
        me, is_gate = self._performer(activity), activity.kind is Kind.GATE
        try:
            self._measure(activity, me, fails=fails and is_gate)
            if is_gate:
                self.invite(activity)
            else:
                work.finish(self.ledger, me, activity.id)
        except NotSatisfiedError:
            if self.is_held_back(activity):
                return False
            raise
        if fails and is_gate:
            self._decide_on_rework(activity)
        elif fails:
            self.reject(activity)
            self.invite(activity)
        return True

    def reject(self, activity: PlanActivity) -> None:
        """Reject finished work, which is then to be done again."""
        reason = f"{SOURCE}: it fails in this sample, and is done again"
        sign_off.reject(self.ledger, self._approver(activity), activity.id, reason)
        self._decide_on_rework(activity)

    def retry(self, activity: PlanActivity) -> None:
        """Ask for another run of what failed."""
        self._decide_on_rework(activity)
        requests.request_retry(self.ledger, self._performer(activity), activity.id)

    def close_ncrs(self, activity: PlanActivity) -> None:
        """Close the non-conformances of earlier attempts, as the work has been done again."""
        for one in self._open_ncrs(activity):
            ncr.close_ncr(self.ledger, self._approver(activity), one.id)

    def report(self, activity: PlanActivity, found: Iterable[str]) -> None:
        """Comment on what was found at an activity."""
        for line in found:
            work.comment(self.ledger, self._performer(activity), activity.id, f"{SOURCE}: {line}")

    def _decide_on_rework(self, activity: PlanActivity) -> None:
        approver = self._approver(activity)
        for one in self._open_ncrs(activity):
            if not one.decided:
                ncr.disposition_ncr(self.ledger, approver, one.id, REWORK, reason=SOURCE)

    def _open_ncrs(self, activity: PlanActivity) -> list[NcrRow]:
        """Return the open non-conformances of an activity, also those that the present batch of decisions opened."""
        with self.ledger.write() as writing:
            return ncrs(writing.at(), open_only=True, name=activity.id)

    def _approver(self, activity: PlanActivity) -> str:
        """Return the first person who may approve an activity."""
        return f"sim-{self._approving(activity)[0]}"

    def _approving(self, activity: PlanActivity) -> list[str]:
        """Return the roles that may approve an activity: not that of the person who did the work."""
        performer = self._performer(activity) if activity.kind in PEOPLES_WORK else None
        return self._signers(activity, performer)

    def approve(self, activity: PlanActivity) -> None:
        """Attach what the policy asks for, and sign with as many roles as its quorum asks for."""
        name, me = activity.id, self._performer(activity)
        for kind in activity.policy.evidence:
            note = f"simulated {kind} of {name}: no such document exists\n".encode()
            evidence.attach(self.ledger, me, name, note, kind, name=f"{kind}.txt")
        self.sign(activity)

    def sign(self, activity: PlanActivity) -> None:
        """Sign with as many roles as the quorum asks for. What was approved for a time only is signed again."""
        for role in self._approving(activity)[: activity.policy.quorum]:
            signed.sign(self.ledger, f"sim-{role}", activity.id, role=role, comment=SOURCE)

    def invite(self, activity: PlanActivity) -> None:
        """Invite the witnesses without notice. A witness role that has a simulated person attends; any other is noted as absent."""
        if activity.policy.witness is None:
            return
        ledger, name, at = self.ledger, activity.id, self.now()
        me = self._performer(activity)
        sign_off.invite(ledger, me, name, at, agreed=True)
        for role in activity.policy.witness.roles:
            found = self._person(role)
            there = found if found != me else None
            by = there or me
            sign_off.attend(ledger, by, name, role, person=there, note=SOURCE)

    def _measure(self, activity: PlanActivity, me: str, *, fails: bool) -> None:
        """Read what the criteria ask for. With `fails`, the first one that a single reading can fail is not met."""
        for c in activity.criteria:
            failing = value_that_fails(c) if fails else None
            value = value_that_meets(c) if failing is None else failing
            work.measure(self.ledger, me, activity.id, c.metric, value, c.unit, source=SOURCE)
            fails = fails and failing is None

    def _performer(self, activity: PlanActivity) -> str:
        """Return who does the work: the crew's person, unless too few people are then left to sign."""
        me = self.one(activity.role)
        left = self._signers(activity, me)
        return me if len(left) >= activity.policy.quorum else f"sim-{STAND_IN}"

    def _signers(self, activity: PlanActivity, performer: str | None) -> list[str]:
        """Return the roles that may sign and have a person, without the performer's."""
        held = {role: self._person(role) for role in activity.policy.roles}
        return [role for role, person in held.items() if person and person != performer]

    def is_held_back(self, activity: PlanActivity) -> bool:
        """Return whether a finish waits for the finish or start of another activity (FF and SF links).

        It is asked after a refusal only. A finish that is held back is tried again later.
        """
        with open_snapshot(self.ledger.site_dir, self.now()) as snapshot:
            row = require_activity(snapshot, activity.id)
            return row.state in UNFINISHED and not may_finish(snapshot, row)
