"""What a person does first on a log-in host: a job in the home, one with a container, a shell inside a job."""

import os
import pty
import re
import subprocess
import tempfile
import time
from pathlib import Path

from container_run import PROGRAM, packed
from slurm_jobs import as_person, ended, home, hosts, in_name, until

SHELL = "#!/bin/bash\n"
IMAGE = "clusterwright-proof"
CONTAINER = """
trap 'podman rmi --force {image} >/dev/null' EXIT
podman import -q {image}.tar localhost/{image} >/dev/null
podman run --rm --network=host {image} {program} "$(hostname)"
"""
ASKED = 'echo "in $(hostname) on $(tty)"; exit\n'
ANSWERED = re.compile(r"in (\S+) on (/dev/pts/\d+)")
SHELL_PATIENCE_S = 60

Found = tuple[bool, str]


def first_day() -> dict[str, Found]:
    """Do each of them once."""
    return {
        "user.output_in_home": output_in_home(),
        "user.container_runs": container(),
        "user.shell_in_job": shell(),
    }


def ran(script: str) -> tuple[str, str]:
    """Submit a script from the home. Return the job's state, and its output as it is read here."""
    as_person("sh", "-c", "cat >proof-job.sh", given=SHELL + script)
    submitted = as_person("sbatch", "--parsable", "--time=5", "proof-job.sh")
    as_person("rm", "-f", "proof-job.sh")
    if submitted.returncode != 0:
        return f"sbatch: {submitted.stderr.strip()[:200]}", ""
    job = submitted.stdout.strip()
    state = ended(job)
    # what a node wrote may take a moment to be seen on another host
    written = until(lambda: as_person("cat", f"slurm-{job}.out").stdout, bool, 30)
    return state, written.strip()


def last_line(text: str) -> str:
    """Return the last line of a job's output, or say that there is none."""
    return (text.splitlines() or ["no output"])[-1][:200]


def output_in_home() -> Found:
    """Run a script in the home, and read there what it printed."""
    state, said = ran("pwd; hostname\n")
    is_written = said in [f"{home()}\n{host}" for host in hosts()]
    return is_written and state == "COMPLETED", f"job {state}: {' '.join(said.split()) or 'no output in the home'}"


def container() -> Found:
    """Bring an image in the home, and run it in a job."""
    with tempfile.TemporaryDirectory() as folder:
        image = packed(Path(folder)).read_bytes()
    subprocess.run(in_name("sh", "-c", f"cat >{IMAGE}.tar"), input=image, check=False)
    state, said = ran(CONTAINER.format(image=IMAGE, program=PROGRAM))
    as_person("rm", "-f", f"{IMAGE}.tar")
    return last_line(said) in hosts(), f"podman {state}: {last_line(said)}"


def shell() -> Found:
    """Ask for a shell on a node, as from a terminal, and speak to it."""
    ours, its = pty.openpty()
    srun = subprocess.Popen(in_name("srun", "--time=5", "--pty", "bash", "-i"), stdin=its, stdout=its, stderr=its)
    os.close(its)
    os.write(ours, ASKED.encode())
    end, said = time.monotonic() + SHELL_PATIENCE_S, ""
    os.set_blocking(ours, False)
    while srun.poll() is None and time.monotonic() < end:
        said += heard(ours)
        time.sleep(0.1)
    said += heard(ours)
    srun.kill()
    os.close(ours)
    answer = ANSWERED.search(said)
    return bool(answer and answer[1] in hosts()), answer[0] if answer else f"srun --pty: {last_line(said.strip())}"


def heard(terminal: int) -> str:
    """Return what has come from a terminal since the last look."""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        # nothing new, or the other end is closed
        return ""
