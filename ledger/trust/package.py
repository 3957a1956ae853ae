"""The turnover package: everything that an owner needs to verify a site's record without Clusterwright.

It holds the events with their hash chain, the statements with signatures (and as DSSE envelopes), the evidence, the keys that
counted, and a shell script that checks all of it with OpenSSH and coreutils.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from ledger.evidence import names
from ledger.evidence.store import is_intact, load
from ledger.log.chain import hashed_text
from ledger.log.columns import COLUMNS
from ledger.log.events import read_payload
from ledger.log.payloads.base import Decided
from ledger.questions.activities import activities
from ledger.questions.records import signer_keys
from ledger.questions.site import project_time, site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.rows import SignerKey
from ledger.trust import ssh
from ledger.trust.audit import audit
from ledger.trust.statements import PAYLOAD_TYPE, read_statement
from steps.errors import InputError, NotSatisfiedError

ARMOUR = re.compile(r"-----(BEGIN|END) SSH SIGNATURE-----|\s")


class Package(NamedTuple):
    """What was written."""

    events: int
    statements: int
    evidence: int
    head: str
    genesis: str


def write_package(site_dir: Path, folder: Path) -> Package:
    """Write the package of a site whose audit is green into a new folder."""
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty", hint="name a new folder")
    found = audit(site_dir)
    if found:
        raise NotSatisfiedError(
            f"the ledger has {len(found)} faults; a package of it would prove nothing",
            hint="`clusterwright audit` lists them",
        )
    for part in ("statements", "evidence"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    with open_snapshot(site_dir) as snapshot:
        snapshot.now = project_time(snapshot)
        rows = list(_events(snapshot))
        namespace = ssh.namespace_of(rehearsal=site_of(snapshot).rehearsal)
        keys = signer_keys(snapshot)
        kept, named = _kept(snapshot), _named(snapshot)
        head, genesis = rows[-1]["hash"], rows[0]["hash"]
        _write(folder / "README.md", _readme(snapshot, rows, namespace, keys))
        _write(folder / "status.json", json.dumps(_status(snapshot), indent=2) + "\n")
    _write(folder / "allowed_signers", ssh.allowed_signers(keys, namespace))
    _write(folder / "events.jsonl", "".join(hashed_text(row) + "\n" for row in rows))
    _write(folder / "hashes", "".join(row["hash"] + "\n" for row in rows))
    statements = [line for row in rows for line in _statement(folder, row)]
    _write(folder / "statements.tsv", "".join(statements))
    _write(folder / "namespace", namespace + "\n")
    for digest in kept:
        (folder / "evidence" / digest).write_bytes(load(site_dir, digest))
    for digest in named:
        (folder / "evidence" / digest).write_bytes(names.place_of(site_dir, digest).read_bytes())
    _write(folder / "verify.sh", (files("ledger.trust") / "verify.sh").read_text(encoding="utf-8"))
    (folder / "verify.sh").chmod(0o755)
    _write(folder / "SHA256SUMS", "".join(_sums(folder)))
    return Package(len(rows), len(statements), len(kept), head, genesis)


def _events(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    names = ", ".join(COLUMNS)
    for row in snapshot.db.execute(f"SELECT {names} FROM event ORDER BY seq"):  # noqa: S608  our names
        yield dict(zip(COLUMNS, row, strict=True))


def _kept(snapshot: Snapshot) -> list[str]:
    """Return every digest that the events name and the store holds."""
    named: set[str] = set()
    for (payload,) in snapshot.db.execute("SELECT payload FROM event"):
        named |= set(re.findall(r'"([0-9a-f]{64})"', payload))
    return sorted(digest for digest in named if is_intact(snapshot.site_dir, digest))


def _named(snapshot: Snapshot) -> list[str]:
    """Return the documents that hold the names of people in adopted plans. Those of redacted people are gone."""
    found = snapshot.db.execute("SELECT payload FROM event WHERE kind = 'plan.adopted'")
    adopted = [json.loads(payload).get("people") for (payload,) in found]
    digests = {digest for people in adopted if people for digest in people.values()}
    return sorted(digest for digest in digests if names.name_in(snapshot.site_dir, digest) is not None)


def _statement(folder: Path, row: dict[str, Any]) -> Iterator[str]:
    """Write an event's statement, its signature and its envelope. Yield its line in the list."""
    payload = read_payload(row["kind"], row["schema_version"], row["payload"])
    if not isinstance(payload, Decided) or payload.statement is None:
        return
    said = read_statement(payload.statement)["predicate"]
    name = f"{row['seq']:06}-{said['decision']}"
    _write(folder / "statements" / f"{name}.json", payload.statement)
    _write(folder / "statements" / f"{name}.json.sig", row["signature"])
    envelope = {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload.statement.encode()).decode(),
        "signatures": [{"keyid": row["actor"], "sig": ARMOUR.sub("", row["signature"])}],
    }
    _write(folder / "statements" / f"{name}.dsse.json", json.dumps(envelope) + "\n")
    moment = row["recorded_at"][:19].replace("-", "").replace("T", "").replace(":", "") + "Z"
    yield f"{name}\t{row['actor']}\t{moment}\n"


def _status(snapshot: Snapshot) -> dict[str, Any]:
    found = site_of(snapshot)
    return {
        "site": found.name,
        "rehearsal": found.rehearsal,
        "plan_revision": found.revision,
        "activities": [
            {
                "id": row.id,
                "title": row.plan.title,
                "state": row.state.value,
                "flags": sorted(row.flags),
                "attempt": row.attempt,
            }
            for row in activities(snapshot)
        ],
    }


def _readme(
    snapshot: Snapshot,
    rows: list[dict[str, Any]],
    namespace: str,
    keys: list[SignerKey],
) -> str:
    found = site_of(snapshot)
    owner = json.loads(rows[0]["payload"])
    fingerprint = _fingerprint(owner["owner_key"]) if owner["owner_key"] else "none: decisions are recorded, not signed"
    rehearsal = (
        "**A REHEARSAL: simulated people and hardware, throw-away keys. It proves nothing about a real site.**\n\n"
        if found.rehearsal
        else ""
    )
    return (
        f"# {found.name}: turnover package\n\n{rehearsal}"
        f"- events: {len(rows)}, the last one recorded {rows[-1]['recorded_at']}\n"
        f"- head: `{rows[-1]['hash']}`\n"
        f"- genesis: `{rows[0]['hash']}`\n"
        f"- owner: {owner['owner']}, key {fingerprint}\n"
        f"- keys: {len(keys)}, signing in the namespace `{namespace}`\n\n"
        "Run `./verify.sh`. It needs a POSIX shell, OpenSSH's ssh-keygen (8.9 or newer) and coreutils, and no network.\n"
        "It checks that no file was changed or added, that every event follows from the one before, that every signature\n"
        "holds for its person at its time, and that every piece of evidence has the digest the signers saw.\n\n"
        "What the package cannot prove by itself: that it is the newest, and that the owner's key is the owner's. Compare\n"
        "the head and the key's fingerprint above with what you were told by another way.\n\n"
        "| file | what |\n|---|---|\n"
        "| `events.jsonl`, `hashes` | every event in RFC 8785 form, and its SHA-256 |\n"
        "| `statements/` | what people signed (in-toto Statements), OpenSSH signatures, and DSSE envelopes |\n"
        "| `statements.tsv` | each statement's signer and time |\n"
        "| `allowed_signers` | whose key counted from when until when |\n"
        "| `evidence/` | files by their SHA-256: documents, photos, measurements, plans, people's names |\n"
        "| `status.json` | every activity as the events leave it |\n"
    )


def _fingerprint(key: str) -> str:
    digest = hashlib.sha256(base64.b64decode(key.split()[1])).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def _sums(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")
