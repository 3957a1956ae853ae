"""A backup as a file: a tar of plain files, gzipped or through zstd, that says first what is in it.

`backup.json` names the site, the head and the totals, `SHA256SUMS` every file as sha256sum(1) checks it. Reading trusts
nothing: only plain files at paths that a backup has, each once, each with its digest, and no more bytes than were
announced. Links, devices, extended headers and paths that lead elsewhere have no way in.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple, cast

from steps.errors import InputError, NotSatisfiedError, UnreachableError

CONTENTS, SUMS = "backup.json", "SHA256SUMS"
FORMAT = 1
BLOCK, CHUNK = 512, 1024 * 1024
MAX_CONTENTS, MAX_SUMS = 64 * 1024, 256 * 1024 * 1024
MAX_PATH = 100
"""What a tar header holds without extensions; none are read."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
SINGLE = frozenset({"site.yaml", "ledger.db", ".clusterwright/anchors.jsonl", "evidence/store.yaml"})
NEEDED = frozenset({"site.yaml", "ledger.db"})
EVIDENCE = re.compile(r"evidence/(?:sha256/([0-9a-f]{2})/(?=\1)|people/)([0-9a-f]{64})")
PART = re.compile(r"(?!\.{1,2}$)[^/\\\x00-\x1f\x7f-\x9f]+")
SUM = re.compile(r"([0-9a-f]{64})  (.+)")


class Contents(NamedTuple):
    """What a backup says of itself: the site, its last event, when and by what it was made, and how much it holds."""

    site: str
    seq: int
    hash: str
    rehearsal: bool
    made_at: str
    program: str
    files: int
    bytes: int


class Member(NamedTuple):
    """A file to pack: its path in the archive, where it lies, and its SHA-256."""

    path: str
    source: Path
    sha256: str


def is_a_place(path: str) -> bool:
    """Say whether a backup has a file at this path."""
    if path in SINGLE or EVIDENCE.fullmatch(path):
        return True
    first, *rest = path.split("/")
    return first == "catalog" and bool(rest) and all(PART.fullmatch(part) for part in rest)


def digest_of(path: Path) -> str:
    """Give the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pack(
    target: Path,
    members: list[Member],
    *,
    site: str,
    seq: int,
    head: str,
    rehearsal: bool,
    made_at: datetime,
    program: str,
) -> Contents:
    """Write an archive; the end of its name says how it is compressed."""
    size = sum(member.source.stat().st_size for member in members)
    contents = Contents(site, seq, head, rehearsal, made_at.isoformat(), program, len(members), size)
    said = json.dumps({"backup": FORMAT, **contents._asdict()}, indent=2) + "\n"
    sums = "".join(f"{member.sha256}  {member.path}\n" for member in members)
    with _compressed(target) as stream, tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as tar:
        for name, text in ((CONTENTS, said), (SUMS, sums)):
            tar.addfile(_header(name, len(text.encode()), made_at), BytesIO(text.encode()))
        for member in members:
            with member.source.open("rb") as file:
                tar.addfile(_header(member.path, member.source.stat().st_size, made_at), file)
    return contents


def _header(path: str, size: int, made_at: datetime) -> tarfile.TarInfo:
    """Give a header that says nothing of who packed it."""
    if len(path.encode()) > MAX_PATH:
        raise InputError(f"{path} is too long a path for a backup", hint=f"{MAX_PATH} bytes are the limit")
    info = tarfile.TarInfo(path)
    info.size, info.mtime, info.mode = size, int(made_at.timestamp()), 0o644
    return info


def unpack(archive: Path, folder: Path) -> Contents:
    """Write the files of an archive into an empty folder, each held against its digest; give what it says of itself."""
    try:
        with _decompressed(archive) as stream:
            return _unpacked(stream, archive, folder)
    except (EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError) as error:
        raise UnreachableError(f"{archive} is damaged or no backup: {error}", hint="take another backup") from None
    except OSError as error:
        raise UnreachableError(f"{archive} cannot be unpacked into {folder}: {error.strerror}") from None


def _unpacked(stream: IO[bytes], archive: Path, folder: Path) -> Contents:
    contents = _contents(_announced(stream, archive, CONTENTS, MAX_CONTENTS), archive)
    sums = _sums(_announced(stream, archive, SUMS, MAX_SUMS), archive)
    if len(sums) != contents.files:
        raise _not_its_own(archive, f"it lists {len(sums)} files and announces {contents.files}")
    if shutil.disk_usage(folder).free < contents.bytes:
        raise UnreachableError(f"{folder} has no room for {contents.bytes:,} bytes", hint="free some space")
    left, seen = contents.bytes, set[str]()
    while (header := _next(stream)) is not None:
        path, left = header.name, left - header.size
        if path not in sums or path in seen:
            raise _not_its_own(archive, f"{path!r} is in it {'twice' if path in seen else 'and not listed'}")
        if header.size < 0 or left < 0:
            raise _not_its_own(archive, f"it holds more than the {contents.bytes:,} bytes it announces")
        seen.add(path)
        if _write(stream, header.size, folder / path) != sums[path]:
            raise _not_its_own(archive, f"{path} was changed")
    if left or seen != sums.keys():
        raise _not_its_own(archive, f"{min(sums.keys() - seen, default='a part of it')} is missing")
    return contents


def _next(stream: IO[bytes]) -> tarfile.TarInfo | None:
    """Give the next header; after the last one there are only zeros."""
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
    held = b"".join(_chunks(stream, header.size))
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
        kinds = (str, int, str, bool, str, str, int, int)
        if all(type(value) is kind for value, kind in zip(contents, kinds, strict=True)):
            return contents
    except (ValueError, KeyError, TypeError, AttributeError):
        pass  # the same as one whose values are of other kinds
    raise UnreachableError(f"{archive} is no backup: its {CONTENTS} does not read")


def _sums(text: str, archive: Path) -> dict[str, str]:
    """Give the digest of every path, each one that a backup has."""
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
    """Write one file and give its SHA-256; it is new, and nothing on its way is a link."""
    place.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with place.open("xb") as file:
        for chunk in _chunks(stream, size):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def _chunks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Give a member's content piece by piece, and pass over what fills its last block."""
    left = size
    while left:
        chunk = _read(stream, min(left, CHUNK))
        left -= len(chunk)
        yield chunk
    _read(stream, -size % BLOCK)


def _read(stream: IO[bytes], size: int) -> bytes:
    held = b""
    while len(held) < size:
        more = stream.read(size - len(held))
        if not more:
            raise EOFError("it ends too early")
        held += more
    return held


def _not_its_own(archive: Path, why: str) -> NotSatisfiedError:
    return NotSatisfiedError(f"{archive} is not what it says it is: {why}", hint="it was changed; take another backup")


@contextmanager
def _compressed(target: Path) -> Iterator[IO[bytes]]:
    if target.name.endswith(".tar.zst"):
        with target.open("xb") as file, _piped("-T0", stdin=subprocess.PIPE, stdout=file) as process:
            assert process.stdin is not None
            yield process.stdin
            process.stdin.close()
            if process.wait():
                raise UnreachableError(f"zstd could not write {target}", hint="check free space")
    elif target.name.endswith((".tar.gz", ".tgz")):
        with target.open("xb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            yield cast("IO[bytes]", packed)
    else:
        raise InputError(f"{target.name} does not say how to compress", hint="name it .tar.gz or .tar.zst")


@contextmanager
def _decompressed(archive: Path) -> Iterator[IO[bytes]]:
    """Give the content of an archive, by how it begins; every file of it is held against a digest, and so is not the end."""
    try:
        file = archive.open("rb")
    except OSError as error:
        raise InputError(f"{archive} cannot be read: {error.strerror}") from None
    with file:
        magic = os.pread(file.fileno(), len(ZSTD), 0)  # zstd reads on from where the descriptor stands
        if magic == ZSTD:
            with _piped("-d", stdin=file, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                yield process.stdout
        elif magic.startswith(GZIP):
            with gzip.GzipFile(fileobj=file) as packed:
                yield cast("IO[bytes]", packed)
        else:
            raise UnreachableError(f"{archive} is no backup: neither gzip nor zstd")


@contextmanager
def _piped(word: str, *, stdin: int | IO[bytes], stdout: int | IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Run zstd, which the standard library does not know before 3.14; it ends with the block."""
    try:
        process = subprocess.Popen(["zstd", "-q", "-c", word], stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
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
