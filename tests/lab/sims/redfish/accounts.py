"""The accounts of a BMC as DMTF's AccountService has them: passwords that really change, that must be long enough, and that lock.

Terms may state `accounts` (the factory's, passwords by name; otherwise `admin` with the lab's), `must_change` (names whose password is to
be changed before anything else), and any property of POLICY.
"""

from __future__ import annotations

import hmac
import time
from typing import Any

from tests.lab.sims.redfish.bmc import Bmc, RefusedError

USER = "admin"
POLICY = {
    "MinPasswordLength": 8,
    "MaxPasswordLength": 40,
    "AccountLockoutThreshold": 0,
    "AccountLockoutDuration": 30,
    "AccountLockoutCounterResetAfter": 30,
}
"""A threshold of 0 locks nobody."""


class Accounts:
    """Who may log in. Accounts are in the BMC's memory and outlive a restart; how often somebody failed does not."""

    def __init__(self, bmc: Bmc, password: str) -> None:
        """Take the BMC and the lab's password."""
        self._bmc = bmc
        self.policy = {name: bmc.terms.get(name, value) for name, value in POLICY.items()}
        must = bmc.terms.get("must_change", ())
        made = {
            name: {"password": text, "must_change": name in must, "version": 1}
            for name, text in bmc.terms.get("accounts", {USER: password}).items()
        }
        self._kept: dict[str, dict[str, Any]] = bmc.memory.setdefault("accounts", made)
        self._failed: dict[str, tuple[int, float]] = {}

    def is_right(self, user: str, password: str) -> bool:
        """Return whether somebody may log in, and count who may not. Nobody comes into a locked account."""
        if user not in self._kept or self.is_locked(user):
            return False
        if hmac.compare_digest(password.encode(), self._kept[user]["password"].encode()):
            self._failed.pop(user, None)
            return True
        count, last = self._failed.get(user, (0, 0.0))
        is_old = time.monotonic() - last > self.policy["AccountLockoutCounterResetAfter"]
        self._failed[user] = (1 if is_old else count + 1), time.monotonic()
        return False

    def is_locked(self, user: str) -> bool:
        """Return whether an account is locked for now."""
        threshold = self.policy["AccountLockoutThreshold"]
        count, last = self._failed.get(user, (0, 0.0))
        return bool(0 < threshold <= count and time.monotonic() - last < self.policy["AccountLockoutDuration"])

    def change(self, number: str, password: str, version: str | None) -> None:
        """Change a password, for who has seen the account as it is."""
        account = self._kept[self.names()[int(number) - 1]]
        if version != etag(account):
            raise RefusedError(412 if version else 428, "If-Match is not the account's ETag")
        least, most = self.policy["MinPasswordLength"], self.policy["MaxPasswordLength"]
        if not least <= len(password) <= most:
            # the standard's own message for this names the value
            says = f"The value '{password}' for the property Password is of a different format than the property can accept"
            raise RefusedError(400, f"{says}: a password has {least} to {most} characters.")
        if "accounts" in self._bmc.memory["faults"]:
            return
        account.update(password=password, must_change=False, version=account["version"] + 1)
        self._bmc.save()

    def names(self) -> list[str]:
        """Return who has an account, in the order of their numbers, which begin with 1."""
        return list(self._kept)

    def number_of(self, user: str) -> str:
        """Return the number of an account."""
        return str(self.names().index(user) + 1)

    def must_change(self, user: str) -> bool:
        """Return whether a password is to be changed before anything else."""
        return bool(self._kept[user]["must_change"])

    def document(self, user: str) -> dict[str, Any]:
        """Return what the BMC says of an account."""
        return {
            "@odata.etag": etag(self._kept[user]),
            "UserName": user,
            "Password": None,
            "RoleId": "Administrator",
            "Enabled": True,
            "Locked": self.is_locked(user),
            "PasswordChangeRequired": self.must_change(user),
        }


def etag(account: dict[str, Any]) -> str:
    """Return the version of an account as HTTP has it."""
    return f'W/"{account["version"]}"'
