"""The turnover package: everything that an owner needs in order to verify a site's record without Clusterwright.

It has the events with their hash chain, the statements with their signatures, the signatures of the engine, the evidence, and the keys with the times in which they were valid. Its shell script `verify.sh` checks all of it with OpenSSH
and coreutils: what people signed, which keys counted and which files there must be is taken from the events. The owner signs the
manifest, which names the last event and every file. Without that a package proves no more than its chain.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from shlex import quote
from textwrap import wrap
from typing import Any, NamedTuple

from ledger.evidence import names
from ledger.evidence.store import is_intact, load
from ledger.log.chain import hashed_text
from ledger.log.columns import EVENTS, row_of
from ledger.log.events import read_payload
from ledger.log.payload import Decided
from ledger.machine_time import machine_time
from ledger.questions.activities import activities
from ledger.questions.records import signer_keys
from ledger.questions.site import project_time, site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.rules.rows import SignerKey
from ledger.trust import ssh, sshsig
from ledger.trust.audit import audit
from ledger.trust.chain import digests_in
from ledger.trust.statements import read_statement
from schedule.errors import InputError, NotSatisfiedError
from steps.stamps import moment

MANIFEST = "manifest"
"""What the owner signs."""

DIGEST = re.compile("[0-9a-f]{64}")
ARMOUR = re.compile(r"-----(BEGIN|END) SSH SIGNATURE-----|\s")
WIDTH = 70
"""How long the lines are in which ssh-keygen writes a signature."""


Row = dict[str, Any]
"""An event, by its columns."""


class Package(NamedTuple):
    """How much was written, and the hash of the last event. `of_engine` counts the engine's signatures.

    `to_sign` is the command with which the owner signs it. It is empty if it is signed, or if nobody signs at this site.
    """

    events: int
    statements: int
    of_engine: int
    evidence: int
    head: str
    to_sign: str


def write_package(site_dir: Path, folder: Path, key: Path | None = None) -> Package:
    """Write the turnover package of a site into a new folder. Raise NotSatisfiedError if the audit has findings.

    `key` is the file of the owner's key, which signs the package. Without it the owner signs the manifest later. Events that are
    refused and changed nothing are in the package, and listed there.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty", hint="name a new folder")
    found = audit(site_dir)
    if found.with_effect:
        raise NotSatisfiedError(
            f"the ledger has {len(found.with_effect)} faults, so a package of it would prove nothing",
            hint="`clusterwright audit` lists them",
        )
    for part in ("statements", "engine", "evidence"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    with open_snapshot(site_dir) as snapshot:
        snapshot.now = project_time(snapshot)
        rows = [*map(row_of, snapshot.ask(f"{EVENTS} ORDER BY seq"))]
        owner, owner_key = snapshot.first("SELECT owner, owner_key FROM site")
        if key is not None and owner_key is None:
            raise InputError("nobody signs at this site: its owner has no key", hint="leave --key out")
        counting = [row for row in rows if row["seq"] not in found.refused_here]
        refused = [row for row in rows if row["seq"] in found.refused_here]
        namespace = ssh.namespace_of(rehearsal=site_of(snapshot).rehearsal)
        keys = signer_keys(snapshot)
        kept, named = _kept(snapshot, counting, refused), _named(snapshot)
        readme = _readme(snapshot, rows, namespace, keys)
        status = json.dumps(_status(snapshot), indent=2) + "\n"
    statements = [line for row in counting for line in _statement(folder, row)]
    of_engine = [row for row in counting if row["actor"] == ENGINE and row["signature"]]
    texts = {
        "README.md": readme,
        "status.json": status,
        "allowed_signers": ssh.allowed_signers(keys, namespace),
        "events.jsonl": "".join(hashed_text(row) + "\n" for row in rows),
        "hashes": "".join(row["hash"] + "\n" for row in rows),
        "refused": "".join(f"{row['seq']}\t{row['kind']}\t{row['actor']}\n" for row in refused),
        "statements.tsv": "".join(statements),
        **{f"engine/{row['seq']:06}.sig": _armoured(row["signature"]) for row in of_engine},
        "namespace": namespace + "\n",
        "verify.sh": (files("ledger.trust") / "verify.sh").read_text(encoding="utf-8"),
    }
    for name, text in texts.items():
        _write(folder / name, text)
    for digest in kept:
        (folder / "evidence" / digest).write_bytes(load(site_dir, digest))
    for digest in named:
        (folder / "evidence" / digest).write_bytes(names.place_of(site_dir, digest).read_bytes())
    (folder / "verify.sh").chmod(0o755)
    _write(folder / "SHA256SUMS", "".join(_sums(folder)))
    _write(folder / MANIFEST, _manifest(folder, rows))
    to_sign = f"ssh-keygen -Y sign -n {namespace} -f KEY {quote(str(folder / MANIFEST))}" if owner_key else ""
    if key is not None:
        _sign(folder, key, namespace, owner, keys)
        to_sign = ""
    return Package(
        len(rows),
        len(statements),
        len(of_engine),
        len(kept),
        rows[-1]["hash"],
        to_sign,
    )


def _kept(
    snapshot: Snapshot,
    counting: list[Row],
    refused: list[Row],
) -> list[str]:
    """Return the digests of the files that events name. Refused events may name what they like: of theirs, those that are in the store."""
    others = filter(DIGEST.fullmatch, _files_of(refused))
    kept = {digest for digest in others if is_intact(snapshot.site_dir, digest)}
    return sorted(kept.union(_files_of(counting)))


def _files_of(rows: list[Row]) -> Iterator[str]:
    for row in rows:
        yield from digests_in(row["payload"])


def _named(snapshot: Snapshot) -> list[str]:
    """Return the digests of the documents with people's names that adopted plans refer to. Those of redacted people do not exist."""
    found = snapshot.column("SELECT payload FROM event WHERE kind = 'plan.adopted'")
    digests = {digest for payload in found for digest in names.people_in(payload).values()}
    return sorted(digest for digest in digests if names.name_in(snapshot.site_dir, digest) is not None)


def _statement(folder: Path, row: Row) -> Iterator[str]:
    """Write an event's statement and its signature. Yield its line of statements.tsv. Other events have none."""
    payload = read_payload(row["kind"], row["schema_version"], row["payload"])
    if not isinstance(payload, Decided) or payload.statement is None:
        return
    said = read_statement(payload.statement)["predicate"]
    name = f"{row['seq']:06}-{said['decision']}"
    _write(folder / "statements" / f"{name}.json", payload.statement)
    _write(folder / "statements" / f"{name}.json.sig", _armoured(row["signature"]))
    recorded = moment(row["recorded_at"])
    yield f"{name}\t{row['actor']}\t{recorded:%Y%m%d%H%M%SZ}\n"


def _armoured(signature: str) -> str:
    """Return a signature in the one form that ssh-keygen writes: the script takes no other, so that nothing is added to one."""
    lines = wrap(ARMOUR.sub("", signature), WIDTH)
    return "\n".join([sshsig.BEGIN, *lines, sshsig.END, ""])


def _status(snapshot: Snapshot) -> Row:
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
    rows: list[Row],
    namespace: str,
    keys: list[SignerKey],
) -> str:
    found = site_of(snapshot)
    owner = json.loads(rows[0]["payload"])
    fingerprint = (
        _fingerprint(owner["owner_key"]) if owner["owner_key"] else "none: decisions are recorded without signatures"
    )
    rehearsal = (
        "**A REHEARSAL: people and hardware are simulated, and keys are made for it. It proves nothing about a real site.**\n\n"
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
        "It checks that\n\n"
        "- every event follows the event before it, and none was recorded earlier than that;\n"
        "- the statements are those of the events, each once, and every signature is valid for its person at its time;\n"
        "- the keys are those that the owner's key of the first event and the adopted plans name;\n"
        "- where the site is signed, the engine signed every event of its own and so witnessed all events before it;\n"
        "- every piece of evidence that an event names is there, with the digest that the signers saw, and no other file;\n"
        "- the owner signed `manifest`, which names the last event and every file. Exit code 0 says that all of this holds.\n\n"
        "Without the owner's signature it ends with 4, `CHAIN ONLY`: then nothing says that these are the last events, which\n"
        "events the rules refuse, or that this text, `status.json` and `verify.sh` are as they were written. The owner signs with\n"
        f"`ssh-keygen -Y sign -n {namespace} -f KEY manifest`.\n\n"
        "Who hands over a package could have changed its `verify.sh`. That of a release of Clusterwright, in `ledger/trust/`, verifies\n"
        "every package: `sh verify.sh FOLDER`. What `status.json` says, no script proves: `clusterwright audit` works it out from the\n"
        "events. Two things the package cannot prove: that no newer one exists, and that the owner's key really is the owner's. Ask\n"
        "the owner for the head and for the key's fingerprint by another channel, for example by telephone, and compare them.\n\n"
        "| file | what |\n|---|---|\n"
        "| `events.jsonl`, `hashes` | every event in RFC 8785 form, and its SHA-256 |\n"
        "| `statements/` | what people signed (in-toto Statements), and OpenSSH signatures |\n"
        "| `statements.tsv` | each statement's signer and time |\n"
        "| `engine/` | the engine's signatures, by the number of the event |\n"
        "| `refused` | events that the rules refuse, which change nothing: number, kind, actor |\n"
        "| `allowed_signers` | each person's keys, and from when until when they were valid |\n"
        "| `evidence/` | files by their SHA-256: documents, photos, measurements, plans, people's names |\n"
        "| `manifest`, `manifest.sig` | the last event and the digest of SHA256SUMS, and the owner's signature of that |\n"
        "| `status.json` | the state of every activity after the last event |\n"
    )


def _manifest(folder: Path, rows: list[Row]) -> str:
    """Return what the owner signs: the site, its first and last event and, by the digest of SHA256SUMS, every file."""
    uuid = json.loads(rows[0]["payload"])["site_uuid"]
    sums = hashlib.sha256((folder / "SHA256SUMS").read_bytes()).hexdigest()
    return (
        f"{ssh.NAMESPACE} turnover package\nsite {uuid}\ngenesis {rows[0]['hash']}\n"
        f"head {rows[-1]['seq']} {rows[-1]['hash']}\nfiles {sums}\n"
    )


def _sign(
    folder: Path,
    key: Path,
    namespace: str,
    owner: str,
    keys: list[SignerKey],
) -> None:
    """Sign the manifest with the owner's key. Raise NotSatisfiedError for another key."""
    manifest = (folder / MANIFEST).read_text(encoding="utf-8")
    signature = ssh.sign(manifest, key, namespace)
    in_force = [known for known in keys if known.person == owner and known.until is None]
    why = sshsig.refusal(manifest, signature, owner, in_force, namespace, machine_time())
    if why is not None:
        raise NotSatisfiedError(
            f"{key} is not the key of {owner}, the owner, so {folder} is not signed: {why}",
            hint=f"the owner signs it: ssh-keygen -Y sign -n {namespace} -f KEY {quote(str(folder / MANIFEST))}",
        )
    _write(folder / f"{MANIFEST}.sig", signature)


def _fingerprint(key: str) -> str:
    digest = hashlib.sha256(base64.b64decode(key.split()[1])).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def _sums(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")
