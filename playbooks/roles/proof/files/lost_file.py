"""Loses the sample of step 138 from the shared file system and restores it in its place from the newest scheduled copy.

Arguments: the file of restic's settings, the sample, and the file that has its digest. Prints how long it took and how old the copy is, or
`failed` in words. What was lost on purpose is put back either way.
"""

import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

from backup_restore import environment, newest, restic


def main() -> None:
    """Lose it, restore it, and report."""
    settings, sample, digest = map(Path, sys.argv[1:])
    print(json.dumps(lost_and_restored(settings, sample, digest)))


def lost_and_restored(settings: Path, sample: Path, digest: Path) -> dict:
    """Return what was seen."""
    if not (settings.exists() and sample.exists() and digest.exists()):
        return {"failed": f"{settings}, {sample} or {digest} is not there: step 138 makes them"}
    # outside of what is copied, and on the same file system, so that it is moved at once
    kept = sample.with_name(f"{sample.name}.kept")
    sample.rename(kept)
    try:
        return restored(settings, sample, digest.read_text().split()[0])
    finally:
        kept.replace(sample)


def restored(settings: Path, sample: Path, known: str) -> dict:
    """Restore the sample where it was, and compare it."""
    began = time.monotonic()
    env = environment(settings)
    copy, age_h = newest(env)
    if not copy:
        return {"failed": "there is no scheduled copy, or the repository cannot be read"}
    done = restic(env, "restore", copy, "--include", str(sample), "--target", "/")
    if not sample.exists():
        return {"failed": done.stderr.strip()[-200:] or f"{sample} is not in the copy"}
    if hashlib.sha256(sample.read_bytes()).hexdigest() != known:
        return {"failed": done.stderr.strip()[-200:] or "the restored file has other bytes"}
    mb = sample.stat().st_size / 1e6
    subprocess.run(["sync", str(sample)], check=False)
    return {"restore_s": round(time.monotonic() - began, 1), "mb": round(mb), "age_h": round(age_h, 3)}


if __name__ == "__main__":
    main()
