"""Where a photo was taken, found and taken out of its metadata; everything else stays byte for byte where it can.

EXIF keeps orientation and time: the GPS directory is emptied in place, and the entry that leads to it goes. Of XMP and
IPTC, which applications write, the properties that name a place go. A maker's private notes are not looked into.
"""

from __future__ import annotations

import re
import struct
from xml.etree.ElementTree import Element, ParseError, tostring

GPS, SUB = 0x8825, 0x8769
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
"""Bytes of a value by EXIF type."""

MOST_DIRECTORIES = 16

PLACE = re.compile(
    r"gps.*|.*latitude|.*longitude|.*longtitude|city|state|country|countrycode|countryname|provincestate|sublocation"
    r"|location|locationcreated|locationshown|worldregion|absolutealtitude",
    re.IGNORECASE,
)
"""XMP properties that name a place, by local name; DJI writes `GpsLongtitude`."""

IPTC_PLACE = (26, 27, 90, 92, 95, 100, 101)
"""Datasets of IPTC's record 2 that name a place."""


class UnreadableError(Exception):
    """Metadata that does not read; it is left out whole."""


def without_gps(tiff: bytes) -> bytes:
    """Give EXIF without its GPS directory, equal where there was none."""
    if tiff[:4] not in {b"II*\x00", b"MM\x00*"}:
        raise UnreadableError
    order = "<" if tiff[:1] == b"I" else ">"
    held = bytearray(tiff)
    try:
        _walk(held, order)
    except (struct.error, IndexError):
        raise UnreadableError from None
    return bytes(held)


def _walk(held: bytearray, order: str) -> None:
    waiting, seen = [_long(held, order, 4)], set[int]()
    while waiting:
        at = waiting.pop()
        if at == 0 or at in seen:
            continue
        if len(seen) >= MOST_DIRECTORIES:
            raise UnreadableError
        seen.add(at)
        for tag, value in _directories_below(held, order, at):
            if tag == SUB:
                waiting.append(value)
            else:
                _empty(held, order, value)
        while _drop_entry(held, order, at):
            pass
        waiting.append(_long(held, order, at + 2 + 12 * _short(held, order, at)))


def _directories_below(held: bytearray, order: str, at: int) -> list[tuple[int, int]]:
    entries = [at + 2 + 12 * n for n in range(_short(held, order, at))]
    return [
        (tag, _long(held, order, entry + 8)) for entry in entries if (tag := _short(held, order, entry)) in {GPS, SUB}
    ]


def _empty(held: bytearray, order: str, at: int) -> None:
    """Overwrite a directory and every value it points to with zeros."""
    count = _short(held, order, at)
    for entry in (at + 2 + 12 * n for n in range(count)):
        size = SIZES.get(_short(held, order, entry + 2), 0) * _long(held, order, entry + 4)
        value = _long(held, order, entry + 8)
        if size > 4:
            if value < 8 or value + size > len(held):
                raise UnreadableError
            held[value : value + size] = bytes(size)
        held[entry : entry + 12] = bytes(12)
    held[at : at + 2] = bytes(2)


def _drop_entry(held: bytearray, order: str, at: int) -> bool:
    """Take one entry that leads to a GPS directory out of a directory; say whether there was one."""
    count = _short(held, order, at)
    end = at + 2 + 12 * count + 4
    if end > len(held):
        raise UnreadableError
    for entry in (at + 2 + 12 * n for n in range(count)):
        if _short(held, order, entry) == GPS:
            held[entry : end - 12] = held[entry + 12 : end]
            held[end - 12 : end] = bytes(12)
            struct.pack_into(order + "H", held, at, count - 1)
            return True
    return False


def _short(held: bytearray, order: str, at: int) -> int:
    return int(struct.unpack_from(order + "H", held, at)[0])


def _long(held: bytearray, order: str, at: int) -> int:
    return int(struct.unpack_from(order + "I", held, at)[0])


def without_place(xmp: bytes) -> bytes:
    """Give an XMP packet without properties that name a place, equal where there were none."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    begin, end = xmp.find(b"<x:xmpmeta"), xmp.rfind(b"</x:xmpmeta>")
    if begin < 0 or end < 0:
        begin, end = xmp.find(b"<rdf:RDF"), xmp.rfind(b"</rdf:RDF>")
    if begin < 0 or end < 0:
        raise UnreadableError
    end = xmp.index(b">", end) + 1
    try:
        root = fromstring(xmp[begin:end].decode())
    except (ParseError, DefusedXmlException, UnicodeDecodeError):
        raise UnreadableError from None
    if not _drop_places(root):
        return xmp
    return xmp[:begin] + tostring(root) + xmp[end:]


def _drop_places(element: Element) -> bool:
    found = False
    for name in [name for name in element.attrib if PLACE.fullmatch(name.rpartition("}")[2])]:
        del element.attrib[name]
        found = True
    for child in list(element):
        if PLACE.fullmatch(child.tag.rpartition("}")[2]):
            element.remove(child)
            found = True
        else:
            found |= _drop_places(child)
    return found


def names_place(photoshop: bytes) -> bool:
    """Say whether Photoshop's block of metadata holds IPTC datasets that name a place."""
    at = photoshop.find(b"8BIM\x04\x04")
    return at >= 0 and any(bytes((0x1C, 2, dataset)) in photoshop[at:] for dataset in IPTC_PLACE)
