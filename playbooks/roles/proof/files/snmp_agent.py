"""A device that answers SNMP v2c on this host alone, as a drill's switch does: GET, GETNEXT and GETBULK over a table of values.

What changes is worked out when it is asked for. Nothing can be written, and any community may read.
"""

import socket
import threading
from bisect import bisect_right
from collections.abc import Callable

Oid = tuple[int, ...]
Value = int | str

INTEGER, STRING, NULL, NAME, SEQUENCE = 0x02, 0x04, 0x05, 0x06, 0x30
COUNTER32, END_OF_VIEW = 0x41, 0x82
GET, GETNEXT, RESPONSE, GETBULK = 0xA0, 0xA1, 0xA2, 0xA5
MOST_VALUES = 50


def encoded(tag: int, body: bytes) -> bytes:
    """Return one element of BER."""
    size = len(body)
    length = bytes([size]) if size < 0x80 else bytes([0x82]) + size.to_bytes(2, "big")
    return bytes([tag]) + length + body


def number(value: int, tag: int = INTEGER) -> bytes:
    """Return a number as an element."""
    return encoded(tag, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def name(oid: Oid) -> bytes:
    """Return an object's identifier as an element."""
    body = bytes([oid[0] * 40 + oid[1]])
    for part in oid[2:]:
        digits = [part & 0x7F]
        while part := part >> 7:
            digits.append(part & 0x7F | 0x80)
        body += bytes(reversed(digits))
    return encoded(NAME, body)


def elements(data: bytes) -> list[tuple[int, bytes]]:
    """Return the elements of a body, each with its tag."""
    found, at = [], 0
    while at < len(data):
        tag, size, at = data[at], data[at + 1], at + 2
        if size & 0x80:
            digits = size & 0x7F
            size, at = int.from_bytes(data[at : at + digits], "big"), at + digits
        found.append((tag, data[at : at + size]))
        at += size
    return found


def oid_of(body: bytes) -> Oid:
    """Return an object's identifier from its element's body."""
    parts, value = [body[0] // 40, body[0] % 40], 0
    for digit in body[1:]:
        value = value << 7 | digit & 0x7F
        if not digit & 0x80:
            parts.append(value)
            value = 0
    return tuple(parts)


def answer(request: bytes, values: dict[Oid, Value]) -> bytes:
    """Return the answer to a request."""
    ((_, message),) = elements(request)
    version, community, (kind, body) = elements(message)
    asked, first, second, (_, bindings) = elements(body)
    names = [oid_of(elements(binding)[0][1]) for _, binding in elements(bindings)]
    if kind == GETBULK:
        repeated = int.from_bytes(first[1], "big")
        times = min(int.from_bytes(second[1], "big"), MOST_VALUES)
        found = [following(values, oid, 1) for oid in names[:repeated]]
        found += [following(values, oid, times) for oid in names[repeated:]]
    elif kind == GETNEXT:
        found = [following(values, oid, 1) for oid in names]
    else:
        found = [[binding_of(oid, values.get(oid))] for oid in names]
    told = encoded(SEQUENCE, b"".join(one for part in found for one in part))
    response = encoded(RESPONSE, encoded(*asked) + number(0) + number(0) + told)
    return encoded(SEQUENCE, encoded(*version) + encoded(*community) + response)


def following(values: dict[Oid, Value], oid: Oid, times: int) -> list[bytes]:
    """Return up to so many values after an object, or the end of the table."""
    there = sorted(values)
    after = there[bisect_right(there, oid) :][:times]
    return [binding_of(one, values[one]) for one in after] or [binding_of(oid, None)]


def binding_of(oid: Oid, value: Value | None) -> bytes:
    """Return an object with its value, which is a counter or a text; none is the end of the table."""
    if value is None:
        told = encoded(END_OF_VIEW, b"")
    else:
        told = encoded(STRING, value.encode()) if isinstance(value, str) else number(value % 2**32, COUNTER32)
    return encoded(SEQUENCE, name(oid) + told)


def serve(values: Callable[[], dict[Oid, Value]]) -> str:
    """Answer until this program ends. Return the address."""
    agent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    agent.bind(("127.0.0.1", 0))

    def answering() -> None:
        while True:
            request, sender = agent.recvfrom(65535)
            try:
                told = answer(request, values())
            except (ValueError, IndexError):
                continue  # a device does not answer what it cannot read
            agent.sendto(told, sender)

    threading.Thread(target=answering, daemon=True).start()
    return f"127.0.0.1:{agent.getsockname()[1]}"
