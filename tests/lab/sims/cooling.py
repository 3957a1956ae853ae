"""Simulated cooling units that speak Modbus TCP, each on its own address: `python3 -m tests.lab.sims.cooling TERMS`.

Holding registers (read, write): 0 supply set-point in 0.1 degC, 1 pump or fan speed in %, 2 faults, a bit each.
Input registers (read): 0 supply, 1 return in 0.1 degC, 2 flow in l/min, 3 pressure difference in kPa, 4 alarms, a bit each.
Discrete inputs (read): 0 leak, 1 pump stopped. The supply temperature follows its set-point, slower with less speed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.server import StartAsyncTcpServer

SETPOINT, SPEED, FAULTS = range(3)
LEAK, PUMP = 1, 2
HEAT_TENTHS = 90
FULL_FLOW = 320
FULL_PRESSURE = 180
SETTLES_S = 5.0


class Unit:
    """The water in a unit: no physics, only something that follows what is set."""

    def __init__(self) -> None:
        self.holding = ModbusSequentialDataBlock(0, [180, 60, 0])
        self._supply = 180.0
        self._seen = time.monotonic()

    def inputs(self) -> list[int]:
        """Return the input registers as of now."""
        setpoint, speed, faults = self.holding.getValues(0, 3)
        if faults & PUMP:
            speed = 0
        passed, self._seen = time.monotonic() - self._seen, time.monotonic()
        target = setpoint if speed else setpoint + HEAT_TENTHS
        self._supply += (target - self._supply) * min(1.0, passed / SETTLES_S)
        warmed = HEAT_TENTHS * 60 // max(speed, 20)
        alarms = faults & (LEAK | PUMP)
        flow, pressure = FULL_FLOW * speed // 100, FULL_PRESSURE * speed**2 // 10_000
        return [round(self._supply), round(self._supply) + warmed, flow, pressure, alarms]

    def discretes(self) -> list[int]:
        """Return the discrete inputs as of now."""
        faults = self.holding.getValues(FAULTS, 1)[0]
        return [int(bool(faults & LEAK)), int(bool(faults & PUMP))]


class Live:
    """Registers that are worked out when they are read, as pymodbus asks for them."""

    def __init__(self, read: Callable[[], list[int]]) -> None:
        self._read = read

    def validate(self, address: int, count: int = 1) -> bool:
        """Say whether there are these registers."""
        return address + count <= len(self._read())

    def getValues(self, address: int, count: int = 1) -> list[int]:  # noqa: N802  # the server calls it so
        """Return registers as of now."""
        return self._read()[address : address + count]


async def serve(addresses: list[str]) -> None:
    """Serve every unit until ended."""
    async with asyncio.TaskGroup() as group:
        for address in addresses:
            unit = Unit()
            context = ModbusSlaveContext(
                di=Live(unit.discretes),
                co=ModbusSequentialDataBlock(0, [0]),
                ir=Live(unit.inputs),
                hr=unit.holding,
                zero_mode=True,
            )
            server = StartAsyncTcpServer(ModbusServerContext(slaves=context, single=True), address=(address, 502))
            group.create_task(server)


def main() -> None:
    """Serve the units that the terms name."""
    terms = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    asyncio.run(serve([unit["address"] for unit in terms["cooling"]]))


if __name__ == "__main__":
    main()
