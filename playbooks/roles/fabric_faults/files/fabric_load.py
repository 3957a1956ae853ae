"""Loads the fabric from this host to another one, on every rail, and prints how long nothing passed, a line of JSON a rail.

Argument: `me`, the other host `to`, the `own` and `far` addresses of each rail, and `seconds`. TCP sessions of iperf3 carry the load, and
must outlive the fault as those of a job must. Beside them UDP packets are echoed from several ports, so that they take all ways that a
switch chooses by ports.
"""

import contextlib
import json
import select
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

FIRST_PORT = 18700
ECHO = 100
"""What is added to a rail's port for the echo."""

HEAD_START_S = 3
STREAMS = 8
PERIOD_S = 0.05
PATIENCE_S = 30
"""How long after the time a session may still need to end, whose packets wait to be sent again."""


def echo(own: str, port: int, ends_at: float) -> None:
    """Send back what comes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((own, port))
        server.settimeout(0.5)
        while time.monotonic() < ends_at:
            try:
                data, sender = server.recvfrom(64)
                server.sendto(data, sender)
            except OSError:  # nobody sends, or there is no way back at the moment
                continue


def silences(own: str, far: str, port: int, seconds: float) -> "dict[str, float | None]":
    """Return for how long the worst of some streams of packets was not answered, also at the end; None if one never was."""
    streams = []
    for _ in range(STREAMS):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind((own, 0))
        streams.append(one)
    now = time.monotonic()
    ends_at, next_at = now + seconds, now
    answered: dict[int, float] = {}
    worst = 0.0
    while (now := time.monotonic()) < ends_at:
        if now >= next_at:
            next_at += PERIOD_S
            for one in streams:
                try:
                    one.sendto(b"there?", (far, port))
                except OSError:
                    continue  # this port is down
        for one in select.select(streams, [], [], max(next_at - time.monotonic(), 0))[0]:
            try:
                one.recvfrom(64)
            except OSError:
                continue
            now = time.monotonic()
            worst = max(worst, now - answered.get(one.fileno(), now))
            answered[one.fileno()] = now
    silent = [ends_at - answered[one.fileno()] for one in streams if one.fileno() in answered]
    for one in streams:
        one.close()
    if len(silent) < STREAMS:
        return {"silent_s": None, "silent_at_end_s": None}
    return {"silent_s": round(max(worst, *silent), 2), "silent_at_end_s": round(max(silent), 2)}


def session(own: str, far: str, port: int, plan: dict) -> str:
    """Return why the sessions to the other host ended; nothing if they lived until the end."""
    rate = ["-b", plan["bitrate"]] if plan["bitrate"] else []
    command = [
        "iperf3",
        "-J",
        "-c",
        far,
        "-B",
        own,
        "-p",
        str(port),
        "-P",
        str(STREAMS),
        "-t",
        str(plan["seconds"]),
        *rate,
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=plan["seconds"] + PATIENCE_S
        )
        return str(json.loads(done.stdout).get("error", ""))[:120]
    except (subprocess.TimeoutExpired, ValueError):
        return "no end"


def load(plan: dict, rail: int) -> dict:
    """Load one rail. Return how long nothing passed, and whether the sessions lived."""
    own, far, port = plan["own"][rail], plan["far"][rail], FIRST_PORT + rail
    seconds = plan["seconds"]
    server = subprocess.Popen(
        ["iperf3", "-s", "-1", "-B", own, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    ends_at = time.monotonic() + seconds + 2 * HEAD_START_S
    threading.Thread(target=echo, args=(own, port + ECHO, ends_at), daemon=True).start()
    try:
        time.sleep(HEAD_START_S)
        with ThreadPoolExecutor(2) as threads:
            silence = threads.submit(silences, own, far, port + ECHO, seconds)
            error = threads.submit(session, own, far, port, plan)
            return {"from": plan["me"], "to": plan["to"], "rail": rail + 1, "error": error.result(), **silence.result()}
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(PATIENCE_S)  # the other side may still send
        server.kill()
        server.wait()


def main() -> None:
    """Load every rail at once."""
    plan = json.loads(sys.argv[1])
    rails = range(min(len(plan["own"]), len(plan["far"])))
    with ThreadPoolExecutor(max(len(rails), 1)) as threads:
        for found in threads.map(lambda rail: load(plan, rail), rails):
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
