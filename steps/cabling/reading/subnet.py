"""The links of an InfiniBand fabric, which the subnet manager's host sees all at once: `iblinkinfo`.

A card is called by its host and its name, as drivers set it (`gpu-01 mlx5_0`): the host is then the device, the card the port. A
host without such a name is called by the number of its port.
"""

from __future__ import annotations

from steps.acceptance.tools.iblinkinfo import LinkEnd, link_ends
from steps.cabling.cable import FarSide, PortSeen


def is_links(text: str) -> bool:
    """Return whether a text is one of iblinkinfo."""
    return text.lstrip().startswith(("CA: ", "Switch: ", "RTR: "))


def subnet_ports(text: str) -> list[PortSeen]:
    """Return all ports of the fabric."""
    ends = link_ends(text)
    cards = {end.name for end in ends if end.kind == "CA"}
    return [_port(end, cards) for end in ends]


def _port(end: LinkEnd, cards: set[str]) -> PortSeen:
    device, port = _named(end.name, end.port, cards)
    heard: tuple[FarSide, ...] = ()
    if end.peer:
        far, far_port = _named(end.peer, end.peer_port, cards)
        heard = (FarSide(far, (far_port,)),)
    return PortSeen(device, port, end.up, end.gbit, end.could, neighbours=heard)


def _named(name: str, port: str, cards: set[str]) -> tuple[str, str]:
    """Return device and port. The names of switches may have blanks too, and are left whole."""
    host, _, card = name.partition(" ")
    if name not in cards or not card:
        return name, port
    return host, card if port == "1" else f"{card}/{port}"
