"""The lease of a slice: the dispatcher renews it in the exchange, and a worker that sees no renewal ends what it runs.

A renewal has a number and a code that only the two know, by the token in the sealed bundle.
"""

from __future__ import annotations

import hmac
import json
import threading
import time

from flows.team.exchange import RENEWED, Exchange

RENEW_S = 5.0
LEASE_S = 30.0
"""After so many seconds without a renewal a worker ends its slice, by its own clock."""

FENCE_S = 45.0
"""After so many seconds without a report the dispatcher takes nothing more from a worker."""

LOOK_S = 0.5


def renewal(token: str, number: int, *, stop: bool) -> bytes:
    """Return a renewal. With `stop` it ends the slice."""
    body = json.dumps([number, stop])
    return json.dumps([body, _code(token, body)]).encode()


def read_renewal(content: bytes, token: str) -> tuple[int, bool]:
    """Return the number of a renewal, and whether it ends the slice. (0, False) where another has written it."""
    try:
        body, code = json.loads(content)
        number, stop = json.loads(body)
        is_theirs = hmac.compare_digest(_code(token, body), code)
    except (ValueError, TypeError, RecursionError):
        return 0, False
    return (int(number), bool(stop)) if is_theirs else (0, False)


def watch(exchange: Exchange, slice_name: str, token: str, cancel: threading.Event, over: threading.Event) -> None:
    """Set `cancel` when the slice is to end, or its lease is over. Return when `over` is set."""
    seen, seen_at = 0, time.monotonic()
    while not over.wait(LOOK_S):
        content = exchange.got(slice_name, RENEWED)  # without an answer the lease goes on until its time is over
        number, stop = read_renewal(content, token) if content else (0, False)
        if number > seen:
            seen, seen_at = number, time.monotonic()
        if stop or time.monotonic() - seen_at > LEASE_S:
            cancel.set()
            return


def _code(token: str, body: str) -> str:
    return hmac.new(token.encode(), body.encode(), "sha256").hexdigest()
