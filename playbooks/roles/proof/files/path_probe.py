"""Reads how large a packet each port carries to the far end of its path, with fragmentation forbidden. It changes nothing.

Argument: addresses by port as JSON, `{"ens1np0": ["10.1.0.1"]}`; if it is empty, the default gateway over its own port. A packet leaves
by the port and its answer must come in there, so that no other network answers for it.
"""

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SIZES = (9000, 4000, 1500, 576)
"""Bytes that are tried, headers included; what is measured is the first that is answered."""


def ip(*words: str) -> list[dict]:
    """Return what `ip` says as JSON."""
    return json.loads(subprocess.run(["ip", "-j", *words], capture_output=True, text=True, check=True).stdout or "[]")


def by_default() -> dict[str, list[str]]:
    """Return the default gateway by its port."""
    return {route["dev"]: [route["gateway"]] for route in ip("route", "show", "default")[:1] if "gateway" in route}


def is_answered(port: str, peer: str, size: int) -> bool:
    """Say whether one of two packets of a size came back."""
    payload = size - (48 if ":" in peer else 28)
    words = ["ping", "-I", port, "-M", "do", "-c", "2", "-i", "0.2", "-W", "0.5", "-s", str(payload), peer]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def carried(path: tuple[str, str]) -> dict:
    """Return a path with the largest size that it carries, None if nothing is answered."""
    port, peer = path
    return {"port": port, "peer": peer, "bytes": next((size for size in SIZES if is_answered(port, peer, size)), None)}


def main() -> None:
    """Probe every path at once."""
    if shutil.which("ping") is None:
        sys.exit(127)
    planned = json.loads(sys.argv[1]) or by_default()
    own = {address["local"] for link in ip("address") for address in link["addr_info"]}
    paths = [(port, peer) for port, peers in planned.items() for peer in peers if peer not in own]
    with ThreadPoolExecutor() as pool:
        print(json.dumps(list(pool.map(carried, paths))))


if __name__ == "__main__":
    main()
