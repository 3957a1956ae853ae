"""Proves that batch, schedule and accumulation are tuned: how much faster than the usual setting the best other one is, at equal quality.

Model FLOPs of a sample are the same whatever the choice, so that utilisation changes as throughput does. The first round
chooses among the others whose validation loss is not above the usual one's by more than a hundredth; the second, by which
nothing was chosen, says what the choice is worth. Without such another the usual setting would be compared with itself, which
measures nothing. Argument: the folder of the runs.
"""

import json
import sys
from pathlib import Path

USUAL = "usual"
WORSE = 1.01


def outcomes(folder: Path, turn: int) -> dict[str, dict]:
    """Return the outcome of each candidate's run in a round."""
    prefix = f"sweep-{turn}-"
    return {
        file.parent.name.removeprefix(prefix): json.loads(file.read_text(encoding="utf-8"))
        for file in sorted(folder.glob(f"{prefix}*/outcome.json"))
    }


def rate(run: dict) -> float:
    """Return tokens per second over all ranks."""
    return run["tokens"] / run["seconds"]


def learns_as_well(run: dict, usual: dict) -> bool:
    """Say whether a run was interrupted by nothing and learned as well as the usual one."""
    return run["restarts"] == 0 and run["validation_loss"] <= usual["validation_loss"] * WORSE


def judge(first: dict[str, dict], second: dict[str, dict]) -> dict:
    """Return by how many percent the best other candidate is faster, less than nothing where it is slower, and everybody's figures."""
    missing = sorted({USUAL, *first} - set(second)) + [name for name in (USUAL,) if name not in first]
    if missing:
        return {"value": None, "note": f"not every run ended: {', '.join(missing)}"}
    fit = [name for name, run in first.items() if learns_as_well(run, first[USUAL])]
    figures = [
        f"{name} {rate(run):.0f} tokens/s, validation loss {run['validation_loss']:.4f}"
        + ("" if name in fit else ", learns worse")
        for name, run in sorted(second.items(), key=lambda each: -rate(each[1]))
    ]
    others = [name for name in fit if name != USUAL]
    if not others:
        return {
            "value": None,
            "note": f"no other candidate learns as well, so that nothing was compared; {'; '.join(figures)}",
        }
    chosen = max(others, key=lambda name: rate(first[name]))
    if not learns_as_well(second[chosen], second[USUAL]):
        return {
            "value": None,
            "note": f"{chosen} learned as well in one round and worse in the other; {'; '.join(figures)}",
        }
    change = round((rate(second[chosen]) / rate(second[USUAL]) - 1) * 100, 1)
    return {"value": change, "note": f"best of the others: {chosen}; {'; '.join(figures)}"}


def main() -> None:
    """Compare the two rounds."""
    folder = Path(sys.argv[1])
    print(json.dumps({"training.unused_speed_up": judge(outcomes(folder, 1), outcomes(folder, 2))}))


if __name__ == "__main__":
    main()
