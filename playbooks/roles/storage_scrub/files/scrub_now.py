"""Scrubs a volume now, waits until every server is done, and prints what was found: server, brick and path, and who was done.

A server whose daemon does not run is in none of GlusterFS's lists.

Arguments: the volume, this server's own address, and for how many seconds to wait.
"""

import json
import re
import subprocess
import sys
import time

NODE = re.compile(r"^Node: (\S+)$(.*?)(?=^Node: |\Z)", re.MULTILINE | re.DOTALL)
DONE = re.compile(r"^Last completed scrub time: (\d{4}.*)$", re.MULTILINE)
BAD = re.compile(r"==> BRICK: (\S+)\n\s*path: (.*)$", re.MULTILINE)


def bitrot(volume: str, *words: str) -> str:
    """Return what GlusterFS says of a volume's signatures. It answers one question at a time: one that it refuses is asked again."""
    command = ["gluster", "--mode=script", "volume", "bitrot", volume, "scrub", *words]
    for _ in range(10):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if not done.returncode:
            return done.stdout
        time.sleep(3)
    raise SystemExit(done.stderr or done.stdout)


def looked(said: str, own: str) -> "dict[str, tuple[str, list]]":
    """Return by server when its last scrub ended, and what it found."""
    found = {}
    for node, text in NODE.findall(said):
        ended = DONE.search(text)
        found[own if node == "localhost" else node] = (ended[1] if ended else "", BAD.findall(text))
    return found


def main() -> None:
    """Scrub, wait, print."""
    volume, own, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    before = looked(bitrot(volume, "status"), own)
    # times are whole seconds: a scrub that ends in the second of the last one would not be seen
    time.sleep(1)
    said = bitrot(volume, "ondemand")
    end = time.monotonic() + seconds
    while True:
        after = looked(bitrot(volume, "status"), own)
        done = [node for node, (ended, _) in after.items() if ended and ended != before.get(node, ("",))[0]]
        if before.keys() <= set(done) or time.monotonic() > end:
            break
        time.sleep(2)
    found = [{"server": node, "brick": brick, "path": path} for node, (_, bad) in after.items() for brick, path in bad]
    print(json.dumps({"found": found, "done": done, "said": said.strip(), "is_asked": True}))


if __name__ == "__main__":
    main()
