"""Jobs of a proof: submitted in the name of the proofs' account, watched until they are what they should be, taken away."""

import json
import pwd
import subprocess
import time
from collections.abc import Callable
from typing import TypeVar

PERSON = "cwproof"
LOOK_S = 0.5
# one that is planned is kept free for a larger job that waits; a reservation keeps the last two for its own jobs
IN_SERVICE = ("idle", "planned", "mixed", "allocated", "completing", "maint", "reserved")

T = TypeVar("T")


def home() -> str:
    """Return the home of the proofs' account."""
    return pwd.getpwnam(PERSON).pw_dir


def in_name(*command: str) -> list[str]:
    """Return the words that run a command as the proofs' account, in its home. Root may have no right to go there."""
    return ["runuser", "-u", PERSON, "--", "env", f"--chdir={home()}", f"HOME={home()}", f"USER={PERSON}", *command]


def as_person(*command: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command as the proofs' account, in its home."""
    return subprocess.run(in_name(*command), input=given, capture_output=True, text=True, check=False)


def submit(script: str, *options: str) -> str:
    """Submit a job and return its number. A job that is refused ends the proof."""
    done = try_submit(script, *options)
    if done.returncode != 0:
        raise SystemExit(f"sbatch {' '.join(options)}: {done.stderr.strip()}")
    return done.stdout.strip()


def try_submit(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Submit a job, and return what the scheduler answers."""
    terms = ("--parsable", f"--job-name={PERSON}", "--mem-per-cpu=64")
    return as_person("sbatch", *terms, *options, f"--wrap={script}")


def queued(job: str, column: str, *options: str) -> str:
    """Return a column of the queue for a job, or an empty text once the job has left the queue.

    With `--states=all` a job that has ended is shown for five minutes more.
    """
    command = ["squeue", "-h", "-j", job, "-o", column, *options]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return said.stdout.strip()


def accounted(job: str, *columns: str) -> list[str]:
    """Return columns of accounting for a job, or an empty list until accounting has the job. Without accounting the proof ends."""
    command = ["sacct", "-nPX", "-j", job, "-o", ",".join(columns)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise SystemExit(said.stderr.partition("\n")[0])
    lines = said.stdout.splitlines()
    return lines[-1].split("|") if lines else []


def until(read: Callable[[], T], is_so: Callable[[T], object], patience_s: float) -> T:
    """Read until it is so or patience ends. Return the last reading either way."""
    end = time.monotonic() + patience_s
    while not is_so(found := read()) and time.monotonic() < end:
        time.sleep(LOOK_S)
    return found


def ended(job: str, patience_s: float = 120) -> str:
    """Wait until accounting has the end of a job. Return its state."""
    over = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")
    found = until(lambda: accounted(job, "State"), lambda row: row and row[0].startswith(over), patience_s)
    return found[0] if found else "unknown"


def takes_jobs(said: str) -> bool:
    """Say whether a node's state is one in service. That of a node that does not answer ends in a star."""
    return said.partition(" ")[0].rstrip("-+") in IN_SERVICE


def hosts() -> list[str]:
    """Return the compute hosts that accept jobs now."""
    said = subprocess.run(
        ["sinfo", "-h", "-N", "-o", "%N", "-t", "idle,mixed,allocated"], capture_output=True, text=True, check=True
    )
    return sorted(set(said.stdout.split()))


def a_host() -> str:
    """Return the first compute host that accepts jobs now, without which nothing can be proved."""
    for host in hosts():
        return host
    raise SystemExit("no compute host accepts jobs now: see sinfo -R")


def clear() -> None:
    """Take away every job of the proofs' account with what it wrote, and wait until none is left."""

    def left() -> str:
        return as_person("squeue", "-h", f"--user={PERSON}").stdout.strip()

    subprocess.run(["scancel", f"--user={PERSON}"], check=False)
    until(left, lambda found: not found, 90)
    as_person("sh", "-c", "rm -f slurm-*.out")


def report(metrics: dict[str, tuple[object, str]]) -> None:
    """Print what was found: a value and a note a metric; None is not measured."""
    print(json.dumps({name: {"value": value, "note": note} for name, (value, note) in metrics.items()}))
