"""The evidence store in an S3-compatible bucket: `evidence/store.yaml` beside the ledger names it.

    bucket: our-evidence
    prefix: site-a                     # optional
    endpoint: https://s3.example.org   # left out for Amazon's own
    region: eu-north-1                 # optional

Credentials come from the environment (`ledger.evidence.objects`), and are never written to this file. Each object is sent with its
digest, and the bucket refuses other content.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ledger.evidence.objects import Objects
from steps.catalog.schema import Closed

FILE = "store.yaml"


class BucketPlace(Closed):
    """The bucket, and the prefix of its objects."""

    bucket: Annotated[str, Field(min_length=3, max_length=63)]
    prefix: Annotated[str, Field(pattern=r"^([A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*)?$")] = ""
    endpoint: Annotated[str | None, Field(pattern=r"^(https://|http://(127\.0\.0\.1|localhost)[:/])")] = None
    region: str | None = None


class Bucket:
    """A bucket that stores content under its SHA-256."""

    def __init__(self, place: BucketPlace) -> None:
        """Take the place of the bucket. It does not connect yet."""
        self._name = place.bucket
        self._objects = Objects(
            place.bucket, place.prefix, "evidence", f"evidence/{FILE}", place.endpoint, place.region
        )

    def __str__(self) -> str:
        """Return the name of the bucket for messages."""
        return f"the bucket {self._name}"

    def get(self, digest: str) -> bytes | None:
        """Return the content with this digest, without checking it. None if there is none."""
        return self._objects.get(_key(digest))

    def put(self, digest: str, content: bytes) -> None:
        """Store content under its digest."""
        checksum = base64.b64encode(bytes.fromhex(digest)).decode()
        self._objects.put(_key(digest), content, sha256=checksum)


def _key(digest: str) -> str:
    return f"sha256/{digest[:2]}/{digest}"


def bucket_of(site_dir: Path) -> Bucket | None:
    """Return the bucket in which a site stores its evidence. None if it has none."""
    place = site_dir / "evidence" / FILE
    if not place.exists():
        return None
    return _bucket(place, place.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _bucket(place: Path, written: int) -> Bucket:  # noqa: ARG001  so that a changed file is read again
    from steps.validation import validated
    from steps.yaml_lines import load

    data, lines = load(place)
    return Bucket(validated(BucketPlace, data, lines, str(place)))
