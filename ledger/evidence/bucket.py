"""The evidence store in an S3-compatible bucket: `evidence/store.yaml` beside the ledger names it.

    bucket: our-evidence
    prefix: site-a                     # optional
    endpoint: https://s3.example.org   # left out for Amazon's own
    region: eu-north-1                 # optional

Credentials come from the environment, as for every S3 client (AWS_ACCESS_KEY_ID, ~/.aws, the machine's role), and are never
written here. An object is whole or absent. Each digest is sent to the bucket, which refuses content that differs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from steps.catalog.schema import Closed
from steps.errors import UnreachableError

FILE = "store.yaml"


class BucketPlace(Closed):
    """Which bucket, and where in it."""

    bucket: Annotated[str, Field(min_length=3, max_length=63)]
    prefix: Annotated[str, Field(pattern=r"^([A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*)?$")] = ""
    endpoint: Annotated[str | None, Field(pattern=r"^(https://|http://(127\.0\.0\.1|localhost)[:/])")] = None
    region: str | None = None


class Bucket:
    """A bucket that holds content by its SHA-256."""

    def __init__(self, place: BucketPlace) -> None:
        """Take the bucket's place. Nothing is asked of it yet."""
        self.place = place
        self._client = _client(place)

    def __str__(self) -> str:
        """Return which bucket it is, as errors name it."""
        return f"the bucket {self.place.bucket}"

    def get(self, digest: str) -> bytes | None:
        """Return the content of a digest, unchecked. None where there is none."""
        content = None
        with self._explained():
            found = self._client.get_object(Bucket=self.place.bucket, Key=self._key(digest))
            content = found["Body"].read()
        return None if content is None else bytes(content)

    def put(self, digest: str, content: bytes) -> None:
        """Keep content under its digest."""
        with self._explained():
            self._client.put_object(
                Bucket=self.place.bucket,
                Key=self._key(digest),
                Body=content,
                ContentType="application/octet-stream",
                ChecksumSHA256=base64.b64encode(bytes.fromhex(digest)).decode(),
            )

    def _key(self, digest: str) -> str:
        return "/".join(part for part in (self.place.prefix, "sha256", digest[:2], digest) if part)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the bucket says into words. That an object is not there is an answer and no fault."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except ClientError as error:
            said = error.response.get("Error", {})
            if said.get("Code") != "NoSuchKey":
                raise self._unreachable(f"{said.get('Message', said.get('Code', error))}") from None
        except BotoCoreError as error:
            raise self._unreachable(str(error)) from None

    def _unreachable(self, why: str) -> UnreachableError:
        return UnreachableError(
            f"the evidence bucket {self.place.bucket!r} does not answer as it should: {why}",
            hint=f"see evidence/{FILE}, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of this process",
        )


def bucket_of(site_dir: Path) -> Bucket | None:
    """Return the bucket in which a site keeps its evidence. None where that is the disk."""
    place = site_dir / "evidence" / FILE
    if not place.exists():
        return None
    return _bucket(place, place.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _bucket(place: Path, written: int) -> Bucket:  # noqa: ARG001  a file written anew is read anew
    from steps.validation import validated
    from steps.yaml_lines import load

    data, lines = load(place)
    return Bucket(validated(BucketPlace, data, lines, str(place)))


def _client(place: BucketPlace) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise UnreachableError(
            "evidence is kept in a bucket, and boto3 is not installed", hint="pip install 'clusterwright[s3]'"
        ) from None
    # checksums beyond the one sent with each object are not understood by every maker's S3
    config = Config(
        connect_timeout=5,
        read_timeout=60,
        retries={"max_attempts": 3, "mode": "standard"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return boto3.client("s3", endpoint_url=place.endpoint, region_name=place.region, config=config)
