"""Judges a rehearsal of disaster recovery: lost data came back, a host was rebuilt from nothing and runs jobs, within the times agreed.

A drill is judged once: what came of it is kept in its folder, and said again from then on. Arguments: that folder, the host, what was seen
of the data as JSON, the packages that the host has now, the agreed minutes of recovery, and the agreed hours of data that may be lost; 0 for
what was not agreed.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

from slurm_jobs import as_person, ended, report, takes_jobs, try_submit, until

TIME, DATA = METRICS = ("recovery.time_over_objective", "recovery.data_lost_over_objective")
OUTPUT = "recovery-drill.out"
NAMED = 5


def main() -> None:
    """Judge the drill, or say again what came of it."""
    folder, host, data, packages, minutes, hours = sys.argv[1:]
    drill, agreed = Path(folder), (float(minutes), float(hours))
    report(again(drill) if (drill / "result.json").exists() else made(drill, host, json.loads(data), packages, agreed))


def made(drill: Path, host: str, data: dict, packages: str, agreed: tuple[float, float]) -> dict:
    """Let a job run on the host that was rebuilt, and judge. A drill after which the host takes no jobs may be gone on with."""
    began = drill / "began"
    if not packages or not began.exists():
        why = "was erased, and is not rebuilt to its end" if began.exists() else "was not erased"
        return judged(data, f"{host} {why}", 0.0, agreed)
    why = job_fails(host)
    took_s = time.time() - float(began.read_text())
    lacks = sorted(set((drill / "packages").read_text().split()) - set(packages.split()))
    found = judged(data, why and f"{host} takes no jobs: {why}", took_s, agreed, f"{host} {rebuilt(took_s, lacks)}")
    if not why:
        (drill / "result.json").write_text(json.dumps(found))
    return found


def again(drill: Path) -> dict:
    """Return what came of a drill that was made before."""
    result = drill / "result.json"
    day = time.strftime("%d %b %Y", time.localtime(result.stat().st_mtime))
    note = f"of drill {drill.name} of {day}; another recovery_drill_label makes another"
    return {name: (value, f"{said}; {note}") for name, (value, said) in json.loads(result.read_text()).items()}


def job_fails(host: str) -> str:
    """Put the host back to work and run a job there. Return why it did not end well, or an empty text."""
    subprocess.run(["scontrol", "update", f"NodeName={host}", "State=RESUME"], capture_output=True, check=False)
    state = until(lambda: state_of(host), takes_jobs, 120)
    where = (f"--nodelist={host}", "--nodes=1", "--time=2", f"--output={OUTPUT}")
    submitted = try_submit("hostname", *where)
    if submitted.returncode != 0:
        return f"sbatch: {submitted.stderr.strip()[:200]}"
    job = submitted.stdout.strip()
    end = ended(job)
    said = as_person("cat", OUTPUT).stdout.strip()
    as_person("scancel", job)
    as_person("rm", "-f", OUTPUT)
    if end != "COMPLETED":
        return f"job {end}, and it is {state or 'not known'}"
    return "" if said == host else "what a job wrote into its home there is not here"


def state_of(host: str) -> str:
    """Return the state of a node."""
    said = subprocess.run(["sinfo", "-h", "-N", "-n", host, "-o", "%T"], capture_output=True, text=True, check=False)
    return (said.stdout.split() or [""])[0]


def rebuilt(took_s: float, lacks: list[str]) -> str:
    """Return how long it took, and what the host had and lacks."""
    more = f" and {len(lacks) - NAMED} more" if len(lacks) > NAMED else ""
    without = (
        f", without {', '.join(lacks[:NAMED])}{more}, which it had" if lacks else ", with every package that it had"
    )
    return f"erased, installed and running a job after {took_s / 60:.1f} min{without}"


def judged(data: dict, why: str, took_s: float, agreed: tuple[float, float], host: str = "") -> dict:
    """Return the time of recovery and the data lost, each over what was agreed."""
    minutes, hours = agreed
    if not minutes or not hours:
        nothing = "no times were agreed: set recovery_drill_minutes and recovery_drill_data_hours in the inventory. Nothing was lost"
        return dict.fromkeys(METRICS, (None, nothing))
    if failed := data.get("failed", "" if "age_h" in data else "nothing was lost in this run"):
        too_old = data.get("age_h", 0) > hours
        return {
            TIME: (None, f"{failed}; no host was erased"),
            DATA: (round(data["age_h"] / hours, 4) if too_old else None, failed),
        }
    back = f"{data['files']} files ({data['mb']} MB) came back bit for bit in {data['restore_s']} s"
    copy = f"from copy {data['copy']}, {data['age_h']:.2f} h old; {data['newer']} files and folders were newer"
    lost = (round(data["age_h"] / hours, 4), f"{back} {copy}; {hours:g} h agreed")
    if why:
        return {TIME: (None, f"{back}; {why}"), DATA: lost}
    longest = max(data["restore_s"], took_s) / 60
    return {TIME: (round(longest / minutes, 4), f"{back}; {host}; {minutes:g} min agreed"), DATA: lost}


if __name__ == "__main__":
    main()
