"""Judges a rehearsal of disaster recovery: a lost file was restored, a host was rebuilt from bare and runs jobs, within the times agreed.

Arguments: what was seen of the lost file as JSON, the host, when it was drained (seconds since 1970), the agreed minutes of recovery, and the agreed
hours of data that may be lost; 0 for what was not agreed.
"""

import json
import subprocess
import sys
import time

from slurm_jobs import as_person, ended, report, try_submit, until

TIME, DATA = METRICS = ("recovery.time_over_objective", "recovery.data_lost_over_objective")
IN_SERVICE = ("idle", "mixed", "allocated")


def main() -> None:
    """Let a job run on the host that was rebuilt, and judge."""
    file, host, began, minutes, hours = sys.argv[1:]
    why = job_fails(host) if float(began) else "it was not erased in this run"
    report(judged(json.loads(file), host, why, time.time() - float(began), (float(minutes), float(hours))))


def job_fails(host: str) -> str:
    """Put the host back to work and run a job there. Return why it did not end well, or an empty text."""
    subprocess.run(["scontrol", "update", f"NodeName={host}", "State=RESUME"], capture_output=True, check=False)
    state = until(lambda: state_of(host), lambda said: said in IN_SERVICE, 120)
    submitted = try_submit("hostname", f"--nodelist={host}", "--nodes=1", "--time=1", "--output=/dev/null")
    if submitted.returncode != 0:
        return f"sbatch: {submitted.stderr.strip()[:200]}"
    job = submitted.stdout.strip()
    end = ended(job)
    as_person("scancel", job)
    return "" if end == "COMPLETED" else f"job {end} on {host}, which is {state or 'not known'}"


def state_of(host: str) -> str:
    """Return the state of a node."""
    said = subprocess.run(["sinfo", "-h", "-N", "-n", host, "-o", "%T"], capture_output=True, text=True, check=False)
    return (said.stdout.split() or [""])[0]


def judged(file: dict, host: str, why: str, rebuild_s: float, agreed: tuple[float, float]) -> dict:
    """Return the time of recovery and the data lost, each over what was agreed."""
    minutes, hours = agreed
    if not minutes or not hours:
        nothing = "no times were agreed: set recovery_drill_minutes and recovery_drill_data_hours in the inventory"
        return dict.fromkeys(METRICS, (None, nothing))
    if "failed" in file:
        return dict.fromkeys(METRICS, (None, f"the lost file did not come back: {file['failed']}"))
    note = f"{file['mb']} MB restored in {file['restore_s']:.1f} s from a copy that was {file['age_h']:.2f} h old"
    lost = {DATA: (round(file["age_h"] / hours, 4), f"{note}; {hours:g} h agreed")}
    if why:
        return {TIME: (None, f"{note}; {host} takes no jobs: {why}"), **lost}
    longest = max(file["restore_s"], rebuild_s) / 60
    note = f"{note}; {host} erased, installed and running a job after {rebuild_s / 60:.1f} min; {minutes:g} min agreed"
    return {TIME: (round(longest / minutes, 4), note), **lost}


if __name__ == "__main__":
    main()
