"""A backup is taken while others write, says what is in it, and comes back whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import time
import tracemalloc
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ledger.evidence import folder
from ledger.evidence import store as evidence
from ledger.subjects.work.decisions import comment
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust.anchors import head_anchor, remember
from ledger.trust.audit import audit
from ledger.trust.backup import back_up, restore
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError, UnreachableError
from tests.ledger.conftest import Clock
from tests.ledger.journey import bought, racked
from tests.ledger.rebuilding import events
from tests.ledger.test_golden import GOLDEN
from tests.needs import needs

pytestmark = pytest.mark.slow

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Files = dict[str, bytes]
Members = list[tuple[tarfile.TarInfo, bytes]]
SUFFIXES = [
    "tar.gz",
    pytest.param("tar.zst", marks=needs("zstd")),
]


@pytest.fixture
def site(ledger: Ledger, clock: Clock) -> Path:
    """Return a site with work, evidence, a catalog of its own and things that stay at home."""
    bought(ledger)
    racked(ledger)
    folder = ledger.site_dir
    for name, text in (
        ("site.yaml", "name: Small\npeople: people.csv\n"),
        ("people.csv", "id,name,roles\npm,Petra Manz,owner-pm\n"),
        ("catalog/networking/X01_own.yaml", "id: X01\n"),
        ("inventory/hosts.yml", "all: {vars: {ansible_password: secret}}\n"),
        (".clusterwright/prefect/prefect.db", "engine"),
        (".clusterwright/dashboard-login", "engine"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def put_away(site: Path, target: Path) -> Path:
    """Write a backup and return its file."""
    back_up(site, target, made_at=NOW, program="test")
    return target


def files(folder: Path) -> Files:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_put_away_comes_back(site: Path, tmp_path: Path, suffix: str) -> None:
    """Record, evidence, people and catalog; neither the inventory nor the engine's own files."""
    head = head_anchor(site)
    remember(site, head)
    made = back_up(site, tmp_path / f"b.{suffix}", made_at=NOW, program="test")

    back = restore(tmp_path / f"b.{suffix}", tmp_path / "back")

    assert made.left_out == ()
    assert back.contents == made.contents
    assert (back.contents.seq, back.contents.hash, back.contents.site) == (head.seq, head.hash, head.site)
    assert audit(tmp_path / "back") == []
    assert audit(tmp_path / "back").anchors.up_to == head.seq
    assert events(tmp_path / "back") == events(site)
    kept = {
        name: held for name, held in files(site).items() if name.startswith(("site", "people", "catalog", "evidence"))
    }
    assert len(kept) > 3
    restored = files(tmp_path / "back")
    assert restored.keys() == kept.keys() | {"ledger.db", ".clusterwright/anchors.jsonl"}
    assert kept.items() <= restored.items()


def test_the_ledger_of_an_earlier_release_is_put_away_as_it_is(tmp_path: Path) -> None:
    """Nobody has to open it for writing first."""
    shutil.unpack_archive(GOLDEN / "v0.1.0.tar.xz", tmp_path)

    back = restore(put_away(tmp_path / "v0.1.0", tmp_path / "b.tar.gz"), tmp_path / "back")

    assert (back.contents.seq, back.contents.rehearsal, back.findings) == (743, True, [])


def test_what_came_back_goes_on(site: Path, tmp_path: Path, clock: Clock) -> None:
    restore(put_away(site, tmp_path / "b.tar.gz"), tmp_path / "back")

    with Ledger.open(tmp_path / "back", clock=clock) as ledger:
        comment(ledger, "pm", "001@site", "we go on")

    assert audit(tmp_path / "back") == []


def test_stock_tools_check_a_backup(site: Path, tmp_path: Path) -> None:
    put_away(site, tmp_path / "b.tar.gz")
    (tmp_path / "by-hand").mkdir()
    subprocess.run(["tar", "xzf", tmp_path / "b.tar.gz", "-C", tmp_path / "by-hand"], check=True)

    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], check=True, cwd=tmp_path / "by-hand")
    assert json.loads((tmp_path / "by-hand" / "backup.json").read_text())["made_at"] == NOW.isoformat()


WRITER = """
import sys
from pathlib import Path
from ledger.writing import Ledger
from ledger.subjects.work.evidence_decisions import attach
with Ledger.open(Path(sys.argv[1])) as ledger:
    for number in range(100_000):
        attach(ledger, "tech", "001@site", f"photo {number}".encode() * 500, "photo")
        print(number, flush=True)
"""


def test_a_writer_goes_on_and_the_copy_is_of_one_moment(site: Path, tmp_path: Path) -> None:
    """Another process appends events with evidence all the while."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, site], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        writer.stdout.readline()
        during = []
        for number in range(3):
            before = events(site)[-1]["seq"]
            made = back_up(site, tmp_path / f"{number}.tar.gz", made_at=NOW, program="test")
            during.append((before, made.contents.seq))
            limit = time.monotonic() + 60
            while events(site)[-1]["seq"] <= made.contents.seq and time.monotonic() < limit:
                time.sleep(0.05)
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()

    chain = [row["hash"] for row in events(site)]
    for number, (before, seq) in enumerate(during):
        assert before <= seq < len(chain)
        restored = restore(tmp_path / f"{number}.tar.gz", tmp_path / f"back-{number}")
        assert restored.findings == []
        assert restored.contents.hash == chain[seq - 1]
        assert [row["hash"] for row in events(tmp_path / f"back-{number}")] == chain[:seq]


def test_an_older_backup_is_found_out_by_a_newer_anchor(site: Path, tmp_path: Path, clock: Clock) -> None:
    put_away(site, tmp_path / "b.tar.gz")
    with Ledger.open(site, clock=clock) as ledger:
        comment(ledger, "pm", "001@site", "after the backup")
    restore(tmp_path / "b.tar.gz", tmp_path / "back")

    (found,) = audit(tmp_path / "back", [head_anchor(site)])

    assert "cut off, or is an older copy" in found.message


def test_nothing_is_overwritten(site: Path, tmp_path: Path) -> None:
    archive = put_away(site, tmp_path / "b.tar.gz")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").touch()

    with pytest.raises(InputError, match="exists already"):
        put_away(site, archive)
    with pytest.raises(InputError, match="has a ledger already"):
        restore(archive, site)
    with pytest.raises(InputError, match="is not empty"):
        restore(archive, full)
    with pytest.raises(InputError, match="is not empty"):
        restore(archive, full / "mine.txt")
    assert files(full) == {"mine.txt": b""}


def test_a_name_that_says_nothing_is_refused(site: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not say how to compress"):
        put_away(site, tmp_path / "backup.zip")
    with pytest.raises(InputError, match="is not a folder"):
        put_away(site, tmp_path / "nowhere" / "b.tar.gz")
    with pytest.raises(InputError, match="cannot be read"):
        restore(tmp_path / "nowhere.tar.gz", tmp_path / "back")
    assert not (tmp_path / "back").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["site"]


def test_a_missing_zstd_is_said(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UnreachableError, match="zstd is not installed"):
        put_away(site, tmp_path / "b.tar.zst")


def test_a_damaged_site_is_put_away_only_when_asked(site: Path, tmp_path: Path) -> None:
    """It is still better than nothing, and says so again when it comes back."""
    digest = evidence.store(site, b"a photo")
    place = folder.place_of(site, digest)
    place.chmod(0o644)
    place.write_bytes(b"another")
    with pytest.raises(NotSatisfiedError, match=f"1 faults: evidence {digest[:12]}"):
        put_away(site, tmp_path / "b.tar.gz")
    assert not (tmp_path / "b.tar.gz").exists()

    made = back_up(site, tmp_path / "b.tar.gz", made_at=NOW, program="test", damaged=True)

    assert made.left_out == (place.relative_to(site).as_posix(),)
    assert len(made.findings) == 1
    with pytest.raises(NotSatisfiedError, match="1 faults"):
        restore(tmp_path / "b.tar.gz", tmp_path / "back")
    assert not (tmp_path / "back").exists()
    assert len(restore(tmp_path / "b.tar.gz", tmp_path / "back", damaged=True).findings) == 1


def test_links_stay_out(site: Path, tmp_path: Path) -> None:
    """A catalog that points elsewhere would bring home what it points to."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (site / "catalog" / "linked.yaml").symlink_to(tmp_path / "secret")
    (site / "evidence" / "sha256" / "linked").symlink_to(tmp_path)
    (site / "people.csv").unlink()
    (site / "people.csv").symlink_to(tmp_path / "secret")

    made = back_up(site, tmp_path / "b.tar.gz", made_at=NOW, program="test")

    assert set(made.left_out) == {"people.csv", "catalog/linked.yaml", "evidence/sha256/linked"}


@pytest.mark.parametrize("named", ["../people.csv", "team/people.csv", "people.txt", "none.csv"])
def test_people_who_are_not_in_a_csv_file_beside_the_site_file_are_named_as_left_out(
    site: Path, tmp_path: Path, named: str
) -> None:
    (site / "site.yaml").write_text(f"name: Small\npeople: {named}\n", encoding="utf-8")
    (site / "team").mkdir()
    for other in ("../people.csv", "team/people.csv", "people.txt"):
        (site / other).write_text("id,name,roles\npm,Petra Manz,owner-pm\n", encoding="utf-8")

    made = back_up(site, tmp_path / "b.tar.gz", made_at=NOW, program="test")

    assert made.left_out == (named,)


# what follows is done to the archive by somebody else


def members_of(archive: Path) -> Members:
    with tarfile.open(archive) as tar:
        return [(info, getattr(tar.extractfile(info), "read", bytes)()) for info in tar]


def written(members: Members, archive: Path) -> Path:
    with tarfile.open(archive, "w:gz") as tar:
        for info, held in members:
            info.size = len(held) if info.isreg() else 0
            tar.addfile(info, io.BytesIO(held))
    return archive


def plain(path: str, held: bytes = b"x") -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(path), held


def listed(members: Members, **changes: object) -> Members:
    """Return members whose list and totals are as they should be: a person who forges a backup forges those too."""
    held = [(info, content) for info, content in members if info.name not in {"backup.json", "SHA256SUMS"}]
    said = json.loads(next(content for info, content in members if info.name == "backup.json"))
    said |= {"files": len(held), "bytes": sum(len(content) for _, content in held)} | changes
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {info.name}\n" for info, content in held)
    return [plain("backup.json", json.dumps(said).encode()), plain("SHA256SUMS", sums.encode()), *held]


def linked(path: str, target: str, kind: bytes) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(path)
    info.type, info.linkname = kind, target
    return info, b""


def changed(members: Members, path: str, change: Callable[[bytes], bytes]) -> Members:
    return [(info, change(held) if info.name.startswith(path) else held) for info, held in members]


def sums_with(members: Members, path: str) -> Members:
    line = f"{hashlib.sha256(b'x').hexdigest()}  {path}\n".encode()
    return changed(members, "SHA256SUMS", lambda held: held + line)


WITHOUT_END = """
    ALTER TABLE comment RENAME TO comments;
    CREATE VIEW comment AS
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT comments.* FROM n, comments;
"""
WORKED_OUT = "CREATE TABLE more (n INTEGER, large TEXT GENERATED ALWAYS AS (hex(zeroblob(n))));"


def with_sql(ledger: bytes, sql: str) -> bytes:
    """Return a ledger's file after some statements, as somebody may write it who hands over a backup."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(ledger)
        connection.executescript(sql)
        return connection.serialize()


ATTACKS: dict[str, tuple[Callable[[Members], Members], str]] = {
    "a path that leads out": (lambda m: listed([*m, plain("../out.txt")]), "no backup has a file at '../out.txt'"),
    "out through the catalog": (lambda m: listed([*m, plain("catalog/../../out.txt")]), "no backup has a file at"),
    "an absolute path": (lambda m: listed([*m, plain("/tmp/out.txt")]), "no backup has a file at '/tmp/out.txt'"),
    "a file of the engine": (lambda m: listed([*m, plain(".clusterwright/notified.db")]), "no backup has a file at"),
    "a control character": (lambda m: listed([*m, plain("catalog/a\x1bb.yaml")]), "no backup has a file at"),
    "a program": (lambda m: listed([*m, plain("verify.sh")]), "no backup has a file at"),
    "a table in a folder": (lambda m: listed([*m, plain("inventory/a.csv")]), "no backup has a file at"),
    "a table that is hidden": (lambda m: listed([*m, plain("a\x1b.csv")]), "no backup has a file at"),
    "an empty part": (lambda m: listed([*m, plain("catalog//x")]), "no backup has a file at"),
    "not in the list": (lambda m: [*m, plain("catalog/more.yaml")], "is in it and not listed"),
    "out and not in the list": (lambda m: [*m, plain("../out.txt")], "is in it and not listed"),
    "twice": (lambda m: [*m, m[2]], "is in it twice"),
    "a symbolic link": (
        lambda m: [*m, linked("catalog/x", "/etc", tarfile.SYMTYPE), plain("catalog/x/out")],
        "not a plain file",
    ),
    "a hard link": (lambda m: [*m, linked("catalog/x", "ledger.db", tarfile.LNKTYPE)], "not a plain file"),
    "a device": (lambda m: [*m, linked("catalog/x", "", tarfile.CHRTYPE)], "not a plain file"),
    "a folder": (lambda m: [*m, linked("catalog/x", "", tarfile.DIRTYPE)], "not a plain file"),
    "an extended header": (lambda m: [*m, plain("catalog/" + "x" * 200)], "not a plain file"),
    "a file in a file": (
        lambda m: listed([*m, plain("catalog/x"), plain("catalog/x/y")]),
        "cannot be unpacked",
    ),
    "one missing": (lambda m: m[:-1], "is missing"),
    "a changed byte": (lambda m: changed(m, "site.yaml", lambda h: b"N" + h[1:]), "site.yaml was changed"),
    "a changed list": (lambda m: sums_with(m, "catalog/x"), "announces"),
    "evidence under another name": (
        lambda m: listed(changed(m, "evidence/", lambda h: h + b"!")),
        "is not named by its digest",
    ),
    "more than announced": (lambda m: listed(m, bytes=10), "more than the 10 bytes"),
    "no ledger": (lambda m: listed([x for x in m if x[0].name != "ledger.db"]), "has no ledger.db"),
    "another ledger": (
        lambda m: listed(changed(m, "ledger.db", lambda _: b"not a database" * 99)),
        "damaged or not a database",
    ),
    "a ledger that was changed": (
        lambda m: listed(changed(m, "ledger.db", lambda h: h.replace(b"PO 1", b"PO 2"))),
        "was changed after recording",
    ),
    "another head": (lambda m: listed(m, seq=3), "not with event 3"),
    "a rehearsal as the real thing": (lambda m: listed(m, rehearsal=True), "is not what it says it is"),
    "another site": (lambda m: listed(m, site="x"), "not with event"),
    "a later format": (lambda m: listed(m, backup=2), "backup of format 2"),
    "an unknown key": (lambda m: listed(m, more=1), "does not read"),
    "a word for a number": (lambda m: listed(m, files="9"), "does not read"),
    "the list first": (lambda m: [m[1], m[0], *m[2:]], "has no backup.json where one begins"),
    "nothing": (lambda _: [], "has no backup.json"),
    "nested without end": (lambda m: changed(m, "backup.json", lambda _: b"[" * 60_000), "does not read"),
    "a mark that nobody sees": (lambda m: listed([*m, plain("catalog/a\u00adb.yaml")]), "no backup has a file at"),
    "ten gigabytes": (lambda m: listed(m, bytes=10**10), "announces 10,000,000,000: an archive bomb"),
    "small files": (
        lambda m: listed([*m, *(plain(f"catalog/{n}", b"") for n in range(2000))]),
        "files: an archive bomb",
    ),
    "a table without end": (
        lambda m: listed(changed(m, "ledger.db", lambda h: with_sql(h, WITHOUT_END))),
        "comment is worked out",
    ),
    "a column that is worked out": (
        lambda m: listed(changed(m, "ledger.db", lambda h: with_sql(h, WORKED_OUT))),
        "more is worked out",
    ),
    "an index that is worked out": (
        lambda m: listed(
            changed(m, "ledger.db", lambda h: with_sql(h, "CREATE INDEX more ON event (length(payload));"))
        ),
        "more is worked out",
    ),
}


@pytest.mark.own_file
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_backup_that_is_not_what_it_says_leaves_nothing_behind(site: Path, tmp_path: Path, attack: str) -> None:
    change, message = ATTACKS[attack]
    archive = written(change(members_of(put_away(site, tmp_path / "b.tar.gz"))), tmp_path / "forged.tar.gz")
    there = {p.name for p in tmp_path.iterdir()}

    with pytest.raises(ClusterwrightError) as refused:
        restore(archive, tmp_path / "back")

    assert message in str(refused.value)
    assert {p.name for p in tmp_path.iterdir()} == there
    (tmp_path / "empty").mkdir()
    with suppress(ClusterwrightError):
        restore(archive, tmp_path / "empty")
    assert list((tmp_path / "empty").iterdir()) == []


def test_an_extended_header_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """`tarfile` reads one into memory whole, and a gigabyte of zeros is a megabyte of gzip."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 50_000_000
    with gzip.open(tmp_path / "forged.tar.gz", "wb", 1) as archive:
        archive.write(header.tobuf(tarfile.GNU_FORMAT) + bytes(header.size))

    tracemalloc.start()
    try:
        with pytest.raises(UnreachableError, match="'x' is not a plain file"):
            restore(tmp_path / "forged.tar.gz", tmp_path / "back")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_an_honest_repacking_is_accepted(site: Path, tmp_path: Path) -> None:
    """The attacks fail for what they change, not for how the test packs them."""
    members = members_of(put_away(site, tmp_path / "b.tar.gz"))

    assert restore(written(listed(members), tmp_path / "again.tar.gz"), tmp_path / "back").findings == []


@pytest.mark.own_file
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.5, 0.9])
def test_a_cut_or_garbled_file_is_said(site: Path, tmp_path: Path, suffix: str, share: float) -> None:
    whole = put_away(site, tmp_path / f"b.{suffix}").read_bytes()
    at = int(share * len(whole))
    cut, garbled = tmp_path / f"cut.{suffix}", tmp_path / f"garbled.{suffix}"
    cut.write_bytes(whole[:at])
    garbled.write_bytes(whole[:at] + bytes(b ^ 0x55 for b in whole[at : at + 40]) + whole[at + 40 :])

    for broken in (cut, garbled):
        with pytest.raises((UnreachableError, NotSatisfiedError)):
            restore(broken, tmp_path / "back")
        assert not (tmp_path / "back").exists()


def test_evidence_that_arrives_meanwhile_does_no_harm(ledger: Ledger, site: Path, tmp_path: Path) -> None:
    """A file is in the store before its event; a half-written one has a name of its own."""
    attach(ledger, "tech", "001@site", b"quote", "quote")
    evidence.store(site, b"its event comes later")
    (site / "evidence" / "sha256" / "00").mkdir(exist_ok=True)
    (site / "evidence" / "sha256" / "00" / ".new-abc").write_bytes(b"half")

    made = back_up(site, tmp_path / "b.tar.gz", made_at=NOW, program="test")

    assert made.left_out == ()
    assert restore(tmp_path / "b.tar.gz", tmp_path / "back").findings == []
