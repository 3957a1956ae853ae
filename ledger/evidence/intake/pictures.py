"""Photos and screenshots: whole, of a size that can be shown, really pictures, and without the place where they were taken.

A JPEG consists of segments and a PNG of chunks. They are copied byte for byte, so that no pixel changes. Only metadata that
names a place is changed (EXIF, XMP) or left out (IPTC). Bytes behind the end of the picture are left out: programs and second
pictures hide there.

Pillow decides whether a picture can be decoded. It does not write EXIF: it would drop the small preview picture and move the
private notes of a camera's maker, and some of these can no longer be read once they are moved. Here the GPS directory is
overwritten with zeros, and every other value stays where it is. A place inside a maker's private notes is not found.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import NamedTuple
from xml.etree.ElementTree import ParseError, tostring

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from schedule.errors import InputError

MOST_PIXELS = 80_000_000
MOST_SCANS = 100
"""A progressive JPEG has about ten scans; thousands keep a decoder busy for hours."""

MOST_METADATA = 16_000_000
"""Bytes that all compressed text of a PNG together may unpack to."""

FED, PIECE = 1 << 14, 1 << 20
"""Bytes that zlib takes and returns at once. It copies what it has not used yet, so it takes little."""

LOCATION = "the location"

SCAN, END, APP1, APP2, APP13 = b"\xda", b"\xd9", b"\xe1", b"\xe2", b"\xed"
WITHOUT_LENGTH = b"\x01\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7" + END

MARKER = re.compile(rb"\xff++([^\xff])")
FILLED = re.compile(rb"\xff++(?:[^\x00\xff\xd0-\xd7]|(?P<data>))")
"""A run of bytes 255 as a whole, so that millions of them are read once. It begins a segment unless `data` is set."""

EXIF, XMP, XMP_MORE = b"Exif\x00\x00", b"http://ns.adobe.com/xap/1.0/\x00", b"http://ns.adobe.com/xmp/extension/\x00"

PNG_BEGIN, JPEG_BEGIN = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
TEXT, PACKED = re.compile(rb"(?s)[^\0]*\0.(.*)"), re.compile(rb"(?s)([^\0]*\0)\x01.([^\0]*\0[^\0]*\0)(.*)")
COMPRESSED = {b"zTXt": TEXT, b"iCCP": TEXT, b"iTXt": PACKED}
"""PNG chunks that may hold deflated data; it is the last group of the pattern."""

BYTE_ORDERS = {b"II*\x00": "<", b"MM\x00*": ">"}
GPS, SUB = 0x8825, 0x8769
"""Tags of EXIF entries whose value is the offset of another directory."""

SIZES = b"\0\1\1\2\4\x08\1\1\2\4\x08\4\x08\4"
"""How many bytes an EXIF value has, by its type."""

MOST_DIRECTORIES = 16

XMP_ROOTS = (b"x:xmpmeta", b"rdf:RDF")
XMP_PLACE = re.compile(
    r"gps.*|.*latitude|.*longitude|.*longtitude|city|state|country|countrycode|countryname|provincestate|sublocation"
    r"|location|locationcreated|locationshown|worldregion|absolutealtitude",
    re.IGNORECASE,
)
"""XMP properties that name a place. DJI writes `GpsLongtitude`."""

IPTC_PLACE = re.compile(rb"(?s)Photoshop 3\.0\0(?>.*?8BIM\x04\x04).*\x1c\x02[\x1a\x1b\x5a\x5c\x5f\x64\x65]")
"""Metadata of Photoshop with an IPTC dataset of record 2 that names a place."""

DAMAGE = (OSError, ValueError, SyntaxError, struct.error, zlib.error)
"""What reading a damaged picture raises, here and in Pillow."""


class LeftOutError(Exception):
    """A segment is left out; `what` says in words what was in it, and is empty if there is nothing to say."""

    def __init__(self, what: str = "metadata that does not read") -> None:
        super().__init__(what)
        self.what = what


class Segment(NamedTuple):
    """A segment of a JPEG or a chunk of a PNG: its kind, what it holds, and all of its bytes."""

    kind: bytes
    held: bytes
    whole: bytes


ExifEntry = tuple[int, ...]
"""Where an entry of a directory begins, its tag, its type, its number of values, and its value or where that is."""

Clean = Callable[[Segment], bytes]
"""Returns what a segment holds, without the place; raises LeftOutError if nothing of it is kept."""

Write = Callable[[bytes, bytes], bytes]
"""Returns the bytes of a segment from its kind and from what it holds."""

Cleaned = tuple[bytes, tuple[str, ...]]
"""A picture as it is kept, and in words what was removed from it."""


def cleaned_jpeg(content: bytes) -> Cleaned:
    """Return a JPEG as it is kept, and what was removed from it; raise InputError if it is refused."""
    try:
        segments = list(_segments(content))
        if sum(s.kind == SCAN for s in segments) > MOST_SCANS:
            what = "is a picture of very many scans: a decompression bomb"
            raise InputError(what, hint="save it as an ordinary JPEG")
        more = [s.held for s in segments if s.held.startswith(XMP_MORE)]
        text = b"".join(held[len(XMP_MORE) + 40 :] for held in more)
        clean = partial(_clean_segment, more_names_place=b"gps" in text.lower())
        made, removed = _cleaned(content, segments, clean, _segment)
        _decode_jpeg(made)
    except DAMAGE:
        raise InputError("is a JPEG that is cut off or damaged", hint="copy it from the camera again") from None
    return made, removed


def cleaned_png(content: bytes) -> Cleaned:
    """Return a PNG as it is kept, and what was removed from it; raise InputError if it is refused."""
    try:
        chunks = list(_chunks(content))
        _refuse_png_bomb(chunks)
        made, removed = _cleaned(content, chunks, _clean_chunk, _chunk)
        _decode_png(made)
    except DAMAGE:
        raise InputError("is a PNG that is cut off or damaged", hint="save it again") from None
    return made, removed


def _cleaned(content: bytes, segments: list[Segment], clean: Clean, write: Write) -> Cleaned:
    """Return the picture that consists of its cleaned segments; each thing that was removed is named once."""
    made, removed = list[bytes](), dict[str, None]()
    for s in segments:
        try:
            held = clean(s)
        except LeftOutError as left_out:
            removed[left_out.what] = None
            continue
        if held == s.held:
            made.append(s.whole)
        else:
            made.append(write(s.kind, held))
            removed[LOCATION] = None
    end = sum(len(s.whole) for s in segments)
    if content[end:].strip(b"\x00"):
        removed["what lay behind the picture"] = None
    return b"".join(made), tuple(filter(None, removed))


def _segments(content: bytes) -> Iterator[Segment]:
    """Yield the segments of a JPEG, from the bytes that begin the picture to the segment that ends it."""
    yield Segment(b"", b"", JPEG_BEGIN)
    at, kind = len(JPEG_BEGIN), b""
    while kind != END:
        marker = MARKER.match(content, at)
        if marker is None:
            raise ValueError("no segment begins here")
        kind, begin = marker[1], marker.end()
        length = 0 if kind in WITHOUT_LENGTH else int.from_bytes(content[begin : begin + 2], "big")
        end = begin + length
        if kind == SCAN:
            end = _end_of_scan(content, end)
        yield Segment(kind, content[begin + 2 : end], content[at:end])
        at = end


def _end_of_scan(content: bytes, begin: int) -> int:
    """Return where the next segment begins behind the data of a scan."""
    for run in FILLED.finditer(content, begin):
        if run["data"] is None:
            return run.start()
    return len(content)


def _segment(kind: bytes, held: bytes) -> bytes:
    """Return the bytes of a JPEG segment, none if it holds more than a segment can."""
    size = len(held) + 2
    return b"\xff" + kind + size.to_bytes(2, "big") + held if size <= 0xFFFF else b""


def _clean_segment(s: Segment, *, more_names_place: bool) -> bytes:
    """Clean a JPEG segment; `more_names_place` is true if extended XMP, over all its segments, names a place."""
    if s.kind == APP1 and s.held.startswith(EXIF):
        return _without_gps(s.held)
    if s.kind == APP1 and s.held.startswith(XMP):
        return _without_place(s.held)
    if more_names_place and s.held.startswith(XMP_MORE):
        raise LeftOutError(LOCATION)
    if s.kind == APP13 and IPTC_PLACE.match(s.held):
        raise LeftOutError(LOCATION)
    if s.kind == APP2 and s.held.startswith(b"MPF\x00"):
        raise LeftOutError("")  # it only says where further pictures begin behind the end, and those are left out
    return s.held


def _chunks(content: bytes) -> Iterator[Segment]:
    """Yield the chunks of a PNG, from the bytes that begin the picture to the chunk that ends it."""
    yield Segment(b"", b"", PNG_BEGIN)
    at, kind = len(PNG_BEGIN), b""
    while kind != b"IEND":
        end = at + 12 + int.from_bytes(content[at : at + 4], "big")
        kind, held = content[at + 4 : at + 8], content[at + 8 : end - 4]
        if content[at:end] != _chunk(kind, held):
            raise ValueError("a chunk is cut off, or its checksum is wrong")
        yield Segment(kind, held, content[at:end])
        at = end


def _chunk(kind: bytes, held: bytes) -> bytes:
    """Return the bytes of a PNG chunk."""
    checksum = zlib.crc32(kind + held)
    return len(held).to_bytes(4, "big") + kind + held + checksum.to_bytes(4, "big")


def _clean_chunk(c: Segment) -> bytes:
    keyword = c.held.partition(b"\x00")[0]
    if c.kind in {b"tEXt", b"zTXt", b"iTXt"} and keyword.lower().startswith(b"raw profile type"):
        raise LeftOutError("metadata in an old form, which may name the location")
    if c.kind == b"eXIf":
        return _without_gps(c.held)
    if c.kind == b"iTXt" and keyword == b"XML:com.adobe.xmp":
        return _without_place_in_text(c.held)
    return c.held


def _refuse_png_bomb(chunks: list[Segment]) -> None:
    header = chunks[1]
    if header.kind != b"IHDR":
        raise ValueError("the header is not the first chunk")
    width, height = struct.unpack_from(">II", header.held)
    _refuse_huge(width, height)
    if any(c.kind == b"acTL" for c in chunks):
        raise InputError("is an animated PNG", hint="save the picture that matters alone")
    pixels = b"".join(c.held for c in chunks if c.kind == b"IDAT")
    # a pixel has eight bytes at most, and interlaced pictures have more rows, but never twice as many
    _unpacked_size(pixels, 2 * height * (8 * width + 1) + 1024, whole=True)
    room = MOST_METADATA
    for c in chunks:
        found = c.kind in COMPRESSED and COMPRESSED[c.kind].fullmatch(c.held)
        if found:
            room -= _unpacked_size(found[found.re.groups], room)


def _unpacked_size(packed: bytes, most: int, *, whole: bool = False) -> int:
    """Return how many bytes deflated data unpacks to; raise InputError beyond `most`, zlib.error if it is damaged."""
    engine, size = zlib.decompressobj(), 0
    for at in range(0, len(packed), FED):
        part = packed[at : at + FED]
        while part and not engine.eof:
            size += len(engine.decompress(part, PIECE))
            part = engine.unconsumed_tail
            if size > most:
                what = "unpacks to far more than it says: a decompression bomb"
                raise InputError(what, hint="save the picture again")
    if whole and not engine.eof:
        raise zlib.error("the data is cut off")
    return size


def _refuse_huge(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise InputError(
            f"unpacks to {width:,} x {height:,} pixels, more than the {MOST_PIXELS:,} that can be shown",
            hint="save it smaller, or cut out what matters",
        )


def _decode_jpeg(content: bytes) -> None:
    from PIL.JpegImagePlugin import JpegImageFile

    with JpegImageFile(BytesIO(content)) as picture:
        _refuse_huge(picture.width, picture.height)
        # an eighth of the size proves as much and takes a sixty-fourth of the memory
        eighth = (-(-picture.width // 8), -(-picture.height // 8))
        picture.draft("L", eighth)
        picture.load()


def _decode_png(content: bytes) -> None:
    from PIL.PngImagePlugin import PngImageFile

    with PngImageFile(BytesIO(content)) as picture:
        picture.verify()


def _without_gps(held: bytes) -> bytes:
    """Return EXIF without its GPS directories, the same bytes if it has none."""
    begin = len(EXIF) if held.startswith(EXIF) else 0
    order = BYTE_ORDERS.get(held[begin : begin + 4])
    if order is None:
        raise LeftOutError
    tiff = bytearray(held[begin:])
    seen = {0}
    try:
        waiting = list(struct.unpack_from(order + "I", tiff, 4))
        while waiting and len(seen) <= MOST_DIRECTORIES:
            at = waiting.pop()
            if at not in seen:
                waiting += _drop_gps(tiff, order, at)
            seen.add(at)
    except struct.error:
        raise LeftOutError from None
    if waiting or tiff[:8] != held[begin : begin + 8]:
        raise LeftOutError  # more directories than EXIF has, or a place that begins in the header
    return held[:begin] + tiff


def _drop_gps(tiff: bytearray, order: str, at: int) -> list[int]:
    """Drop the entries of a directory that lead to GPS directories, and overwrite those; return where others begin."""
    entries = _entries(tiff, order, at)
    end = at + 2 + 12 * len(entries)
    others = list(struct.unpack_from(order + "I", tiff, end))
    for begin, tag, _, _, value in reversed(entries):
        if tag == SUB:
            others.append(value)
        if tag == GPS:
            _overwrite(tiff, order, value)
            del tiff[begin : begin + 12]
            tiff[end - 8 : end - 8] = bytes(12)  # so that everything behind the directory stays where it is
    left = sum(tag != GPS for _, tag, *_ in entries)
    struct.pack_into(order + "H", tiff, at, left)
    return others


def _entries(tiff: bytearray, order: str, at: int) -> list[ExifEntry]:
    """Return the entries of a directory; raise struct.error if it is cut off."""
    (count,) = struct.unpack_from(order + "H", tiff, at)
    begins = range(at + 2, at + 2 + 12 * count, 12)
    entry = struct.Struct(order + "HHII")
    return [(begin, *entry.unpack_from(tiff, begin)) for begin in begins]


def _overwrite(tiff: bytearray, order: str, at: int) -> None:
    """Overwrite a directory, and every value that its entries lead to, with zeros."""
    entries = _entries(tiff, order, at)
    for _, _, kind, number, value in entries:
        size = SIZES[kind] * number if kind < len(SIZES) else 0
        if size > 4:
            struct.pack_into(f"{size}x", tiff, value)
    struct.pack_into(f"{2 + 12 * len(entries)}x", tiff, at)


def _without_place(held: bytes) -> bytes:
    """Return XMP without the properties that name a place, the same bytes if it has none."""
    begin, end = _root_of(held)
    try:
        root = fromstring(held[begin:end].decode())
        before = tostring(root)
        for element in list(root.iter()):
            for name in filter(_names_place, list(element.attrib)):
                del element.attrib[name]
            for child in [child for child in element if _names_place(child.tag)]:
                element.remove(child)
        made = tostring(root)
    except (ParseError, DefusedXmlException, UnicodeDecodeError, RecursionError):
        raise LeftOutError from None
    return held if made == before else held[:begin] + made + held[end:]


def _root_of(xmp: bytes) -> tuple[int, int]:
    """Return where the element begins and ends that holds all properties."""
    for name in XMP_ROOTS:
        begin, end = xmp.find(b"<" + name), xmp.rfind(b"</" + name)
        if 0 <= begin < end:
            return begin, xmp.find(b">", end) + 1
    raise LeftOutError


def _names_place(name: str) -> bool:
    """Return whether an XML name, with or without a namespace, is that of a property which names a place."""
    return XMP_PLACE.fullmatch(name.rpartition("}")[2]) is not None


def _without_place_in_text(held: bytes) -> bytes:
    """Return XMP in a text chunk of a PNG without the place; text that is changed is no longer compressed."""
    packed = PACKED.fullmatch(held)
    if packed is None:
        return _without_place(held)
    xmp = zlib.decompressobj().decompress(packed[3])
    text = packed[1] + b"\x00\x00" + packed[2] + xmp
    made = _without_place(text)
    return held if made == text else made
