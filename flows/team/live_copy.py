"""The output of a run in the exchange, while it runs: screens on other machines read it there.

The log in the dispatcher's folder is what counts, and becomes evidence. A copy that cannot be written holds nothing up.
"""

from __future__ import annotations

import logging
import threading
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path

from flows.team.exchange import Exchange, LiveCopy
from flows.threads import beside
from schedule.errors import UnreachableError

log = logging.getLogger("clusterwright.flows")

LOOK_S = 0.5
PART = 2**20


def copied(source: Path, exchange: Exchange, site: str, run: str) -> AbstractContextManager[None]:
    """Copy what a run appends to its log as it comes, while the block lasts. At its end the copy is removed."""
    # not waited for: a folder that does not answer would keep the run from being settled
    return beside(partial(_follow, source, exchange, site, run), f"live {run}", is_awaited=False)


def _follow(source: Path, exchange: Exchange, site: str, run: str, over: threading.Event) -> None:
    copy: LiveCopy | None = None
    at, is_said = 0, False
    while not over.wait(LOOK_S):
        try:
            copy = copy or exchange.live_copy(site, run)
            at += copy.append(_new(source, at))
        except (OSError, UnreachableError) as error:
            if not is_said:
                log.warning("no_live_copy run=%s because=%s", run, error)
                is_said = True
    if copy is not None:
        with suppress(OSError, UnreachableError):
            copy.remove()


def _new(source: Path, at: int) -> bytes:
    """Return what a file has behind a place. Empty where it is not there yet."""
    with suppress(FileNotFoundError), source.open("rb") as file:
        file.seek(at)
        return file.read(PART)
    return b""
