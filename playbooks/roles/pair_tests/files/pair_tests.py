"""Tests this host with all others, round by round on every rail at once, and prints what was received, a line of JSON for each test.

Argument: the plan as JSON. `hosts` has by name the address of each rail; None is a port that has none. `ports` are this host's own. A
turn begins at the same second on all hosts: in each round every host is in one pair, and the pair has two turns, one a direction. Only
the side that sends prints. Hosts do not wait for each other, so that one that hangs holds up nobody. It changes nothing.
"""

import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FIRST_PORT = 18600
HEAD_START_S = 1
"""What a listener has before the other side calls."""

SPARE_S = 2
"""What a turn has beside its test and the head start."""

ROW = re.compile(r"^\s*\d+\s+\d+\s+-?\d+\.\d\d\s+(\d+\.\d\d)\s+\d+\.\d{6}\s*$", re.MULTILINE)
"""A line of perftest's table: its average in Gbit/s."""


def rounds(names: list[str]) -> list[list[tuple[str, str]]]:
    """Return the rounds in which everybody meets everybody once, as `clusterwright fabric rounds` lists them."""
    seats = [*names, *([None] if len(names) % 2 else [])]
    found = []
    for _ in range(len(seats) - 1):
        facing = [(seats[place], seats[-1 - place]) for place in range(len(seats) // 2)]
        found.append([pair for pair in facing if None not in pair])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return found


def device(port: str) -> str:
    """Return the RDMA device of a port."""
    found = sorted(Path(f"/sys/class/net/{port}/device/infiniband").glob("*"))
    return found[0].name if found else port


def listener(plan: dict, rail: int, own: str) -> list[str]:
    """Return the command that takes a test on a rail."""
    port = str(FIRST_PORT + rail)
    if plan["tool"] == "iperf3":
        return ["iperf3", "-s", "-1", "-B", own, "-p", port]
    return [
        plan["tool"],
        "-d",
        device(plan["ports"][rail]),
        "-F",
        "--report_gbits",
        "-p",
        port,
        "-D",
        str(plan["seconds"]),
    ]


def sender(plan: dict, rail: int, own: str, far: str) -> list[str]:
    """Return the command that sends on a rail for as long as a test is."""
    port = str(FIRST_PORT + rail)
    if plan["tool"] == "iperf3":
        return ["iperf3", "-J", "-t", str(plan["seconds"]), "-c", far, "-B", own, "-p", port]
    return [*listener(plan, rail, own), far]


def gbit(tool: str, said: str) -> float:
    """Return the Gbit/s that a tool reports. Raise ValueError with its words if there are none."""
    if tool == "iperf3":
        document = json.loads(said)
        if error := document.get("error"):
            raise ValueError(error)
        return document["end"]["sum_received"]["bits_per_second"] / 1e9
    if rows := ROW.findall(said):
        return float(rows[-1])
    raise ValueError(said.strip().splitlines()[-1] if said.strip() else "it said nothing")


def listen(plan: dict, rail: int, ends_at: float) -> None:
    """Take one test on a rail."""
    if own := plan["hosts"][plan["me"]][rail]:
        run(listener(plan, rail, own), ends_at)


def send(plan: dict, rail: int, far: str, ends_at: float) -> dict:
    """Send on a rail to another host, and return what it received."""
    own, end = plan["hosts"][plan["me"]][rail], plan["hosts"][far][rail]
    result = {"from": plan["me"], "to": far, "rail": rail + 1, "gbit": None, "error": ""}
    if not (own and end):
        return result | {"error": "a port has no address"}
    time.sleep(HEAD_START_S)
    try:
        return result | {"gbit": round(gbit(plan["tool"], run(sender(plan, rail, own, end), ends_at)), 6)}
    except (ValueError, LookupError) as error:
        return result | {"error": str(error)[:120]}


def run(command: list[str], ends_at: float) -> str:
    """Run a tool until it ends, or the turn does. Return what it printed."""
    try:
        left = max(ends_at - time.time(), 0.1)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=left)
    except subprocess.TimeoutExpired:
        return '{"error": "no end before the end of the turn"}'
    return done.stdout or done.stderr


def turns(plan: dict) -> list[tuple[str, str]]:
    """Return who sends to whom in each turn of this host; it rests where it is in no pair."""
    found = []
    for pairs in rounds(sorted(plan["hosts"])) * plan["repeats"]:
        mine = next((pair for pair in pairs if plan["me"] in pair), ("", ""))
        found += [mine, mine[::-1]]
    return found


def take_turn(plan: dict, number: int, source: str, to: str) -> list[dict]:
    """Send or listen in a turn, on all rails at once. Return the results of what was sent."""
    length = plan["seconds"] + HEAD_START_S + SPARE_S
    begins = plan["start"] + number * length
    ends = begins + length - 0.2
    time.sleep(max(begins - time.time(), 0))
    rails = range(len(plan["ports"]))
    with ThreadPoolExecutor() as threads:
        if source == plan["me"]:
            return list(threads.map(lambda rail: send(plan, rail, to, ends) | {"turn": number}, rails))
        list(threads.map(lambda rail: listen(plan, rail, ends), rails))
        return []


def main() -> None:
    """Take part in every turn."""
    plan = json.loads(sys.argv[1])
    for number, (source, to) in enumerate(turns(plan)):
        for result in take_turn(plan, number, source, to) if source else ():
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
