"""The evidence store in an S3-compatible bucket: `evidence/store.yaml` beside the ledger names it.

    bucket: our-evidence
    prefix: site-a                     # optional
    endpoint: https://s3.example.org   # left out for Amazon's own
    region: eu-north-1                 # optional

Credentials come from the environment, as for every S3 client (AWS_ACCESS_KEY_ID, ~/.aws, the machine's role). They are never
written to this file. An object is complete or absent. Each object is sent with its digest, and the bucket refuses other content.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from schedule.errors import UnreachableError
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
        self.place = place
        self._client = _client(place)

    def __str__(self) -> str:
        """Return the name of the bucket for messages."""
        return f"the bucket {self.place.bucket}"

    def get(self, digest: str) -> bytes | None:
        """Return the content with this digest, without checking it. None if there is none."""
        with self._explained():
            found = self._client.get_object(Bucket=self.place.bucket, Key=self._key(digest))
            return bytes(found["Body"].read())
        return None

    def put(self, digest: str, content: bytes) -> None:
        """Store content under its digest."""
        with self._explained():
            self._client.put_object(
                Bucket=self.place.bucket,
                Key=self._key(digest),
                Body=content,
                ContentType="application/octet-stream",
                ChecksumSHA256=base64.b64encode(bytes.fromhex(digest)).decode(),
            )

    def _key(self, digest: str) -> str:
        parts = (self.place.prefix, "sha256", digest[:2], digest)
        return "/".join(filter(None, parts))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise errors of the bucket again as UnreachableError. A missing object is no error."""
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
            hint=f"check evidence/{FILE}, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment",
        )


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


def _client(place: BucketPlace) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise UnreachableError(
            "evidence is stored in a bucket, but boto3 is not installed", hint="pip install 'clusterwright[s3]'"
        ) from None
    # not every S3-compatible store understands further checksums than the one that is sent with each object
    config = Config(
        connect_timeout=5,
        read_timeout=60,
        retries={"max_attempts": 3, "mode": "standard"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return boto3.client("s3", endpoint_url=place.endpoint, region_name=place.region, config=config)
