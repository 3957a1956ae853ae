"""The Prefect server that a team shares. It is no child of the dispatcher, which uses it like its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from flows.dashboard.login import AUTH, shared_login
from flows.dashboard.prefect_api import LOST, PrefectApi
from flows.dashboard.settings import client_settings, put_in_force
from ledger.machine_time import machine_time
from schedule.errors import UnreachableError

AWAY_S, PATIENCE_S = 15.0, 300.0
"""When it is said that the server is away, and when the dispatcher stops: the server, or its machine, is restarted without the dispatcher,
whose runs would be cut off on all hosts."""

AWAY = (
    "Prefect's server does not answer: what runs goes on, nothing begins,"
    f" and this dispatcher stops after {PATIENCE_S / 60:.0f} minutes of that"
)

ASK_S = 5.0
"""How often, in seconds, it is asked whether it works: several times a second would cost more than all else of an idle dispatcher."""

MOST_APART = timedelta(minutes=1)
"""By how much the clock of a dispatcher or a worker may differ from the server's."""


class SharedServer:
    """A server at an address. Its login is in the environment, or in a file that the environment names."""

    def __init__(self, site_dir: Path, url: str, say: Callable[[str], None]) -> None:
        """Take the address of its API. Raise where it does not answer, or refuses the login."""
        self._say, self._is_away = say, False
        login = shared_login()
        put_in_force(site_dir, client_settings(site_dir.resolve(), url, login))
        self.api = reached(url, login)
        self._asked = self._answered = time.monotonic()

    @property
    def is_alive(self) -> bool:
        """Whether it answers."""
        return self.api.answers()

    def fault(self) -> UnreachableError | None:
        """Return that the server has been away for too long. None while it works, or may come back."""
        now = time.monotonic()
        if now - self._asked >= ASK_S:
            self._asked = now
            if self.is_alive:
                self._answered = now
            was_away, self._is_away = self._is_away, now - self._answered > AWAY_S
            if self._is_away is not was_away:
                self._say(AWAY if self._is_away else "Prefect's server answers again")
        if now - self._answered < PATIENCE_S:
            return None
        return UnreachableError("Prefect's server does not answer any more", hint=LOST)


def reached(url: str, login: str) -> PrefectApi:
    """Return the interface of the server that a team shares. Raise where it does not answer, or refuses the login."""
    api = PrefectApi(url, login)
    if not api.answers():
        raise UnreachableError(
            f"Prefect's server does not answer at {url}", hint="`prefect` in site.yaml and worker.yaml"
        )
    try:
        api.count("flow_runs", {})
    except UnreachableError as error:
        if isinstance(error.__cause__, ValueError):
            raise UnreachableError(
                f"what answers at {url} is not Prefect's API", hint="its address ends in /api"
            ) from None
        raise UnreachableError(
            f"Prefect's server at {url} refuses: {error.__cause__}", hint=f"is {AUTH} its login?"
        ) from None
    _refuse_other_clock(url, machine_time() - api.clock())
    return api


def _refuse_other_clock(url: str, ahead: timedelta) -> None:
    """Raise where this machine's clock is far from the server's: a worker that is behind it would be handed nothing, and not say so."""
    if abs(ahead) > MOST_APART:
        minutes, how = abs(ahead).total_seconds() / 60, "ahead of" if ahead > timedelta() else "behind"
        raise UnreachableError(
            f"this machine's clock is {minutes:.0f} minutes {how} that of Prefect's server at {url}",
            hint="set both from a time server: timedatectl set-ntp true",
        )
