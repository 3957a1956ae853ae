"""Turns as the ledger keeps them: several engines, one order, and places that end with their engine."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest

from ledger.entries import RunOutcome, Wish
from ledger.questions.site import head
from ledger.questions.turns import reservations, turns
from ledger.questions.why import why
from ledger.stores.file import connect, data_version
from ledger.subjects.runs.decisions import settle
from ledger.subjects.runs.queue_rules import wants
from ledger.subjects.runs.turn_decisions import Runner, free, take_turns
from ledger.trust.audit import audit
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Clock, Look
from tests.ledger.journey import GOOD, take

A, B = Runner("engine-a", "build", "b1", 10), Runner("engine-b", "build-2", "b2", 20)
ALL = ("n1", "n2", "n3")
ONE, OTHER, WIDE = "030@pod-001", "040@pod-001", "195@site"
LONG_S = 1e9


def wish(activity: str, *hosts: str, float_h: float = 0.0, attempt: int = 1) -> Wish:
    return Wish(activity, attempt, wants(hosts, ()), float_h)


def asked(
    ledger: Ledger, runner: Runner, *wishes: Wish, busy: tuple[str, ...] = (), lease_s: float = LONG_S
) -> set[str]:
    return set(take_turns(ledger, runner, wishes, busy=busy, lease_s=lease_s))


@pytest.fixture
def waiting(ready: Ledger) -> Ledger:
    """Engine a runs pod 1's step on n1, and engine b waits with a wide step that has much float."""
    assert asked(ready, A, wish(ONE, "n1")) == {ONE}
    assert take(ready, ONE, "engine-a:x", hosts=["n1"]) is not None
    assert asked(ready, B, wish(WIDE, *ALL, float_h=900.0)) == set()
    return ready


def test_an_engine_that_asks_again_wakes_nobody_where_nothing_has_changed(waiting: Ledger) -> None:
    """Engine and dashboard wait for the file to change: an engine would wake itself, five times a second."""
    with closing(connect(waiting.site_dir)) as file:
        before = data_version(file)

        assert asked(waiting, A, busy=(ONE,)) == asked(waiting, B, wish(WIDE, *ALL, float_h=900.0)) == set()

        assert data_version(file) == before


def test_what_comes_later_takes_no_reserved_host_from_any_engine(waiting: Ledger) -> None:
    """Neither as a wish nor by a claim of its own, however urgent it is."""
    assert asked(waiting, A, wish(OTHER, "n2")) == set()
    assert take(waiting, OTHER, "engine-a:y", hosts=["n2"]) is None
    assert asked(waiting, A, wish(OTHER, "n4")) == {OTHER}, "what nobody reserved is free"


def test_when_what_runs_has_ended_the_first_begins_and_then_the_next(waiting: Ledger) -> None:
    """In the order, whichever engine asks first."""
    assert asked(waiting, A, wish(OTHER, "n2")) == set()
    settle(waiting, "engine-a:x", ONE, RunOutcome("ok", measurements=GOOD))
    assert asked(waiting, A, wish(OTHER, "n2")) == set()
    assert asked(waiting, B, wish(WIDE, *ALL)) == {WIDE}
    assert asked(waiting, A, wish(OTHER, "n2")) == set(), "it is granted, though it has no claim yet"
    assert asked(waiting, B, busy=(WIDE,)) == set()
    assert asked(waiting, A, wish(OTHER, "n2")) == set(), "a look in check mode has no claim at all"
    assert asked(waiting, B) == set()
    assert asked(waiting, A, wish(OTHER, "n2")) == {OTHER}


def test_a_place_ends_with_its_engine(waiting: Ledger, look: Look) -> None:
    """With its lease, or at once where another engine sees that its process has ended."""
    now = T0 + timedelta(days=400)
    assert take_turns(waiting, B, [wish(WIDE, *ALL)], lease_s=60, machine_now=now) == set()
    narrow = [wish(OTHER, "n2")]
    soon, later = now + timedelta(seconds=59), now + timedelta(seconds=LONG_S)
    assert take_turns(waiting, A, narrow, lease_s=60, machine_now=soon) == set()
    assert take_turns(waiting, A, narrow, lease_s=60, machine_now=later) == {OTHER}
    assert {kept.engine for kept in reservations(look(), T0)} == {A.engine}, "what has lapsed is gone"


def test_an_engine_that_stood_still_longer_than_its_lease_finds_its_own_places(ready: Ledger) -> None:
    """Nobody else took them. What was granted before begins, and what waits behind it waits on."""
    now = T0 + timedelta(days=400)
    late = now + timedelta(seconds=3600)
    mine, behind = wish(ONE, "n1"), wish(OTHER, "n1")
    assert take_turns(ready, A, [mine], lease_s=60, machine_now=now) == {ONE}
    assert take_turns(ready, A, [behind], busy=(ONE,), lease_s=60, machine_now=now) == set()

    assert take(ready, OTHER, "engine-a:y", hosts=["n1"], machine_now=late) is None
    assert take_turns(ready, A, [behind], busy=(ONE,), lease_s=60, machine_now=late) == set()
    assert take(ready, ONE, "engine-a:x", hosts=["n1"], machine_now=late) is not None


def test_what_an_ended_engine_kept_is_freed(waiting: Ledger, look: Look) -> None:
    """Its process is known, so an engine of the same machine need not wait for the lease."""
    free(waiting, [kept for kept in reservations(look(), T0) if kept.pid == B.pid])

    assert asked(waiting, A, wish(OTHER, "n2")) == {OTHER}


def test_waiting_that_ends_frees_what_it_reserved(waiting: Ledger) -> None:
    """Cancelled, held, not in the plan any more: the engine does not ask for it again."""
    assert asked(waiting, B) == set()
    assert asked(waiting, A, wish(OTHER, "n2")) == {OTHER}


def test_a_place_is_kept_by_the_next_engine_and_lost_with_the_attempt(
    waiting: Ledger, look: Look, clock: Clock
) -> None:
    """Who wants less keeps the place. Who wants more, or tries anew, arrives anew."""
    (first,) = turns(look()).values()
    again = Runner("engine-c", "build-3", "b3", 30)
    clock.forward(1)
    asked(waiting, again, wish(WIDE, "n1", "n2"))
    free(waiting, [kept for kept in reservations(look(), T0) if kept.engine == B.engine])
    assert turns(look())[WIDE].since == first.since

    asked(waiting, again, wish(WIDE, *ALL))
    assert turns(look())[WIDE].since > first.since
    moved = turns(look())[WIDE].since
    clock.forward(1)
    asked(waiting, again, wish(WIDE, *ALL, attempt=2))
    assert turns(look())[WIDE].since > moved


def test_a_claim_of_what_was_granted_ends_its_reservation(ready: Ledger, look: Look) -> None:
    """From then on the claim keeps the hosts."""
    asked(ready, A, wish(ONE, "n1"))
    assert take(ready, ONE, "engine-b:x", hosts=["n1"]) is None, "it is another engine's turn"
    assert take(ready, ONE, "engine-a:x", hosts=["n1"]) is not None
    assert reservations(look(), T0) == []


def test_why_names_what_it_waits_for_and_its_place(waiting: Ledger, look: Look) -> None:
    """Runs with their beginning, and what comes before it in the order."""
    asked(waiting, A, wish(OTHER, "n2", "n3"))
    (run,) = look().ask("SELECT started_at FROM run")
    since = f"{run[0][:16].replace('T', ' ')}"

    found = turns(look())
    assert found[WIDE].words("UTC") == f"waits for {ONE} (running since {since}) on n1; place 1 of 2 in the order"
    assert found[OTHER].words("UTC").startswith(f"waits for {WIDE} (waits before it, since ")
    assert found[OTHER].words("UTC").endswith(" on n2, n3; place 2 of 2 in the order")
    assert why(look(), OTHER).turn == found[OTHER]
    assert why(look(), ONE).turn is None


def test_reservations_are_not_recorded(waiting: Ledger, look: Look) -> None:
    """They are of the moment: the log does not grow, and the audit compares no table of them."""
    before = head(look()).seq
    for _ in range(3):
        asked(waiting, B, wish(WIDE, *ALL))
        asked(waiting, A, wish(OTHER, "n2"))

    assert head(look()).seq == before
    assert not audit(waiting.site_dir)


def test_what_has_no_free_place_on_its_machine_waits_for_one_and_says_so(ready: Ledger, look: Look) -> None:
    """Every host is free. What is first in the order has the place; a run on another machine takes none here."""
    urgent, patient = wish(OTHER, "n2", float_h=1.0), wish(ONE, "n1", float_h=90.0)
    assert asked(ready, B, wish(WIDE, "n9")) == {WIDE}

    assert take_turns(ready, A, [patient, urgent], side_by_side=1, lease_s=LONG_S) == {OTHER}
    assert take_turns(ready, A, [patient], busy=(OTHER,), side_by_side=1, lease_s=LONG_S) == set()
    said = "waits for a free place among 1 runs on build; place 1 of 1 in the order"
    assert turns(look())[ONE].words("UTC") == said
    assert take_turns(ready, A, [patient], side_by_side=1, lease_s=LONG_S) == {ONE}


def test_a_run_that_was_claimed_keeps_its_place_on_the_machine(ready: Ledger) -> None:
    """Whichever engine of the machine asks; until it is settled."""
    beside = A._replace(engine="engine-c", pid=11)
    assert take_turns(ready, A, [wish(ONE, "n1")], side_by_side=1, lease_s=LONG_S) == {ONE}
    assert take(ready, ONE, "engine-a:x", hosts=["n1"]) is not None

    assert take_turns(ready, beside, [wish(OTHER, "n2")], side_by_side=1, lease_s=LONG_S) == set()
    settle(ready, "engine-a:x", ONE, RunOutcome("ok", measurements=GOOD))
    assert take_turns(ready, beside, [wish(OTHER, "n2")], side_by_side=1, lease_s=LONG_S) == {OTHER}
