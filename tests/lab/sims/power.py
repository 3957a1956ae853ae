"""The switch behind BMCs and PDUs: one request, one answer, as JSON lines on the supervisor's socket."""

from __future__ import annotations

import json
import socket
from typing import Any

SOCKET = "/run/lab/socket"


class PowerError(Exception):
    """The supervisor refused, with its reason."""


def ask(action: str, host: str, path: str = SOCKET) -> dict[str, Any]:
    """Have a host switched, or `state` read; give its `power` and how often it was `booted`."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall((json.dumps({"action": action, "host": host}) + "\n").encode())
        answer: dict[str, Any] = json.loads(connection.makefile().readline())
    if "error" in answer:
        raise PowerError(answer["error"])
    return answer
