"""Proves preemption: a job that counts its steps is displaced by an urgent one, requeued, and goes on from its checkpoint."""

import subprocess
import time

from slurm_jobs import PERSON, a_host, as_person, clear, queued, report, submit, until

STEP_S = 0.5
BEFORE_S = 4.0

# every step is logged; the checkpoint is written at each fifth, and when the scheduler says that the end is near
TRAINING = r"""
cd {folder} || exit 1
step=$(cat checkpoint 2>/dev/null || echo 0)
echo "begin $step" >>log
trap 'echo $step >checkpoint; echo "told $step" >>log; exit 0' TERM
while [ "$step" -lt 600 ]; do
  sleep {step_s} & wait $!
  step=$((step + 1)); echo "step $step" >>log
  [ $((step % 5)) -ne 0 ] || echo $step >checkpoint
done
"""


def main() -> None:
    """Start, displace, wait until it has resumed; count the steps that were lost."""
    clear()
    host, folder = a_host(), f"/tmp/{PERSON}-preemption"
    run_on(host, f"rm -rf {folder}; mkdir {folder}")
    where = (f"--nodelist={host}", "--nodes=1", "--exclusive")
    training = TRAINING.format(folder=folder, step_s=STEP_S)
    job = submit(training, *where, "--qos=low", "--requeue", "--time=00:20:00")
    until(lambda: queued(job, "%T"), lambda state: state == "RUNNING", 60)
    time.sleep(BEFORE_S)
    urgent = submit("sleep 2", *where, "--qos=urgent", "--time=00:05:00")
    if until(lambda: queued(urgent, "%T"), lambda state: state in ("RUNNING", ""), 120) == "PENDING":
        why = queued(urgent, "%r")
        clear()
        run_on(host, f"rm -rf {folder}")
        report({"preempt.lost_steps": (None, f"nothing was displaced on {host}: the urgent job waits ({why})")})
        return
    until(lambda: restarts(job) and queued(job, "%T"), lambda state: state == "RUNNING", 300)
    time.sleep(BEFORE_S)
    times = restarts(job)
    clear()
    log = run_on(host, f"cat {folder}/log; rm -rf {folder}").splitlines()
    begins = [index for index, line in enumerate(log) if line.startswith("begin")]
    if not times or len(begins) < 2:
        note = f"the job on {host} did not resume: {times} restarts, {len(begins)} beginnings"
        report({"preempt.lost_steps": (None, note)})
        return
    last = max((int(line.split()[1]) for line in log[: begins[1]] if line.startswith("step")), default=0)
    resumed = int(log[begins[1]].split()[1])
    note = f"displaced on {host} at step {last}, resumed at step {resumed}, restarts {times}"
    report({"preempt.lost_steps": (max(0, last - resumed), note)})


def run_on(host: str, command: str) -> str:
    """Run a command on a compute host in the name of the proofs' account."""
    srun = ("srun", "--quiet", f"--nodelist={host}", "--nodes=1", "--mem=64", "--time=1")
    return as_person(*srun, "bash", "-c", command).stdout


def restarts(job: str) -> int:
    """Return how often the scheduler has restarted the job."""
    said = subprocess.run(["scontrol", "show", "job", job], capture_output=True, text=True, check=False).stdout
    return next((int(word.split("=")[1]) for word in said.split() if word.startswith("Restarts=")), 0)


if __name__ == "__main__":
    main()
