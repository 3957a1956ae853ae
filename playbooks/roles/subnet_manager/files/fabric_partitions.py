"""Print opensm's partitions.conf of the partitions that are drawn. Argument: the file that is in use, which may not be there.

A member has its GUID from the port at which it is drawn. If another card is plugged in there, it is no member: a name alone could be
anybody's. One that is not plugged in now keeps the GUID that it had. What cannot be is named, and
nothing is printed.
"""

import re
import sys
from pathlib import Path

from fabric_view import WHOLE, asked, drawn, ends_of, found_in, guid_at, places

MEMBER = re.compile(r"^  (0x[0-9a-f]{16})=(?:full|limited)[,;] # (.+)$", re.MULTILINE)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def main() -> None:
    """Print the file, or what is wrong with what is drawn."""
    site, in_use = drawn(), Path(sys.argv[1])
    earlier = {end: guid for guid, end in MEMBER.findall(in_use.read_text())} if in_use.exists() else {}
    if wrong := faults(site):
        sys.exit("\n".join(wrong))
    text, amiss = rendered(site, asked("ibnetdiscover"), earlier)
    print("\n".join(amiss), file=sys.stderr)
    print(text, end="")


def faults(site: dict) -> list[str]:
    """Return what keeps the partitions from being written."""
    found, keys = [], {WHOLE: "of all ports"}
    for number, partition in enumerate(site["partitions"]):
        where = f"fabric_partitions[{number}]"
        name, key = partition.get("name", ""), partition.get("pkey")
        if not NAME.fullmatch(str(name)) or name == "Default":
            found.append(f"{where}.name: {name!r} is no name: letters, digits, - and _, and not Default")
        try:
            key = int(str(key), 0)
        except ValueError:
            key = -1
        if not 0 < key < WHOLE or key in keys:
            said = f"is that {keys[key]}" if key in keys else "is no key: 0x1 to 0x7ffe"
            found.append(f"{where}.pkey: {partition.get('pkey')!r} {said}")
        keys[key] = f"of {name}"
        if partition.get("membership", "full") not in ("full", "limited"):
            found.append(f"{where}.membership: {partition['membership']!r} is neither full nor limited")
        for member, ends in ends_of(partition["members"], site["links"]).items():
            if not ends:
                found.append(f"{where}.members: {member} has no card in fabric_links")
    return found


def rendered(site: dict, discovered: str, earlier: dict[str, str]) -> tuple[str, list[str]]:
    """Return the file, and members that are not in it with the reason."""
    found, place, amiss = found_in(discovered), places(site["links"]), []

    def listed(members: list[str], membership: str) -> list[str]:
        lines = []
        for end in sorted({end for ends in ends_of(members, site["links"]).values() for end in ends}):
            try:
                guid = guid_at(end, place[end], found) or earlier.get(end)
            except ValueError as error:
                amiss.append(str(error))
                continue
            if guid:
                lines.append(f"  {guid}={membership}, # {end}")
            else:
                amiss.append(f"{end} is not plugged in, and was never seen")
        return lines

    apart = bool(site["partitions"])
    # as opensm's own, where nobody is kept apart; otherwise only managers and switches speak to everybody in it
    blocks = [["Default=0x7fff,ipoib:", f"  ALL={'limited' if apart else 'full'},"]]
    if apart:
        blocks[0] += ["  ALL_SWITCHES=full,", "  SELF=full,", *listed(site["managers"], "full")]
    for partition in site["partitions"]:
        head = f"{partition['name']}={int(str(partition['pkey']), 0):#06x}{',ipoib' if partition.get('ipoib') else ''}:"
        blocks.append([head, *listed(partition["members"], partition.get("membership", "full"))])
    text = "# Written by Clusterwright, step 060.\n"
    for head, *members in blocks:
        if members:
            members[-1] = re.sub(",( #|$)", r";\1", members[-1], count=1)
            text += "\n".join([head, *members]) + "\n"
    return text, amiss


if __name__ == "__main__":
    main()
