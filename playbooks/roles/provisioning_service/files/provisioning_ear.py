"""Hears from hosts that they are installed, which closes them, and that they can be logged in to.

`POST /installed/HOST` and `POST /up/HOST`, with the seconds since the kernel's start and the host's public key. Listens on
the loopback address, behind the file server, which says where the call came from: a host speaks for itself only.
Argument: the port.
"""

import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import provisioning

LONGEST = 65536


class Call(BaseHTTPRequestHandler):
    """One host's word."""

    def do_POST(self) -> None:  # the server calls it so
        """Note it; a host that is installed boots from disk from now on."""
        _, what, host = self.path.split("/", 2)
        try:
            said = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), LONGEST)).decode()
            known = provisioning.hosts().get(host)
            if known is None or known["address"] != self.headers.get("X-Real-IP"):
                self.send_error(403, "a host speaks for itself only")
                return
            uptime, _, key = said.partition("\n")
            now, found = time.time(), provisioning.record(host)
            if what == "installed":
                provisioning.close_host(host)
                found |= {"began": now - float(uptime), "installed": now}
            provisioning.write_record(host, found | {what: now, "host_key": key.strip()})
        except (OSError, ValueError) as error:
            self.send_error(500, str(error))
            return
        self.send_response(204)
        self.end_headers()


def main() -> None:
    """Hear until ended."""
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Call).serve_forever()


if __name__ == "__main__":
    main()
