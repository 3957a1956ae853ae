"""What a run prints while it runs: a file of the engine's folder, and a copy in the exchange of a team, for screens elsewhere.

It is for eyes. Other accounts may write in an exchange: a file is opened as a plain one only, its end is read, and nothing is judged by it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ledger.evidence.objects import Objects
from schedule.errors import ClusterwrightError
from steps.design.s3_address import S3, parts_of

LONGEST = 2**20
"""How many bytes of the end of an output are read at most."""

OBJECT = 2**16
"""How many bytes of the end a copy in a bucket has: it is written anew, and read, some times a second."""

COPIES = "live"
"""The folder of an exchange with what runs print."""

PLAIN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW
"""How a file is opened that others may write. A pipe would be waited for, and a link leads elsewhere."""


def own_log(site_dir: Path, run: str) -> Path:
    """Return the file that a run of this folder's engine writes to while it runs."""
    return site_dir / ".clusterwright" / "live" / f"{run}.log"


def copy_key(site: str, run: str) -> str:
    """Return the name of the copy of a run's output in the exchange of a team. It is there until the run is settled."""
    return f"{COPIES}/{site}-{run}.log"


def copy_of(exchange: Path, site: str, run: str) -> Path:
    """Return that copy where the exchange is a folder."""
    return exchange / copy_key(site, run)


def objects_of_exchange(address: str) -> Objects:
    """Return the objects of an exchange that is a bucket."""
    return Objects(*parts_of(address), "exchange", "`exchange`, AWS_ENDPOINT_URL")


class LogFile(NamedTuple):
    """The file that a run writes to, or its copy in a folder."""

    path: Path

    def __str__(self) -> str:
        """Return where it is."""
        return str(self.path)

    def since(self, at: int) -> tuple[int, bytes]:
        """Return where what comes from byte `at` on begins, and these bytes: of more than is read at most, the end."""
        with os.fdopen(os.open(self.path, PLAIN), "rb") as log:
            size = log.seek(0, os.SEEK_END)
            begins = log.seek(max(at if at <= size else 0, size - LONGEST))
            return begins, log.read(LONGEST)


class LogObject(NamedTuple):
    """A copy in a bucket: the end of what was printed. The object says at which byte it begins."""

    objects: Objects
    key: str

    def __str__(self) -> str:
        """Return where it is."""
        return f"{self.key} in the bucket {self.objects.bucket}"

    def since(self, at: int) -> tuple[int, bytes]:
        """Return where what comes from byte `at` on begins, and these bytes."""
        first, end = self.objects.get_from(self.key)
        if end is None:
            return at, b""
        begins = max(at if at <= first + len(end) else 0, first)
        return begins, end[begins - first :]


def live_log(site_dir: Path, run: str) -> LogFile | LogObject:
    """Return what holds what a run prints: this folder's own file, or else the copy in the exchange of its team."""
    own = LogFile(own_log(site_dir, run))
    if own.path.exists() or not (site_dir / "site.yaml").exists():
        return own
    from steps.yaml_lines import load  # YAML is slow to import, and few runs are elsewhere

    try:
        site, _ = load(site_dir / "site.yaml")
        exchange, name = str(site["team"]["exchange"]), str(site["name"])
        if exchange.startswith(S3):
            return LogObject(objects_of_exchange(exchange), copy_key(name, run))
        copy = copy_of(site_dir / exchange, name, run)
    except (ClusterwrightError, KeyError, TypeError, ValueError):
        return own  # no team; `clusterwright design` says what is wrong with the file
    return LogFile(copy) if os.path.lexists(copy) else own


@dataclass
class Tail:
    """The new lines of an output that grows. Of a long one, the first look returns the end."""

    log: LogFile | LogObject
    at: int = 0
    is_cut: bool = False

    def lines(self) -> list[str]:
        """Return the whole lines since the last look. Empty if there are none, no plain file, or a bucket that does not answer."""
        try:
            begins, new = self.log.since(self.at)
        except (OSError, ClusterwrightError):
            return []
        self.is_cut = self.is_cut or begins > self.at
        whole = new[: new.rfind(b"\n") + 1]
        self.at = begins + len(whole)
        return whole.decode("utf-8", "replace").splitlines()
