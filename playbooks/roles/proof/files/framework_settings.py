"""Proves that the defaults help: a reference model is timed with them and without, in turn, and the best of each is compared.

Argument: the environment's Python.
"""

import json
import os
import subprocess
import sys

ROUNDS = 3
MODEL = """
import time, torch
torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
layer = torch.nn.TransformerEncoderLayer(256, 4, 512, batch_first=True).to(device)
x = torch.randn(8, 64, 256, device=device)
optimiser = torch.optim.AdamW(layer.parameters())
def step():
    optimiser.zero_grad(); layer(x).square().mean().backward(); optimiser.step()
    if device == "cuda": torch.cuda.synchronize()
for _ in range(3): step()
best = 1e9
for _ in range(10):
    begun = time.perf_counter(); step(); best = min(best, time.perf_counter() - begun)
print(best)
"""


def main() -> None:
    """Time both, and return the ratio."""
    python = sys.argv[1]
    said = subprocess.run(
        ["bash", "-c", "env -i bash -c '. /etc/profile.d/frameworks.sh; env -0'"],
        capture_output=True,
        text=True,
        check=True,
    )
    defaults = dict(
        pair.split("=", 1)
        for pair in said.stdout.split("\0")
        if "=" in pair and not pair.startswith(("PWD", "SHLVL", "_="))
    )
    bare = {name: value for name, value in os.environ.items() if name not in defaults}
    times: dict[str, list[float]] = {"with": [], "without": []}
    for _ in range(ROUNDS):
        for name, environment in (("with", bare | defaults), ("without", bare)):
            done = subprocess.run([python, "-c", MODEL], capture_output=True, text=True, check=True, env=environment)
            times[name].append(float(done.stdout))
    best = {name: min(values) for name, values in times.items()}
    note = f"step {best['with'] * 1000:.2f} ms with, {best['without'] * 1000:.2f} ms without, best of {ROUNDS} runs"
    print(json.dumps({"framework.step_time_ratio": {"value": round(best["with"] / best["without"], 3), "note": note}}))


if __name__ == "__main__":
    main()
