"""Runs of software: releases, previews, claims, results, and what people ask of the engine."""

from __future__ import annotations

from ledger.log.payloads.base import Batch, Decided, Left, Payload, ReadingPart


class RunClaimed(Payload):
    """Software took an activity."""

    kind = "run.claimed"
    run: str
    owner: str
    attempt: int
    host: str
    hosts: tuple[str, ...]
    release: str | None


class RunSettled(Payload):
    """What a run did, and what follows from it."""

    kind = "run.settled"
    run: str
    owner: str
    attempt: int
    status: str
    result: str
    summary: str
    results: tuple[Batch, ...]
    tally: dict[str, int]
    measurements: tuple[ReadingPart, ...]
    measurement_batches: tuple[Batch, ...]
    artifacts: tuple[Left, ...]
    playbook_digest: str | None
    simulated: bool
    ncr: str | None
    ncr_class: str


class Previewed(Payload):
    """What a playbook would change on these hosts, seen in check mode."""

    kind = "run.previewed"
    attempt: int
    hosts: tuple[str, ...]
    playbook_digest: str
    summary: str
    differences: Left


class Released(Decided):
    """Leave to change these hosts with this playbook, once."""

    kind = "run.released"
    version = 2
    release: str
    attempt: int
    hosts: tuple[str, ...]
    count: int
    playbook_digest: str
    role: str
    differences: str | None = None
    """SHA-256 of what check mode showed of it, where the policy wants that seen."""


class RequestMade(Payload):
    """A front end asks the dispatcher for something."""

    kind = "request.made"
    request: str
    action: str
    kept: tuple[str, ...] = ()
    """Hosts that a retry does not touch again: what the last attempt showed of them stands."""


class RequestAnswered(Payload):
    """The dispatcher's answer."""

    kind = "request.answered"
    request: str
    answer: str
