"""What a run prints while it runs: a file of the engine's folder, and a copy in the exchange of a team, for screens elsewhere.

It is for eyes. Other accounts may write in an exchange: it is opened as a plain file only, its end is read, and nothing is judged by it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from schedule.errors import ClusterwrightError

LONGEST = 2**20
"""How many bytes of the end of an output are read at most."""

COPIES = "live"
"""The folder of an exchange with what runs print."""

_PLAIN = os.O_NONBLOCK | os.O_NOFOLLOW
"""A pipe would be waited for, and a link leads elsewhere."""


def own_log(site_dir: Path, run: str) -> Path:
    """Return the file that a run of this folder's engine writes to while it runs."""
    return site_dir / ".clusterwright" / "live" / f"{run}.log"


def copy_of(exchange: Path, site: str, run: str) -> Path:
    """Return the copy of a run's output in the exchange of a team. It is there until the run is settled."""
    return exchange / COPIES / f"{site}-{run}.log"


def live_log(site_dir: Path, run: str) -> Path:
    """Return the file with what a run prints: this folder's own, or else the copy in the exchange of its team."""
    own = own_log(site_dir, run)
    if own.exists() or not (site_dir / "site.yaml").exists():
        return own
    from steps.yaml_lines import load  # YAML is slow to import, and few runs are elsewhere

    try:
        site, _ = load(site_dir / "site.yaml")
        exchange = site_dir / str(site["team"]["exchange"])
        copy = copy_of(exchange, str(site["name"]), run)
    except (ClusterwrightError, KeyError, TypeError):
        return own  # no team; `clusterwright design` says what is wrong with the file
    return copy if os.path.lexists(copy) else own


@dataclass
class Tail:
    """The new lines of a file that grows. Of a long one, the first look returns the end."""

    path: Path
    at: int = 0
    is_cut: bool = False

    def lines(self) -> list[str]:
        """Return the whole lines since the last look. Empty if there are none, or no plain file."""
        try:
            with os.fdopen(os.open(self.path, os.O_RDONLY | _PLAIN), "rb") as log:
                size = log.seek(0, os.SEEK_END)
                if size < self.at:
                    self.at = 0
                if size - self.at > LONGEST:
                    self.at, self.is_cut = size - LONGEST, True
                log.seek(self.at)
                new = log.read(LONGEST)
        except OSError:
            return []
        whole = new[: new.rfind(b"\n") + 1]
        self.at += len(whole)
        return whole.decode("utf-8", "replace").splitlines()
