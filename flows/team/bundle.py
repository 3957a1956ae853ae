"""What a worker gets of a run: the copy of everything that Ansible reads, and the terms of one slice, in one archive.

The same files and terms make the same bytes. Prefect keeps their digest as the run's parameter, and nothing else of them.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from flows.runs.bundle.copy import FOLDER, Tree
from flows.runs.bundle.galaxy import ANSIBLE
from flows.runs.limits.limits import Limit, Limits
from flows.team.own_inventory import FILE, OwnInventory
from schedule.errors import InputError

TERMS = "terms.json"
PROGRAMS = ("clusterwright", *ANSIBLE)
"""What must have the same version where a run is released and where it runs."""


class SliceTerms(NamedTuple):
    """The terms of a slice. Paths are those in the copy; `token` proves to the worker who renews its lease."""

    slice_name: str
    playbook: str
    inventory: str
    hosts: tuple[str, ...]
    extra_vars: dict[str, Any]
    check: bool
    limits: dict[str, tuple[int, str]]
    digest: str
    token: str
    versions: dict[str, str]

    def bounds(self) -> Limits:
        """Return the bounds of the slice."""
        return Limits(**{name: Limit(*limit) for name, limit in self.limits.items()})

    def tree(self, work_dir: Path) -> Tree:
        """Return the copy as it is in a folder that it was unpacked to."""
        folder = work_dir / FOLDER
        return Tree(folder, folder / self.playbook, folder / self.inventory, self.digest)


def versions() -> dict[str, str]:
    """Return the versions of the programs that decide what a run does."""
    return {name: version(name) for name in PROGRAMS}


def packed(tree: Tree, terms: SliceTerms, own: OwnInventory | None) -> bytes:
    """Return the archive of a slice, with the inventory of its hosts, or with the whole one where that is None."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, TERMS, json.dumps(terms._asdict(), sort_keys=True).encode(), may_run=False)
        if own is not None:
            _add(archive, f"{FOLDER}/{FILE}", own.text.encode(), may_run=False)
        for path in sorted(tree.folder.rglob("*")):
            name = path.relative_to(tree.folder)
            if path.is_file() and (own is None or own.has(name)):
                _add(archive, f"{FOLDER}/{name}", path.read_bytes(), may_run=bool(path.stat().st_mode & 0o100))
    return out.getvalue()


def unpacked(content: bytes, work_dir: Path) -> SliceTerms:
    """Unpack an archive into a folder, and return its terms. Raise where it is of another version, whose terms may be others."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for entry in archive:
            _write(archive, entry, work_dir)
    given = json.loads((work_dir / TERMS).read_text(encoding="utf-8"))
    _refuse_other_versions(given["versions"])
    return SliceTerms(**given | {"hosts": tuple(given["hosts"])})


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of an archive, by which a worker knows that it has the one that was meant."""
    return hashlib.sha256(content).hexdigest()


def _refuse_other_versions(wanted: dict[str, str]) -> None:
    """Raise where this machine's programs are not those with which the run was released."""
    ours = versions()
    other = [
        f"{name} {ours.get(name, 'missing')} and not {one}" for name, one in wanted.items() if ours.get(name) != one
    ]
    if other:
        raise InputError(f"this worker has {', '.join(other)}", hint="install the dispatcher's version on it")


def _write(archive: tarfile.TarFile, entry: tarfile.TarInfo, work_dir: Path) -> None:
    """Write a file of an archive. Raise for what `packed` never makes: a link, or a file outside of the folder.

    `tarfile` itself refuses these by a filter, which Python 3.11 before 3.11.4 does not have: Debian 12 ships 3.11.2.
    """
    place = work_dir / entry.name
    content = archive.extractfile(entry) if entry.isreg() else None
    if content is None or not place.resolve().is_relative_to(work_dir.resolve()):
        raise InputError(f"{entry.name!r} of the bundle is no plain file in its folder")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.read())
    place.chmod(entry.mode & 0o100 | 0o600)


def _add(archive: tarfile.TarFile, name: str, content: bytes, *, may_run: bool) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o500 if may_run else 0o400
    archive.addfile(entry, io.BytesIO(content))
