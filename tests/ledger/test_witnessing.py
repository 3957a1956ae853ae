"""Witness points: an activity waits for its witnesses' notice, and not for them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ledger.questions.case import require_activity
from ledger.questions.records import sign_offs
from ledger.questions.why import why
from ledger.questions.witnesses import invitation
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import attend, invite, reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotPermittedError, NotSatisfiedError
from steps.planning.plan import Plan
from tests.ledger.conftest import T0, Clock, Look, StateOf, activity, begun, earlier_rules, small_plan

TEST, GATE, LATER = "301@site", "302@site", T0 + timedelta(hours=48)
SEEN = {"roles": ["sponsor", "visitor"], "notice_h": 16}


def witnessed() -> Plan:
    """Return a plan with a test and a gate that sponsor and visitor are invited to, with 16 hours' notice."""
    activities: list[dict[str, Any]] = [
        activity(TEST, policy={"witness": SEEN}),
        activity(GATE, kind="gate", policy={"witness": SEEN}),
    ]
    return small_plan(activities=[*small_plan().model_dump()["activities"], *activities])


@pytest.fixture
def seen(ledger: Ledger) -> Ledger:
    """Return a ledger with that plan."""
    adopt_plan(ledger, "pm", witnessed(), reason="witnessed")
    return ledger


def test_nothing_begins_before_its_witnesses_were_told(seen: Ledger, look: Look, clock: Clock) -> None:
    """Neither work nor a gate, nor what was done outside; what to do is said."""
    with pytest.raises(NotSatisfiedError, match="they were not invited yet") as refused:
        start(seen, "tech", TEST)
    with pytest.raises(NotSatisfiedError, match="they were not invited yet"):
        sign(seen, "lead", GATE)
    assert refused.value.hint.startswith(f"clusterwright witness {TEST} --for 2026-01-06 or later: 16 working hours")
    assert why(look(clock.now), TEST).needs[0].startswith("witnesses invited: sponsor, visitor")


def test_it_takes_place_at_its_time_whether_they_come_or_not(
    seen: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """The sign-off says who saw it and who was invited and did not come, and the audit finds it so."""
    invite(seen, "tech", TEST, LATER)
    with pytest.raises(NotSatisfiedError, match="takes place before witnesses on 2026-01-07 09:00;"):
        start(seen, "tech", TEST)
    clock.forward(48)
    with seen.dry_run():
        attend(seen, "lead", TEST, "visitor", person=None)
    start(seen, "tech", TEST)
    attend(seen, "sponsor", TEST, "sponsor", person="sponsor")
    finish(seen, "tech", TEST)
    sign(seen, "lead", TEST)

    (said,) = sign_offs(look(), TEST)
    assert said.witnessed == "witnessed by sponsor (sponsor); invited as witness, did not attend: visitor"
    assert state(TEST) == "done"
    assert audit(seen.site_dir) == []


def test_a_notice_is_long_enough_or_agreed(seen: Ledger, clock: Clock, look: Look) -> None:
    for hours in (8, 15.9):
        with pytest.raises(NotSatisfiedError, match="16 working hours' notice") as refused:
            invite(seen, "tech", TEST, T0 + timedelta(hours=hours))
    for hours, agreed in ((16, False), (0, True)):
        with seen.dry_run():
            invite(seen, "tech", TEST, T0 + timedelta(hours=hours), agreed=agreed)
    assert refused.value.hint == "2026-01-06 01:00 or later, or --agreed where they agreed to it"
    with pytest.raises(InputError, match="is over"):
        invite(seen, "tech", TEST, T0 - timedelta(hours=1), agreed=True)

    invite(seen, "tech", TEST, T0 + timedelta(hours=8), agreed=True)

    held = invitation(look(), require_activity(look(), TEST))
    assert held is not None
    assert held.agreed
    clock.forward(8)
    start(seen, "tech", TEST)


def test_with_all_of_them_there_or_excused_it_begins_at_once(seen: Ledger, state: StateOf) -> None:
    """Only the witness excuses themselves before the time; a stranger to the role is no witness."""
    invite(seen, "lead", TEST, LATER)
    attend(seen, "lead", TEST, "sponsor", person="sponsor")
    with pytest.raises(NotSatisfiedError, match="only a visitor says that none will come"):
        attend(seen, "lead", TEST, "visitor", person=None)
    with pytest.raises(NotSatisfiedError, match="lead is no visitor"):
        attend(seen, "lead", TEST, "visitor", person="lead")
    with pytest.raises(InputError, match="invites no technician"):
        attend(seen, "lead", TEST, "technician", person="tech")
    attend(seen, "guest", TEST, "visitor", person=None, note="on leave")

    start(seen, "tech", TEST)

    assert state(TEST) == "in_progress"


@pytest.mark.own_file
def test_by_earlier_rules_who_excused_themselves_once_is_not_waited_for(tmp_path: Path, clock: Clock) -> None:
    with earlier_rules(ITEMS_AND_WAIVERS), begun(tmp_path, clock) as site:
        adopt_plan(site, "pm", witnessed(), reason="witnessed")
        for day in (0, 1):
            invite(site, "lead", TEST, LATER + timedelta(days=day))
            attend(site, "sponsor", TEST, "sponsor", person="sponsor")
        attend(site, "guest", TEST, "visitor", person=None)
        invite(site, "lead", TEST, LATER + timedelta(days=2))
        start(site, "tech", TEST)
        assert audit(site.site_dir) == []


def test_who_did_the_work_is_no_witness_to_it_and_the_next_attempt_is_told_again(seen: Ledger, clock: Clock) -> None:
    invite(seen, "tech", TEST, LATER)
    clock.forward(48)
    start(seen, "sponsor", TEST)
    with pytest.raises(NotSatisfiedError, match="did the work"):
        attend(seen, "lead", TEST, "sponsor", person="sponsor")
    finish(seen, "sponsor", TEST)
    reject(seen, "lead", TEST, "it dripped")

    with pytest.raises(NotSatisfiedError, match="they were not invited yet"):
        finish(seen, "sponsor", TEST)


def test_who_may_not_invite_is_told_who_does(seen: Ledger) -> None:
    with pytest.raises(NotPermittedError, match=r"guest \(visitor\) may not invite"):
        invite(seen, "guest", TEST, LATER)
    with pytest.raises(NotSatisfiedError, match="invites no witnesses"):
        invite(seen, "pm", "001@site", LATER)


def test_a_gate_is_passed_before_its_witnesses(seen: Ledger, clock: Clock, look: Look) -> None:
    invite(seen, "lead", GATE, LATER)
    clock.forward(48)
    attend(seen, "guest", GATE, "visitor", person="guest")
    sign(seen, "lead", GATE)
    comment(seen, "pm", GATE, "all clear")

    (said,) = sign_offs(look(), GATE)
    assert said.witnessed == "witnessed by guest (visitor); invited as witness, did not attend: sponsor"
