"""The process of a dashboard's server: `python -m flows.dashboard.app SITE PORT DESCRIPTOR`.

Its parent holds the port and hands over the socket, so that nobody else can ever answer there. The login is read from its
file here: it is neither an argument nor in the environment that a process is started with.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from flows.dashboard.settings import apply

KEEP_ALIVE_S = 5
"""As long as Prefect's own server keeps a connection that nobody uses."""


def main(site: str, port: str, descriptor: str) -> None:
    """Serve a site's dashboard on a socket until a signal ends the process."""
    apply(Path(site), int(port))
    # Prefect reads its settings when it is first imported: here, after they are set
    import uvicorn
    from prefect.server.api.server import create_app

    from flows.dashboard.guard import guarded

    app = guarded(create_app(final=True), int(port))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_keep_alive=KEEP_ALIVE_S))
    server.run(sockets=[socket.socket(fileno=int(descriptor))])


if __name__ == "__main__":
    main(*sys.argv[1:])
