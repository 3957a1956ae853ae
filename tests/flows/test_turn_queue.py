"""What engines hand out when several want the same hosts. Nothing is run: the ledger, the queues and the claims are real."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flows.engine.performer import Outcome
from flows.engine.state import Engine
from flows.performers.lease import claim_here
from flows.performers.real import RealPerformer
from flows.phases.tasks import outcome_of
from ledger.entries import Claim, ItemResult, RunOutcome
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.questions.why import why
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.runs.decisions import settle
from ledger.subjects.work.decisions import hold
from ledger.writing import Ledger
from tests.flows.busy_site import FIRST, PODS, WIDE, make, make_inventory, make_playbooks
from tests.flows.conftest import state
from tests.ledger.conftest import elsewhere, share
from tests.needs import needs_postgres
from tests.postgres_server import EVERYBODY, ON_POSTGRES, Server


class Hand:
    """An engine whose work is done by hand."""

    def __init__(self, site: Path, playbooks: Path, inventory: Path, at_once: int | None = None) -> None:
        with open_snapshot(site) as snapshot:
            plan = read_plan(snapshot)
        performer = RealPerformer(playbooks, inventory, hands_off=False)
        ledger = Ledger.open(site)
        self.engine = Engine(site, ledger, plan, 1, project_now, performer, 0.0, rehearsal=False, side_by_side=at_once)
        self.held: dict[str, Claim] = {}
        self.told: dict[str, str] = {}

    def look(self) -> list[str]:
        """Look as the dispatcher does, begin what is handed out, and return it."""
        engine, begun = self.engine, []
        with engine.snapshot() as snapshot:
            fresh = engine.work(snapshot)
        engine.queue_up(fresh)
        for waiting in engine.queues.values():
            while not waiting.empty():
                work = waiting.get()
                if said := work.waits:
                    self.told[work.row.id] = said
                    engine.ended(work.key, Outcome("Waits", said))
                    continue
                held = claim_here(engine, work.row.id, hosts=tuple(sorted(work.touches)))
                assert held is not None, work.row.id
                self.held[work.row.id] = held
                begun.append(work.row.id)
        return begun

    def end(self, name: str) -> None:
        """End a run that this engine has begun."""
        held = self.held.pop(name)
        results = tuple(ItemResult(host, "ok") for host in held.hosts)
        settle(self.engine.ledger, held.owner, name, RunOutcome("ok", results=results), attempt=held.attempt)
        for key in [key for key in self.engine._open if key.activity == name]:
            self.engine.ended(key, Outcome("Done", ""))

    def stop(self) -> None:
        """Stop in order."""
        self.engine.turns.leave()
        self.engine.ledger.close()


Hire = Callable[..., Hand]


@pytest.fixture
def hire(tmp_path: Path) -> Iterator[Hire]:
    """Return a function that starts an engine on a site. All are stopped at the end."""
    playbooks, inventory, hired = make_playbooks(tmp_path), make_inventory(tmp_path), list[Hand]()

    def begin(site: Path, at_once: int | None = None) -> Hand:
        hired.append(Hand(site, playbooks, inventory, at_once))
        return hired[-1]

    yield begin
    for hand in hired:
        hand.stop()


def two_engines(one: Hand, other: Hand) -> None:
    """Play rounds of narrow steps on two engines until the wide step has its turn, and assert that nothing overtakes it."""
    assert sorted(one.look()) == [f"200@{pod}" for pod in PODS]
    assert other.look() == []
    one.end(FIRST)
    assert one.look() == ["201@pod-001"], "it is ready at the same time, and comes first by its id"
    assert "place 1 of 1" in one.told[WIDE]
    for name in ("200@pod-002", "200@pod-003"):
        one.end(name)
        assert (other.look(), one.look()) == ([], []), "its hosts are kept for the wide step, whoever asks"
    one.end("201@pod-001")
    assert other.look() == [WIDE]
    assert one.look() == []
    assert f"waits for {WIDE} (waits before it" in one.told["201@pod-002"]
    other.end(WIDE)
    begun = one.look() + other.look()
    assert sorted(begun) == ["201@pod-002", "201@pod-003", "202@pod-001"]


def test_two_engines_of_one_folder_keep_one_order(tmp_path: Path, hire: Hire) -> None:
    """As two processes of one machine would."""
    make(tmp_path / "site")
    two_engines(hire(tmp_path / "site"), hire(tmp_path / "site"))


@needs_postgres
def test_two_engines_of_a_shared_ledger_keep_one_order(
    postgres: Server, tmp_path: Path, hire: Hire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in its own folder."""
    monkeypatch.setenv(ON_POSTGRES, "yes")  # its people share one account then
    here = tmp_path / "here"
    here.mkdir()
    share(here, postgres.url(postgres.database(), EVERYBODY))
    make(here)
    two_engines(hire(here), hire(elsewhere(here, "there")))


def test_what_waits_and_is_held_frees_its_hosts(tmp_path: Path, hire: Hire) -> None:
    """With the next look."""
    site = tmp_path / "site"
    make(site)
    hand = hire(site)
    hand.look()
    hand.end(FIRST)
    hand.look()
    hand.end("200@pod-002")
    assert hand.look() == []

    with Ledger.open(site) as ledger:
        hold(ledger, "pm", WIDE, "not today")

    assert hand.look() == ["201@pod-002"]


def test_a_look_at_hosts_that_ends_with_a_question_wakes_who_waits_for_them(tmp_path: Path, hire: Hire) -> None:
    """A question to people alone does not, while other work is open: nothing is free by it."""
    make(tmp_path / "site")
    engine = hire(tmp_path / "site").engine
    with engine.snapshot() as snapshot:
        engine.queue_up(engine.work(snapshot))
    touching = [key for key, work in engine._open.items() if work.touches]
    assert len(touching) > 1
    asked, question = Outcome("Waits for a release", "", asked=True), touching[-1]
    engine._open[question] = engine._open[question]._replace(touches=frozenset())
    before = engine.wakeup.count

    engine.ended(question, asked)
    assert engine.wakeup.count == before
    engine.ended(touching[0], asked)
    assert engine.wakeup.count == before + 1


def test_a_claim_is_refused_to_an_engine_that_lost_its_turn(tmp_path: Path, hire: Hire) -> None:
    """It was stopped for longer than its lease, and another one has begun on its hosts."""
    site = tmp_path / "site"
    make(site)
    hand, other = hire(site), hire(site)
    hand.look()
    hand.engine.turns.leave()
    for name in [f"200@{pod}" for pod in PODS]:
        hand.end(name)
    assert sorted(other.look()) == [f"201@{pod}" for pod in PODS]

    assert claim_here(hand.engine, WIDE, hosts=tuple(f"{pod}-n1" for pod in PODS)) is None
    assert state(site, WIDE) == State.READY


def test_no_more_runs_begin_than_go_on_side_by_side(tmp_path: Path, hire: Hire) -> None:
    """The pods share no host. What waits says in the dashboard and in `why` what for, and begins when a run has ended."""
    site = tmp_path / "site"
    make(site)
    hand = hire(site, 2)

    first, second = hand.look()
    (third,) = {f"200@{pod}" for pod in PODS} - {first, second}
    with hand.engine.snapshot() as snapshot:
        turn = why(snapshot, third).turn
        assert turn is not None
        said = turn.words("UTC")
    assert said == "waits for a free place among 2 runs on this machine; place 1 of 1 in the order"
    assert hand.told == {third: said}

    hand.end(first)
    assert hand.look() == [third]


def test_what_its_advance_gave_back_is_not_dealt_with_by_the_task_that_had_it(tmp_path: Path, hire: Hire) -> None:
    """People's work has no playbook: where it was taken back, its task must not look for one."""
    make(tmp_path / "site")
    hand = hire(tmp_path / "site")
    with hand.engine.snapshot() as snapshot:
        (first, *_) = hand.engine.work(snapshot)

    outcome = outcome_of(hand.engine, first.key)

    assert (outcome.name, outcome.failed) == ("Superseded", False)
