"""PNG: whole, of a size that can be shown, really a picture, and without the place where it was taken.

Its chunks are copied as they are but for the metadata that names a place. Everything compressed in it is measured as it
unpacks and never held.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from io import BytesIO
from typing import NamedTuple

from ledger.intake.jpeg import MOST_PIXELS, too_many_pixels
from ledger.intake.location import UnreadableError, without_gps, without_place
from ledger.intake.refusal import RefusedError
from ledger.intake.unpacking import TooLargeError, unpacked, unpacked_size

MAGIC = b"\x89PNG\r\n\x1a\n"
XMP = b"XML:com.adobe.xmp"
MOST_METADATA = 16_000_000
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


class Chunk(NamedTuple):
    """A chunk's type and what it holds."""

    type: bytes
    held: bytes

    def whole(self) -> bytes:
        """Give the chunk as it stands in the file."""
        sum_ = zlib.crc32(self.type + self.held)
        return len(self.held).to_bytes(4, "big") + self.type + self.held + sum_.to_bytes(4, "big")


def judged_png(content: bytes) -> tuple[bytes, str, tuple[str, ...]]:
    """Give a picture without its place, `png`, and what was taken out."""
    chunks, end = _chunks(content)
    _refuse_bombs(chunks)
    removed: list[str] = []
    made = MAGIC + b"".join(kept.whole() for chunk in chunks for kept in _kept(chunk, removed))
    if content[end:].strip(b"\x00"):
        removed.append("what lay behind the picture")
    _refuse_undecodable(made)
    return made, "png", tuple(dict.fromkeys(removed))


def _chunks(content: bytes) -> tuple[list[Chunk], int]:
    """Give the chunks up to the end of the picture, and where that is."""
    found: list[Chunk] = []
    at = len(MAGIC)
    while at + 12 <= len(content):
        end = at + 12 + int.from_bytes(content[at : at + 4], "big")
        chunk = Chunk(content[at + 4 : at + 8], content[at + 8 : end - 4])
        if end > len(content) or chunk.whole() != content[at:end]:
            raise _cut_off()
        found.append(chunk)
        if chunk.type == b"IEND":
            return found, end
        at = end
    raise _cut_off()


def _refuse_bombs(chunks: list[Chunk]) -> None:
    head = chunks[0]
    if head.type != b"IHDR" or len(head.held) != 13 or head.held[9] not in CHANNELS:
        raise _cut_off()
    width, height = int.from_bytes(head.held[:4], "big"), int.from_bytes(head.held[4:8], "big")
    if width * height > MOST_PIXELS:
        raise too_many_pixels(width, height)
    if any(chunk.type == b"acTL" for chunk in chunks):
        raise RefusedError("is an animated PNG", "save the picture that matters alone")
    row = (width * head.held[8] * CHANNELS[head.held[9]] + 7) // 8 + 1
    try:
        # interlaced pictures have more rows, and never twice as much
        unpacked_size((c.held for c in chunks if c.type == b"IDAT"), 2 * row * height + 1024, whole=True)
        _refuse_metadata(chunk for chunk in chunks if chunk.type in {b"zTXt", b"iTXt", b"iCCP"})
    except TooLargeError:
        raise RefusedError("unpacks to far more than it says: a decompression bomb", "save the picture again") from None
    except zlib.error:
        raise _cut_off() from None


def _refuse_metadata(chunks: Iterable[Chunk]) -> None:
    room = MOST_METADATA
    for chunk in chunks:
        after = chunk.held.partition(b"\x00")[2]
        if chunk.type != b"iTXt":
            room -= unpacked_size([after[1:]], room)
        elif after[:1] == b"\x01":
            room -= unpacked_size([after[2:].split(b"\x00", 2)[-1]], room)


def _kept(chunk: Chunk, removed: list[str]) -> list[Chunk]:
    """Give a chunk as it is kept, none where it is not."""
    if chunk.type not in {b"eXIf", b"iTXt", b"tEXt", b"zTXt"}:
        return [chunk]
    keyword, _, after = chunk.held.partition(b"\x00")
    if keyword.lower().startswith(b"raw profile type") and chunk.type != b"eXIf":
        removed.append("metadata in an old form, which may name the location")
        return []
    try:
        if chunk.type == b"eXIf":
            made = without_gps(chunk.held)
        elif chunk.type == b"iTXt" and keyword == XMP:
            made = _without_place(after)
        else:
            return [chunk]
    except (UnreadableError, zlib.error, ValueError):
        removed.append("metadata that does not read")
        return []
    if made == chunk.held:
        return [chunk]
    removed.append("the location")
    return [Chunk(chunk.type, made)]


def _without_place(after: bytes) -> bytes:
    """Give an iTXt chunk of XMP without the place, uncompressed."""
    language, translated, text = after[2:].split(b"\x00", 2)
    packed = after[:1] == b"\x01"
    before = unpacked(text, MOST_METADATA) if packed else text
    made = without_place(before)
    if made == before:
        return XMP + b"\x00" + after
    return b"\x00".join((XMP, b"\x00\x00" + language, translated, made))


def _refuse_undecodable(content: bytes) -> None:
    from PIL import Image

    try:
        with Image.open(BytesIO(content), formats=["PNG"]) as picture:
            picture.verify()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise _cut_off() from None


def _cut_off() -> RefusedError:
    return RefusedError("is a PNG that is cut off or damaged", "save it again")
