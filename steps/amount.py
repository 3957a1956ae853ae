"""Quantities as people write them: 32 servers, not 32.0 server."""

from __future__ import annotations

from decimal import Decimal


def counted(quantity: Decimal, unit: str) -> str:
    """Return a quantity with its unit of measure as people write it: 32 servers, 1 rack, 12.5 m; 327 of what is counted by itself."""
    number = f"{quantity.normalize():,f}"
    if unit == "each":
        return number
    if quantity == 1 or len(unit) < 3:
        return f"{number} {unit}"
    return f"{number} {unit}{'es' if unit.endswith(('ch', 's', 'sh', 'x')) else 's'}"
