"""Runs of software: claims, results, previews, releases, and people's requests to the engine."""

from __future__ import annotations

from ledger.log.payload import Batch, Decided, Left, OfEngine, Payload, ReadingPart


class RunClaimed(OfEngine):
    """The engine claimed an activity and began a run."""

    kind = "run.claimed"
    run: str
    owner: str
    attempt: int
    host: str
    hosts: tuple[str, ...]
    release: str | None


class RunSettled(OfEngine):
    """A run ended. `results` are its results by host, and `result` is the activity's state after it.

    A failed one opens the non-conformance `ncr`, or belongs to `under`, which is open already for the same cause.
    """

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
    under: str | None = None


class Previewed(OfEngine):
    """A playbook ran in check mode, and its differences were stored: what it would change on these hosts.

    Of work that is done these are the changes since its run: by hand, or of the playbook and the inventory.
    """

    kind = "run.previewed"
    attempt: int
    hosts: tuple[str, ...]
    playbook_digest: str
    summary: str
    differences: Left
    changed: tuple[str, ...] = ()
    """The hosts on which something differs. Events of earlier versions do not name them."""


class Released(Decided):
    """A person released a run: software may change exactly these hosts with exactly this playbook, once."""

    kind = "run.released"
    version = 2
    release: str
    attempt: int
    hosts: tuple[str, ...]
    count: int
    playbook_digest: str
    role: str
    differences: str | None = None
    """SHA-256 of the differences that check mode showed. None if the policy asks for no preview."""


class RequestMade(Payload):
    """A person asked the engine to run an activity, to try it again, or to stop its run."""

    kind = "request.made"
    request: str
    action: str
    kept: tuple[str, ...] = ()
    """Hosts that a retry does not touch again. Their results of the last attempt stay valid."""


class RequestAnswered(OfEngine):
    """The engine answered a request."""

    kind = "request.answered"
    request: str
    answer: str
