"""Proves that old versions of data sets can be restored: fetches the oldest version of each into a new copy, and compares each file's digest.

Arguments: the folder of the sets, and their names.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

METRIC = "dataset.restored_digest_match"
KEY = "SHA256E-"


def git(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run git in a folder."""
    own = {"GIT_AUTHOR_NAME": "proof", "GIT_AUTHOR_EMAIL": "proof@localhost"}
    own |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in own.items()}
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | own)


def differing(copy: Path) -> "tuple[list[str], int]":
    """Return the files of a copy whose bytes have not the digest in their names, and how many there are."""
    wrong, number = [], 0
    for line in git(copy, "annex", "find", "--include=*", "--format=${key} ${file}\\n").stdout.splitlines():
        key, name = line.split(" ", 1)
        number += 1
        file, digest = copy / name, key.rpartition("--")[2].split(".")[0]
        if not key.startswith(KEY):
            wrong.append(f"{name}: {key.split('-')[0]} names no SHA-256")
        elif not file.exists():
            wrong.append(f"{name}: its bytes are not there, or are not those of its digest")
        elif digest_of(file) != digest:
            wrong.append(f"{name}: other bytes")
    return wrong, number


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file, which may be larger than the memory."""
    with file.open("rb") as opened:
        return subprocess.run(["sha256sum"], stdin=opened, capture_output=True, text=True, check=True).stdout.split()[0]


def restored(store: Path, folder: Path) -> "tuple[str, list[str], int]":
    """Return the oldest version of a set, what is wrong with it, and its number of files. An empty name: there is no version."""
    tags = git(store, "tag", "--sort=creatordate").stdout.split()
    if not tags:
        return "", [], 0
    made = git(folder, "clone", "--quiet", "--branch", tags[0], str(store), "copy")
    if made.returncode:
        return tags[0], [made.stderr.strip()[-200:]], 0
    copy = folder / "copy"
    git(copy, "annex", "init", "--quiet", "proof")
    # a copy must not be made of links into the store
    git(copy, "config", "annex.hardlink", "false")
    git(copy, "annex", "get", "--quiet", ".")
    wrong, number = differing(copy)
    git(copy, "annex", "uninit")
    return tags[0], wrong, number


def main() -> None:
    """Restore each set, report."""
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    wrong, said, is_tried = [], [], False
    for name in names:
        store = folder / name
        if not store.is_dir():
            wrong.append(f"{name}: it is not there")
            continue
        with tempfile.TemporaryDirectory() as place:
            tag, bad, number = restored(store, Path(place))
            subprocess.run(["chmod", "-R", "u+w", place], check=False)
        is_tried |= bool(tag)
        steps = git(store, "log", "--all", "--fixed-strings", "--grep=DATALAD RUNCMD", "--format=%h").stdout.split()
        said.append(f"{name} {tag or 'has no version'}: {number} files, {len(steps)} recorded steps")
        wrong += [f"{name} {tag}: {one}" for one in bad]
        wrong += [f"{name} {tag}: no file" for _ in range(bool(tag and not number and not bad))]
    value, note = not wrong if wrong or is_tried else None, "; ".join(wrong[:5] or said) or "no set is named"
    print(json.dumps({METRIC: {"value": value, "note": note}}))


if __name__ == "__main__":
    main()
