"""Alterations of a turnover package by somebody without the keys: files, statements, events and lists, all hashed anew.

They have their own key and put it where it may count, chain the events after a changed one anew, and write SHA256SUMS and the manifest
for what they made. The owner's signature they keep, leave out, or replace by their own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ledger.entries import RunOutcome
from ledger.log.chain import hashed_text
from ledger.project_time import project_now
from ledger.rules.access import ENGINE
from ledger.subjects.people.decisions import revoke_key
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust import package as package_of
from ledger.trust.package import write_package
from ledger.trust.statements import event_text, signed_text
from tests.ledger.conftest import begun
from tests.ledger.forging import every_state_plan
from tests.ledger.journey import take
from tests.ledger.keys import public, sign_as

SCRIPT = Path(package_of.__file__).with_name("verify.sh")
"""The script of this release. That in a package may have been changed too."""

WORK, RUNS = "304@site", "311@site"
MALLORY = "mallory"
"""Who alters packages: they have no key of this site."""

MARKS = 'Größe "ok"\\\n\t— ' + "".join(map(chr, range(0xA1, 0x250)))
"""A comment with quotes, lines and letters whose bytes a shell could take for its own."""


def make_package(scratch: Path) -> Path:
    """Return the package of a signed site with a rejection, an approval, evidence, a run, a replaced key and a revoked one."""
    with begun(scratch / "site", project_now, owner_key=public("pm")) as ledger:
        ledger.signer = sign_as
        plan = every_state_plan(signed=True)
        adopt_plan(ledger, "pm", plan, reason="first")
        start(ledger, "tech", WORK)
        for is_good in (False, True):
            attach(ledger, "tech", WORK, f"page {project_now()}".encode(), "note", name="page.txt")
            finish(ledger, "tech", WORK)
            if is_good:
                sign(ledger, "lead", WORK, comment=MARKS)
            else:
                reject(ledger, "lead", WORK, "loose")
        take(ledger, RUNS)
        settle(ledger, "engine-1", RUNS, RunOutcome("interrupted"))
        people = tuple(p.model_copy(update={"ssh_key": public("new")}) if p.id == "lead2" else p for p in plan.people)
        adopt_plan(ledger, "pm", plan.model_copy(update={"people": people}), reason="another key")
        revoke_key(ledger, "pm", "guest", "lost", since=project_now() - timedelta(minutes=5))
        comment(ledger, "tech", WORK, "all seen")
        write_package(ledger.site_dir, scratch / "package")
    sign_package(scratch / "package", "pm")
    return scratch / "package"


def sign_package(folder: Path, person: str) -> None:
    """Sign the manifest of a package as somebody."""
    manifest = (folder / "manifest").read_text(encoding="utf-8")
    (folder / "manifest.sig").write_text(sign_as(person, manifest), encoding="utf-8")


class Verdict(NamedTuple):
    """What verify.sh says about a package: its exit code, its words, and the head that it names."""

    code: int
    said: str
    head: str


def verdict(folder: Path) -> Verdict:
    """Return what this release's verify.sh says about a package."""
    done = subprocess.run(["sh", SCRIPT, folder], capture_output=True, text=True, check=False, timeout=60)
    return Verdict(done.returncode, done.stdout + done.stderr, done.stdout.rpartition("head ")[2].strip())


def hash_anew(folder: Path) -> None:
    """Write SHA256SUMS and the manifest for the files that there are now."""
    apart = {"SHA256SUMS", "manifest", "manifest.sig"}
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in apart)
    lines = [f"{_sha(path.read_bytes())}  {path.relative_to(folder)}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    rows = events_in(folder)
    hashes = (folder / "hashes").read_text(encoding="utf-8").split()
    uuid = json.loads(rows[0]["payload"]).get("site_uuid", "") if rows else ""
    (folder / "manifest").write_text(
        f"clusterwright turnover package\nsite {uuid}\ngenesis {hashes[0] if hashes else ''}\n"
        f"head {len(rows)} {hashes[-1] if hashes else ''}\nfiles {_sha((folder / 'SHA256SUMS').read_bytes())}\n",
        encoding="utf-8",
    )


def events_in(folder: Path) -> list[dict[str, Any]]:
    """Return the events of a package. What is no event any more is left out."""
    rows = []
    for line in (folder / "events.jsonl").read_bytes().splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("payload"), str)]


def chain_anew(folder: Path, rows: list[dict[str, Any]]) -> None:
    """Write the events of a package with their numbers and hashes anew. README.md names the new head."""
    hashes = ["0" * 64]
    for number, row in enumerate(rows, 1):
        row |= {"seq": number, "prev_hash": hashes[-1]}
        hashes.append(_sha(hashed_text(row).encode()))
    readme = (folder / "README.md").read_text(encoding="utf-8")
    before = (folder / "hashes").read_text(encoding="utf-8").split()[-1]
    (folder / "README.md").write_text(readme.replace(before, hashes[-1]), encoding="utf-8")
    (folder / "events.jsonl").write_text("".join(f"{hashed_text(row)}\n" for row in rows), encoding="utf-8")
    (folder / "hashes").write_text("".join(f"{digest}\n" for digest in hashes[1:]), encoding="utf-8")


class Alteration(NamedTuple):
    """A way to alter a package. `proven` says whether the chain alone shows it: an altered chain shows by its head."""

    name: str
    alter: Callable[[Path, Random], str]
    proven: bool = True


def any_file_changed(folder: Path, chance: Random) -> str:
    """Flip a bit, cut the end off, or add to it."""
    path = chance.choice(_files(folder, but={*UNPROVEN}))
    return _change(path, chance)


def unproven_file_changed(folder: Path, chance: Random) -> str:
    """Change what no event says."""
    return _change(folder / chance.choice(sorted(UNPROVEN)), chance)


def file_removed(folder: Path, chance: Random) -> str:
    """Remove a file."""
    path = chance.choice([path for path in _files(folder) if path.name not in KEPT])
    path.unlink()
    return path.name


def file_added(folder: Path, chance: Random) -> str:
    """Add a file that nobody signed: beside the others, as evidence, as a signature."""
    content = chance.randbytes(20)
    place = chance.choice(
        ["notes.txt", ".hidden", f"evidence/{_sha(content)}", "engine/000099.sig", "statements/x.json"]
    )
    (folder / place).write_bytes(content)
    return place


def evidence_exchanged(folder: Path, chance: Random) -> str:
    """Put other content in the place of a piece of evidence, under the old name or under its own."""
    path = chance.choice(sorted((folder / "evidence").iterdir()))
    content = chance.randbytes(30)
    if chance.random() < 0.5:
        path.unlink()
        path = path.with_name(_sha(content))
    path.write_bytes(content)
    return path.name


def evidence_removed(folder: Path, chance: Random) -> str:
    """Remove some pieces of evidence."""
    held = sorted((folder / "evidence").iterdir())
    for path in chance.sample(held, chance.randint(1, len(held))):
        path.unlink()
    return "evidence"


def statement_removed(folder: Path, chance: Random) -> str:
    """Remove a statement as if it had never been."""
    name = chance.choice(_statements(folder))
    for path in (folder / "statements").glob(f"{name}.*"):
        path.unlink()
    _edit(folder / "statements.tsv", lambda text: "".join(_lines(text, lambda line: not line.startswith(name))))
    return name


def statement_turned(folder: Path, chance: Random) -> str:
    """Make another decision of a statement, signed by a key that allowed_signers has for its person now."""
    return turn(folder, chance.choice(_statements(folder)))


def turn(folder: Path, name: str) -> str:
    """Make an approval of a statement, or a rejection of an approval."""
    (place,) = (folder / "statements").glob(f"{name}.json")
    said = json.loads(place.read_text(encoding="utf-8"))
    person = said["predicate"]["person"]
    turned = "rejected" if said["predicate"]["decision"] == "approved" else "approved"
    said["predicate"] |= {"decision": turned, "meaning": turned, "comment": "fine"}
    for path in (folder / "statements").glob(f"{name}.*"):
        path.unlink()
    new = f"{name[:6]}-{turned}"
    _put_statement(folder, new, json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
    _edit(folder / "statements.tsv", lambda text: text.replace(name, new))
    _swap_signers(folder, person)
    return f"{name} is {new}"


def statements_exchanged(folder: Path, chance: Random) -> str:
    """Exchange two statements with their signatures."""
    one, other = chance.sample(_statements(folder), 2)
    for end in (".json", ".json.sig"):
        first, second = (folder / "statements" / f"{name}{end}" for name in (one, other))
        held = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(held)
    return f"{one} and {other}"


def signature_by_another(folder: Path, chance: Random) -> str:
    """Sign a statement or an event of the engine with another key, which allowed_signers has now."""
    signed = sorted(folder.glob("*/*.sig"))
    path = chance.choice(signed)
    if path.parent.name == "engine":
        hashes = (folder / "hashes").read_text(encoding="utf-8").split()
        path.write_text(sign_as(MALLORY, event_text(hashes[int(path.stem) - 1])), encoding="utf-8")
        _swap_signers(folder, ENGINE)
        return path.name
    name = path.name.removesuffix(".json.sig")
    text = path.with_suffix("").read_text(encoding="utf-8")
    person = json.loads(text)["predicate"]["person"]
    _put_statement(folder, name, text)
    _swap_signers(folder, person)
    return path.name


def signature_refused(folder: Path, chance: Random) -> str:
    """Say that the rules refuse an event, and leave out what was signed for it."""
    row = chance.choice(events_in(folder)[1:])
    number = f"{row['seq']:06}"
    (folder / "refused").write_text(f"{row['seq']}\t{row['kind']}\t{row['actor']}\n", encoding="utf-8")
    for path in folder.glob(f"*/{number}*"):
        path.unlink()
    _edit(folder / "statements.tsv", lambda text: "".join(_lines(text, lambda line: not line.startswith(number))))
    return f"event {row['seq']}, {row['kind']}"


def signers_changed(folder: Path, chance: Random) -> str:
    """Add a key, remove one, or change when it counts."""
    path = folder / "allowed_signers"
    held = path.read_text(encoding="utf-8").splitlines(keepends=True)
    at = chance.randrange(len(held))
    match chance.randrange(4):
        case 0:
            held.insert(at, f'{chance.choice(["pm", "lead", ENGINE])} namespaces="clusterwright" {public(MALLORY)}\n')
        case 1:
            del held[at]
        case 2:
            held[at] = held[at].replace('valid-after="2026', 'valid-after="2020')
        case _:
            _swap_signers(folder, held[at].split(" ")[0])
            return "a key beside another"
    path.write_text("".join(held), encoding="utf-8")
    return "keys"


def event_changed(folder: Path, chance: Random) -> str:
    """Change a field of an event, and chain everything after it anew."""
    rows = events_in(folder)
    row = chance.choice(rows)
    field = chance.choice(["actor", "effective_at", "kind", "payload", "recorded_at", "subject"])
    other = chance.choice([one for one in rows if one is not row])[field]
    row[field] = f"{row[field][:-1]}x" if other == row[field] else other
    chain_anew(folder, rows)
    return f"event {row['seq']}: {field}"


def events_moved(folder: Path, chance: Random) -> str:
    """Leave events out, repeat one, exchange two, or cut the end off."""
    rows = events_in(folder)
    at = chance.randrange(1, len(rows))
    match chance.randrange(4):
        case 0:
            del rows[at]
        case 1:
            rows.insert(at, dict(rows[at]))
        case 2:
            rows[at - 1], rows[at] = rows[at], rows[at - 1]
        case _:
            del rows[at:]
    chain_anew(folder, rows)
    return f"at event {at}"


def event_added(folder: Path, chance: Random) -> str:
    """Repeat an event at the end, with what was signed for it."""
    rows = events_in(folder)
    at = chance.randrange(2, len(rows) + 1)
    row = rows[at - 1] | {"recorded_at": rows[-1]["recorded_at"]}
    old, new = f"{at:06}", f"{len(rows) + 1:06}"
    chain_anew(folder, [*rows, row])
    for path in folder.glob(f"*/{old}*"):
        shutil.copy(path, path.with_name(path.name.replace(old, new, 1)))
    listed = (folder / "statements.tsv").read_text(encoding="utf-8")
    again = _lines(listed, lambda line: line.startswith(old))
    (folder / "statements.tsv").write_text(listed + "".join(again).replace(old, new), encoding="utf-8")
    return f"event {at} again"


def keys_planned(folder: Path, chance: Random) -> str:
    """Put another key into an adopted plan, and chain everything anew."""
    rows = events_in(folder)
    row = chance.choice([row for row in rows if row["kind"] == "plan.adopted"])
    digest = json.loads(row["payload"])["authority"]
    said = (folder / "evidence" / digest).read_text(encoding="utf-8")
    person = chance.choice(["pm", "lead", "tech"])
    changed = said.replace(public(person), public(MALLORY)).encode()
    (folder / "evidence" / _sha(changed)).write_bytes(changed)
    row["payload"] = row["payload"].replace(digest, _sha(changed))
    chain_anew(folder, rows)
    _swap_signers(folder, person)
    return f"the key of {person} in event {row['seq']}"


def owner_exchanged(folder: Path, chance: Random) -> str:
    """Put another owner's key into the first event."""
    rows = events_in(folder)
    rows[0]["payload"] = rows[0]["payload"].replace(public("pm"), public(MALLORY))
    chain_anew(folder, rows)
    if chance.random() < 0.5:
        _swap_signers(folder, "pm")
    return "the owner's key"


def namespace_changed(folder: Path, _: Random) -> str:
    """Say that it is a rehearsal."""
    (folder / "namespace").write_text("clusterwright-rehearsal\n", encoding="utf-8")
    _edit(folder / "allowed_signers", lambda text: text.replace('="clusterwright"', '="clusterwright-rehearsal"'))
    return "namespace"


def all_done(folder: Path, _: Random) -> str:
    """Say that everything is done."""
    status = json.loads((folder / "status.json").read_text(encoding="utf-8"))
    for one in status["activities"]:
        one["state"] = "done"
    (folder / "status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")
    return "status.json"


UNPROVEN = frozenset({"README.md", "status.json", "verify.sh"})
"""Files that only the owner's signature proves."""

KEPT = frozenset({"manifest", "manifest.sig", "SHA256SUMS", "events.jsonl", "hashes", *UNPROVEN})
"""Files that are not removed: those without which there is no package, and those that the owner's signature alone proves."""

ALTERATIONS = (
    Alteration("a file is changed", any_file_changed),
    Alteration("README.md, status.json or verify.sh is changed", unproven_file_changed, proven=False),
    Alteration("a file is removed", file_removed),
    Alteration("a file is added", file_added),
    Alteration("evidence is exchanged", evidence_exchanged),
    Alteration("evidence is removed", evidence_removed),
    Alteration("a statement is removed", statement_removed),
    Alteration("a statement says something else, under another key", statement_turned),
    Alteration("two statements are exchanged", statements_exchanged),
    Alteration("something is signed by another key", signature_by_another),
    Alteration("a signed event is said to be refused", signature_refused),
    Alteration("allowed_signers is changed", signers_changed),
    Alteration("an event is changed, and chained anew", event_changed),
    Alteration("events are left out, repeated or exchanged, and chained anew", events_moved),
    Alteration("an event is added", event_added),
    Alteration("a plan names another key, and all is chained anew", keys_planned),
    Alteration("the first event names another owner's key", owner_exchanged),
    Alteration("it is said to be a rehearsal", namespace_changed),
    Alteration("status.json says that all is done", all_done, proven=False),
)

ENDS = ("kept", "left out", "by another")
"""What becomes of the owner's signature."""


class Trial(NamedTuple):
    """An alteration that was tried: what it was, what became of the owner's signature, and what the script said.

    `accepted` says that somebody who ran the script would believe it: its exit code is 0, or the chain alone is said to be right, up
    to the true head, and is not.
    """

    name: str
    what: str
    signature: str
    code: int
    said: str
    accepted: bool


class Repacker:
    """Alters copies of one package."""

    def __init__(self, package: Path, scratch: Path) -> None:
        """Take a package that is valid, and a folder to work in."""
        self.package, self.scratch = package, scratch
        self.head = verdict(package).head

    @contextmanager
    def copy(self) -> Iterator[Path]:
        """Yield a copy of the package."""
        with TemporaryDirectory(dir=self.scratch) as scratch:
            yield Path(shutil.copytree(self.package, Path(scratch) / "altered"))

    def once(self, seed: int) -> Trial:
        """Alter a copy in a way that the number determines, hash it anew, and verify it."""
        chance = Random(seed)
        way = ALTERATIONS[seed % len(ALTERATIONS)]
        signature = ENDS[seed // len(ALTERATIONS) % len(ENDS)]
        with self.copy() as folder:
            what = way.alter(folder, chance)
            return self._tried(folder, way, what, signature)

    def _tried(self, folder: Path, way: Alteration, what: str, signature: str) -> Trial:
        hash_anew(folder)
        if signature == "left out":
            (folder / "manifest.sig").unlink(missing_ok=True)
        elif signature == "by another":
            sign_package(folder, MALLORY)
        found = verdict(folder)
        is_believed = found.code == 4 and found.head == self.head and way.proven
        accepted = found.code == 0 or is_believed
        return Trial(way.name, what, signature, found.code, found.said, accepted)


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _files(folder: Path, but: frozenset[str] | set[str] = frozenset()) -> list[Path]:
    apart = {"SHA256SUMS", "manifest", "manifest.sig"} | but
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in apart)


def _change(path: Path, chance: Random) -> str:
    held = path.read_bytes()
    at = chance.randrange(len(held)) if held else 0
    match chance.randrange(3) if held else 2:
        case 0:
            changed = held[:at] + bytes([held[at] ^ (1 << chance.randrange(8))]) + held[at + 1 :]
        case 1:
            changed = held[:at]
        case _:
            changed = held + b"2\tactivity.signed\tlead\n"
    path.write_bytes(changed)
    return path.name


def _edit(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def _lines(text: str, keep: Callable[[str], bool]) -> list[str]:
    return [line for line in text.splitlines(keepends=True) if keep(line)]


def _statements(folder: Path) -> list[str]:
    return [line.split("\t")[0] for line in (folder / "statements.tsv").read_text(encoding="utf-8").splitlines()]


def _put_statement(folder: Path, name: str, text: str) -> None:
    """Write a statement that the person who alters the package signed."""
    place = folder / "statements"
    (place / f"{name}.json").write_text(text, encoding="utf-8")
    (place / f"{name}.json.sig").write_text(sign_as(MALLORY, signed_text(text)), encoding="utf-8")


def put_envelopes(folder: Path) -> list[Path]:
    """Write each statement as a DSSE envelope too, as packages of earlier releases have it."""
    found = []
    for line in (folder / "statements.tsv").read_text(encoding="utf-8").splitlines():
        name, person, _ = line.split("\t")
        statement = folder / "statements" / f"{name}.json"
        signature = statement.with_name(f"{name}.json.sig").read_text(encoding="utf-8")
        envelope = {
            "payloadType": "application/vnd.in-toto+json",
            "payload": base64.b64encode(statement.read_bytes()).decode(),
            "signatures": [{"keyid": person, "sig": package_of.ARMOUR.sub("", signature)}],
        }
        found.append(statement.with_name(f"{name}.dsse.json"))
        found[-1].write_text(json.dumps(envelope) + "\n", encoding="utf-8")
    return found


def _swap_signers(folder: Path, person: str) -> None:
    """Let allowed_signers name another key for a person, beside the right one: what that signed stays valid."""
    held = (folder / "allowed_signers").read_text(encoding="utf-8").splitlines(keepends=True)
    added = [f"{line.rsplit(' ', 2)[0]} {public(MALLORY)}\n" for line in held if line.startswith(f"{person} ")]
    (folder / "allowed_signers").write_text("".join([*held, *added]), encoding="utf-8")
