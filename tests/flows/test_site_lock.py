"""A port that is held: nobody else can answer on it and be sent the dashboard's login."""

from __future__ import annotations

import itertools
import socket
import time

import pytest

from flows.dashboard.site_lock import hang_up, held_port, release_port
from schedule.errors import UnreachableError
from tests.ports import free_port

SHARING = (socket.SO_REUSEADDR, socket.SO_REUSEPORT)


def listens(port: int, address: str, options: tuple[int, ...]) -> bool:
    """Return whether another program can take a port."""
    with socket.socket() as other:
        for option in options:
            other.setsockopt(socket.SOL_SOCKET, option, 1)
        try:
            other.bind((address, port))
            other.listen()
        except OSError:
            return False
    return True


def test_a_taken_port_is_named_with_the_option_that_gives_another() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(UnreachableError, match=rf"port {port} .* is taken(.|\n)*--port"):
            held_port(port)


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize("options", [*itertools.combinations(SHARING, 1), (), SHARING])
def test_nobody_takes_a_port_that_is_held_before_its_server_answers(address: str, options: tuple[int, ...]) -> None:
    """A server takes seconds to start. A stranger who was faster was taken for it, and was sent everything."""
    held = held_port(free_port())

    assert not listens(held.getsockname()[1], address, options)
    release_port(held)


def test_clients_of_a_server_that_has_ended_are_cut_off_at_once_and_the_port_is_still_held() -> None:
    """They try again for a while, and send the login each time."""
    held = held_port(free_port())
    port = held.getsockname()[1]
    hang_up(held)

    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        assert client.recv(1) == b""
    assert time.monotonic() - began < 2
    assert not listens(port, "127.0.0.1", SHARING)

    release_port(held)
    assert listens(port, "127.0.0.1", SHARING[:1])
