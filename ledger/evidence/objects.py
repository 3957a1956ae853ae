"""Objects of an S3-compatible bucket under a prefix. An object is complete or absent.

Credentials come from the environment, as for every S3 client (AWS_ACCESS_KEY_ID, ~/.aws, the machine's role). So do endpoint and
region where none is stated (AWS_ENDPOINT_URL, AWS_REGION).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from schedule.errors import UnreachableError

LONGEST = 2**30
"""How many bytes a file of an exchange, or an object, has at most: others may write there, and what has no end would take all memory."""

AT_ONCE = 8
"""How many objects are deleted side by side."""


class Objects(NamedTuple):
    """A bucket and a prefix. `what` and `hint` are for its errors: what is in the bucket, and what to look at."""

    bucket: str
    prefix: str
    what: str
    hint: str
    endpoint: str | None = None
    region: str | None = None

    def get(self, key: str) -> bytes | None:
        """Return the content of an object. None if there is none."""
        return self.get_from(key)[1]

    def get_from(self, key: str) -> tuple[int, bytes | None]:
        """Return where the content of an object begins, as `put_from` stated it, and the content. None if there is none."""
        with self._explained("NoSuchKey"):
            found = self._client().get_object(**self._place(key))
            refuse_longer(found["ContentLength"], key)
            begins = found["Metadata"].get("begins", "")
            return int(begins) if begins.isdecimal() else 0, bytes(found["Body"].read())
        return 0, None

    def put(self, key: str, content: bytes, sha256: str = "") -> None:
        """Write an object, in place of an earlier one. With a digest, in base64, the bucket refuses other content."""
        more = {"ChecksumSHA256": sha256} if sha256 else {}
        with self._explained():
            self._put(key, content, **more)

    def put_from(self, key: str, content: bytes, begins: int) -> None:
        """Write an object, and state where its content begins."""
        with self._explained():
            self._put(key, content, Metadata={"begins": str(begins)})

    def put_once(self, key: str, content: bytes) -> bool:
        """Write an object if it is not there. Return whether it was written."""
        with self._explained("PreconditionFailed", "ConditionalRequestConflict"):
            self._put(key, content, IfNoneMatch="*")
            return True
        return False

    def _put(self, key: str, content: bytes, **more: Any) -> None:
        refuse_longer(len(content), key)
        place = self._place(key) | {"ContentType": "application/octet-stream"}
        self._client().put_object(Body=content, **place, **more)

    def keys(self, begin: str) -> list[str]:
        """Return the keys that begin so, without the prefix, in order."""
        found: list[str] = []
        with self._explained():
            pages = self._client().get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.bucket, Prefix=self._key(begin)):
                found += [one["Key"] for one in page.get("Contents", ())]
        cut = len(self._key(""))
        return [key[cut:] for key in found]

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects. One that is not there is none.

        Each by itself: not every store takes the checksum that a request for several has.
        """
        with ThreadPoolExecutor(AT_ONCE) as threads:
            for _ in threads.map(self._delete, keys):  # which raises what a thread has raised
                pass

    def _delete(self, key: str) -> None:
        with self._explained():
            self._client().delete_object(**self._place(key))

    def _place(self, key: str) -> dict[str, str]:
        return {"Bucket": self.bucket, "Key": self._key(key)}

    def _key(self, key: str) -> str:
        return f"{self.prefix}/{key}" if self.prefix else key

    def _client(self) -> Any:
        try:
            return client_of(self.endpoint, self.region)
        except ImportError:
            raise UnreachableError(
                f"the {self.what} is in a bucket, but boto3 is not installed", hint="pip install 'clusterwright[s3]'"
            ) from None

    @contextmanager
    def _explained(self, *expected: str) -> Iterator[None]:
        """Raise errors of the bucket again as UnreachableError, except those that mean something to the caller."""
        client = self._client()  # before its library's errors are imported, which is not always there
        from botocore.exceptions import BotoCoreError

        try:
            yield
        except client.exceptions.ClientError as error:
            said = error.response.get("Error", {})
            if said.get("Code") not in expected:
                raise self._unreachable(f"{said.get('Message', said.get('Code', error))}") from None
        except BotoCoreError as error:
            raise self._unreachable(str(error)) from None

    def _unreachable(self, why: str) -> UnreachableError:
        return UnreachableError(
            f"the {self.what} bucket {self.bucket!r} does not answer as it should: {why}",
            hint=f"check {self.hint}, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment",
        )


def refuse_longer(size: int, name: str) -> None:
    """Raise UnreachableError for what is too long to be read."""
    if size > LONGEST:
        raise UnreachableError(
            f"{name} has {size:,} bytes; the limit is {LONGEST:,}", hint="look who wrote it, and remove it"
        )


@lru_cache(maxsize=8)
def client_of(endpoint: str | None, region: str | None) -> Any:
    """Return the client of a service, which all threads share."""
    import boto3
    from botocore.config import Config

    # not every S3-compatible store understands further checksums than the one that is sent with each object
    config = Config(
        connect_timeout=5,
        read_timeout=60,
        retries={"max_attempts": 3, "mode": "standard"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return boto3.client("s3", endpoint_url=endpoint, region_name=region, config=config)
