"""An exchange in an S3-compatible bucket, for teams that share no file system: s3://bucket/prefix.

A slice has a place as long as it has an object under `open/`. What a worker writes at the very moment at which its slice ends is
left behind under `slices/`, where a rule of the bucket may delete what is older than a week.
"""

from __future__ import annotations

from contextlib import suppress

from flows.team.exchange import NAME, WORKERS, Exchange, LiveCopy, checked, over
from ledger.evidence.live_output import OBJECT, copy_key, objects_of_exchange
from ledger.evidence.objects import Objects
from schedule.errors import UnreachableError

OPEN = "open"
FILES = "slices"


class SharedBucket(Exchange):
    """The bucket of a site's team."""

    def __init__(self, address: str) -> None:
        """Take the address. It does not connect yet."""
        self._objects = objects_of_exchange(address)

    def open(self, slice_name: str) -> None:
        self._objects.put(f"{OPEN}/{checked(slice_name)}", b"")

    def is_open(self, slice_name: str) -> bool:
        return self._objects.get(f"{OPEN}/{checked(slice_name)}") is not None

    def put(self, slice_name: str, name: str, content: bytes) -> None:
        self._require_open(slice_name)
        self._objects.put(f"{FILES}/{slice_name}/{name}", content)

    def put_once(self, slice_name: str, name: str, content: bytes) -> bool:
        self._require_open(slice_name)
        return self._objects.put_once(f"{FILES}/{slice_name}/{name}", content)

    def get(self, slice_name: str, name: str) -> bytes | None:
        return self._objects.get(f"{FILES}/{checked(slice_name)}/{name}")

    def slices(self, run: str = "") -> list[str]:
        begin = f"{OPEN}/{run}." if run else f"{OPEN}/"
        names = [key.removeprefix(f"{OPEN}/") for key in self._objects.keys(begin)]
        return [name for name in names if NAME.fullmatch(name)]

    def remove(self, slice_name: str) -> None:
        with suppress(UnreachableError):  # what is left is removed with what the next engine finds
            self._objects.delete([f"{OPEN}/{checked(slice_name)}", *self._objects.keys(f"{FILES}/{slice_name}/")])

    def introduce(self, worker: str, content: bytes) -> None:
        self._objects.put(f"{WORKERS}/{worker}", content)

    def introduced(self, worker: str) -> bytes | None:
        return self._objects.get(f"{WORKERS}/{worker}")

    def live_copy(self, site: str, run: str) -> LiveCopy:
        return _End(self._objects, copy_key(site, run))

    def remove_live_copy(self, site: str, run: str) -> None:
        self._objects.delete([copy_key(site, run)])

    def _require_open(self, slice_name: str) -> None:
        if not self.is_open(slice_name):
            raise over(slice_name)


class _End:
    """The end of a run's output, as an object that is written anew: nothing can be appended to one."""

    def __init__(self, objects: Objects, key: str) -> None:
        self._objects, self._key = objects, key
        self._begins, self._end = 0, b""

    def append(self, new: bytes) -> int:
        if new:
            whole = self._end + new
            end = whole[-OBJECT:]
            begins = self._begins + len(whole) - len(end)
            self._objects.put_from(self._key, end, begins)
            self._begins, self._end = begins, end
        return len(new)

    def remove(self) -> None:
        self._objects.delete([self._key])
