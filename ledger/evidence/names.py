"""The names of people. Each name is in a document of its own beside the evidence, so that it can be removed from the record.

Events and plans have only the ids of people. An adopted plan has the SHA-256 of each document. A document also has a random
salt. Without that, somebody could guess names and compare their digests with the digest of a document that was removed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import rfc8785

from ledger.evidence import folder
from ledger.stored_fields import NOT_READ, fields_of
from schedule.errors import ClusterwrightError, UnreachableError
from steps.planning.plan import Person, Plan

FORMAT = 1

LONGEST = 10_000
"""How many bytes a document has at most, here and on the server of a shared ledger."""


def place_of(site_dir: Path, digest: str) -> Path:
    """Return the path for the document with this digest, whether it exists or not."""
    return site_dir / "evidence" / "people" / folder.place_of(site_dir, digest).name


def without_names(plan: Plan) -> Plan:
    """Return a plan with ids in the place of people's names. Comments of keys are removed too: they often name a person."""
    return plan.model_copy(update={"people": tuple(_without_name(person) for person in plan.people)})


def _without_name(person: Person) -> Person:
    key = " ".join(person.ssh_key.split()[:2]) if person.ssh_key else None
    return person.model_copy(update={"name": person.id, "ssh_key": key})


def keep_names(site_dir: Path, people: Iterable[Person]) -> dict[str, str]:
    """Store a document for each person and return the digests by person. A document with the same name is used again."""
    known = {}
    for digest, said in _documents(site_dir):
        known[said["id"], said["name"]] = digest
    digests = {}
    for person in people:
        if person.name != person.id:
            same = known.get((person.id, person.name))
            digests[person.id] = same or _keep(site_dir, person)
    return digests


def _keep(site_dir: Path, person: Person) -> str:
    said: dict[str, Any] = {
        "format": FORMAT,
        "id": person.id,
        "name": person.name,
        "salt": secrets.token_hex(16),
    }
    content = rfc8785.dumps(said)
    digest = hashlib.sha256(content).hexdigest()
    folder.write(place_of(site_dir, digest), content)
    return digest


def documents(site_dir: Path) -> Iterator[bytes]:
    """Yield the stored content of every document."""
    for digest, _ in _documents(site_dir):
        yield place_of(site_dir, digest).read_bytes()


def take_over(site_dir: Path, content: bytes) -> None:
    """Store a document that another folder made. One that has no name in it is left out: the database may hold anything."""
    if person_in(content) is None:
        return
    place = place_of(site_dir, hashlib.sha256(content).hexdigest())
    if not place.exists():
        folder.write(place, content)


def name_in(site_dir: Path, digest: str) -> str | None:
    """Return the name in a document. None if the document was removed or changed."""
    said = _read(place_of(site_dir, digest))
    return None if said is None else str(said["name"])


def documents_of(site_dir: Path, person: str) -> list[str]:
    """Return the digests of all documents with a person's name, also of those that no adopted plan refers to."""
    return sorted(digest for digest, said in _documents(site_dir) if said["id"] == person)


def people_named(site_dir: Path) -> list[str]:
    """Return the ids of the people whose names are stored."""
    return sorted({str(said["id"]) for _, said in _documents(site_dir)})


def redacted_in_site_file(site_dir: Path, redacted: Iterable[str]) -> list[str]:
    """Return the redacted people whose names are still in site.yaml, or in the file of people that it names. Empty if that cannot be read."""
    from steps.design.people_file import people_in

    try:
        file = people_file(site_dir)
        listed = _people_said(site_dir) if file is None else people_in(file)[0]
        named = [(str(person["id"]), person.get("name")) for person in listed]
    except (ClusterwrightError, KeyError, TypeError, AttributeError):
        return []
    still = {person for person, name in named if name and str(name) != person}
    return sorted(still.intersection(redacted))


def people_file(site_dir: Path) -> Path | None:
    """Return the file of people that site.yaml names. None if they are in site.yaml itself, or that cannot be read."""
    said = _people_said(site_dir)
    return site_dir / said if isinstance(said, str) else None


def _people_said(site_dir: Path) -> Any:
    from steps.yaml_lines import load  # YAML is slow to import, and screens need only the names

    try:
        said, _ = load(site_dir / "site.yaml")
        return said["people"]
    except (ClusterwrightError, KeyError, TypeError):
        return None


def forget(site_dir: Path, digests: Iterable[str]) -> None:
    """Remove documents permanently, and incomplete ones that a killed process left. Raise UnreachableError if one cannot be removed."""
    left = folder.half_written(site_dir / "evidence" / "people", 0.0)
    for place in (*(place_of(site_dir, digest) for digest in digests), *left):
        try:
            place.unlink(
                missing_ok=True
            )  # one that a process removed which was killed before it synced the folder is synced now
            folder.sync_folder(place.parent)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UnreachableError(
                f"{place} cannot be removed: {error.strerror}",
                hint="check its owner and permissions, then redact again",
            ) from None


def faults(
    site_dir: Path,
    rows: Iterable[tuple[Any, ...]],
) -> Iterator[tuple[str, str]]:
    """Yield the digests of faulty documents and their faults. `rows` are events: seq, kind, subject and payload.

    A document is faulty if it is missing or was changed, or if it has the name of a redacted person.
    """
    adopted: dict[str, tuple[str, int]] = {}
    redacted: dict[str, int] = {}
    for seq, kind, subject, payload in rows:
        if kind == "person.redacted":
            redacted[str(subject).removeprefix("person/")] = seq
        else:
            adopted |= {digest: (person, seq) for person, digest in people_in(payload).items()}
    for digest, (person, seq) in adopted.items():
        if person not in redacted and name_in(site_dir, digest) is None:
            yield digest, f"missing or changed (event {seq}, the name of {person})"
    for person, seq in redacted.items():
        for digest in documents_of(site_dir, person):
            yield (
                digest,
                f"the name of {person}, redacted by event {seq}, is still here: `clusterwright redact {person}` removes it",
            )


def people_in(payload: object) -> dict[str, str]:
    """Return the digests of people's documents, by person, that the stored payload of an adopted plan refers to.

    It is empty for an event of the first release, and for a changed one, which the audit of the chain reports.
    """
    people = fields_of(payload).get("people")
    named = people if isinstance(people, dict) else {}
    return {person: str(digest) for person, digest in named.items()}


def _documents(site_dir: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    people = site_dir / "evidence" / "people"
    if people.is_dir():
        for place in sorted(people.iterdir()):
            said = _read(place)
            if said is not None:
                yield place.name, said


def _read(place: Path) -> dict[str, Any] | None:
    try:
        content = place.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest() != place.name:
        return None
    return person_in(content)


def person_in(content: bytes) -> dict[str, Any] | None:
    """Return what a document says: a person's id and name. None if it is no document with a name."""
    if len(content) > LONGEST:
        return None
    try:
        said = json.loads(content)
        is_named = isinstance(said["id"], str) and isinstance(said["name"], str)
    except NOT_READ:
        return None
    return said if is_named else None
