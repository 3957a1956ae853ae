"""Points by Modbus TCP: a register or bit of a meter, a drive or a cooling unit."""

from __future__ import annotations

from pymodbus import ModbusException
from pymodbus.client import AsyncModbusTcpClient

PORT = 502
TABLES = {
    "coil": "read_coils",
    "discrete": "read_discrete_inputs",
    "holding": "read_holding_registers",
    "input": "read_input_registers",
}
TYPES = ("int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")


class Device:
    """A unit behind an address: `address`, `port`, `unit_id`, and `word_order` of values of several registers."""

    def __init__(self, stated: dict) -> None:
        self._client = AsyncModbusTcpClient(stated["address"], port=stated.get("port", PORT), retries=0)
        self._unit_id = stated.get("unit_id", 1)
        self._word_order = stated.get("word_order", "big")

    async def read(self, point: dict) -> float:
        """Return a value: `table`, `register`, and `type` of what is in registers, `uint16` where it states none."""
        kind = point.get("type", "uint16")
        if point["table"] not in TABLES or kind not in TYPES:
            raise ValueError(f"a point has a table of {', '.join(TABLES)} and a type of {', '.join(TYPES)}")
        if not self._client.connected and not await self._client.connect():
            raise ConnectionError("it accepts no connection")
        ask = getattr(self._client, TABLES[point["table"]])
        data_type = self._client.DATATYPE[kind.upper()]
        is_bit = point["table"] in {"coil", "discrete"}
        try:
            said = await ask(point["register"], count=1 if is_bit else data_type.value[1], device_id=self._unit_id)
        except ModbusException as error:
            raise ConnectionError(str(error)) from None
        if said.isError():
            raise ValueError(f"it refuses {point['table']} {point['register']}")
        if is_bit:
            return float(said.bits[0])
        return float(self._client.convert_from_registers(said.registers, data_type, word_order=self._word_order))

    def close(self) -> None:
        """Leave the network."""
        self._client.close()
