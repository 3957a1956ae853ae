"""Deflated data measured as it unpacks, in pieces, up to a limit: a bomb is known without going off."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

FED = 1 << 14
"""Bytes given to zlib at once: it hands back what it has not used yet, and that is copied every time."""

PIECE = 1 << 20


class TooLargeError(Exception):
    """Data unpacks to more than the limit."""


def pieces(packed: Iterable[bytes], *, whole: bool = False) -> Iterator[bytes]:
    """Give what a deflated stream unpacks to, a piece at a time; raise zlib.error where it does not, or is not `whole`."""
    engine = zlib.decompressobj()
    for part in _fed(packed):
        left = part
        while left and not engine.eof:
            piece = engine.decompress(left, PIECE)
            if piece:
                yield piece
            left = engine.unconsumed_tail
    if whole and not engine.eof:
        raise zlib.error("the stream is cut off")


def _fed(packed: Iterable[bytes]) -> Iterator[bytes]:
    for part in packed:
        yield from (part[at : at + FED] for at in range(0, len(part), FED))


def unpacked_size(packed: Iterable[bytes], limit: int, *, whole: bool = False) -> int:
    """Give how many bytes a deflated stream unpacks to; raise TooLargeError beyond the limit."""
    size = 0
    for piece in pieces(packed, whole=whole):
        size += len(piece)
        if size > limit:
            raise TooLargeError
    return size


def unpacked(packed: bytes, limit: int) -> bytes:
    """Give what a deflated stream unpacks to; raise TooLargeError beyond the limit."""
    unpacked_size([packed], limit)
    return zlib.decompress(packed)
