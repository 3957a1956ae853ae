"""Write the counters of every port of the fabric as series, for a node exporter to export.

ibqueryerrors lists the data counters of all ports, and error counters where they are not zero. A port that is listed has none otherwise.
Argument: the file to write. It stays as it was where the fabric cannot be read, so that its age shows it.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from fabric_view import drawn

NODE = re.compile(r'^(?:Data Counters|Errors) for 0x[0-9a-f]+ "(.*)"$')
PORT = re.compile(r"^   GUID 0x[0-9a-f]+ port (\d+): (.+)$")
COUNTER = re.compile(r"\[(\w+) == (\d+)")
DATA = {
    "PortXmitData": ("transmit_data_bytes_total", 4),
    "PortRcvData": ("receive_data_bytes_total", 4),
    "PortXmitPkts": ("transmit_packets_total", 1),
    "PortRcvPkts": ("receive_packets_total", 1),
}
"""Series of data counters, and what they count in: data is counted in words of four bytes."""

ERRORS = {
    "SymbolErrorCounter": "symbol_errors_total",
    "LinkErrorRecoveryCounter": "link_error_recoveries_total",
    "LinkDownedCounter": "link_downed_total",
    "PortRcvErrors": "receive_errors_total",
    "PortRcvRemotePhysicalErrors": "receive_remote_physical_errors_total",
    "PortXmitDiscards": "transmit_discards_total",
    "LocalLinkIntegrityErrors": "local_link_integrity_errors_total",
    "ExcessiveBufferOverrunErrors": "excessive_buffer_overruns_total",
    "VL15Dropped": "vl15_dropped_total",
    "PortXmitWait": "transmit_wait_total",
}
WHOLE = "## Summary:"
"""The beginning of what ibqueryerrors prints last."""

Counters = dict[tuple[str, str], dict[str, int]]


def main() -> None:
    """Read all counters and put the file in place in one go."""
    file, began = Path(sys.argv[1]), time.time()
    data, errors = read("--counters", "--details"), read("--threshold-file", os.devnull)
    beside = file.with_suffix(".new")
    beside.write_text("\n".join([*series(data, errors), *own(began, len(data)), ""]), encoding="utf-8")
    beside.replace(file)


def read(*words: str) -> Counters:
    """Return the counters that ibqueryerrors lists, by the node's name and the port."""
    ran = subprocess.run(
        ["ibqueryerrors", *words], capture_output=True, text=True, check=False, env=os.environ | drawn()["environment"]
    )
    # its exit status says whether a port has errors
    if WHOLE not in ran.stdout:
        sys.exit(f"ibqueryerrors: {(ran.stderr or ran.stdout).strip()[:200] or 'nothing was read'}")
    return counters(ran.stdout)


def counters(text: str) -> Counters:
    """Return the counters in an output of ibqueryerrors."""
    node, found = "", {}
    for line in text.splitlines():
        if head := NODE.match(line):
            node = head[1]
        elif port := PORT.match(line):
            found[node, port[1]] = {name: int(value) for name, value in COUNTER.findall(port[2])}
    return found


def series(data: Counters, errors: Counters) -> Iterator[str]:
    """Yield the lines of every series of every port."""
    for name, (said, unit) in DATA.items():
        yield f"# TYPE infiniband_port_{said} counter"
        for port, values in data.items():
            if name in values:
                yield f"infiniband_port_{said}{labels(port)} {values[name] * unit}"
    for name, said in ERRORS.items():
        yield f"# TYPE infiniband_port_{said} counter"
        for port in data:
            yield f"infiniband_port_{said}{labels(port)} {errors.get(port, {}).get(name, 0)}"


def own(began: float, ports: int) -> Iterator[str]:
    """Yield when all this was read, how long it took, and of how many ports."""
    for name, value in (
        ("collected_timestamp_seconds", began),
        ("collecting_seconds", time.time() - began),
        ("collected_ports", ports),
    ):
        yield f"# TYPE infiniband_{name} gauge"
        yield f"infiniband_{name} {value:.3f}"


def labels(port: tuple[str, str]) -> str:
    """Return the labels of a port. The name is what a device says of itself."""
    node = port[0].replace("\\", "\\\\").replace('"', '\\"')
    return f'{{node="{node}",port="{port[1]}"}}'


if __name__ == "__main__":
    main()
