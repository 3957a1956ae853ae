"""JPEG: whole, of a size that can be shown, really a picture, and without the place where it was taken.

Its segments are copied as they are but for the metadata that names a place, so that not one pixel changes. What lies behind
the picture's end, where programs and second pictures hide, is left out.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import NamedTuple

from ledger.intake.location import UnreadableError, names_place, without_gps, without_place
from ledger.intake.refusal import RefusedError

MOST_PIXELS = 80_000_000
MOST_SCANS = 100
"""A progressive picture has about ten; thousands keep a decoder busy for hours."""

EXIF = b"Exif\x00\x00"
XMP = b"http://ns.adobe.com/xap/1.0/\x00"
XMP_MORE = b"http://ns.adobe.com/xmp/extension/\x00"
SEVERAL = b"MPF\x00"
PHOTOSHOP = b"Photoshop 3.0\x00"

END, SCAN, APP1, APP2, APP13 = 0xD9, 0xDA, 0xE1, 0xE2, 0xED
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
ALONE = frozenset({0x01, *range(0xD0, 0xD8)})

AFTER_SCAN = re.compile(rb"\xff+[^\x00\xff\xd0-\xd7]")


class Segment(NamedTuple):
    """A marker with its bytes: all of them, and those that it holds."""

    marker: int
    whole: bytes
    held: bytes


def judged_jpeg(content: bytes) -> tuple[bytes, str, tuple[str, ...]]:
    """Give a photo without its place, `jpeg`, and what was taken out."""
    segments, end = _segments(content)
    _refuse_huge(segments)
    removed: list[str] = []
    more = b"".join(s.held[len(XMP_MORE) + 40 :] for s in segments if s.held.startswith(XMP_MORE))
    places = b"gps" in more.lower()
    kept = b"".join(_kept(segment, places, removed) for segment in segments)
    if content[end:].strip(b"\x00"):
        removed.append("what lay behind the picture")
    made = b"\xff\xd8" + kept
    _refuse_undecodable(made)
    return made, "jpeg", tuple(dict.fromkeys(removed))


def _segments(content: bytes) -> tuple[list[Segment], int]:
    """Give the segments up to the end of the picture, and where that is."""
    found: list[Segment] = []
    at = 2
    while at + 1 < len(content):
        if content[at] != 0xFF:
            raise _cut_off()
        marker = content[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        end = at + 2 if marker in ALONE | {END} else _end(content, at, marker)
        found.append(Segment(marker, content[at:end], content[at + 4 : end]))
        if marker == END:
            return found, end
        at = end
    raise _cut_off()


def _end(content: bytes, at: int, marker: int) -> int:
    size = int.from_bytes(content[at + 2 : at + 4], "big")
    end = at + 2 + size
    if size < 2 or end > len(content):
        raise _cut_off()
    if marker != SCAN:
        return end
    following = AFTER_SCAN.search(content, end)
    if following is None:
        raise _cut_off()
    return following.end() - 2


def _refuse_huge(segments: list[Segment]) -> None:
    for s in segments:
        if s.marker in FRAMES:
            height, width = int.from_bytes(s.held[1:3], "big"), int.from_bytes(s.held[3:5], "big")
            if width * height > MOST_PIXELS:
                raise too_many_pixels(width, height)
    if sum(s.marker == SCAN for s in segments) > MOST_SCANS:
        raise RefusedError("is a picture of very many scans: a decompression bomb", "save it as an ordinary JPEG")


def too_many_pixels(width: int, height: int) -> RefusedError:
    """Give the refusal of a picture too large to be shown."""
    return RefusedError(
        f"unpacks to {width:,} x {height:,} pixels, more than the {MOST_PIXELS:,} that can be shown",
        "save it smaller, or cut out what matters",
    )


def _kept(s: Segment, places: bool, removed: list[str]) -> bytes:
    """Give a segment as it is kept, nothing where it is not."""
    if s.marker == APP1 and s.held.startswith(EXIF):
        return _changed(s, EXIF, removed)
    if s.marker == APP1 and s.held.startswith(XMP):
        return _changed(s, XMP, removed)
    if (places and s.held.startswith(XMP_MORE)) or (
        s.marker == APP13 and s.held.startswith(PHOTOSHOP) and names_place(s.held)
    ):
        removed.append("the location")
        return b""
    # it only says where further pictures lie behind this one, and those are left out
    return b"" if s.marker == APP2 and s.held.startswith(SEVERAL) else s.whole


def _changed(s: Segment, prefix: bytes, removed: list[str]) -> bytes:
    before = s.held[len(prefix) :]
    try:
        after = without_gps(before) if prefix == EXIF else without_place(before)
    except UnreadableError:
        removed.append("metadata that does not read")
        return b""
    if after == before:
        return s.whole
    removed.append("the location")
    held = prefix + after
    if len(held) + 2 > 0xFFFF:
        return b""
    return bytes((0xFF, s.marker)) + (len(held) + 2).to_bytes(2, "big") + held


def _refuse_undecodable(content: bytes) -> None:
    from PIL import Image

    try:
        with Image.open(BytesIO(content), formats=["JPEG"]) as picture:
            # an eighth of the size proves as much and takes a sixty-fourth of the memory
            picture.draft("L", (max(1, picture.width // 8), max(1, picture.height // 8)))
            picture.load()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise _cut_off() from None


def _cut_off() -> RefusedError:
    return RefusedError("is a JPEG that is cut off or damaged", "copy it from the camera again")
