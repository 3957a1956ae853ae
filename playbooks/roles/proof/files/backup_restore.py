"""Proves that the newest scheduled copy can be restored: restores the sample from it, compares it, and takes the time.

Arguments: the file of restic's settings, the sample, and the file that has its digest.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DIGEST, RATE, AGE = METRICS = ("backup.restore_digest_match", "backup.restored_in_a_day_tb", "backup.age_h")


def environment(settings: Path) -> dict:
    """Return the environment of restic."""
    lines = settings.read_text().splitlines()
    return os.environ | dict(line.split("=", 1) for line in lines if "=" in line)


def restic(env: dict, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run restic."""
    return subprocess.run(["restic", "--no-lock", *words], capture_output=True, text=True, check=False, env=env)


def newest(env: dict) -> "tuple[str, float]":
    """Return the newest scheduled copy, and its age in hours. An empty name: there is none, or it cannot be read."""
    done = restic(env, "snapshots", "--json", "--tag", "scheduled")
    copies = json.loads(done.stdout or "[]") or [] if done.returncode == 0 else []
    if not copies:
        return "", 0.0
    last = max(copies, key=lambda copy: copy["time"])
    # restic writes the time of its own zone to the nanosecond
    made = subprocess.run(["date", "-d", last["time"], "+%s"], capture_output=True, text=True, check=True).stdout
    return last["id"], max(0.0, (time.time() - int(made)) / 3600)


def restored(env: dict, copy: str, sample: Path, folder: Path) -> "tuple[str, int, float, str]":
    """Return digest, bytes and seconds of the sample from a copy, and what restic complained of."""
    began = time.monotonic()
    done = restic(env, "restore", copy, "--include", str(sample), "--target", str(folder))
    file = folder / sample.relative_to("/")
    if not file.exists():
        return "", 0, 0.0, done.stderr.strip()[-200:] or f"{sample} is not in the copy"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return digest, file.stat().st_size, time.monotonic() - began, done.stderr.strip()[-200:]


def find(settings: Path, sample: Path, known: str) -> dict:
    """Restore the sample and compare it."""
    env = environment(settings)
    copy, age_h = newest(env)
    if not copy:
        nothing = "there is no scheduled copy, or the repository cannot be read"
        return {DIGEST: (False, nothing), RATE: (None, nothing), AGE: (None, nothing)}
    with tempfile.TemporaryDirectory() as folder:
        digest, size, seconds, complaint = restored(env, copy, sample, Path(folder))
    if digest != known:
        wrong = complaint or "the restored sample has other bytes"
        return {DIGEST: (False, wrong), RATE: (None, wrong), AGE: (round(age_h, 2), f"copy {copy[:8]}")}
    note = f"{size / 1e6:.0f} MB of copy {copy[:8]} restored and compared in {seconds:.1f} s"
    return {
        DIGEST: (True, note),
        RATE: (round(size / seconds * 86400 / 1e12, 6), note),
        AGE: (round(age_h, 2), f"copy {copy[:8]}"),
    }


def main() -> None:
    """Look, restore, report."""
    settings, sample, digest = map(Path, sys.argv[1:])
    known = digest.read_text().split()[0] if digest.exists() else ""
    found = find(settings, sample, known)
    print(json.dumps({name: {"value": value, "note": note} for name, (value, note) in found.items()}))


if __name__ == "__main__":
    main()
