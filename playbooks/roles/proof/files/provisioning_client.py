"""Proves the provisioning service from a host that asks as a booting server would: address, boot program, installer, answers.

Argument: the service's own manifest, a JSON document. For every host that may be
installed, and for one that may not, the boot program is asked for by BIOS and by UEFI. Nothing is installed by this: whether
servers install themselves, and how fast, is measured on those that did and whose SSH server answers with the key that they reported.
"""

import hashlib
import json
import random
import socket
import struct
import subprocess
import sys
import time
import urllib.request

ARCHITECTURES = {"BIOS": 0, "UEFI": 7}
BLOCK = 1408
PATIENCE_S = 5.0
GIVEN_UP_S = 2 * 3600.0


def main() -> None:
    """Ask for everything, compare, and say what servers did."""
    manifest = json.loads(sys.argv[1])
    address = manifest["address"]
    # no server of addresses offers its own: it boots from its disk
    others = {host: known for host, known in manifest["hosts"].items() if known["address"] != address}
    wrong = _booted(others, manifest)
    for name, digest in manifest["files"].items():
        way, _, path = name.partition(":")
        try:
            got = _http(address, manifest["port"], path) if way == "http" else _tftp(address, path)
        except OSError as error:
            wrong.append(f"{name}: {error}")
            continue
        if hashlib.sha256(got).hexdigest() != digest:
            wrong.append(f"{name}: other bytes than the server's")
    offers = len(others) * len(ARCHITECTURES)
    asked = offers + len(manifest["files"])
    note = f"{offers} offers and {len(manifest['files'])} files, asked for by {socket.gethostname()}"
    served = {"value": (asked - len(wrong)) / asked, "note": "; ".join(wrong[:3]) or note}
    if not others:
        served = {"value": None, "note": "no other host of the inventory has a boot_mac, so that none can boot"}
    print(json.dumps({"provision.served_ratio": served} | _installed(manifest)))


def _booted(hosts: dict, manifest: dict) -> list:
    """Return the hosts that are not offered their address and a boot program that the server serves."""
    wrong, address = [], manifest["address"]
    for host, known in hosts.items():
        for name, architecture in ARCHITECTURES.items():
            offered, program = _discover(known["mac"], architecture)
            if offered not in {known["address"], "0.0.0.0"} or f"tftp:{program}" not in manifest["files"]:
                wrong.append(
                    f"{host} by {name} from {address}: offered {offered or 'nothing'}, {program or 'no boot program'}"
                )
    return wrong


def _discover(mac: str, architecture: int) -> tuple:
    """Ask as a network card would. Return the address and the boot program that are offered. No address is taken."""
    transaction = random.randbytes(4)
    head = struct.pack(
        "!BBBB4sHH16x6s10x192x4s", 1, 1, 6, 0, transaction, 0, 0x8000, bytes.fromhex(mac.replace(":", "")), b"c\x82Sc"
    )
    vendor = f"PXEClient:Arch:{architecture:05}:UNDI:003001".encode()
    options = [
        (53, b"\x01"),
        (60, vendor),
        (93, struct.pack("!H", architecture)),
        (94, b"\x01\x03\x01"),
        (97, bytes(17)),
        (55, bytes([1, 3, 66, 67])),
    ]
    packet = head + b"".join(bytes([code, len(value)]) + value for code, value in options) + b"\xff"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, _interface().encode())
        asking.bind(("", 68))
        asking.settimeout(PATIENCE_S)
        asking.sendto(packet, ("255.255.255.255", 67))
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                answer = asking.recv(2048)
            except TimeoutError:
                break
            if answer[4:8] == transaction and answer[0] == 2:
                return _offer(answer)
    return "", ""


def _offer(answer: bytes) -> tuple:
    offered, file = socket.inet_ntoa(answer[16:20]), answer[108:236].split(b"\0")[0]
    at = 240
    while at < len(answer) and answer[at] != 255:
        if answer[at] == 67:
            file = answer[at + 2 : at + 2 + answer[at + 1]].split(b"\0")[0]
        at += 1 if answer[at] == 0 else 2 + answer[at + 1]
    return offered, file.decode()


def _interface() -> str:
    """Return the network interface through which this host reaches the server."""
    address = json.loads(sys.argv[1])["address"]
    route = json.loads(subprocess.run(["ip", "-j", "route", "get", address], capture_output=True, check=True).stdout)[0]
    if route["dev"] != "lo":
        return str(route["dev"])
    links = json.loads(subprocess.run(["ip", "-j", "-4", "address"], capture_output=True, check=True).stdout)
    return next(str(link["ifname"]) for link in links for one in link["addr_info"] if one["local"] == address)


def _tftp(address: str, path: str) -> bytes:
    """Fetch a file as a boot program would."""
    got = bytearray()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(PATIENCE_S)
        asking.sendto(b"\0\1" + path.encode() + b"\0octet\0blksize\0" + str(BLOCK).encode() + b"\0", (address, 69))
        size, expected = 512, 1
        while True:
            answer, sender = asking.recvfrom(BLOCK + 64)
            kind, number = struct.unpack("!HH", answer[:4])
            if kind == 5:
                raise OSError(answer[4:-1].decode("utf-8", "replace"))
            if kind == 6:
                # the server may have chosen a smaller one
                size, number = int(answer[2:].split(b"\0")[1]), 0
            elif number != expected & 0xFFFF:
                continue
            else:
                got += answer[4:]
                expected += 1
            asking.sendto(struct.pack("!HH", 4, number), sender)
            if kind == 3 and len(answer) - 4 < size:
                return bytes(got)


def _http(address: str, port: int, path: str) -> bytes:
    with urllib.request.urlopen(f"http://{address}:{port}/{path}", timeout=60) as answer:
        return bytes(answer.read())


def _installed(manifest: dict) -> dict:
    """Judge the servers that were enabled: each must have reported that it is done, and its SSH server must have the key that it reported."""
    # one that was closed without a word of its own was installed by something else
    known = {host: one for host, one in manifest["records"].items() if host in manifest["hosts"]}
    records = {host: one for host, one in known.items() if "up" in one or "closed" not in one}
    if not records:
        why = "no server has installed itself yet: name an empty one in provision_hosts and boot it from the network"
        return {name: {"value": None, "note": why} for name in ("provision.unattended_ok_ratio", "provision.minutes")}
    waiting = [h for h, one in records.items() if "up" not in one and time.time() - one["opened"] < GIVEN_UP_S]
    if waiting:
        why = f"opened, and not done yet: {', '.join(sorted(waiting)[:5])}"
        return {name: {"value": None, "note": why} for name in ("provision.unattended_ok_ratio", "provision.minutes")}
    good = [
        h for h, one in records.items() if "up" in one and _greets(manifest["hosts"][h]["address"], one["host_key"])
    ]
    lost = ", ".join(sorted(set(records) - set(good))[:5])
    ratio = {"value": len(good) / len(records), "note": f"not done: {lost}" if lost else ", ".join(sorted(good)[:5])}
    minutes = [(one["up"] - one["began"]) / 60 for h, one in records.items() if h in good and "began" in one]
    slowest = {
        "value": round(max(minutes, default=0), 1),
        "note": "from the installer's first second to log-in; the firmware's own test is before it",
    }
    none = {"value": None, "note": "no server was installed"}
    return {"provision.unattended_ok_ratio": ratio, "provision.minutes": slowest if minutes else none}


def _greets(address: str, key: str) -> bool:
    """Return whether the host at the address has the SSH key that the installed host reported."""
    command = ["ssh-keyscan", "-T", "5", "-t", "ed25519", address]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return bool(key) and key.split()[1] in said.split()


if __name__ == "__main__":
    main()
