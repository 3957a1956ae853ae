"""Judges the faults that were made under training: each was noticed, the job came to its end by itself, and the host is back.

Argument: a JSON object with what was seen of each fault, by name; `must_be_noticed` says of which somebody has to be told.
"""

import json
import sys

RATIO, MINUTES = METRICS = ("fault.recovered_ratio", "fault.restart_minutes")


def main() -> None:
    """Judge, and report."""
    print(
        json.dumps(
            {name: {"value": value, "note": note} for name, (value, note) in judged(json.loads(sys.argv[1])).items()}
        )
    )


def judged(seen: dict) -> dict:
    """Return the share of faults that were recovered as designed, and the longest time without a step in minutes."""
    not_tried = [f"{name}: {row['not_tried']}" for name, row in seen.items() if "not_tried" in row]
    tried = {name: row for name, row in seen.items() if "not_tried" not in row}
    if not_tried or not tried:
        return dict.fromkeys(METRICS, (None, f"not tried: {'; '.join(not_tried) or 'any fault'}"))
    wrong = {name: why for name, row in tried.items() if (why := fault_of(row))}
    note = "; ".join(f"{name}: {wrong.get(name) or words(row)}" for name, row in tried.items())
    outages = [row.get("outage_s") for row in tried.values()]
    longest = None if None in outages else round(max(outages) / 60, 2)
    return {RATIO: (round(1 - len(wrong) / len(tried), 3), note), MINUTES: (longest, note)}


def fault_of(row: dict) -> str:
    """Return why a fault was not recovered as designed, or an empty text."""
    if "failed" in row:
        return row["failed"]
    if row["outage_s"] is None:
        return f"NOT RECOVERED: the job did not come to its end ({row['why'][:120]})"
    if row["must_be_noticed"] and row["noticed_s"] is None:
        return "NOT NOTICED by Slurm, an alert or the job"
    if row["back_s"] is None:
        return "THE HOST IS NOT BACK in service"
    return ""


def words(row: dict) -> str:
    """Return what was seen of a fault."""
    noticed = (
        f"noticed after {row['noticed_s']:.0f} s ({row['by']})"
        if row["noticed_s"] is not None
        else "shorter than what notices it"
    )
    return f"{noticed}, no step for {row['outage_s']:.0f} s, {row['restarts']} restarts, host back after {row['back_s']:.0f} s"


if __name__ == "__main__":
    main()
