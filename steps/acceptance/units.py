"""Units that convert into each other, and values in another unit. Exact decimals."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from steps.value import Value

FACTORS: dict[str, tuple[str, Decimal]] = {
    name: (dimension, Decimal(factor))
    for dimension, units in {
        "time": {"ns": "1e-9", "us": "1e-6", "µs": "1e-6", "ms": "1e-3", "s": "1",
                 "min": "60", "h": "3600", "day": "86400"},
        "power": {"W": "1", "kW": "1e3", "MW": "1e6"},
        "potential": {"mV": "1e-3", "V": "1", "kV": "1e3"},
        "resistance": {"uohm": "1e-6", "µohm": "1e-6", "mohm": "1e-3",
                       "ohm": "1", "kohm": "1e3", "megohm": "1e6"},
        "current": {"mA": "1e-3", "A": "1", "kA": "1e3"},
        "torque": {"Nm": "1", "N·m": "1", "lbf·ft": "1.3558179483314", "lbf·in": "0.1129848290276"},
        "pressure": {"Pa": "1", "kPa": "1e3", "bar": "1e5", "psi": "6894.757293168"},
        "flow": {"L/min": "1", "l/min": "1", "m3/h": "16.66666666666666667"},
        "bits": {"b/s": "1", "kb/s": "1e3", "Mb/s": "1e6", "Gb/s": "1e9", "Tb/s": "1e12",
                 "Gbit/s": "1e9", "Gbps": "1e9"},
        "byte rate": {"B/s": "1", "kB/s": "1e3", "MB/s": "1e6", "GB/s": "1e9", "TB/s": "1e12",
                      "MiB/s": "1048576", "GiB/s": "1073741824"},
        "bytes": {"B": "1", "kB": "1e3", "MB": "1e6",
                  "GB": "1e9", "TB": "1e12", "PB": "1e15",
                  "KiB": "1024", "MiB": "1048576", "GiB": "1073741824", "TiB": "1099511627776"},
        "length": {"mm": "1e-3", "cm": "1e-2", "m": "1", "km": "1e3"},
        "share": {"%": "1", "percent": "1"},
        "number": {"count": "1", "": "1", "1": "1", "items": "1"},
    }.items()
    for name, factor in units.items()
}  # fmt: skip
"""The dimension and the factor of each unit. A unit that is not here compares only with itself."""


def converted(value: Value, unit: str, wanted: str) -> Value | None:
    """Return a value in the wanted unit, or None where the units do not compare."""
    if isinstance(value, bool | str) or unit == wanted:
        return value
    have, want = FACTORS.get(unit), FACTORS.get(wanted)
    if have is None or want is None or have[0] != want[0]:
        return None
    return value * have[1] / want[1]


@lru_cache(maxsize=1024)
def is_comparable(unit: str, wanted: str) -> bool:
    """Return whether a number in one unit can be compared with a limit in the other."""
    return converted(Decimal(1), unit, wanted) is not None
