"""Simulated crews and signers: they act through the same services as people, and say that they are simulated."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ledger.decisions import evidence, sign_off, work
from ledger.questions.case import require_activity
from ledger.questions.links import predecessors
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.writing import Ledger
from steps.acceptance.meeting import value_that_meets
from steps.errors import NotSatisfiedError
from steps.schedule.activity import PlanActivity
from steps.schedule.plan import Plan

SOURCE = "simulated"
STAND_IN = "owner-pm"
"""The role that acts where a plan names none that a simulated person holds."""


class SimulatedPeople:
    """One person a role, `sim-ROLE`; nobody signs what they did themselves."""

    def __init__(self, ledger: Ledger, plan: Plan, now: Callable[[], datetime]) -> None:
        """Keep who there is; `now` is project time."""
        self.ledger = ledger
        self.now = now
        self.there = {person.id for person in plan.people}

    def one(self, role: str) -> str:
        """Give the person of a role, or the stand-in."""
        return f"sim-{role}" if f"sim-{role}" in self.there else f"sim-{STAND_IN}"

    def start(self, activity: PlanActivity) -> None:
        """Begin people's work, before the witnesses that it asks for."""
        self.invite(activity)
        work.start(self.ledger, self._performer(activity), activity.id, at=self.now())

    def finish(self, activity: PlanActivity) -> bool:
        """Measure what is asked for, finish, and sign; False where the finish still waits for another's."""
        at = self.now()
        me = self._performer(activity)
        try:
            self._measure(activity, me, at)
            if activity.kind.value == "gate":
                self.invite(activity)
            else:
                work.finish(self.ledger, me, activity.id, at=at)
            self.approve(activity, me)
        except NotSatisfiedError:
            if self._is_held_back(activity):
                return False
            raise
        return True

    def approve(self, activity: PlanActivity, performer: str | None) -> None:
        """Attach what the policy asks for, and sign with as many roles as the quorum asks."""
        at = self.now()
        me = performer or self._performer(activity)
        for kind in activity.policy.evidence:
            note = f"simulated {kind} of {activity.id}: no such document exists\n".encode()
            evidence.attach(self.ledger, me, activity.id, note, kind, name=f"{kind}.txt", at=at)
        for role in self._signers(activity, performer)[: activity.policy.quorum]:
            sign_off.sign(self.ledger, f"sim-{role}", activity.id, role=role, comment=SOURCE, at=at)

    def renew(self, activity: PlanActivity) -> None:
        """Approve again what was approved for a time only, as often as the quorum asks."""
        for role in self._signers(activity, None)[: activity.policy.quorum]:
            sign_off.sign(self.ledger, f"sim-{role}", activity.id, role=role, comment=SOURCE, at=self.now())

    def invite(self, activity: PlanActivity) -> None:
        """Invite the witnesses for now, which they agree to, and have those come who are there."""
        if activity.policy.witness is None:
            return
        me, at = self._performer(activity), self.now()
        sign_off.invite(self.ledger, me, activity.id, at, agreed=True, at=at)
        for role in activity.policy.witness.roles:
            there = f"sim-{role}" if f"sim-{role}" in self.there and f"sim-{role}" != me else None
            sign_off.attend(self.ledger, there or me, activity.id, role, person=there, note=SOURCE, at=at)

    def _measure(self, activity: PlanActivity, me: str, at: datetime) -> None:
        for c in activity.criteria:
            work.measure(self.ledger, me, activity.id, c.metric, value_that_meets(c), c.unit, source=SOURCE, at=at)

    def _performer(self, activity: PlanActivity) -> str:
        """Give who does the work: the crew's person, unless then too few are left to sign."""
        me = self.one(activity.role)
        return me if len(self._signers(activity, me)) >= activity.policy.quorum else f"sim-{STAND_IN}"

    def _signers(self, activity: PlanActivity, performer: str | None) -> list[str]:
        return [r for r in activity.policy.roles if f"sim-{r}" in self.there and f"sim-{r}" != performer]

    def _is_held_back(self, activity: PlanActivity) -> bool:
        """Say whether a finish waits for another activity's (FF, SF): the refusal is right, and passes."""
        with open_snapshot(self.ledger.site_dir, self.now()) as snapshot:
            row = require_activity(snapshot, activity.id)
            links = predecessors(snapshot, activity.id)
        late = [k for k in links if k.type[1] == "F" and (k.satisfied_at is None or k.satisfied_at > self.now())]
        return bool(late) and row.state in {State.IN_PROGRESS, State.READY}
