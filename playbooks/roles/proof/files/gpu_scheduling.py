"""Proves that a job gets the GPUs it asks for and sees no others: asks for one, and looks for more."""

import subprocess

from slurm_jobs import as_person, clear, report

LOOK = 'nvidia-smi -L | grep -c "^GPU" || true'


def main() -> None:
    """Ask for one GPU on every host that has some."""
    clear()
    said = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %G"], capture_output=True, text=True, check=True).stdout
    there = sorted({line.split()[0] for line in said.splitlines() if "gpu" in line})
    metric = "gres.unallocated_gpus_visible"
    if not there:
        report({metric: (None, "the scheduler knows of no GPU")})
        return
    visible = 0
    for host in there:
        where = ("--gres=gpu:1", f"--nodelist={host}", "--time=2", "--mem=64")
        found = as_person("srun", *where, "sh", "-c", LOOK).stdout.strip()
        if not found.isdigit() or int(found) == 0:
            report({metric: (None, f"{host}: a job with one GPU sees none by nvidia-smi")})
            return
        visible += int(found) - 1
    report({metric: (visible, f"{len(there)} hosts asked")})


if __name__ == "__main__":
    main()
