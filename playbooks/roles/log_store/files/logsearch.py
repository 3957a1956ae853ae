#!/usr/bin/python3
"""Searches the logs of all hosts: `logsearch [--host HOST] [--minutes N] [--hosts] WORD ...`; every word must occur."""

import argparse
import subprocess
import sys


def main() -> int:
    """Search, or list the hosts that have sent something."""
    parser = argparse.ArgumentParser(description="Search the logs of all hosts.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="words that a line must have, all of them")
    parser.add_argument("--host", help="lines of one host only")
    parser.add_argument("--minutes", type=int, default=60, help="how far back (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=1000, help="most lines shown (default: %(default)s)")
    parser.add_argument("--hosts", action="store_true", help="count lines by host instead")
    options = parser.parse_args()
    where = [f"received >= NOW() - INTERVAL {options.minutes} MINUTE"]
    if options.host:
        where.append(f"host = {quoted(options.host)}")
    if options.words:
        every = " ".join(f'+"{word}"' for word in options.words)
        where.append(f"MATCH (message) AGAINST ({quoted(every)} IN BOOLEAN MODE)")
    what = "host, COUNT(*)" if options.hosts else "received, host, tag, message"
    order = "GROUP BY host ORDER BY host" if options.hosts else f"ORDER BY id LIMIT {options.limit}"
    return subprocess.run(
        ["mysql", "-N", "-B", "logs"],
        input=f"SELECT {what} FROM `lines` WHERE {' AND '.join(where)} {order}",
        text=True,
        check=False,
    ).returncode


def quoted(text: str) -> str:
    """Return a text quoted for SQL."""
    return "0x" + text.encode().hex() if text else "''"


if __name__ == "__main__":
    sys.exit(main())
