"""Writers that are killed at any moment, and what a ledger must hold of their work afterwards.

A writer notes in its journal what it is about to do, does it through a service, and acknowledges the event there,
synced to the disk, only once the service has returned. So what is acknowledged and not in the ledger was lost.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, TypeVar

from ledger.log.chain import Event
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.stores.file import connect
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, progress, reopen, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from tests.ledger.busy_site import create_busy_site, put_key
from tests.ledger.conftest import activity, elsewhere, share
from tests.postgres_server import EVERYBODY, Server

PATIENCE = 60.0
"""Seconds after which a writer that did nothing is a fault of its own."""

Answer = TypeVar("Answer")

_TOKEN = re.compile(r"try-[\w@]+-\d+-\d+")


class Journal:
    """A writer's own file: `try TOKEN`, then `ack TOKEN SEQ HASH ...`, or `no TOKEN WHY` where the service refused."""

    def __init__(self, path: Path) -> None:
        """Open it; what a killed writer left is kept."""
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def attempt(self, token: str) -> None:
        """Note what is about to be done."""
        os.write(self._handle, f"try {token}\n".encode())

    def acknowledge(self, token: str, events: Sequence[Event]) -> None:
        """Note what was recorded, for good."""
        places = " ".join(f"{event.seq} {event.hash}" for event in events)
        os.write(self._handle, f"ack {token} {places}\n".encode())
        os.fsync(self._handle)

    def refuse(self, token: str, error: Exception) -> None:
        """Note that the service said no, so that nothing of this may be in the ledger."""
        os.write(self._handle, f"no {token} {type(error).__name__}\n".encode())

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._handle)


class Told(NamedTuple):
    """What a journal says: events by number, how many acknowledged each token, tokens refused, tokens tried."""

    events: dict[int, str]
    acknowledged: dict[str, int]
    refused: set[str]
    tried: set[str]

    @classmethod
    def read(cls, path: Path) -> Told:
        """Read a journal; a last line that was cut off says nothing."""
        told = cls({}, {}, set(), set())
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for line in text[: text.rfind("\n") + 1].splitlines():
            verb, token, *rest = line.split(" ")
            match verb:
                case "try":
                    told.tried.add(token)
                case "no":
                    told.refused.add(token)
                case _:
                    told.acknowledged[token] = len(rest) // 2
                    told.events.update((int(seq), digest) for seq, digest in zip(rest[::2], rest[1::2], strict=True))
        return told


def patiently(ask: Callable[[], Answer]) -> Answer:
    """Ask a ledger whose database may be about to come back."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return ask()
        except UnreachableError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def patiently_open(site_dir: Path) -> Ledger:
    """Open a ledger whose database may be about to come back."""
    return patiently(lambda: Ledger.open(site_dir))


def write_on(site_dir: Path, keys_dir: Path, journal: Path, name: str, life: int) -> None:
    """Work on an activity from the state that it is in, round and round, until killed."""
    tempfile.tempdir = str(journal.parent)  # what a killed writer leaves behind goes with the test
    chance = random.Random(f"{name} {life}")
    held = Journal(journal)
    with patiently_open(site_dir) as ledger:
        for number in count():
            token = f"try-{name}-{life}-{number}"
            held.attempt(token)
            try:
                with open_snapshot(site_dir) as snapshot:
                    state = require_activity(snapshot, name).state
                events = _moves(ledger, keys_dir, name, token, state, chance)()
            except UnreachableError as error:  # another writer had the lock for too long, or the database went away
                if "is not known" not in error.what:
                    held.refuse(token, error)
                patiently(ledger.log.catch_up)
            else:
                held.acknowledge(token, events)


Move = Callable[[], Sequence[Event]]


def _moves(ledger: Ledger, keys_dir: Path, name: str, token: str, state: State, chance: random.Random) -> Move:
    """Return what is to be done next with an activity in this state."""
    match state:
        case State.READY:
            return lambda: [start(ledger, "tech", name)]
        case State.AWAITING_SIGN_OFF:
            return lambda: [put_key(ledger, keys_dir / "lead", lambda: sign(ledger, "lead", name, comment=token))]
        case State.DONE:
            return lambda: [reopen(ledger, "lead", name, token)]
    work: list[Move] = [
        lambda: [comment(ledger, "tech", name, token)],
        lambda: [progress(ledger, "tech", name, percent=chance.randrange(100), note=token)],
        lambda: [attach(ledger, "tech", name, token.encode(), "note", name=f"{token}.txt")],
        lambda: _together(ledger, name, token),
        lambda: [finish(ledger, "tech", name)],
    ]
    return chance.choice(work)


def _together(ledger: Ledger, name: str, token: str) -> list[Event]:
    """Record three events in one transaction."""
    with ledger.batch():
        return [comment(ledger, "tech", name, f"{part} of three, {token}") for part in ("one", "two", "three")]


class Outcome(NamedTuple):
    """What a crash run came to; `faults` is empty where nothing was lost."""

    kills: int
    restarts: int
    amid: int
    all_at_once: int
    acknowledged: int
    unheard: int
    refused: int
    signatures: int
    kinds: Counter[str]
    faults: list[str]


class Crashes:
    """Several writers on one ledger, killed with SIGKILL at random moments and started again."""

    def __init__(self, folder: Path, *, writers: int, seed: int, server: Server | None = None) -> None:
        """Make the site and start the writers; every draw but the machine's own timing comes from the seed.

        With a PostgreSQL server each writer has a folder of its own, as on a machine of its own.
        """
        self.site, self._keys, self._journals = folder / "site", folder / "keys", folder / "journals"
        self._server = server
        self.site.mkdir()
        if server is not None:
            share(self.site, server.url(server.database(), EVERYBODY))
        self._journals.mkdir()
        self._names = [f"{100 + n}@site" for n in range(writers)]
        made = [activity(name, policy={"assurance": "signed"}) for name in self._names]
        people = {"tech": ("technician",), "lead": ("network-lead",)}
        create_busy_site(self.site, self._keys, activities=made, people=people)
        self._before = len(_events(self.site))
        self._chance = random.Random(seed)
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload([__name__])  # a writer is back within a few hundredths of a second
        self._lives = Counter[str]()
        self._writers: dict[str, BaseProcess] = {}
        self.kills = self.amid = self.all_at_once = self.restarts = 0
        self.faults: list[str] = []
        for name in self._names:
            self._begin(name)

    def run(self, kills: int) -> Outcome:
        """Kill this often, mostly one writer, now and then all at once; then look at everything."""
        while self.kills < kills:
            time.sleep(self._chance.uniform(0.01, 0.6))
            everybody = self._chance.random() < 0.15
            chosen = list(self._names) if everybody else [self._chance.choice(self._names)]
            for name in chosen:
                self._kill(name)
            if everybody:
                self.all_at_once += 1
                self.faults += self._lost()
            if self._server is not None and self._chance.random() < 0.1:
                self._server.stop("immediate")
                self._server.start()
                self.restarts += 1
            for name in chosen:
                self._begin(name)
        self.close()
        return self._outcome()

    def _begin(self, name: str) -> None:
        self._lives[name] += 1
        arguments = (self._site_of(name), self._keys, self._journal(name), name, self._lives[name])
        self._writers[name] = self._processes.Process(target=write_on, args=arguments, daemon=True)
        self._writers[name].start()

    def _site_of(self, name: str) -> Path:
        return self.site if self._server is None else elsewhere(self.site, f"site-{name}")

    def _kill(self, name: str) -> None:
        """Kill a writer in whatever it does, once it has begun on something in this life."""
        self._await_life(name)
        if (code := self._writers[name].exitcode) is not None:
            self.faults.append(f"the writer of {name} ended by itself, with {code}")
        self._writers[name].kill()
        self._writers[name].join()
        self.kills += 1
        told = Told.read(self._journal(name))
        self.amid += bool(_of_life(told.tried - told.refused - told.acknowledged.keys(), name, self._lives[name]))

    def _await_life(self, name: str) -> None:
        until = time.monotonic() + PATIENCE
        while not _of_life(Told.read(self._journal(name)).tried, name, self._lives[name]):
            writer = self._writers[name]
            if time.monotonic() > until or writer.exitcode is not None:
                raise AssertionError(f"the writer of {name} did nothing; its exit code is {writer.exitcode}")
            time.sleep(0.01)

    def _journal(self, name: str) -> Path:
        return self._journals / name

    def _lost(self) -> list[str]:
        """Name what was acknowledged and is not in the ledger as it was, and what is there twice or in part."""
        patiently_open(self.site).close()  # takes over what others recorded
        held, found = _events(self.site), []
        tokens = Counter(token for _, _, said in held.values() for token in _tokens(said))
        seen: set[int] = set()
        for name in self._names:
            told = Told.read(self._journal(name))
            found += [f"event {seq} is lost" for seq in told.events.keys() - held.keys()]
            found += [f"event {s} is another" for s, h in told.events.items() if s in held and held[s][0] != h]
            found += [f"event {seq} was given twice" for seq in told.events.keys() & seen]
            found += [f"{t} was refused and is there" for t in told.refused & tokens.keys()]
            found += [f"{t} is there {tokens[t]} times" for t in told.tried if tokens[t] not in {0, 1, 3}]
            found += [
                f"{token} is there {tokens[token]} times, acknowledged as {times}"
                for token, times in told.acknowledged.items()
                if tokens[token] not in {0, times}
            ]
            seen |= told.events.keys()
        return found

    def _outcome(self) -> Outcome:
        told = [Told.read(self._journal(name)) for name in self._names]
        patiently_open(self.site).close()
        held = _events(self.site)
        acknowledged = sum(len(t.events) for t in told)
        sites = {self.site, *map(self._site_of, self._names)}
        faults = [*self.faults, *self._lost()]
        for site in sorted(sites):
            patiently_open(site).close()
            faults += [f"{site.name}: {where}: {why}" for where, why, _ in audit(site)]
            if _events(site) != held:
                faults.append(f"{site.name} holds other events")
        with closing(connect(self.site)) as connection:
            query = "SELECT count(*) FROM event WHERE signature IS NOT NULL"
            signatures = int(connection.execute(query).fetchone()[0])
        return Outcome(
            kills=self.kills,
            restarts=self.restarts,
            amid=self.amid,
            all_at_once=self.all_at_once,
            acknowledged=acknowledged,
            unheard=len(held) - self._before - acknowledged,
            refused=sum(len(t.refused) for t in told),
            signatures=signatures,
            kinds=Counter(kind for _, kind, _ in held.values()),
            faults=faults,
        )

    def close(self) -> None:
        """End every writer."""
        for writer in self._writers.values():
            writer.kill()
            writer.join()


def _of_life(tokens: set[str], name: str, life: int) -> set[str]:
    return {token for token in tokens if token.startswith(f"try-{name}-{life}-")}


def _tokens(payload: str) -> set[str]:
    """Return the tokens of an event; a statement repeats those of the evidence it speaks of."""
    said = {name: value for name, value in json.loads(payload).items() if name != "statement"}
    return set(_TOKEN.findall(str(said)))


def _events(site_dir: Path) -> dict[int, tuple[str, str, str]]:
    """Return every event's hash, kind and payload by number."""
    with closing(connect(site_dir)) as connection:
        rows = connection.execute("SELECT seq, hash, kind, payload FROM event")
        return {seq: (digest, kind, payload) for seq, digest, kind, payload in rows}
