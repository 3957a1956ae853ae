"""Serve every BMC of the lab, each on its own address: `python3 -m tests.lab.sims.redfish TERMS`."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.lab.sims.power import PowerError
from tests.lab.sims.redfish import actions, model, resources
from tests.lab.sims.redfish.accounts import Accounts
from tests.lab.sims.redfish.bmc import Bmc, RefusedError

OPEN = ("/redfish", resources.ROOT)
STATE = Path("/var/lib/lab")


class MustChangeError(RefusedError):
    """Somebody must change the password of an account before anything else."""

    def __init__(self, account: str) -> None:
        super().__init__(
            403, f"The password provided for this account must be changed before access is granted: {account}"
        )
        self.account = account


class Connection(BaseHTTPRequestHandler):
    """One client of one BMC."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    bmc: Bmc
    accounts: Accounts
    sessions: dict[str, tuple[str, str]]
    """By its name the user and token of a session."""

    def do_GET(self) -> None:  # the server calls it so
        """Serve a document."""
        self._answer("GET")

    def do_POST(self) -> None:
        """Do an action, or open a session."""
        self._answer("POST")

    def do_PATCH(self) -> None:
        """Change a setting."""
        self._answer("PATCH")

    def do_PUT(self) -> None:
        """Break something."""
        self._answer("PUT")

    def do_DELETE(self) -> None:
        """Repair something, or close a session."""
        self._answer("DELETE")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Write to the journal which BMC was asked for what."""
        print(self.bmc.terms["host"], format % args)

    def _answer(self, method: str) -> None:
        path = self.path.partition("?")[0].rstrip("/")
        length = int(self.headers.get("Content-Length") or 0)
        text = self.rfile.read(length)
        faults = [] if path.startswith(actions.FAULTS) else self.bmc.memory["faults"]
        if "unreachable" in faults:
            self.close_connection = True
            return
        if "slow" in faults:
            time.sleep(model.SLOW_S)
        try:
            body = json.loads(text) if text else {}
            self._routed(method, path, body)
        except ValueError:
            self._refuse(RefusedError(400, "the body is no JSON"))
        except RefusedError as error:
            self._refuse(error)
        except (PowerError, OSError) as error:
            self._refuse(RefusedError(500, f"the lab's power switch does not answer: {error}"))

    def _routed(self, method: str, path: str, body: dict[str, Any]) -> None:
        if (method, path) == ("POST", resources.SESSIONS):
            self._open_session(body)
            return
        user = "" if path in OPEN else self._user()
        if user and self.accounts.must_change(user) and not self._changes_or_leaves(method, path, user):
            raise MustChangeError(f"{resources.ACCOUNTS}/{self.accounts.number_of(user)}")
        if path.startswith(actions.FAULTS):
            self._faults(method, path.removeprefix(actions.FAULTS).lstrip("/"))
            return
        self.bmc.look()
        match method:
            case "GET":
                self._send(200, self._document(path))
            case "POST":
                status, document, made = actions.post(self.bmc, path, body)
                self._send(status, document, {"Location": made} if made else {})
            case "PATCH" if path.startswith(f"{resources.ACCOUNTS}/"):
                self._change_password(path, body)
                self._send(204, {})
            case "PATCH":
                actions.patch(self.bmc, path, body)
                self._send(204, {})
            case "DELETE" if path.startswith(resources.SESSIONS):
                self.sessions.pop(path.rsplit("/", 1)[-1], None)
                self._send(204, {})
            case "DELETE":
                actions.delete(self.bmc, path)
                self._send(204, {})
            case _:
                raise RefusedError(405, f"{method} is not for {path}")

    def _document(self, path: str) -> dict[str, Any]:
        if path == "/redfish":
            return {"v1": f"{resources.ROOT}/"}
        users = {name: user for name, (user, _) in list(self.sessions.items())}
        document = resources.tree(self.bmc, self.accounts, users).get(path)
        if document is None:
            raise RefusedError(404, f"there is no {path}")
        return resources.page(document, path, self.path.partition("$skip=")[2])

    def _faults(self, method: str, fault: str) -> None:
        """Break with PUT, repair with DELETE; any method gives what is broken."""
        if method == "PUT":
            self.bmc.break_(fault)
        if method == "DELETE":
            self.bmc.repair(fault)
        self._send(200, {"faults": self.bmc.memory["faults"]})

    def _open_session(self, body: dict[str, Any]) -> None:
        user = body.get("UserName", "")
        if not self.accounts.is_right(user, body.get("Password", "")):
            raise RefusedError(401, "wrong user or password")
        name, token = secrets.token_hex(4), secrets.token_urlsafe(24)
        self.sessions[name] = user, token
        made = f"{resources.SESSIONS}/{name}"
        self._send(201, {"@odata.id": made, "Id": name, "UserName": user}, {"Location": made, "X-Auth-Token": token})

    def _user(self) -> str:
        """Return who asks."""
        if token := self.headers.get("X-Auth-Token"):
            known = [user for user, own in list(self.sessions.values()) if own == token]
        else:
            known = [user for user, password in self._basic() if self.accounts.is_right(user, password)]
        if not known:
            raise RefusedError(401, "wrong or no user and password, or an unknown session")
        return known[0]

    def _basic(self) -> list[tuple[str, str]]:
        kind, _, encoded = self.headers.get("Authorization", "").partition(" ")
        try:
            user, _, password = base64.b64decode(encoded).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return []
        return [(user, password)] if kind == "Basic" else []

    def _changes_or_leaves(self, method: str, path: str, user: str) -> bool:
        """Return whether it is what somebody may do whose password must be changed first: see and change his account, and log out."""
        own = path == f"{resources.ACCOUNTS}/{self.accounts.number_of(user)}"
        return (own and method in {"GET", "PATCH"}) or (method == "DELETE" and path.startswith(resources.SESSIONS))

    def _change_password(self, path: str, body: dict[str, Any]) -> None:
        number, password = path.rsplit("/", 1)[-1], body.get("Password")
        if number not in map(self.accounts.number_of, self.accounts.names()):
            raise RefusedError(404, f"there is no {path}")
        if not isinstance(password, str):
            raise RefusedError(400, "the body needs Password")
        self.accounts.change(number, password, self.headers.get("If-Match"))

    def _refuse(self, error: RefusedError) -> None:
        info: dict[str, Any] = {"MessageId": "Lab.1.0.Refused", "Message": error.says, "Severity": "Critical"}
        if isinstance(error, MustChangeError):
            info |= {"MessageId": "Base.1.16.PasswordChangeRequired", "MessageArgs": [error.account]}
        told = {"error": {"code": "Base.1.0.GeneralError", "message": error.says, "@Message.ExtendedInfo": [info]}}
        self._send(error.status, told, {"WWW-Authenticate": "Basic"} if error.status == 401 else {})

    def _send(self, status: int, document: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        text = b"" if status == 204 else json.dumps(document).encode()
        if "garbled" in self.bmc.memory["faults"] and document.get("@odata.id") == f"{resources.CHASSIS}/Thermal":
            text = text[: len(text) // 2]
        self.send_response(status)
        for name, value in {**(headers or {}), "OData-Version": "4.0"}.items():
            self.send_header(name, value)
        if text:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def server_of(terms: dict[str, Any], password: str, factory: tuple[Path, Path]) -> ThreadingHTTPServer:
    """Return the server of one BMC on its own address, with the lab's password, and the factory's certificate and key until it has its own."""
    bmc = Bmc(terms, Path(terms.get("memory", STATE)) / f"bmc-{terms['host']}.json", factory)
    handler = type("Connection", (Connection,), {"bmc": bmc, "accounts": Accounts(bmc, password), "sessions": {}})
    server = ThreadingHTTPServer((terms["address"], terms.get("port", 443)), handler)
    # the handshake happens in the connection's own thread: a client that stalls holds up nobody else
    server.socket = bmc.secret.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return server


def main() -> None:
    """Serve until ended."""
    path = Path(sys.argv[1])
    terms = json.loads(path.read_text(encoding="utf-8"))
    factory = path.parent / "bmc.pem", path.parent / "bmc.key"
    servers = [server_of(bmc, terms["password"], factory) for bmc in terms["bmcs"]]
    threads = [threading.Thread(target=server.serve_forever) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
