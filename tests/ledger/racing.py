"""Several people sign the same activity at the same moment, from threads of one program and from others.

A person who is refused sees why, and what is there now. A person whose signed statement has gone stale looks again and
signs what is there; so in the end the quorum is reached, by different people, and no one more.
"""

from __future__ import annotations

import multiprocessing
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from ledger.machine_time import machine_time
from ledger.questions.case import require_activity
from ledger.questions.records import sign_offs
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, progress, reopen, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, NotPermittedError, NotSatisfiedError, StaleHeadError
from tests.ledger.busy_site import create_busy_site, put_key
from tests.ledger.conftest import activity, elsewhere, share
from tests.postgres_server import EVERYBODY, Server

PEOPLE = [f"lead{n}" for n in range(1, 9)]

WORKERS = PEOPLE[:3]
"""Who does the work. Whoever had a hand in it does not sign, in any later round either."""
PATIENCE = 60.0
"""Seconds after which a contender that does not answer is a fault of its own."""

TRIES = 4
"""A person looks again after each approval before theirs at most: a quorum of three, and once more."""

CLEAR = ("is done; nothing waits", "has signed", "did the work of", "is not what would be recorded")
"""What the reasons of a refusal say, each its own."""


class Turn(NamedTuple):
    """Who signs what, from when on (of the machine's monotonic clock), and whether with their key."""

    person: str
    activity: str
    start: float
    keyed: bool


class Answer(NamedTuple):
    """How a turn ended: the event's number, or the last refusal; what was refused on the way; the state seen then."""

    person: str
    seq: int | None
    said: tuple[tuple[str, str], ...]
    state: str


def contend(ledger: Ledger, keys_dir: Path, turn: Turn) -> Answer:
    """Sign at the moment given; look again where the statement went stale."""
    said: list[tuple[str, str]] = []
    seq = None
    while time.monotonic() < turn.start:
        pass  # sleeping would let the scheduler choose who comes first
    for _ in range(TRIES):
        try:
            seq = _signed(ledger, keys_dir, turn)
            break
        except StaleHeadError as error:
            said.append((type(error).__name__, error.what))
        except ClusterwrightError as error:
            said.append((type(error).__name__, error.what))
            break
    with open_snapshot(ledger.site_dir) as snapshot:
        state = require_activity(snapshot, turn.activity).state.value
    return Answer(turn.person, seq, tuple(said), state)


def _signed(ledger: Ledger, keys_dir: Path, turn: Turn) -> int:
    if turn.keyed:
        key = keys_dir / turn.person
        return put_key(ledger, key, lambda: sign(ledger, turn.person, turn.activity)).seq
    return sign(ledger, turn.person, turn.activity).seq


def serve(site_dir: Path, keys_dir: Path, pipe: Connection) -> None:
    """Take turns as they come, as another program on the same ledger; none ends it."""
    tempfile.tempdir = str(keys_dir.parent)
    with Ledger.open(site_dir) as ledger:
        while (turn := pipe.recv()) is not None:
            pipe.send(contend(ledger, keys_dir, turn))


class Outcome(NamedTuple):
    """What the rounds came to; `faults` is empty where no rule was broken."""

    rounds: int
    turns: int
    approvals: int
    refusals: Counter[str]
    faults: list[str]


class Races:
    """A site of eight people who may sign, half of them in other processes, and rounds of one activity each."""

    def __init__(self, folder: Path, *, seed: int, server: Server | None = None) -> None:
        """Make the site with a quorum of one, two and three, recorded and signed; start the other processes."""
        self.site, self._keys = folder / "site", folder / "keys"
        self._chance = random.Random(seed)
        self.site.mkdir()
        if server is not None:
            share(self.site, server.url(server.database(), EVERYBODY))
        made = [_contested(quorum, keyed=keyed) for quorum in (1, 2, 3) for keyed in (False, True)]
        create_busy_site(self.site, self._keys, activities=made, people=dict.fromkeys(PEOPLE, ("network-lead",)))
        self._ledger = Ledger.open(self.site)
        self._threads = ThreadPoolExecutor(len(PEOPLE))
        processes = multiprocessing.get_context("forkserver")
        processes.set_forkserver_preload([__name__])
        self._pipes: list[Connection] = []
        self._others = []
        for number in range(len(PEOPLE) // 2):
            ours, theirs = processes.Pipe()
            self._pipes.append(ours)
            site = self.site if server is None else elsewhere(self.site, f"site-{number}")
            self._others.append(processes.Process(target=serve, args=(site, self._keys, theirs), daemon=True))
            self._others[-1].start()
        self._turns = self._approvals = 0
        self._refusals = Counter[str]()
        self._hands: dict[str, set[str]] = {}
        self.faults: list[str] = []

    def run(self, rounds: int) -> Outcome:
        """Race this often, then audit."""
        for number in range(rounds):
            self._round(f"round {number}", quorum=self._chance.randint(1, 3), keyed=self._chance.random() < 0.3)
        self.faults += [f"{where}: {why}" for where, why, _ in audit(self.site)]
        return Outcome(rounds, self._turns, self._approvals, self._refusals, self.faults)

    def _round(self, label: str, *, quorum: int, keyed: bool) -> None:
        """Let two to eight people sign, the performer often among them, now and then one person from two places."""
        name = _name(quorum, keyed=keyed)
        performers = self._prepared(name, keyed=keyed)
        people = self._chance.sample(PEOPLE, self._chance.randint(2, len(PEOPLE)))
        if self._chance.random() < 0.3:
            people[-1] = people[0]
        answers = self._race(name, people, keyed=keyed)
        self._turns += len(answers)
        self._refusals.update(kind for answer in answers for kind, _ in answer.said)
        self.faults += [f"{label}, {name}: {fault}" for fault in self._broken(name, performers, quorum, answers)]

    def _prepared(self, name: str, *, keyed: bool) -> set[str]:
        """Bring an activity to where it awaits its sign-off, and return who ever did work on it: none of them may sign."""
        first, second = self._chance.sample(WORKERS, 2)
        state = self._state(name)
        for person in PEOPLE:
            if state is State.AWAITING_SIGN_OFF:  # the last round had too few for its quorum
                contend(self._ledger, self._keys, Turn(person, name, time.monotonic(), keyed))
                state = self._state(name)
        if state is not State.READY:
            reopen(self._ledger, "pm", name, "another round")
        start(self._ledger, first, name)
        helpers = [second] if self._chance.random() < 0.5 else []
        for helper in helpers:
            progress(self._ledger, helper, name, note="some of it")
        finish(self._ledger, first, name, performers=helpers)
        self._hands.setdefault(name, set()).update({first, *helpers})
        return self._hands[name]

    def _state(self, name: str) -> State:
        with open_snapshot(self.site, machine_time()) as snapshot:
            return require_activity(snapshot, name).state

    def _race(self, name: str, people: Sequence[str], *, keyed: bool) -> list[Answer]:
        """Let everybody sign at once: every other person in another process, the rest in threads of this one."""
        soon = time.monotonic() + 0.01
        turns = [Turn(person, name, soon, keyed) for person in people]
        busy = self._pipes[: len(turns[1::2])]
        for pipe, turn in zip(busy, turns[1::2], strict=True):
            pipe.send(turn)
        here = [self._threads.submit(contend, self._ledger, self._keys, turn) for turn in turns[::2]]
        answers = [future.result(PATIENCE) for future in here]
        for pipe in busy:
            if not pipe.poll(PATIENCE):
                raise AssertionError("another process does not answer")
            answers.append(pipe.recv())
        return answers

    def _broken(self, name: str, performers: set[str], quorum: int, answers: list[Answer]) -> list[str]:
        """Name every rule that a round broke."""
        with open_snapshot(self.site, machine_time()) as snapshot:
            row = require_activity(snapshot, name)
            counted = [s for s in sign_offs(snapshot, name) if s.attempt == row.attempt and s.decision == "approved"]
        able = {answer.person for answer in answers} - performers
        persons = [sign_off.person for sign_off in counted]
        self._approvals += len(persons)
        wanted = State.DONE if len(able) >= quorum else State.AWAITING_SIGN_OFF
        broken = []
        if len(persons) != min(quorum, len(able)):
            broken.append(f"{len(persons)} approvals of {len(able)} people for a quorum of {quorum}")
        if len(set(persons)) != len(persons):
            broken.append(f"somebody counts twice: {persons}")
        if set(persons) & performers:
            broken.append(f"who did the work approved it: {set(persons) & performers}")
        if row.state is not wanted:
            broken.append(f"it is {row.state}, not {wanted}")
        if {s.seq for s in counted} != {a.seq for a in answers if a.seq is not None}:
            broken.append("the approvals are not those that the services gave")
        for answer in answers:
            broken += _unclear(answer, wanted)
        return broken

    def close(self) -> None:
        """End the other processes and threads."""
        for pipe in self._pipes:
            pipe.send(None)
        for other in self._others:
            other.join(PATIENCE)
        self._threads.shutdown()
        self._ledger.close()


def _contested(quorum: int, *, keyed: bool) -> dict[str, object]:
    policy = {"quorum": quorum, "assurance": "signed" if keyed else "recorded"}
    return activity(_name(quorum, keyed=keyed), policy=policy)


def _name(quorum: int, *, keyed: bool) -> str:
    return f"{110 + quorum if keyed else 100 + quorum}@site"


def _unclear(answer: Answer, wanted: State) -> list[str]:
    """Name what a refused person could not read, or read wrongly."""
    found = [
        f"{answer.person} was refused without a clear reason: {kind}: {what}"
        for kind, what in answer.said
        if kind not in {e.__name__ for e in (NotSatisfiedError, NotPermittedError, StaleHeadError)}
        or not any(c in what for c in CLEAR)
    ]
    if any("is done" in what for _, what in answer.said) and answer.state != State.DONE:
        found.append(f"{answer.person} was told that it is done, and saw it {answer.state}")
    if answer.state not in {State.AWAITING_SIGN_OFF, wanted}:
        found.append(f"{answer.person} saw it {answer.state}")
    return found
