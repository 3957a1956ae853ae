"""The address of a place in an S3-compatible bucket: s3://bucket or s3://bucket/prefix."""

from __future__ import annotations

import re

S3 = "s3://"
"""How it begins."""

_PART = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"
_ADDRESS = re.compile(rf"{S3}([a-z0-9][a-z0-9.-]{{2,62}})(?:/({_PART}(?:/{_PART})*))?")


def parts_of(address: str) -> tuple[str, str]:
    """Return the bucket and the prefix. Raise ValueError for what names no bucket."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ValueError(f"{address!r} names no bucket: write it as s3://bucket or s3://bucket/prefix")
    return found[1], found[2] or ""
