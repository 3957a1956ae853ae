"""The output of a run in the exchange, while it runs: screens on other machines read it there.

The log in the dispatcher's folder is what counts, and becomes evidence. A copy that cannot be written holds nothing up.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path

from flows.team.exchange import Exchange
from flows.threads import beside
from schedule.errors import UnreachableError

log = logging.getLogger("clusterwright.flows")

LOOK_S = 0.5
PART = 2**20
FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def copied(source: Path, exchange: Exchange, site: str, run: str) -> AbstractContextManager[None]:
    """Copy what a run appends to its log as it comes, while the block lasts. At its end the copy is removed."""
    # not waited for: a folder that does not answer would keep the run from being settled
    return beside(partial(_follow, source, exchange, site, run), f"live {run}", is_awaited=False)


def _follow(source: Path, exchange: Exchange, site: str, run: str, over: threading.Event) -> None:
    handle, at, is_said = -1, 0, False
    while not over.wait(LOOK_S):
        try:
            if handle < 0:
                handle = os.open(exchange.live_copy(site, run), FRESH, 0o640)
            at += _copied(source, handle, at)
        except (OSError, UnreachableError) as error:
            if not is_said:
                log.warning("no_live_copy run=%s because=%s", run, error)
                is_said = True
    if handle >= 0:
        with suppress(OSError, UnreachableError):
            os.close(handle)
            exchange.live_copy(site, run).unlink()


def _copied(source: Path, handle: int, at: int) -> int:
    """Append what a file has behind a place. Return how many bytes: a full disk may take a part of them."""
    os.fchmod(handle, 0o640)  # whatever the umask takes away
    if not source.exists():
        return 0
    with source.open("rb") as file:
        file.seek(at)
        new = file.read(PART)
    return os.write(handle, new) if new else 0
