"""PDF: whole, open to be looked into, of a size that can be shown, and with nothing in it that acts.

The file is read as bytes and not as a document: a reader's own idea of which objects count can be led astray, the bytes
cannot. Every stream is unpacked in pieces and forgotten; names that make a document act are looked for in all of it.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterable, Iterator

from ledger.intake.refusal import RefusedError
from ledger.intake.unpacking import pieces
from ledger.intake.unwanted import refuse_archive_behind

MOST_UNPACKED = 512_000_000
"""Bytes that all streams together may unpack to: some twenty scanned pages that nobody compressed."""

WORST = {b"LZWDecode": 2730, b"LZW": 2730, b"RunLengthDecode": 64, b"RL": 64}
"""How many times its size a stream unpacks to at most, of the filters that are not unpacked here."""

PRINT = "print it to a new PDF, and attach that"

ACTS = re.compile(rb"/(JavaScript|Launch|EmbeddedFiles?|RichMedia|Rendition|XFA)(?=[\s/\[\]()<>%]|$)")
LOCKED = re.compile(rb"/Encrypt(?=[\s<\[/])")
ESCAPED = re.compile(rb"#([0-9A-Fa-f]{2})")
STREAM = re.compile(rb"stream[ \t]*(?:\r\n|\n|\r)")
FILTER = re.compile(rb"/Filter\s*(\[[^\]]*\]|/[A-Za-z0-9]+)")
OPAQUE = re.compile(rb"/(ASCIIHexDecode|AHx|LZWDecode|LZW|RunLengthDecode|RL|Crypt)(?=[\s/\[\]<>])")

WORDS = {
    b"JavaScript": "JavaScript",
    b"Launch": "an action that starts programs",
    b"EmbeddedFile": "files inside",
    b"EmbeddedFiles": "files inside",
    b"RichMedia": "films or programs inside",
    b"Rendition": "films or programs inside",
    b"XFA": "a form with scripts",
}

LONGEST_NAME = 64


def refuse_bad_pdf(content: bytes) -> None:
    """Refuse a PDF that is cut off, locked, acts, or unpacks to too much."""
    if b"%%EOF" not in content[-2048:]:
        raise RefusedError("is a PDF that is cut off", "copy it again")
    refuse_archive_behind(content)
    names = _unescaped(content)
    if LOCKED.search(names):
        raise RefusedError("is a PDF locked with a password or rights, and nobody can look into it", PRINT)
    _refuse_acting(names)
    if b"/ObjStm" in names and OPAQUE.search(names):
        raise _opaque()
    del names
    room = MOST_UNPACKED
    for filters, packed in _streams(content):
        room -= _looked_into(filters, packed, room)


def _unescaped(content: bytes) -> bytes:
    """Give the bytes with names as they are meant: /J#61vaScript is /JavaScript."""
    return ESCAPED.sub(lambda found: bytes((int(found[1], 16),)), content)


def _refuse_acting(names: bytes) -> None:
    found = ACTS.search(names)
    if found:
        raise RefusedError(f"is a PDF with {WORDS[found[1]]}", PRINT)


def _streams(content: bytes) -> Iterator[tuple[tuple[bytes, ...], bytes]]:
    """Give every stream with the names of its filters."""
    last = 0
    for begin in STREAM.finditer(content):
        if content[begin.start() - 3 : begin.start()] == b"end":
            continue
        end = content.find(b"endstream", begin.end())
        head = _unescaped(content[max(last, content.rfind(b"obj", last, begin.start())) : begin.start()])
        last = begin.end()
        named = FILTER.search(head)
        if (b"/Filter" in head and named is None) or (b"/ObjStm" in head and b"/Predictor" in head):
            raise _opaque()
        filters = tuple(re.findall(rb"/([A-Za-z0-9]+)", named[1])) if named else ()
        yield filters, content[begin.end() : len(content) if end < 0 else end]


def _looked_into(filters: tuple[bytes, ...], packed: bytes, room: int) -> int:
    """Give how many bytes a stream unpacks to, once nothing that acts is in it."""
    worst = max((WORST.get(name, 1) for name in filters), default=1)
    if worst * len(packed) > room:
        raise _bomb()
    if filters[:1] in {(b"ASCII85Decode",), (b"A85",)}:
        packed, filters = _from_ascii85(packed), filters[1:]
    layers: Iterable[bytes] = [packed]
    size = 0
    deep = max(1, sum(name in {b"FlateDecode", b"Fl"} for name in filters))
    for layer in range(deep):
        counted = _counted(pieces(layers), room)
        if layer + 1 < deep:
            layers = counted
        else:
            size = _searched(counted)
    return size + worst * len(packed) * (worst > 1)


def _counted(unpacked: Iterator[bytes], room: int) -> Iterator[bytes]:
    """Pass pieces on until they are more than there is room for; what does not unpack ends there."""
    size = 0
    try:
        for piece in unpacked:
            size += len(piece)
            if size > room:
                raise _bomb()
            yield piece
    except zlib.error:
        return


def _searched(unpacked: Iterator[bytes]) -> int:
    """Give the size of what is passed on, once no piece of it names anything that acts."""
    size, before = 0, b""
    for piece in unpacked:
        size += len(piece)
        _refuse_acting(_unescaped(before + piece))
        before = piece[-LONGEST_NAME:]
    return size


def _from_ascii85(text: bytes) -> bytes:
    try:
        return base64.a85decode(text.strip().removesuffix(b"~>").removeprefix(b"<~"))
    except (ValueError, binascii.Error):
        raise _opaque() from None


def _bomb() -> RefusedError:
    return RefusedError(f"unpacks to more than {MOST_UNPACKED:,} bytes: a decompression bomb", PRINT)


def _opaque() -> RefusedError:
    return RefusedError("is a PDF packed in a way that cannot be looked into", PRINT)
