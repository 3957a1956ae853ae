"""The vendor's part of a simulated PDU's SNMP tree: net-snmp's agent asks it, by its pass_persist protocol.

`python3 -m tests.lab.sims.pdu TERMS NAME`. The tree follows APC's rPDU2 tables. An outlet that is switched off takes power from
the host it feeds, if no other PDU feeds it; powers and currents follow from what is switched on, and are made up.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.lab.sims.power import ask

RPDU2 = (1, 3, 6, 1, 4, 1, 318, 1, 1, 26)
DEVICE_POWER = (*RPDU2, 4, 3, 1, 5, 1)  # in 10 W
PHASE_CURRENT = (*RPDU2, 6, 3, 1, 5, 1)  # in 0.1 A
OUTLET_NAME = (*RPDU2, 9, 2, 3, 1, 3)
OUTLET_STATE = (*RPDU2, 9, 2, 3, 1, 5)  # 1 off, 2 on
OUTLET_COMMAND = (*RPDU2, 9, 2, 4, 1, 5)  # 1 on, 2 off, 3 off and on again
OUTLET_POWER = (*RPDU2, 9, 4, 3, 1, 7)  # in W
STATE = Path("/var/lib/lab")
WATTS_ON, WATTS_OFF, VOLTS = 320, 14, 230

Oid = tuple[int, ...]


class Pdu:
    """A PDU's outlets, kept in a file that the other PDUs read to know what they feed alone."""

    def __init__(self, terms: dict[str, Any], name: str) -> None:
        self.outlets: list[str] = next(pdu["outlets"] for pdu in terms["pdus"] if pdu["name"] == name)
        self._others = {pdu["name"]: pdu["outlets"] for pdu in terms["pdus"] if pdu["name"] != name}
        self._file = STATE / f"{name}.json"
        self.off: set[str] = _off(self._file)

    def values(self) -> dict[Oid, tuple[str, str | int]]:
        """Return every variable with its SNMP type, in the order of the tree."""
        watts = [self._watts(host) for host in self.outlets]
        values: dict[Oid, tuple[str, str | int]] = {
            DEVICE_POWER: ("gauge", sum(watts) // 10),
            PHASE_CURRENT: ("gauge", sum(watts) * 10 // VOLTS),
        }
        for number, host in enumerate(self.outlets, 1):
            values[*OUTLET_NAME, number] = ("string", host)
            values[*OUTLET_STATE, number] = ("integer", 1 if host in self.off else 2)
            values[*OUTLET_COMMAND, number] = ("integer", 2 if host in self.off else 1)
            values[*OUTLET_POWER, number] = ("gauge", watts[number - 1])
        return dict(sorted(values.items()))

    def switch(self, number: int, command: int) -> bool:
        """Switch an outlet; give whether there is such a thing."""
        if not 1 <= number <= len(self.outlets) or command not in {1, 2, 3}:
            return False
        host = self.outlets[number - 1]
        for is_off in {1: [False], 2: [True], 3: [True, False]}[command]:
            (self.off.add if is_off else self.off.discard)(host)
            self._file.write_text(json.dumps(sorted(self.off)), encoding="utf-8")
            if not self._fed_by_another(host):
                ask("off" if is_off else "on", host)
        return True

    def _fed_by_another(self, host: str) -> bool:
        return any(
            host in outlets and host not in _off(STATE / f"{name}.json") for name, outlets in self._others.items()
        )

    def _watts(self, host: str) -> int:
        if host in self.off:
            return 0
        watts = WATTS_OFF if ask("state", host)["power"] == "off" else WATTS_ON
        return watts // 2 if self._fed_by_another(host) else watts


def _off(file: Path) -> set[str]:
    return set(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else set()


def answer(pdu: Pdu, command: str, lines: Iterator[str]) -> str:
    """Return the answer to one request of the agent."""
    if command == "PING":
        return "PONG"
    asked = oid_of(next(lines))
    if command == "set":
        _, _, value = next(lines).partition(" ")
        is_done = asked[:-1] == OUTLET_COMMAND and pdu.switch(asked[-1], int(value))
        return "DONE" if is_done else "not-writable"
    values = pdu.values()
    found = asked if command == "get" else next((oid for oid in values if oid > asked), None)
    if found not in values:
        return "NONE"
    kind, worth = values[found]
    return f".{'.'.join(map(str, found))}\n{kind}\n{worth}"


def oid_of(text: str) -> Oid:
    """Return an object's identifier from its dotted form."""
    return tuple(int(part) for part in text.strip().lstrip(".").split("."))


def main() -> None:
    """Answer the agent until it ends."""
    terms, name = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2]
    pdu = Pdu(terms, name)
    lines = (line.rstrip("\n") for line in sys.stdin)
    for command in lines:
        if not command:
            return
        print(answer(pdu, command, lines), flush=True)


if __name__ == "__main__":
    main()
