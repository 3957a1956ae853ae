"""Says what btrfs keeps of a folder on each brick of this server. Prints one JSON document: by brick bytes on the drive, and bytes of files.

Argument: the folder, as it is named on a brick after the volume's name: VOLUME and FOLDER.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

TOTAL = re.compile(r"^TOTAL +\d+% +(\d+) +(\d+)", re.MULTILINE)


def main() -> None:
    """Ask compsize, brick by brick. A brick without files of the folder is left out."""
    volume, folder = sys.argv[1:]
    found = {}
    for place in sorted(Path("/srv/bricks").glob(f"*/{volume}-*/{folder}")):
        subprocess.run(["btrfs", "filesystem", "sync", str(place)], check=True, capture_output=True)
        said = subprocess.run(["compsize", "-b", str(place)], capture_output=True, text=True, check=False).stdout
        if total := TOTAL.search(said):
            found[str(place).removesuffix(f"/{folder}")] = [int(total[1]), int(total[2])]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
