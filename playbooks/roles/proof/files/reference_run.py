"""The reference job, as a user starts it: submitted to Slurm in the name of the proofs' account, from a folder in its home.

The job starts its ranks again when one is lost. If a node of its own is out of service then, it has itself queued again, and gets others.
"""

import json
import re
import subprocess
from collections.abc import Callable
from typing import NamedTuple

from slurm_jobs import PERSON, accounted, as_person, home, queued, until

PROGRAM = "/opt/clusterwright/training/train.py"
OVER = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")
JOB = """#!/bin/sh
export TRAINING_MASTER=$(scontrol show hostnames | head -n 1){chosen} OMP_NUM_THREADS=1
tries=0
until srun --kill-on-bad-exit=1 python3 {program} run.json; do
  [ ! -e refused ] || exit 65
  [ $((tries += 1)) -lt 30 ] || exit 1
  out=$(sinfo -h -o %N -n "$SLURM_JOB_NODELIST" -t drain,down,fail)
  [ -z "$out" ] || exec scontrol requeue "$SLURM_JOB_ID"
  sleep 2
done
"""


def why_not_this_job() -> str:
    """Return why the job says nothing of this cluster: it computes on processors, and the nodes have GPUs. Else an empty text."""
    said = subprocess.run(["sinfo", "-h", "-o", "%G"], capture_output=True, text=True, check=True).stdout
    has_gpus = re.search(r"\bgpu:", said)
    return (
        "the small job computes on processors, and the nodes have GPUs: measure the site's own job" if has_gpus else ""
    )


class Step(NamedTuple):
    """A step of a run: its loss, when it ended, and how often the run had gone on from a checkpoint by then."""

    step: int
    loss: float
    at: float
    restarts: int


class Run:
    """One run of the job, in a folder of its own."""

    def __init__(self, name: str, nodes: int) -> None:
        """Name a run. `begin` submits it; `job` is its number in the queue."""
        self.name, self.nodes, self.job = name, nodes, ""
        self.folder = f"{home()}/reference/{name}"

    def begin(self, terms: dict, *options: str) -> "Run":
        """Submit it. `interface` of the terms is the port that ranks speak by, which else the hosts' names say; `minutes` its limit."""
        as_person("sh", "-c", f"rm -rf {self.folder}; mkdir -p {self.folder}")
        chosen = f" GLOO_SOCKET_IFNAME={terms['interface']}" if terms.get("interface") else ""
        run = {name: value for name, value in terms.items() if name not in ("interface", "minutes")}
        self.write("run.json", json.dumps({"run": self.name, "textfile_dir": self.folder, **run}))
        self.write("job.sh", JOB.format(program=PROGRAM, chosen=chosen))
        wanted = [
            f"--nodes={self.nodes}",
            "--ntasks-per-node=1",
            "--exclusive",
            "--mem=0",
            f"--time={terms.get('minutes', 60)}",
        ]
        where = [f"--job-name={PERSON}", "--open-mode=append", "--output=output", f"--chdir={self.folder}"]
        done = as_person("sbatch", "--parsable", *wanted, *where, *options, f"{self.folder}/job.sh")
        if done.returncode != 0:
            raise SystemExit(f"sbatch {' '.join(options)}: {done.stderr.strip()}")
        self.job = done.stdout.strip()
        return self

    def write(self, name: str, text: str) -> None:
        """Write a file into the run's folder."""
        as_person("sh", "-c", f"cat >{self.folder}/{name}", given=text)

    def read(self, name: str) -> str:
        """Return a file of the run's folder, or an empty text while it is not there."""
        return as_person("cat", f"{self.folder}/{name}").stdout

    def curve(self) -> list[Step]:
        """Return every step that was taken, those that were taken again too."""
        return [step for line in self.read("curve.jsonl").splitlines() if (step := parsed(line))]

    def outcome(self) -> dict:
        """Return what the run came to, or nothing if it did not come to its end."""
        return json.loads(self.read("outcome.json") or "{}")

    def hosts(self) -> list[str]:
        """Return the nodes that it runs on now."""
        listed = queued(self.job, "%N")
        return as_person("scontrol", "show", "hostnames", listed).stdout.split() if listed else []

    def wait_for(self, is_so: Callable[[list[Step]], bool], patience_s: float) -> list[Step]:
        """Return the steps once it is so of them, or when patience ends."""
        return until(self.curve, is_so, patience_s)

    def end(self, patience_s: float) -> dict:
        """Wait for the run's end and return what it came to, with `failed` in words if it is not whole."""
        until(lambda: is_over(self.job), bool, patience_s)
        state = accounted(self.job, "State") or ["unknown"]
        if outcome := self.outcome():
            return outcome
        why = self.read("refused") or last_words(self.read("output"))
        return {"failed": f"job {state[0]} on {self.nodes} nodes: {why}"}


def parsed(line: str) -> "Step | None":
    """Return the step of a line, or None if the line was not written to its end."""
    try:
        return Step(**json.loads(line))
    except ValueError:
        return None


def is_over(job: str) -> bool:
    """Say whether a job is over. One that was queued again is not, although accounting has an end of it."""
    state = accounted(job, "State")
    return not queued(job, "%T") and bool(state) and state[0].startswith(OVER)


def last_words(output: str) -> str:
    """Return the last line of an output."""
    return (output.strip().splitlines() or ["no output"])[-1][:200]


def losses(curve: list[Step]) -> dict[int, float]:
    """Return the loss that counts at each step: the last, where a step was taken again."""
    return {step.step: step.loss for step in curve}
