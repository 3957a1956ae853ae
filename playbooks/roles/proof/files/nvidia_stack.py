"""Proves a part of NVIDIA's stack on a host with GPUs.

A compiled sample, versions against pins, the collectives' own test, and the GPUs that a container sees. Without a GPU nothing
is measured, and that is said.

Arguments: the part, and the version that was pinned.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLE = """
#include <cstdio>
__global__ void add(int *x) { x[threadIdx.x] += threadIdx.x; }
int main() {
  int *x; cudaMallocManaged(&x, 256 * sizeof(int));
  for (int i = 0; i < 256; i++) x[i] = i;
  add<<<1, 256>>>(x);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < 256; i++) if (x[i] != 2 * i) return 2;
  std::puts("right");
}
"""
TOOLKITS = Path("/usr/local")
PACKAGES = {"cudnn": ("libcudnn*",), "nccl": ("libnccl2", "libnccl")}
LIST = {
    "dpkg-query": ("-W", "-f", "${Package} ${Version}\n"),
    "rpm": ("-qa", "--qf", "%{NAME} %{VERSION}\n"),
}
METRICS = {
    "cuda": ("cuda.sample_failures",),
    "cudnn": ("cudnn.version_match_ratio",),
    "nccl": ("nccl.version_match_ratio", "nccl.single_node_errors"),
    "container_toolkit": ("container.gpus_seen",),
}
Found = tuple[object, str]


def main() -> None:
    """Prove one part, or say what is in the way."""
    part, version = sys.argv[1:]
    if not gpus():
        found: list[Found] = [(None, "no NVIDIA GPU answers on this host") for _ in METRICS[part]]
    elif part == "cuda":
        found = [sample()]
    elif part == "container_toolkit":
        found = [in_container()]
    else:
        found = [matches(PACKAGES[part], version), *([collectives()] if part == "nccl" else [])]
    named = zip(METRICS[part], found)  # noqa: B905  # hosts with Python 3.9
    print(json.dumps({m: {"value": v, "note": n} for m, (v, n) in named}))


def gpus() -> int:
    """Return how many GPUs the driver lists."""
    if not shutil.which("nvidia-smi"):
        return 0
    return said("nvidia-smi", "-L").stdout.count("GPU ")


def sample() -> Found:
    """Compile a sample with every toolkit there is, and run it."""
    compilers = [str(path) for path in TOOLKITS.glob("cuda*/bin/nvcc")]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "sample.cu"
        source.write_text(SAMPLE)
        for compiler in compilers:
            built = said(compiler, "-o", f"{folder}/sample", str(source))
            if built.returncode or said(f"{folder}/sample").stdout.strip() != "right":
                failures.append(compiler)
    return (len(failures) or int(not compilers), ", ".join(failures) or f"{len(compilers)} toolkits")


def matches(packages: tuple[str, ...], version: str) -> Found:
    """Hold installed packages against the pin."""
    tool = next(tool for tool in LIST if shutil.which(tool))
    rows = [line.split() for line in said(tool, *LIST[tool], *packages).stdout.splitlines()]
    rows = [row for row in rows if len(row) == 2]
    right = [row for row in rows if row[1].startswith(version)]
    return (len(right) / len(rows) if rows else 0, ", ".join(" ".join(row) for row in rows) or "not installed")


def collectives() -> Found:
    """Run the collectives' own test with its check of the data, over the GPUs of this host."""
    test = shutil.which("all_reduce_perf")
    if not test:
        return (None, "all_reduce_perf of nccl-tests is not installed")
    done = said(test, "-b", "8", "-e", "64M", "-f", "2", "-g", str(gpus()), "-c", "1")
    wrong = next((line for line in done.stdout.splitlines() if "Out of bounds values" in line), "")
    if done.returncode or not wrong:
        return (1, (done.stderr or done.stdout).strip()[-200:])
    return (int(wrong.split(":")[1].split()[0]), wrong.strip("# "))


def in_container() -> Found:
    """Count the GPUs that a container sees."""
    image = said("podman", "images", "-q").stdout.split()
    if not image:
        return (None, "no image to run: load one of the site")
    done = said("podman", "run", "--rm", "--device", "nvidia.com/gpu=all", image[0], "nvidia-smi", "-L")
    return (done.stdout.count("GPU ") if not done.returncode else None, done.stderr.strip()[-200:])


def said(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command and return what it prints."""
    return subprocess.run(command, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
