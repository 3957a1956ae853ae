"""A server that speaks S3 over HTTP, and buckets of it. Its libraries are slow to import, and few tests need them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ACCOUNT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
"""What a client of it has in its environment."""


@contextmanager
def serving_s3() -> Iterator[str]:
    """Serve while the block lasts, and return the address."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@contextmanager
def bucket_at(address: str, name: str) -> Iterator[Any]:
    """Return a client while the block lasts, for which there is an empty bucket."""
    import boto3

    account = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    client = boto3.client("s3", endpoint_url=address, region_name="us-east-1", **account)
    client.create_bucket(Bucket=name)
    try:
        yield client
    finally:
        for key in keys_of(client, name):
            client.delete_object(Bucket=name, Key=key)
        client.delete_bucket(Bucket=name)


def keys_of(client: Any, bucket: str) -> list[str]:
    """Return the names of a bucket's objects."""
    return [held["Key"] for held in client.list_objects_v2(Bucket=bucket).get("Contents", [])]
