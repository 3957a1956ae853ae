"""Moves a data set from outside onto the shared file system with aria2: the list first, then its files, then all of them read back.

Argument: the name of the set in /etc/clusterwright/ingest.json. What it did is in NAME.ingest.json beside the set. Exit 65: wrong bytes.
"""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

SETTINGS = Path("/etc/clusterwright/ingest.json")
WRONG_BYTES = 65
ARIA_CHECKSUM = 32


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    found = hashlib.sha256()
    with file.open("rb") as opened:
        while piece := opened.read(1 << 22):
            found.update(piece)
    return found.hexdigest()


def entry(url: str, name: str, digest: str) -> str:
    """Return a file as aria2's list has it."""
    return f"{url.rstrip('/')}/{quote(name)}\n  out={name}\n  checksum=sha-256={digest}\n"


def fetch(folder: Path, entries: str, settings: dict) -> int:
    """Have aria2 fetch files, and go on with those that were begun. Return how it ended."""
    command = [
        "aria2c",
        "--no-conf",
        "--input-file=-",
        f"--dir={folder}",
        "--continue=true",
        "--allow-overwrite=true",
        "--auto-file-renaming=false",
        "--check-integrity=true",
        "--file-allocation=none",
        "--auto-save-interval=1",
        f"--max-concurrent-downloads={settings['connections']}",
        f"--max-overall-download-limit={settings['limit']}",
        "--max-tries=10",
        "--retry-wait=3",
        "--connect-timeout=10",
        "--timeout=20",
        "--console-log-level=warn",
        "--summary-interval=0",
    ]
    return subprocess.run(command, input=entries, text=True, check=False).returncode


def listed(file: Path) -> "dict[str, str]":
    """Return the digests of a SHA256SUMS by name. A name that leads out of the set is refused."""
    sums = {}
    for line in file.read_text().splitlines():
        digest, name = line.split(maxsplit=1)
        name = name.lstrip("*").removeprefix("./")
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise SystemExit(f"{file}: {name} is not in the set")
        sums[name] = digest
    return sums


def held(folder: Path, names: "Iterable[str]") -> int:
    """Return how many bytes of a set are here."""
    return sum((folder / name).stat().st_size for name in names if (folder / name).exists())


def main() -> int:
    """Fetch, read back, put in place, say what was done."""
    name, settings = sys.argv[1], json.loads(SETTINGS.read_text())
    source, place = settings["sets"][name], Path(settings["folder"]) / name
    if place.exists():
        print(f"{place} is there")
        return 0
    folder = place.with_name(f".{name}.part")
    folder.mkdir(parents=True, exist_ok=True)
    done = fetch(folder, entry(source["url"], "SHA256SUMS", source["sums_sha256"]), settings)
    if done:
        return WRONG_BYTES if done == ARIA_CHECKSUM else 1
    sums = listed(folder / "SHA256SUMS")
    began, before = time.monotonic(), held(folder, sums)
    done = fetch(folder, "".join(entry(source["url"], *one) for one in sums.items()), settings)
    seconds = time.monotonic() - began
    there = {file for file in sums if (folder / file).exists() and not (folder / f"{file}.aria2").exists()}
    wrong = sorted(file for file in there if digest_of(folder / file) != sums[file])
    missing = sorted(sums.keys() - there)
    report = {
        "files": len(sums),
        "bytes": held(folder, sums),
        "fetched": held(folder, sums) - before,
        "seconds": round(seconds, 1),
        "wrong": wrong,
        "missing": missing,
        "aria2": done,
    }
    place.with_name(f"{name}.ingest.json").write_text(json.dumps(report))
    if done == ARIA_CHECKSUM or wrong:
        print(f"wrong bytes: {', '.join(wrong) or 'aria2 names the file above'}", file=sys.stderr)
        return WRONG_BYTES
    if done or missing:
        return 1
    folder.rename(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
