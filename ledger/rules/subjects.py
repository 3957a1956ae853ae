"""The ids of orders and of their deliveries: 001@site#gpu-server and 001@site#gpu-server/2."""

from __future__ import annotations


def is_supply(subject: str) -> bool:
    """Return whether an id is that of an order or of a delivery."""
    return "#" in subject


def is_delivery(subject: str) -> bool:
    """Return whether an id is that of a delivery, for example 001@site#gpu-server/2."""
    return "/" in subject.partition("#")[2]


def order_of(subject: str) -> str:
    """Return the id of an order from its own id or from that of one of its deliveries."""
    head, mark, tail = subject.partition("#")
    return f"{head}{mark}{tail.partition('/')[0]}"
