"""Proves each framework by training steps that must lower the loss, on a GPU where there is one, and by its module.

Arguments: the folder of environments, then their names; `images/NAME.sqsh` is an image, which enroot starts.
"""

import json
import subprocess
import sys
from pathlib import Path

STEPS = {
    "pytorch": """
import torch
torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).to(device)
optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(256, 64, device=device)
y = x.sum(dim=1, keepdim=True)
losses = []
for _ in range(20):
    optimiser.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimiser.step()
    losses.append(loss.item())
assert losses[-1] < losses[0], losses
print(torch.__version__, device, round(losses[0], 3), round(losses[-1], 3))
""",
}


def main() -> None:
    """Train a little in each environment; count those that fail."""
    folder, *names = sys.argv[1:]
    if not names:
        nothing = {"value": None, "note": "the inventory names no environment and no image"}
        print(json.dumps({"framework.smoke_failures": nothing, "framework.modules_missing": nothing}))
        return
    notes, failures = [], 0
    for name in names:
        image, what = name.endswith(".sqsh"), Path(name).stem
        python = ["enroot", "start", str(Path(folder) / name), "python3"] if image else [f"{folder}/{name}/bin/python"]
        command = [*python, "-c", STEPS.get(what, f"import {what}")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        failures += done.returncode != 0
        last = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()[-1:]
        notes.append(f"{name}: {' '.join(last)[:160]}")
    names = [name for name in names if not name.endswith(".sqsh")]
    missing = [name for name in names if loaded(name) != str(Path(folder) / name / "bin" / "python3")]
    unloaded = f"no module of {', '.join(missing)}" if missing else f"{len(names)} modules loaded in a login shell"
    print(
        json.dumps(
            {
                "framework.smoke_failures": {"value": failures, "note": "; ".join(notes)},
                "framework.modules_missing": {"value": len(missing), "note": unloaded},
            }
        )
    )


def loaded(name: str) -> str:
    """Return which Python a login shell of a plain account finds once it has loaded a framework's module."""
    words = ["runuser", "-u", "nobody", "--", "bash", "-lc", f"module load frameworks/{name} && command -v python3"]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd="/").stdout.strip()


if __name__ == "__main__":
    main()
