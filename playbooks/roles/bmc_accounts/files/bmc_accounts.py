"""Set a password of its own for a controller's account by Redfish, or try which well-known accounts of makers let somebody in.

`bmc_accounts.py settle|check|look`. Standard input is a JSON document: `address`, `authority` (a file), `first_use`, `username`, `password`,
`former_username`, `former_password` (may be empty), `factory` (accounts with `username`, `password`, `source`) and `tries`. Printed is one:
`says`, and of `settle` and `check` `changed` and `failed`, of `look` `lets_in`: the factory accounts, or null where that is not known.
No password is printed, and none is on a command line.
"""

from __future__ import annotations

import http.client
import json
import ssl
import sys
import time
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

ROOT = "/redfish/v1/"
ANSWERS_S = 30
# a controller may take a moment from its answer until a new password counts
COUNTS_S = 2
REFUSALS = (400, 401, 403)
"""With what controllers refuse a log-in: 401 by the standard, 400 and 403 with some makers."""
FAILURES = (OSError, ValueError, LookupError, TypeError, AttributeError, http.client.HTTPException)
"""A controller that does not answer, or whose answers are not what the standard has."""


class RefusedError(Exception):
    """A controller does not do what was asked. Its words are the controller's, without passwords."""

    def __init__(self, says: str, document: dict | None = None) -> None:
        super().__init__(says)
        self.document = document or {}


class Answer(NamedTuple):
    """What a controller answers to one request. What is no JSON document is an empty one."""

    status: int
    reason: str
    headers: http.client.HTTPMessage
    document: dict


class Controller:
    """One controller, and how often a log-in has failed there."""

    def __init__(self, terms: dict) -> None:
        self.terms = terms
        self.failed = 0
        self._trust: ssl.SSLContext | None = None
        self._sessions = ""

    def ask(self, method: str, path: str, body: dict | None = None, headers: dict | None = None) -> Answer:
        """Return the answer to a request."""
        connection = http.client.HTTPSConnection(self.terms["address"], timeout=ANSWERS_S, context=self._trust)
        text = json.dumps(body) if body is not None else None
        try:
            connection.request(method, path, text, {"Content-Type": "application/json"} | (headers or {}))
            answer = connection.getresponse()
            found = answer.read()
        finally:
            connection.close()
        return Answer(answer.status, answer.reason, answer.headers, document_of(found))

    def meet(self) -> None:
        """See that it serves a certificate of the authority, before a password is sent there."""
        self._trust = ssl.create_default_context(cafile=self.terms["authority"] or None)
        try:
            root = self.ask("GET", ROOT)
        except ssl.SSLCertVerificationError:
            if not self.terms["first_use"]:
                raise ValueError(
                    "no authority that is known here signed its certificate (see bmc_accounts_first_use)"
                ) from None
            self._trust.check_hostname, self._trust.verify_mode = False, ssl.CERT_NONE
            root = self.ask("GET", ROOT)
        self._sessions = self.told(root)["Links"]["Sessions"]["@odata.id"]

    def log_in(self, username: str, password: str) -> Session | None:
        """Return a session, or nothing where the controller refuses it."""
        answer = self.ask("POST", self._sessions, {"UserName": username, "Password": password})
        if answer.status in REFUSALS:
            self.failed += 1
            return None
        made = self.told(answer)
        token, place = answer.headers["X-Auth-Token"], answer.headers["Location"] or made["@odata.id"]
        if not token:
            raise ValueError("it opened a session without a token")
        # some makers answer with the whole address
        return Session(self, username, token, urlsplit(place).path)

    def lets_in(self, username: str, password: str) -> bool:
        """Return whether a log-in succeeds. The session is closed."""
        session = self.log_in(username, password)
        if session:
            session.close()
        return session is not None

    def told(self, answer: Answer) -> dict:
        """Return the document of an answer; raise with the controller's words where it refuses."""
        if answer.status < 400:
            return answer.document
        words = [one.get(key) for one in messages(answer.document) for key in ("Message", "Resolution")]
        says = " ".join(word for word in words if word) or answer.reason
        raise RefusedError(self.without_passwords(f"HTTP {answer.status}: {says}"), answer.document)

    def without_passwords(self, text: str) -> str:
        """Return a text without the passwords of this controller, which some answers repeat."""
        for secret in (self.terms["password"], self.terms["former_password"]):
            if secret:
                text = text.replace(secret, "[secret]")
        return text

    def candidates(self) -> list[dict]:
        """Return what may let somebody in: the former account, otherwise the factory's, first those of the account's own name."""
        terms = self.terms
        if terms["former_password"]:
            return [
                {
                    "username": terms["former_username"],
                    "password": terms["former_password"],
                    "source": "bmc_former_password",
                }
            ]
        return sorted(terms["factory"], key=lambda one: one["username"] != terms["username"])


class Session:
    """A log-in that holds until it is closed."""

    def __init__(self, controller: Controller, username: str, token: str, place: str) -> None:
        self.controller = controller
        self.username = username
        self._headers = {"X-Auth-Token": token}
        self._place = place

    def get(self, path: str) -> dict:
        """Return a document."""
        return self.controller.told(self.controller.ask("GET", path, headers=self._headers))

    def accounts(self) -> dict[str, dict]:
        """Return the accounts that are enabled, by their names."""
        folder = self.get(self.service()["Accounts"]["@odata.id"])
        found = [self.get(member["@odata.id"]) for member in folder["Members"]]
        return {one["UserName"]: one for one in found if one.get("UserName") and one.get("Enabled") is not False}

    def service(self) -> dict:
        """Return the account service."""
        return self.get(self.get(ROOT)["AccountService"]["@odata.id"])

    def account(self, username: str) -> str:
        """Return the path of an account. One whose password must be changed first may see only itself, and the refusal has its path."""
        try:
            accounts = self.accounts()
        except RefusedError as error:
            own = [
                one["MessageArgs"][0]
                for one in messages(error.document)
                if one.get("MessageId", "").endswith("PasswordChangeRequired")
            ]
            if not own or self.username != username:
                raise
            return own[0]
        if username not in accounts:
            raise RefusedError(
                f"it has no enabled account {username} (bmc_username), but {', '.join(sorted(accounts)) or 'none'}"
            )
        return accounts[username]["@odata.id"]

    def change(self, account: str, password: str) -> None:
        """Change the password of an account."""
        version = self.get(account).get("@odata.etag")
        headers = self._headers | ({"If-Match": version} if version else {})
        self.controller.told(self.controller.ask("PATCH", account, {"Password": password}, headers))

    def close(self) -> None:
        """Log out. A session that stays ends by itself."""
        self.controller.ask("DELETE", self._place, headers=self._headers)


def settle(controller: Controller, *, only_check: bool) -> dict:
    """Set the account's own password, and return what was done. Nothing counts before a log-in has shown it."""
    terms = controller.terms
    username, own = terms["username"], terms["password"]
    if not own or any(own == one["password"] for one in terms["factory"]):
        raise RefusedError("bmc_password is empty or a factory's; nothing was changed")
    if controller.lets_in(username, own):
        return {"changed": False, "says": f"{username} has its own password"}
    way, session = way_in(controller)
    try:
        account = session.account(username)
        if only_check:
            return {
                "changed": True,
                "says": f"{username} would get its own password, by {way['username']} of {way['source']}",
            }
        change(controller, session, account, way)
    finally:
        session.close()
    return {"changed": True, "says": f"{username} has its own password now, and no longer that of {way['source']}"}


def way_in(controller: Controller) -> tuple[dict, Session]:
    """Return what lets us in, and the session."""
    candidates = controller.candidates()
    for tried, one in enumerate(candidates):
        if controller.failed >= controller.terms["tries"]:
            left = ", ".join(f"{other['username']} of {other['source']}" for other in candidates[tried:])
            raise RefusedError(
                f"neither bmc_password nor what was tried lets anybody in; for fear of a lock-out not tried: {left}"
            )
        session = controller.log_in(one["username"], one["password"])
        if session:
            return one, session
    raise RefusedError(
        "neither bmc_password, nor bmc_former_password or an account of bmc_accounts_factory lets anybody in"
    )


def change(controller: Controller, session: Session, account: str, way: dict) -> None:
    """Change the password and see that it counts. If it does not, have the former one back before the session ends."""
    username, own = controller.terms["username"], controller.terms["password"]
    try:
        session.change(account, own)
    except RefusedError as error:
        raise RefusedError(f"it refuses the new password, and {former(controller, way)}: {error}") from None
    time.sleep(COUNTS_S)
    if controller.lets_in(username, own):
        return
    if way["username"] == username and not controller.lets_in(username, way["password"]):
        # where this fails too, the words below say that nobody is let in
        with suppress(RefusedError):
            session.change(account, way["password"])
        time.sleep(COUNTS_S)
    raise RefusedError(f"it took the new password and does not let it in; {former(controller, way)}")


def former(controller: Controller, way: dict) -> str:
    """Return whether the account by which we came still lets us in."""
    still = controller.lets_in(way["username"], way["password"])
    return f"{way['username']} of {way['source']} {'still lets in' if still else 'LETS NOBODY IN ANY MORE'}"


def look(controller: Controller) -> dict:
    """Return which factory accounts let somebody in. What was not tried, or could not be known, makes it unknown."""
    username, own = controller.terms["username"], controller.terms["password"]
    candidates = sorted(controller.terms["factory"], key=lambda one: one["username"] != username)
    session = controller.log_in(username, own) if own else None
    limit = controller.terms["tries"]
    if session:
        try:
            threshold, names = session.service().get("AccountLockoutThreshold"), session.accounts()
        finally:
            session.close()
        # some makers do not tell capital letters of a name from small ones
        names = {name.casefold() for name in names}
        candidates = [one for one in candidates if one["username"].casefold() in names]
        if isinstance(threshold, int):
            limit = threshold - 1 if threshold > 0 else len(candidates)
    found, left = [], []
    for one in candidates:
        if controller.failed >= limit:
            left.append(one)
        elif controller.lets_in(one["username"], one["password"]):
            found.append(f"{one['username']} of {one['source']}")
    if found:
        return {"lets_in": found, "says": f"lets in {', '.join(found)}"}
    return unmet(controller, session, candidates, left)


def unmet(controller: Controller, session: Session | None, candidates: list[dict], left: list[dict]) -> dict:
    """Return what is known of a controller that let no factory account in."""
    if not session:
        return {
            "lets_in": None,
            "says": f"its own password is refused, and {len(candidates) - len(left)} of {len(candidates)} factory accounts",
        }
    if left:
        names = ", ".join(f"{one['username']} of {one['source']}" for one in left)
        return {"lets_in": None, "says": f"for fear of a lock-out not tried: {names}"}
    # refusals say something only of a controller that still lets the right one in
    if not controller.lets_in(controller.terms["username"], controller.terms["password"]):
        return {"lets_in": None, "says": "its own password is refused after the others were tried: something is locked"}
    others = len(controller.terms["factory"]) - len(candidates)
    return {
        "lets_in": [],
        "says": f"refuses {len(candidates)} factory accounts, and has no account for the other {others}",
    }


def document_of(text: bytes) -> dict:
    """Return the JSON document of a text; what is none is empty."""
    try:
        document = json.loads(text or b"{}")
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def messages(document: dict) -> list[dict]:
    """Return the messages of an error."""
    error = document.get("error") or {}
    return error.get("@Message.ExtendedInfo") or ([{"Message": error["message"]}] if error.get("message") else [])


def main() -> int:
    """Do what is asked of one controller, and print what came of it."""
    terms = json.load(sys.stdin)
    task = sys.argv[1]
    controller = Controller(terms)
    try:
        controller.meet()
        said = look(controller) if task == "look" else settle(controller, only_check=task == "check")
    except (RefusedError, *FAILURES) as error:
        words = f"its answer lacks {error}" if isinstance(error, LookupError) else str(error) or type(error).__name__
        said = {"failed": True, "changed": False, "lets_in": None, "says": words}
    print(json.dumps({"failed": False} | said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
