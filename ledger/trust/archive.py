"""The file of a backup: a tar of plain files, compressed by gzip or zstd. Its first two files say what is in it.

`backup.json` names the site, its last event and the totals. `SHA256SUMS` lists every file in the form of sha256sum(1).

An archive is not trusted. Each file must be a plain file at a path that a backup may have, must occur once, and must have the
listed digest. The archive may not have more bytes than it announces, and may not announce more than an archive of its size can hold. Links, devices, extended headers and paths to another
folder are refused.

`tarfile` parses each header, but it does not read the archive as a whole. It would read an extended header completely into
memory before that header could be refused, also with `filter="data"`: an archive of 1.5 MB needed 2.9 GB in that way.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from io import BytesIO
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import IO, NamedTuple, cast

from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from schedule.text import HIDDEN

CONTENTS, SUMS = "backup.json", "SHA256SUMS"
FORMAT = 1
BLOCK, CHUNK = 512, 1024 * 1024
MAX_CONTENTS, MAX_SUMS = 64 * 1024, 256 * 1024 * 1024
SMALL, RATIO = 100_000_000, 200
"""An archive may always unpack to as many bytes, and to more if it is no more than 200 times its own size.

Ledgers and logs are packed to a tenth, zeros to a thousandth.
"""

DIGEST_BYTES = 32
"""The least that a file adds to an archive: nothing can pack its digest into fewer bytes."""

MAX_PATH = 100
"""How many bytes a path in a tar header may have. Longer paths need extended headers, which are refused."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
SINGLE = frozenset({"site.yaml", "ledger.db", ".clusterwright/anchors.jsonl", "evidence/store.yaml"})
NEEDED = frozenset({"site.yaml", "ledger.db"})
EVIDENCE = re.compile(r"evidence/(?:sha256/([0-9a-f]{2})/(?=\1)|people/)([0-9a-f]{64})")
PART = re.compile(r"(?!\.{1,2}$)[^/\\\x00-\x1f\x7f-\x9f]+")
SUM = re.compile(r"([0-9a-f]{64})  (.+)")

Process = Popen[bytes]
Pipe = int | IO[bytes]
"""An open file, or subprocess.PIPE."""


class Ending(NamedTuple):
    """The site of a ledger, its last event, and whether it is a rehearsal."""

    site: str
    seq: int
    hash: str
    rehearsal: bool


class Contents(NamedTuple):
    """What a backup says about itself: the site, its last event, when and by which program it was made, and how much it has."""

    site: str
    seq: int
    hash: str
    rehearsal: bool
    made_at: str
    program: str
    files: int
    bytes: int


class Member(NamedTuple):
    """A file to pack: its path in the archive, its place on this machine, and its SHA-256."""

    path: str
    source: Path
    sha256: str


def is_a_place(path: str) -> bool:
    """Return whether a backup may have a file at this path."""
    if path in SINGLE or EVIDENCE.fullmatch(path):
        return True
    parts = path.split("/")
    is_plain = all(map(PART.fullmatch, parts)) and not HIDDEN.search(path)
    is_table = len(parts) == 1 and path.endswith(".csv")
    return is_plain and (is_table or (parts[0] == "catalog" and len(parts) > 1))


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pack(
    target: Path,
    members: list[Member],
    last: Ending,
    *,
    made_at: datetime,
    program: str,
) -> Contents:
    """Write an archive of a ledger that ends so, and return what it says about itself. It is compressed as the end of its name says: .tar.gz or .tar.zst."""
    size = sum(member.source.stat().st_size for member in members)
    moment, count = made_at.isoformat(), len(members)
    contents = Contents(*last, moment, program, count, size)
    said = json.dumps({"backup": FORMAT, **contents._asdict()}, indent=2) + "\n"
    sums = "".join(f"{member.sha256}  {member.path}\n" for member in members)
    begins = {CONTENTS: said.encode(), SUMS: sums.encode()}
    with (
        _compressed(target) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as tar,
    ):
        for name, held in begins.items():
            tar.addfile(_header(name, len(held), made_at), BytesIO(held))
        for member in members:
            with member.source.open("rb") as file:
                header = _header(member.path, member.source.stat().st_size, made_at)
                tar.addfile(header, file)
    return contents


def _header(path: str, size: int, made_at: datetime) -> tarfile.TarInfo:
    """Return a header that does not say who packed the file."""
    if len(path.encode()) > MAX_PATH:
        hint = f"{MAX_PATH} bytes are the limit"
        raise InputError(f"{path} is too long a path for a backup", hint=hint)
    info = tarfile.TarInfo(path)
    info.size, info.mtime, info.mode = size, int(made_at.timestamp()), 0o644
    return info


def unpack(archive: Path, folder: Path) -> Contents:
    """Write the files of an archive into an empty folder, and return what the archive says about itself.

    Each file is compared with its digest. Raise NotSatisfiedError if something is not as the archive says, and
    UnreachableError if it is damaged or no backup.
    """
    try:
        with _decompressed(archive) as stream:
            return _unpacked(stream, archive, folder)
    except (EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError) as error:
        raise UnreachableError(f"{archive} is damaged or no backup: {error}", hint="take another backup") from None
    except OSError as error:
        raise UnreachableError(f"{archive} cannot be unpacked into {folder}: {error.strerror}") from None


def _unpacked(stream: IO[bytes], archive: Path, folder: Path) -> Contents:
    packed = archive.stat().st_size
    contents = _contents(_announced(stream, archive, CONTENTS, MAX_CONTENTS), archive)
    _refuse_bomb(contents, packed, archive)
    sums = _sums(_announced(stream, archive, SUMS, min(MAX_SUMS, RATIO * packed)), archive)
    if len(sums) != contents.files:
        raise _not_its_own(archive, f"it lists {len(sums)} files and announces {contents.files}")
    if shutil.disk_usage(folder).free < contents.bytes:
        raise UnreachableError(f"{folder} has no room for {contents.bytes:,} bytes", hint="free some space")
    left, seen = contents.bytes, set[str]()
    while (header := _next(stream)) is not None:
        path, left = header.name, left - header.size
        if path in seen:
            raise _not_its_own(archive, f"{path!r} is in it twice")
        if path not in sums:
            raise _not_its_own(archive, f"{path!r} is in it and not listed")
        if header.size < 0 or left < 0:
            raise _not_its_own(archive, f"it holds more than the {contents.bytes:,} bytes it announces")
        seen.add(path)
        if _write(stream, header.size, folder / path) != sums[path]:
            raise _not_its_own(archive, f"{path} was changed")
    if left or seen != sums.keys():
        missing = min(sums.keys() - seen, default="a part of it")
        raise _not_its_own(archive, f"{missing} is missing")
    return contents


def _refuse_bomb(contents: Contents, packed: int, archive: Path) -> None:
    """Raise NotSatisfiedError for an archive that announces more bytes, or more files, than one of its size can hold."""
    if contents.bytes > max(SMALL, RATIO * packed):
        raise _not_its_own(archive, f"it has {packed:,} bytes and announces {contents.bytes:,}: an archive bomb")
    if contents.files * DIGEST_BYTES > packed:
        raise _not_its_own(archive, f"it has {packed:,} bytes and announces {contents.files:,} files: an archive bomb")


def _next(stream: IO[bytes]) -> tarfile.TarInfo | None:
    """Return the next header. None at the end of the archive, which consists of zeros."""
    block = _read(stream, BLOCK)
    if block.count(0) == BLOCK:
        if any(stream.read(CHUNK)):
            raise tarfile.TarError("something follows its end")
        return None
    header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    if header.type != tarfile.REGTYPE:
        raise tarfile.TarError(f"{header.name!r} is not a plain file")
    return header


def _announced(stream: IO[bytes], archive: Path, name: str, limit: int) -> str:
    header = _next(stream)
    if header is None or header.name != name or not 0 <= header.size <= limit:
        raise UnreachableError(f"{archive} is no backup: it has no {name} where one begins")
    held = b"".join(_pieces(stream, header.size))
    try:
        return held.decode()
    except UnicodeDecodeError:
        raise UnreachableError(f"{archive} is no backup: its {name} is not text") from None


def _contents(text: str, archive: Path) -> Contents:
    try:
        said = json.loads(text)
        made = said.pop("backup")
        if made != FORMAT:
            raise UnreachableError(
                f"{archive} is a backup of format {made}; this program reads {FORMAT}", hint="upgrade clusterwright"
            )
        contents = Contents(**said)
        kinds = [str, int, str, bool, str, str, int, int]
        if [type(value) for value in contents] == kinds:
            return contents
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass  # refused below, as contents with values of other types are
    raise UnreachableError(f"{archive} is no backup: its {CONTENTS} does not read")


def _sums(text: str, archive: Path) -> dict[str, str]:
    """Return the digest of every path that is listed; each is one that a backup may have."""
    sums: dict[str, str] = {}
    for line in text.removesuffix("\n").split("\n"):
        found = SUM.fullmatch(line)
        if found is None or found[2] in sums:
            raise _not_its_own(archive, f"its {SUMS} has the line {line[:80]!r}")
        digest, path = found.groups()
        if not is_a_place(path):
            raise _not_its_own(archive, f"no backup has a file at {path!r}")
        if (named := EVIDENCE.fullmatch(path)) and named[2] != digest:
            raise _not_its_own(archive, f"{path} is not named by its digest")
        sums[path] = digest
    for path in NEEDED - sums.keys():
        raise _not_its_own(archive, f"it has no {path}")
    return sums


def _write(stream: IO[bytes], size: int, place: Path) -> str:
    """Write a file that does not exist yet, and return its SHA-256. No folder on its way is a link: the archive has none."""
    place.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with place.open("xb") as file:
        for piece in _pieces(stream, size):
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def _pieces(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the content of a file piece by piece, and skip the bytes that fill its last block."""
    for at in range(0, size, CHUNK):
        yield _read(stream, min(CHUNK, size - at))
    _read(stream, -size % BLOCK)


def _read(stream: IO[bytes], size: int) -> bytes:
    held = stream.read(size)
    if len(held) < size:
        raise EOFError("it ends too early")
    return held


def _not_its_own(archive: Path, why: str) -> NotSatisfiedError:
    what = f"{archive} is not what it says it is: {why}"
    return NotSatisfiedError(what, hint="it was changed; take another backup")


@contextmanager
def _compressed(target: Path) -> Iterator[IO[bytes]]:
    if target.name.endswith(".tar.zst"):
        with (
            target.open("xb") as file,
            _piped("-T0", stdin=PIPE, stdout=file) as process,
        ):
            assert process.stdin is not None
            yield process.stdin
            process.stdin.close()
            if process.wait():
                raise UnreachableError(f"zstd could not write {target}", hint="check free space")
    elif target.name.endswith((".tar.gz", ".tgz")):
        with (
            target.open("xb") as file,
            gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        ):
            yield cast("IO[bytes]", packed)
    else:
        what = f"{target.name} does not say how to compress"
        raise InputError(what, hint="name it .tar.gz or .tar.zst")


@contextmanager
def _decompressed(archive: Path) -> Iterator[IO[bytes]]:
    """Yield the tar in an archive, which is compressed as its first bytes say.

    How decompression ended is not checked, because every file is compared with its digest.
    """
    if archive.exists() and not archive.is_file():  # a pipe would be waited for
        raise InputError(f"{archive} is not a file")
    try:
        file = archive.open("rb")
    except OSError as error:
        raise InputError(f"{archive} cannot be read: {error.strerror}") from None
    with file:
        magic = os.pread(file.fileno(), len(ZSTD), 0)  # without moving: zstd reads from the same descriptor
        if magic == ZSTD:
            with _piped("-d", stdin=file, stdout=PIPE) as process:
                assert process.stdout is not None
                yield process.stdout
        elif magic.startswith(GZIP):
            with gzip.GzipFile(fileobj=file) as packed:
                yield cast("IO[bytes]", packed)
        else:
            raise UnreachableError(f"{archive} is no backup: neither gzip nor zstd")


@contextmanager
def _piped(word: str, *, stdin: Pipe, stdout: Pipe) -> Iterator[Process]:
    """Run zstd, which the standard library has from Python 3.14 on, until the block ends."""
    command = ["zstd", "-q", "-c", word]
    try:
        process = Popen(command, stdin=stdin, stdout=stdout, stderr=DEVNULL)
    except FileNotFoundError:
        raise UnreachableError("zstd is not installed", hint="install it, or name the backup .tar.gz") from None
    try:
        yield process
    finally:
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.wait()
