"""Proves what a profile costs: the small job runs alone on this host with and without one, in turn, and the best are compared.

Arguments: the folder of the job, then this host's name.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TRIES, STEPS = 3, 200
TERMS = {
    "run": "profiled",
    "master": "127.0.0.1",
    "port": 29555,
    "steps": STEPS,
    "checkpoint_every": STEPS,
    "log_every": STEPS,
}


def seconds(job: Path, host: str, profile_steps: list[int]) -> tuple[float, int]:
    """Return the duration of a run in seconds, and the size of its trace in bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        terms = {**TERMS, "hosts": [host], "profile_steps": profile_steps, "textfile_dir": name}
        (folder / "run.json").write_text(json.dumps(terms))
        command = ["python3", str(job / "train.py"), str(folder / "run.json")]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            what = "with a profile" if profile_steps else "without a profile"
            *_, why = ran.stderr.splitlines() or ["no word of why"]
            raise SystemExit(f"{what}: {why}")
        trace = folder / "trace.json"
        if trace.exists():
            json.loads(trace.read_text())
        took = json.loads((folder / "outcome.json").read_text())["seconds"]
        return took, trace.stat().st_size if trace.exists() else 0


def main() -> None:
    """Run with and without, and compare."""
    job, host = Path(sys.argv[1]), sys.argv[2]
    plain, profiled, size = [], [], 0
    for _ in range(TRIES):
        plain.append(seconds(job, host, [])[0])
        took, size = seconds(job, host, [50, 60])
        profiled.append(took)
    cost = max(0.0, (min(profiled) / min(plain) - 1) * 100)
    note = f"{min(plain)} s without, {min(profiled)} s with ten of {STEPS} steps profiled; the trace has {size} bytes"
    print(json.dumps({"profile.overhead": {"value": round(cost, 2) if size else None, "note": note}}))


if __name__ == "__main__":
    main()
