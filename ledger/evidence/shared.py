"""Evidence in the database of a shared ledger, with a copy in the folder of everything that was asked for once."""

from __future__ import annotations

from pathlib import Path

from ledger.evidence.folder import on_disk, place_of, write
from ledger.stores.postgres import Database


class DatabaseStore:
    """Content by its SHA-256. What is in the folder is in the database too, since it is written there first."""

    def __init__(self, url: str, site_dir: Path) -> None:
        """Take the database's URL and the site's folder."""
        self.site_dir = site_dir
        self.database = Database(url)

    def __str__(self) -> str:
        """Return which database it is, as errors name it."""
        return str(self.database)

    def get(self, digest: str) -> bytes | None:
        """Return the content of a digest, unchecked. None where there is none."""
        place = place_of(self.site_dir, digest)
        found = on_disk(place)
        if found is None:
            with self.database:
                found = self.database.evidence(digest)
            if found is not None:
                write(place, found)
        return found

    def put(self, digest: str, content: bytes) -> None:
        """Keep content under its digest."""
        with self.database:
            self.database.keep(content)
        write(place_of(self.site_dir, digest), content)
