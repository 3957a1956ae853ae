"""Listening sockets: ss -H -tuln, compared with the ports that a site allows."""

from __future__ import annotations

import re
from decimal import Decimal
from ipaddress import IPv6Address, ip_address

from steps.acceptance import baseline
from steps.acceptance.handed import Found, Handed, NotMeasuredError

SOCKET = re.compile(r"(tcp|udp)\s+(LISTEN|UNCONN)\s+\d+\s+\d+\s+(\S+):(\d+)\s+\S+:\*\s*", re.ASCII)
ALLOWED = re.compile(r"(tcp|udp)/\d{1,5}", re.ASCII)


def unexpected(handed: Handed) -> Found:
    """Count sockets that can be reached from outside and that the policy does not name."""
    allowed = _policy(handed)
    found: list[str] = []
    for line in filter(str.strip, handed.text("ss").splitlines()):
        socket = SOCKET.fullmatch(line)
        if not socket:
            handed.garbled()
        port = f"{socket[1]}/{int(socket[4])}"
        if not _is_loopback(socket[3]) and port not in allowed:
            found.append(port)
    return Found(Decimal(len(found)), ", ".join(sorted(set(found))))


def _policy(handed: Handed) -> set[str]:
    ports = baseline.stated(handed, "listening_ports_policy")
    if not isinstance(ports, list):
        raise NotMeasuredError("listening_ports_policy is no list; write `[tcp/22]`")
    for port in ports:
        if not isinstance(port, str) or not ALLOWED.fullmatch(port):
            raise NotMeasuredError(f"listening_ports_policy: {port!r} is no port; write `tcp/22`")
    return {f"{port[:3]}/{int(port[4:])}" for port in ports}


def _is_loopback(local: str) -> bool:
    """Return whether a local address, as ss writes it, is loopback: `[::1]` and `127.0.0.53%lo` are, `*` is not."""
    if local == "*":
        return False
    address = ip_address(re.sub(r"%[\w.@-]+", "", local).strip("[]"))
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback
