"""Files that nobody should be able to attach, made as an attacker would make them, and honest ones beside them."""

from __future__ import annotations

import gzip
import struct
import zipfile
import zlib
from io import BytesIO
from typing import Any

from PIL import Image

PNG = b"\x89PNG\r\n\x1a\n"


def label(value: object) -> str:
    """Name a case by what is said of it; its bytes would make a name of megabytes."""
    return value if isinstance(value, str) else "content"


def png_chunk(kind: bytes, held: bytes) -> bytes:
    """Return a chunk with its checksum."""
    return len(held).to_bytes(4, "big") + kind + held + zlib.crc32(kind + held).to_bytes(4, "big")


def png(width: int, height: int, rows: bytes, *extra: bytes) -> bytes:
    """Return a grey picture whose packed rows are the caller's, with further chunks before them."""
    head = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return PNG + head + b"".join(extra) + png_chunk(b"IDAT", rows) + png_chunk(b"IEND", b"")


def grey(width: int = 8, height: int = 8) -> bytes:
    """Return the packed rows of a grey picture."""
    return zlib.compress((b"\x00" + b"\x80" * width) * height)


def photo(kind: str = "JPEG", **save: Any) -> bytes:
    """Return a picture with something on it."""
    made = BytesIO()
    picture = Image.linear_gradient("L").convert("RGB").resize((320, 240))
    picture.save(made, kind, **save)
    return made.getvalue()


def exif(*, gps: bool = True) -> Image.Exif:
    """Return a camera's EXIF: orientation, time, exposure, and where the camera was."""
    held = Image.Exif()
    held[0x0112] = 6  # turned
    held[0x0132] = "2026:11:20 14:03:00"
    held[0x010F] = "Camera Works"
    held.get_ifd(0x8769)[0x9003] = "2026:11:20 14:02:59"
    held.get_ifd(0x8769)[0x829A] = 0.01
    if gps:
        held.get_ifd(0x8825).update(
            {1: "N", 2: (59.0, 54.0, 48.77), 3: "E", 4: (10.0, 45.0, 8.11), 29: "2026:11:20"},
        )
    return held


XMP = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""'
    ' xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"'
    ' xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" exif:GPSLatitude="59,54.8128N"'
    ' xmp:CreateDate="2026-11-20T14:02:59"><photoshop:City>Oslo</photoshop:City></rdf:Description></rdf:RDF>'
    '</x:xmpmeta><?xpacket end="w"?>'
).encode()
"""What a picture editor writes: when, and where twice."""


def segment(marker: int, held: bytes) -> bytes:
    """Return a JPEG segment."""
    return bytes((0xFF, marker)) + (len(held) + 2).to_bytes(2, "big") + held


def with_segments(jpeg: bytes, *segments: bytes) -> bytes:
    """Put segments right behind the start of a picture."""
    return jpeg[:2] + b"".join(segments) + jpeg[2:]


def zipped(entries: dict[str, bytes]) -> bytes:
    """Return a ZIP archive."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return made.getvalue()


def zip_bomb() -> bytes:
    """Return some 200 kB that unpack to 200 MB."""
    return zipped({f"{n}.txt": bytes(20_000_000) for n in range(10)})


def gzip_bomb() -> bytes:
    """Return some 100 kB that unpack to 100 MB."""
    return gzip.compress(bytes(100_000_000), 1)


def macro_document() -> bytes:
    """Return the skeleton of a Word document with a macro."""
    return zipped({"[Content_Types].xml": b"<Types/>", "word/vbaProject.bin": b"\xd0\xcf\x11\xe0" + bytes(64)})


def pe() -> bytes:
    """Return the head of a Windows program."""
    return b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\x00\x00\x64\x86" + bytes(64)


def mach_o() -> bytes:
    """Return the head of a macOS program."""
    return struct.pack("<IIIIIII", 0xFEEDFACF, 0x01000007, 3, 2, 0, 0, 0) + bytes(32)


def stream(content: bytes, filters: str = "", more: str = "") -> bytes:
    """Return a PDF stream."""
    named = f"/Filter [{filters}]" if filters else ""
    return f"<< /Length {len(content)} {named} {more} >>\nstream\n".encode() + content + b"\nendstream"


def pdf(*objects: bytes) -> bytes:
    """Return a PDF of one page and further objects, with its table of places."""
    pages = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
    ]
    made, places = b"%PDF-1.5\n", list[int]()
    for number, held in enumerate([*pages, *objects], start=1):
        places.append(len(made))
        made += f"{number} 0 obj\n".encode() + held + b"\nendobj\n"
    table = b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    size = len(places) + 1
    trailer = f"trailer << /Root 1 0 R /Size {size} >>\nstartxref\n{len(made)}\n%%EOF\n".encode()
    return made + f"xref\n0 {size}\n0000000000 65535 f \n".encode() + table + trailer


def two_tables(action: bytes) -> bytes:
    """Return a PDF made for the web whose first table of objects leads to an action, and whose last table does not.

    pikepdf 10.17 reads the last table and finds three harmless objects. PDF.js 4.10, which is Firefox's reader, reads the first
    one and runs the action.
    """
    places = dict.fromkeys((10, 11, 12, 1, 2, 3), 0)
    made = b""
    for _ in range(2):  # the second time with the right places
        objects = {
            10: b"<< /Linearized 1 /L %010d /H [500 100] /O 3 /E 900 /N 1 /T 900 >>" % len(made),
            11: b"<< /Type /Catalog /Pages 2 0 R /OpenAction 12 0 R >>",
            12: action,
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
        }
        row = {number: b"%d 1\n%010d 00000 n \n" % (number, place) for number, place in places.items()}
        first = b"xref\n" + row[2] + row[3] + row[10] + row[11] + row[12] + b"trailer << /Root 11 0 R /Size 13 >>\n"
        made = b"%PDF-1.5\n"
        for number, held in objects.items():
            places[number] = len(made)
            made += b"%d 0 obj\n" % number + held + b"\nendobj\n" + (first if number == 10 else b"")
        last = b"xref\n0 1\n0000000000 65535 f \n" + row[1] + row[2] + row[3]
        made += last + b"trailer << /Root 1 0 R /Size 4 >>\nstartxref\n%d\n%%%%EOF\n" % len(made)
    return made
