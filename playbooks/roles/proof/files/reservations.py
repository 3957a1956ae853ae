"""Proves reservations: a host is kept for root. A job of another account waits, and runs when the reservation has ended."""

import subprocess
import time

from slurm_jobs import PERSON, a_host, clear, ended, queued, report, submit, until

NAME = f"{PERSON}-reservation"
WATCH_S = 12


def main() -> None:
    """Reserve a host, try to use it from outside, and end the reservation."""
    clear()
    host = a_host()
    control("delete", f"reservationname={NAME}")
    made = control(
        "create",
        "reservation",
        f"reservationname={NAME}",
        "starttime=now",
        "duration=10",
        "users=root",
        f"nodes={host}",
    )
    if made.returncode != 0:
        report({"reservation.intruding_jobs": (None, f"{host} cannot be reserved: {made.stderr.strip()[:200]}")})
        return
    try:
        job = submit("true", f"--nodelist={host}", "--time=1")
        inside = submit_inside(host)
        state = until(lambda: queued(job, "%T"), lambda found: found != "PENDING", WATCH_S)
        why = queued(job, "%r")
    finally:
        control("delete", f"reservationname={NAME}")
    after = ended(job, 90)
    clear()
    note = f"{host}: job of another {state or 'has run'} ({why}), {after} after the reservation; the owner's own job {inside}"
    intruded = int(state != "PENDING")
    held = after == "COMPLETED" and inside == "COMPLETED"
    report({"reservation.intruding_jobs": (intruded if held or intruded else None, note)})


def submit_inside(host: str) -> str:
    """Run a job of the reservation's owner inside it. Return how it ended."""
    command = ["srun", f"--reservation={NAME}", f"--nodelist={host}", "--mem=64", "--time=1", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    time.sleep(1)
    return "COMPLETED" if done.returncode == 0 else done.stderr.strip()[:200]


def control(*words: str) -> subprocess.CompletedProcess[str]:
    """Tell the controller something."""
    return subprocess.run(["scontrol", *words], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
