"""PDF: whole, open to be looked into, of a size that can be shown, and with nothing in it that acts.

The file is searched as bytes, and so is everything in it that unpacks. It is not parsed, because readers differ in what they
see. Example: a file with two tables of objects. pikepdf 10.17 reads one table and finds three harmless objects; Firefox reads
the other one and runs a script. Nor can pikepdf be bounded: with its limits set, a file of 49 kB took 3.3 GB of memory.

Deflate is undone wherever a stream begins, whatever its dictionary says, and again in what that unpacks to. ASCII85 is undone
once. A file that may keep objects behind another filter, or behind a predictor, is refused.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from schedule.errors import InputError

MOST_UNPACKED = 512_000_000
"""Bytes that all streams together may unpack to: some twenty scanned pages that nobody compressed."""

MOST_LAYERS = 8
FED, PIECE = 1 << 14, 1 << 16
"""Bytes that zlib takes and returns at once. It copies what it has not used yet, so it takes little."""

WORST = {b"/LZW": 2730, b"/RunLength": 64, b"/RL": 64}
"""How many times its size a stream unpacks to at most, by how the name of its filter begins. These are not undone here."""

PRINT = "print it to a new PDF, and attach that"

ACTS = {
    b"JavaScript": "JavaScript",
    b"Launch": "an action that starts programs",
    b"EmbeddedFile": "files inside",
    b"EmbeddedFiles": "files inside",
    b"RichMedia": "films or programs inside",
    b"Rendition": "films or programs inside",
    b"XFA": "a form with scripts",
}
"""Names that make a document act, and what it is then a PDF with."""

LONGEST_NAME = 64
ENDS = rb"(?![A-Za-z0-9_.+-])"
ACTING = re.compile(rb"/(" + b"|".join(ACTS) + rb")" + ENDS)
LOCKED = re.compile(rb"/Encrypt" + ENDS)
OPAQUE = re.compile(rb"/(?:ASCIIHexDecode|AHx|LZWDecode|LZW|RunLengthDecode|RL|Crypt)" + ENDS)
ASCII85 = re.compile(rb"/(?:ASCII85Decode|A85)" + ENDS)
UNNAMED = re.compile(rb"/Filter" + ENDS + rb"(?!\s*(?:/\w|<<|\[\s*(?:/\w+\s*)*\]))")
"""Filters of a stream that are not named in its dictionary, for example `/Filter 9 0 R`."""

OBJECT_STREAMS = re.compile(rb"/(?:ObjStm|XRef|XRefStm)" + ENDS)
PREDICTED = re.compile(rb"/Predictor" + ENDS + rb"|/(?:DecodeParms|DP)[^/<>]*\d\s+R" + ENDS)
"""A predictor changes the bytes of a stream once more. Its parameters may be elsewhere, for example `/DecodeParms 9 0 R`."""

ESCAPED = re.compile(rb"#([0-9A-Fa-f]{2})")
STREAM = re.compile(rb"(?<!end)stream[ \t]*(?:\r\n|\n|\r)")


class Stream(NamedTuple):
    """A stream of a PDF: `head` is everything since the last one began, `data` goes on behind the `size` that it seems to have."""

    head: bytes
    dictionary: bytes
    data: memoryview
    size: int


def refuse_bad_pdf(content: bytes) -> None:
    """Raise InputError for a PDF that is cut off, locked, acts, or unpacks to too much."""
    if b"%%EOF" not in content[-2048:]:
        raise InputError("is a PDF that is cut off", hint="copy it again")
    names = _unescaped(content)
    if LOCKED.search(names):
        what = "is a PDF locked with a password or rights, and nobody can look into it"
        raise InputError(what, hint=PRINT)
    _refuse_acting(names)
    may_hold_objects = bool(OBJECT_STREAMS.search(names))
    if may_hold_objects and OPAQUE.search(names):
        raise _opaque()
    del names
    room = _Room()
    for stream in _streams(content):
        holds_objects = may_hold_objects and (b"/ObjStm" in stream.head or b"/First" in stream.dictionary)
        if UNNAMED.search(stream.dictionary) or (holds_objects and PREDICTED.search(stream.head)):
            raise _opaque()
        _look_into(stream, room)


def _unescaped(content: bytes) -> bytes:
    """Return the bytes with names as they are meant: /J#61vaScript is /JavaScript."""
    return ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), content)


def _refuse_acting(names: bytes) -> None:
    found = ACTING.search(names)
    if found:
        raise InputError(f"is a PDF with {ACTS[found[1]]}", hint=PRINT)


def _streams(content: bytes) -> Iterator[Stream]:
    before, view = 0, memoryview(content)
    begins = [found.end() for found in STREAM.finditer(content)]
    for begin, following in pairwise([*begins, len(content)]):
        head = _unescaped(content[before:begin])
        dictionary = head.rpartition(b"endstream")[2]
        end = content.rfind(b"endstream", begin, following)
        yield Stream(head, dictionary, view[begin:], (following if end < 0 else end) - begin)
        before = begin


def _look_into(stream: Stream, room: _Room) -> None:
    """Raise InputError if a stream acts or unpacks to more than there is room for."""
    for name, times in WORST.items():
        if name in stream.dictionary:
            room.take(times * stream.size)
    if ASCII85.search(stream.dictionary):
        _Layer(room).feed(_from_ascii85(bytes(stream.data[: stream.size])))
    layer = _Layer(room)
    # not up to its end: the bytes `endstream` may also be in the middle of it
    for at in range(0, len(stream.data), FED):
        if not layer.feed(stream.data[at : at + FED]):
            return


def _from_ascii85(text: bytes) -> bytes:
    try:
        return base64.a85decode(text.strip().removesuffix(b"~>").removeprefix(b"<~"))
    except ValueError:
        raise _opaque() from None


def _opaque() -> InputError:
    return InputError("is a PDF packed in a way that cannot be looked into", hint=PRINT)


class _Room:
    """How many bytes may still be unpacked."""

    def __init__(self) -> None:
        self.left = MOST_UNPACKED

    def take(self, size: int) -> None:
        """Count bytes; raise InputError if there are more than may be unpacked."""
        self.left -= size
        if self.left < 0:
            raise InputError(f"unpacks to more than {MOST_UNPACKED:,} bytes: a decompression bomb", hint=PRINT)


class _Layer:
    """A layer of Deflate: what it unpacks to is searched for names that act, and for another layer inside."""

    def __init__(self, room: _Room, layers: int = MOST_LAYERS) -> None:
        self.room, self.layers = room, layers
        self.engine, self.most = zlib.decompressobj(), PIECE
        self.inner: _Layer | None = None
        self.searched = b""

    def feed(self, packed: bytes | memoryview) -> bool:
        """Look into more of the packed data; return whether the layer goes on behind it."""
        for piece in self._unpacked(packed):
            self.room.take(len(piece))
            self.searched = self.searched[-LONGEST_NAME:] + piece
            _refuse_acting(_unescaped(self.searched))
            if not self.layers:
                raise _opaque()
            self.inner = self.inner or _Layer(self.room, self.layers - 1)
            self.inner.feed(piece)
        goes_on = self.most > 0 and not self.engine.eof
        if goes_on:
            self.room.take(len(packed))  # data that unpacks to nothing takes time as well
        return goes_on

    def _unpacked(self, packed: bytes | memoryview) -> Iterator[bytes]:
        """Yield what data unpacks to, up to the byte where it is damaged: readers show that much of it."""
        while self.most and not self.engine.eof:
            before = self.engine.copy()
            try:
                piece = self.engine.decompress(packed, self.most)
            except zlib.error:
                self.engine, self.most = before, self.most // 16
                continue
            packed = self.engine.unconsumed_tail
            if not piece and not packed:
                return
            yield piece
