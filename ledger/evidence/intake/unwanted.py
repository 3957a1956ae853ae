"""Programs, archives, office documents and foreign pictures, known by how they begin, so that the refusal can name them."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from schedule.errors import InputError

PROGRAM = "attach what it printed, as text, or a picture of it"
UNPACK = "unpack it and attach the files that matter, one by one"
OFFICE = "save it as PDF and attach that"
PICTURE = "save it as JPEG or PNG and attach that"

SIGNATURES: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"\x7fELF", "is a program (ELF)", PROGRAM),
    (0, b"\xfe\xed\xfa\xce", "is a program (Mach-O)", PROGRAM),
    (0, b"\xfe\xed\xfa\xcf", "is a program (Mach-O)", PROGRAM),
    (0, b"\xce\xfa\xed\xfe", "is a program (Mach-O)", PROGRAM),
    (0, b"\xcf\xfa\xed\xfe", "is a program (Mach-O)", PROGRAM),
    (0, b"\xca\xfe\xba\xbe", "is a program (Mach-O or Java)", PROGRAM),
    (0, b"\xbe\xba\xfe\xca", "is a program (Mach-O)", PROGRAM),
    (0, b"\x00asm", "is a program (WebAssembly)", PROGRAM),
    (0, b"MZ", "is a Windows program (PE)", PROGRAM),
    (0, b"L\x00\x00\x00\x01\x14\x02\x00", "is a Windows shortcut", PROGRAM),
    (0, b"\x1f\x8b", "is an archive (gzip)", UNPACK),
    (0, b"\x1f\x9d", "is an archive (compress)", UNPACK),
    (0, b"BZh", "is an archive (bzip2)", UNPACK),
    (0, b"\xfd7zXZ\x00", "is an archive (xz)", UNPACK),
    (0, b"(\xb5/\xfd", "is an archive (zstd)", UNPACK),
    (0, b"\x04\x22\x4d\x18", "is an archive (lz4)", UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "is an archive (7z)", UNPACK),
    (0, b"Rar!\x1a\x07", "is an archive (rar)", UNPACK),
    (0, b"MSCF\x00\x00\x00\x00", "is an archive (cabinet)", UNPACK),
    (257, b"ustar", "is an archive (tar)", UNPACK),
    (32769, b"CD001", "is a disk image", UNPACK),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an office document of the old kind, which may hold macros", OFFICE),
    (0, b"GIF8", "is a GIF picture", PICTURE),
    (8, b"WEBP", "is a WebP picture", PICTURE),
    (0, b"II*\x00", "is a TIFF picture", PICTURE),
    (0, b"MM\x00*", "is a TIFF picture", PICTURE),
    (4, b"ftyphei", "is a HEIC picture", PICTURE),
    (4, b"ftypmif1", "is a HEIC picture", PICTURE),
    (4, b"ftypavif", "is an AVIF picture", PICTURE),
    (4, b"ftyp", "is a film", PICTURE),
)
"""Where, which bytes, what the content is then, and what to do. Only content that is no text is compared with them."""

BEGINNINGS = (
    (r"#!", "is a script (#!)", PROGRAM),
    (r"@echo off", "is a Windows script", PROGRAM),
    (r"\[(?:internetshortcut|desktop entry|autorun)\]", "is a shortcut", PROGRAM),
    (r"windows registry editor|regedit4", "is a registry script", PROGRAM),
    (r"\{\\rtf", "is a rich-text document, which may hold programs", OFFICE),
    (r"%!ps", "is PostScript, which is a program", OFFICE),
    (r"!<arch>\n", "is an archive (ar)", UNPACK),
)
"""How text begins that a computer would run or unpack, what it is then, and what to do."""

MANY_ENTRIES = 100_000
BOMB_RATIO = 100
BOMB_BYTES = 100_000_000


def refuse_program(text: str) -> None:
    """Raise InputError for text that a computer would run or unpack; capitals and leading blanks make no difference."""
    begins = text.lstrip("\ufeff \t\r\n\f")
    for pattern, what, hint in BEGINNINGS:
        if re.match(pattern, begins, re.IGNORECASE):
            raise InputError(what, hint=hint)


def refusal_of_bytes(content: bytes) -> InputError:
    """Return why content is refused that is no text, no picture and no PDF."""
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _of_zip(content)
    for at, magic, what, hint in SIGNATURES:
        if content[at : at + len(magic)] == magic:
            return InputError(what, hint=hint)
    return InputError(
        "is of no kind that is taken",
        hint="text (UTF-8), JSON, CSV, PNG, JPEG and PDF are; save it as one of them",
    )


def refuse_archive_behind(content: bytes) -> None:
    """Raise InputError for a document that a reader of ZIP archives, which begins at the end, takes for an archive."""
    at = content.rfind(b"PK\x05\x06", -65_557)
    comment = int.from_bytes(content[at + 20 : at + 22], "little")
    if at >= 0 and at + 22 + comment == len(content):
        raise InputError("is an archive (zip) as well", hint="attach the document alone")


def _of_zip(content: bytes) -> InputError:
    """Return the refusal of a ZIP archive, by its list of contents; nothing is unpacked."""
    if content.count(b"PK\x01\x02") > MANY_ENTRIES:
        return InputError("is an archive (zip) of very many files: an archive bomb", hint=UNPACK)
    try:
        with zipfile.ZipFile(BytesIO(content)) as held:
            names = {entry.filename for entry in held.infolist()}
            unpacked = sum(entry.file_size for entry in held.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return InputError("is an archive (zip), and a damaged one", hint=UNPACK)
    if unpacked > max(BOMB_BYTES, BOMB_RATIO * len(content)):
        what = f"is an archive (zip) that unpacks from {len(content):,} to {unpacked:,} bytes: an archive bomb"
        return InputError(what, hint=UNPACK)
    if any(name.lower().endswith("vbaproject.bin") or "macrosheets/" in name for name in names):
        return InputError("is an office document with macros", hint=OFFICE)
    if "[Content_Types].xml" in names or "mimetype" in names:
        return InputError("is an office document, which may hold macros", hint=OFFICE)
    if "META-INF/MANIFEST.MF" in names:
        return InputError("is a program (Java archive)", hint=PROGRAM)
    return InputError("is an archive (zip)", hint=UNPACK)
