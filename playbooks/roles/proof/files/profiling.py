"""Proves what a profile costs: what ten steps of the small job take longer on this host with one, as a share of a run without.

Both begin and end where a step does, the first of them before the profile begins and the last when it is written. Other work of
the host lengthens steps here and there, so that the best of some tries is compared with the best ten steps of the run without.
Arguments: the folder of the job, then this host's name.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TRIES, STEPS, SHORT = 3, 400, 70
FIRST, LAST = 50, 60
TERMS = {"run": "profiled", "master": "127.0.0.1", "port": 29555}


def run(job: Path, host: str, steps: int, profile_steps: list[int]) -> tuple[list[float], int]:
    """Return when each step of a run ended, and the size of its trace in bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        terms = {**TERMS, "hosts": [host], "profile_steps": profile_steps, "textfile_dir": name}
        terms |= {"steps": steps, "checkpoint_every": steps, "log_every": steps}
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
        curve = (folder / "curve.jsonl").read_text().splitlines()
        return [json.loads(line)["at"] for line in curve], trace.stat().st_size if trace.exists() else 0


def main() -> None:
    """Run with and without, and compare."""
    job, host = Path(sys.argv[1]), sys.argv[2]
    plain, _ = run(job, host, STEPS, [])
    count = LAST + 1 - FIRST
    without = min(end - begin for begin, end in zip(plain, plain[count:], strict=False))
    # as long as the whole run takes where nothing else lengthens its steps
    whole = without / count * STEPS
    runs = [run(job, host, SHORT, [FIRST, LAST]) for _ in range(TRIES)]
    profiled = min(ended[LAST] - ended[FIRST - 1] for ended, _ in runs)
    size = min(size for _, size in runs)
    cost = max(0.0, (profiled - without) / whole * 100)
    note = (
        f"{count} steps take {without:.3f} s, and {profiled:.3f} s with a profile of {LAST - FIRST} of them; {STEPS} steps take "
        f"{whole:.1f} s; the trace has {size} bytes"
    )
    print(json.dumps({"profile.overhead": {"value": round(cost, 2) if size else None, "note": note}}))


if __name__ == "__main__":
    main()
