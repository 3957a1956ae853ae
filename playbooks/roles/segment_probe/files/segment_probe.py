"""Asks from this host's port in each segment which other hosts are reached, and prints what was found as JSON.

Argument: the plan. A host is reached where its own port in the other segment answers an ARP request on this wire: the segments are one.
It is also reached where the segment has a gateway, and an echo that is sent to this gateway comes back. Frames are made here, since what
the kernel sends follows its routes, and a host answers for all of its addresses on every port. Nothing is changed.
"""

import json
import os
import socket
import struct
import sys
import time

ETH_IP, ETH_ARP = 0x0800, 0x0806
BROADCAST = b"\xff" * 6
NOBODY = "0.0.0.0"
ROUNDS = 3
ROUND_S = 1
ICMP_ECHO, ICMP_REPLY = 8, 0


def mac_bytes(text: str) -> bytes:
    """Return a hardware address as bytes."""
    return bytes.fromhex(text.replace(":", ""))


def arp_request(own_mac: bytes, own: str, target: str) -> bytes:
    """Return a frame that asks who has an address; from nobody's address it fills no cache."""
    head = BROADCAST + own_mac + struct.pack("!H", ETH_ARP)
    body = struct.pack("!HHBBH", 1, ETH_IP, 6, 4, 1)
    return head + body + own_mac + socket.inet_aton(own) + bytes(6) + socket.inet_aton(target)


def checksum(data: bytes) -> int:
    """Return the checksum of the Internet protocols."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def echo_request(own_mac: bytes, gateway: bytes, own: str, target: str, number: int) -> bytes:
    """Return a frame to the gateway with an echo request to another host."""
    word = struct.pack("!BBHHH", ICMP_ECHO, 0, 0, os.getpid() & 0xFFFF, number)
    icmp = word[:2] + struct.pack("!H", checksum(word)) + word[4:]
    ends = socket.inet_aton(own) + socket.inet_aton(target)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(icmp), 0, 0, 16, socket.IPPROTO_ICMP, 0) + ends
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return gateway + own_mac + struct.pack("!H", ETH_IP) + head + icmp


class Wire:
    """A port, and who answered on it: hardware addresses by address, and addresses that sent an echo back."""

    def __init__(self, port: str) -> None:
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.bind((port, 0))
        self.mac: bytes = self.socket.getsockname()[4]
        self.arp: dict[str, set[bytes]] = {}
        self.echo: set[str] = set()

    def exchange(self, frames: list[bytes]) -> None:
        """Send some times, and keep who answers."""
        for _ in range(ROUNDS):
            for frame in frames:
                self.socket.send(frame)
            end = time.monotonic() + ROUND_S
            while (left := end - time.monotonic()) > 0:
                self.socket.settimeout(left)
                try:
                    self.keep(self.socket.recv(2048))
                except socket.timeout:  # noqa: UP041  # hosts with Python 3.9
                    break

    def keep(self, frame: bytes) -> None:
        """Note an answer to us."""
        if len(frame) < 42 or frame[:6] != self.mac:
            return
        kind = struct.unpack("!H", frame[12:14])[0]
        if kind == ETH_ARP and frame[20:22] == b"\x00\x02":
            self.arp.setdefault(socket.inet_ntoa(frame[28:32]), set()).add(frame[22:28])
        elif kind == ETH_IP and frame[23] == socket.IPPROTO_ICMP:
            icmp = frame[14 + (frame[14] & 0xF) * 4 :]
            if icmp[0] == ICMP_REPLY and icmp[4:6] == struct.pack("!H", os.getpid() & 0xFFFF):
                self.echo.add(socket.inet_ntoa(frame[26:30]))


def asked(plan: dict, end: dict) -> tuple[list[dict], list[str]]:
    """Return what was found from one port, and who else has its address."""
    wire = Wire(end["port"])
    gateway = plan["segments"].get(end["segment"], {}).get("gateway")
    wire.exchange([arp_request(wire.mac, NOBODY, other["address"]) for other in plan["others"]])
    wire.exchange([arp_request(wire.mac, NOBODY, end["address"])])
    if gateway:
        wire.exchange([arp_request(wire.mac, end["address"], gateway)])
        others = [other["address"] for other in plan["others"] if other["segment"] != end["segment"]]
        for by in wire.arp.get(gateway, ()):
            wire.exchange([echo_request(wire.mac, by, end["address"], to, n) for n, to in enumerate(others)])
    probes = []
    for other in plan["others"]:
        same = mac_bytes(other["mac"]) in wire.arp.get(other["address"], ())
        how = (
            "its port answers on this wire"
            if same
            else "by way of the gateway"
            if other["address"] in wire.echo
            else ""
        )
        found = {"from": end["segment"], "port": end["port"], "to": other["segment"], "host": other["host"]}
        probes.append({**found, "address": other["address"], "reached": bool(how), "how": how})
    taken = wire.arp.get(end["address"], set()) - {wire.mac}
    twice = [f"{end['address']} is also that of {found.hex(':')}" for found in taken]
    return probes, twice


def main() -> None:
    """Ask from every port."""
    plan = json.loads(sys.argv[1])
    probes, twice = [], []
    for end in plan["own"]:
        found, taken = asked(plan, end)
        probes += found
        twice += taken
    have = {end["port"] for end in plan["own"]}
    without = sorted(port for port in plan["ports"] if port not in have)
    print(
        json.dumps({"segments": plan["segments"], "ports_without_address": without, "probes": probes, "taken": twice})
    )


if __name__ == "__main__":
    main()
