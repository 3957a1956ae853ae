"""Where the exchange of a team is."""

from __future__ import annotations

from pathlib import Path

from flows.team.exchange import Exchange
from flows.team.exchange_bucket import SharedBucket
from flows.team.exchange_folder import SharedFolder
from steps.design.s3_address import S3


def exchange_at(folder: Path, stated: str) -> Exchange:
    """Return the exchange that a site or a worker states: s3://bucket/prefix, or a folder, from `folder`."""
    return SharedBucket(stated) if stated.startswith(S3) else SharedFolder(folder / stated)
