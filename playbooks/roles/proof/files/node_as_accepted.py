"""Shows what the check by which Slurm takes this node out of service finds now."""

import json
import subprocess


def main() -> None:
    """Run the check, and count what it finds. A check that prints no document is not measured."""
    try:
        ran = subprocess.run(["node-check", "--json"], capture_output=True, text=True, check=False, timeout=60)
        faults = json.loads(ran.stdout)["faults"]
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        report(None, f"node-check: {error}")
        return
    report(len(faults), "; ".join(faults) or "the node is as it was accepted")


def report(value: int | None, note: str) -> None:
    """Print the count and what it is of."""
    print(json.dumps({"node.check_faults": {"value": value, "note": note}}))


if __name__ == "__main__":
    main()
