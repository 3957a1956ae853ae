"""An Ethernet port's own counters and its optic: ethtool -S and ethtool -m, `== NAME` before each interface.

Counters are totals since the driver was loaded; read them after they were noted or the host was rebooted.
"""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

INTERFACE = re.compile(r"^== (\S+)$", re.MULTILINE)
HEAD = "NIC statistics:"
COUNTER = re.compile(r"^\s+(\S[^:\n]*): (\d+)$", re.MULTILINE | re.ASCII)
ERROR = re.compile(
    r"(rx_crc_errors|rx_symbol_err|rx_(discards|out_of_buffer|pcs_symbol_err|corrected_bits)_phy|rx_err_lane_\d_phy"
    r"|(rx|tx)_errors(_phy)?|(rx|tx)_(dropped|drops|discards_phy)|link_down_events_phy|tx_tx_timeouts|rx_symbol_err_phy)"
)
LANE = re.compile(r"^\s+(?:Rcvr signal avg optical power|Receiver signal (?:average|OMA) optical power)"
                  r"(?: ?\(Channel (\d+)\))?\s*:\s+\d+\.\d+ mW / (-?\d+\.\d\d|-inf) dBm\s*$", re.MULTILINE | re.ASCII)  # fmt: skip
WARM = re.compile(r"^\s+Module temperature\s*:\s+(\d+\.\d\d) degrees C / ", re.MULTILINE | re.ASCII)


def errors(handed: Handed) -> Found:
    """Count errors and drops of all ports."""
    total, bad = Decimal(0), []
    for name, text in handed.sections("ethtool_stats", INTERFACE, None):
        lines = [line for line in text.splitlines() if line.strip()]
        found = COUNTER.findall(text)
        if not lines or lines[0].strip() != HEAD:
            handed.garbled()
        if len(found) != len(lines) - 1:
            handed.garbled()
        own = {counter: number(count) for counter, count in found if ERROR.fullmatch(counter)}
        if not own:
            raise NotMeasuredError(f"the driver of {name} counts no errors")
        bad += [f"{name} {counter}: {count}" for counter, count in own.items() if count]
        total += sum(own.values(), Decimal(0))
    return Found(total, "; ".join(bad[:5]))


def optic_receive_min_dbm(handed: Handed) -> Found:
    """Return the dBm that the darkest lane receives; a lane without light is measured as -40 dBm."""
    lights = []
    for name, text in handed.sections("ethtool_module", INTERFACE, None):
        lanes = LANE.findall(text)
        numbers = [int(lane or 1) for lane, _ in lanes]
        if len(lanes) != text.count("optical power"):
            handed.garbled()
        if numbers != list(range(1, len(lanes) + 1)):
            handed.garbled()
        if not lanes:
            raise NotMeasuredError(f"the module of {name} reports no light; a copper cable has none")
        for lane, power in lanes:
            lights.append((Decimal(-40) if power == "-inf" else Decimal(power), f"{name} lane {lane or 1}"))
    return Found(*min(lights))


def optic_temperature_max(handed: Handed) -> Found:
    """Return the degrees of the hottest optic."""
    optics = []
    for name, text in handed.sections("ethtool_module", INTERFACE, None):
        found = WARM.findall(text)
        if len(found) != 1:
            raise NotMeasuredError(f"the module of {name} reports no temperature")
        optics.append((number(found[0]), name))
    return Found(*max(optics))


STATS = Tool("ethtool -S", "ethtool_stats", "== NAME, then ethtool -S NAME", (Metric("port.errors", "count", errors),))
MODULE = Tool(
    "ethtool -m",
    "ethtool_module",
    "== NAME, then ethtool -m NAME",
    (
        Metric("optic.receive_min_dbm", "dBm", optic_receive_min_dbm),
        Metric("optic.temperature_max", "degC", optic_temperature_max),
    ),
)
