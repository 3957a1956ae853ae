"""Evidence in the database of a shared ledger, with a copy in the folder of everything that was asked for once."""

from __future__ import annotations

from pathlib import Path

from ledger.evidence import on_disk, place_of, write
from ledger.shared.log import Log


class DatabaseStore:
    """Content by its SHA-256: what lies in the folder lies in the database too, since it is written there first."""

    def __init__(self, url: str, site_dir: Path) -> None:
        """Name the database and the folder."""
        self.site_dir = site_dir
        self.log = Log(url)

    def __str__(self) -> str:
        """Give where it is, as errors call it."""
        return str(self.log)

    def get(self, digest: str) -> bytes | None:
        """Give the content under a digest, unchecked; none where there is none."""
        place = place_of(self.site_dir, digest)
        held = on_disk(place)
        if held is None:
            with self.log:
                held = self.log.evidence(digest)
            if held is not None:
                write(place, held)
        return held

    def put(self, digest: str, content: bytes) -> None:
        """Keep content under its digest."""
        with self.log:
            self.log.keep(content)
        write(place_of(self.site_dir, digest), content)
