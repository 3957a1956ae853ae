"""One real machine from `init` to go-live, by the commands a person would type; prints each of them.

Usage: localhost.py FOLDER [PORT]. The engine runs the real checks. What a machine at hand does not meet is waived as
`localhost_waivers.yaml` says; go-live is signed twice.
"""

from __future__ import annotations

import sys
from pathlib import Path

from waivers import read_waivers
from walk import Site, drive, engine, in_state, make

GO_LIVE = "195@site"


def main() -> None:
    """Take one machine from its declaration to a signed go-live."""
    site = Site(
        Path(sys.argv[1]),
        waivers=read_waivers(Path(__file__).with_name("localhost_waivers.yaml")),
        by_hand_because="",  # nothing is left to people but what they sign
    )
    make(site, "localhost")
    with engine(site, sys.argv[2] if len(sys.argv) > 2 else "4210"):
        print("\n# go-live is refused while anything is open")
        refused = site.run("sign", GO_LIVE, who="owner", check=False)
        assert refused.returncode == 1, refused
        drive(site, lambda rows: len(in_state(rows, "done", "not_applicable")) == len(rows))
    site.run("status")
    site.run("report", "summary")
    site.run("audit")


if __name__ == "__main__":
    main()
