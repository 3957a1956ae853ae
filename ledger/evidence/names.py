"""The names of people: a document for each person beside the evidence, which can be removed while the record stays whole.

Events and plans hold ids only. An adopted plan names the documents by their SHA-256. Each document holds a random salt, so
that the digest of one that was removed does not show which name it held.
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
from steps.errors import ClusterwrightError, UnreachableError
from steps.schedule.plan import Person, Plan

FORMAT = 1


def place_of(site_dir: Path, digest: str) -> Path:
    """Return where a person's document is kept, or would be."""
    return site_dir / "evidence" / "people" / folder.place_of(site_dir, digest).name


def without_names(plan: Plan) -> Plan:
    """Return a plan that names people by their ids. The comment of a key often names its owner, so it is removed too."""
    return plan.model_copy(update={"people": tuple(_without_name(person) for person in plan.people)})


def _without_name(person: Person) -> Person:
    key = " ".join(person.ssh_key.split()[:2]) if person.ssh_key else None
    return person.model_copy(update={"name": person.id, "ssh_key": key})


def keep_names(site_dir: Path, people: Iterable[Person]) -> dict[str, str]:
    """Keep a document for each person and return the digests by person. A document that says the same already stays."""
    known = {(said["id"], said["name"]): digest for digest, said in _documents(site_dir)}
    return {
        person.id: known.get((person.id, person.name)) or _keep(site_dir, person)
        for person in people
        if person.name != person.id
    }


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
    """Yield every document there is, as it is stored."""
    for digest, _ in _documents(site_dir):
        yield place_of(site_dir, digest).read_bytes()


def take_over(site_dir: Path, content: bytes) -> None:
    """Keep a document that was made elsewhere."""
    place = place_of(site_dir, hashlib.sha256(content).hexdigest())
    if not place.exists():
        folder.write(place, content)


def name_in(site_dir: Path, digest: str) -> str | None:
    """Return the name in a document. None where it was removed, or is not what its digest says."""
    said = _read(place_of(site_dir, digest))
    return None if said is None else str(said["name"])


def documents_of(site_dir: Path, person: str) -> list[str]:
    """Return the digests of every document that names a person, adopted or not."""
    return sorted(digest for digest, said in _documents(site_dir) if said["id"] == person)


def people_named(site_dir: Path) -> list[str]:
    """Return the ids of everybody whom a document names."""
    return sorted({str(said["id"]) for _, said in _documents(site_dir)})


def redacted_in_site_file(site_dir: Path, redacted: Iterable[str]) -> list[str]:
    """Return those redacted people whom site.yaml still calls by a name. Empty where it does not read."""
    from steps.yaml_lines import load  # YAML is slow to import, and screens need names and no YAML

    try:
        said, _ = load(site_dir / "site.yaml")
        people = {str(person["id"]): str(person.get("name") or person["id"]) for person in said["people"]}
    except (ClusterwrightError, KeyError, TypeError, AttributeError):
        return []
    return sorted(person for person in redacted if people.get(person, person) != person)


def forget(site_dir: Path, digests: Iterable[str]) -> None:
    """Remove documents for good, and what a killed process left of one."""
    left = folder.half_written(site_dir / "evidence" / "people", 0.0)
    for place in (*(place_of(site_dir, digest) for digest in digests), *left):
        try:
            place.unlink(missing_ok=True)
            folder.sync_folder(place.parent)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UnreachableError(
                f"{place} cannot be removed: {error.strerror}", hint="see its owner and permissions, then redact again"
            ) from None


def faults(
    site_dir: Path,
    rows: Iterable[tuple[Any, ...]],
) -> Iterator[tuple[str, str]]:
    """Yield which documents are not as the events say, and how. `rows` are events: seq, kind, subject and payload."""
    adopted: dict[str, tuple[str, int]] = {}
    redacted: dict[str, int] = {}
    for seq, kind, subject, payload in rows:
        if kind == "person.redacted":
            redacted[str(subject).removeprefix("person/")] = seq
        else:
            adopted |= {digest: (person, seq) for person, digest in _people_in(payload)}
    for digest, (person, seq) in adopted.items():
        if person not in redacted and name_in(site_dir, digest) is None:
            yield digest, f"missing or changed (event {seq}, the name of {person})"
    for person, seq in redacted.items():
        for digest in documents_of(site_dir, person):
            yield (
                digest,
                f"the name of {person}, redacted by event {seq}, is here: `clusterwright redact {person}` removes it",
            )


def _people_in(payload: str) -> list[tuple[str, str]]:
    try:
        people = json.loads(payload)["people"]
        return [(str(person), str(digest)) for person, digest in (people or {}).items()]
    except (ValueError, TypeError, KeyError, AttributeError):
        return []  # of the first release, or garbled, and then the chain names it


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
    said = json.loads(content)
    assert isinstance(said, dict)
    return said
