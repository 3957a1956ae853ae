"""Who is notified of what, where, and when: `notify.yaml` beside site.yaml.

An address is an apprise URL, which holds a password or a token. So the file is for its owner only, and no error, log or answer
repeats an address: people read its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import datetime, time
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SecretStr, model_validator

from ledger.private import OTHERS
from ledger.questions.notices import NoticeKind
from schedule.errors import InputError, Place, UnreachableError
from steps.catalog.schema import Closed, Slug
from steps.validation import validated
from steps.yaml_lines import KeyPath, Lines, dotted, line_of, load

FILE = "notify.yaml"
ADDRESS = re.compile(r"[\w+.-]*://.*", re.DOTALL)
"""An address in a message, with all that comes after it."""


def _time_of_day(given: Any) -> Any:
    """Return what YAML made a number of as text again: it reads 20:00 as 1,200 minutes."""
    return f"{given // 60:02}:{given % 60:02}" if isinstance(given, int) else given


TimeOfDay = Annotated[time, BeforeValidator(_time_of_day)]
"""A time of the day at the site."""


class Address(Closed):
    """Where messages go: an apprise URL, or the environment variable that holds it."""

    url: SecretStr | None = None
    env: Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Address:
        if (self.url is None) == (self.env is None):
            raise ValueError("an address has either `url` or `env`")
        return self


class QuietHours(Closed):
    """The hours of the day, at the site, in which nothing is sent. They may go over midnight."""

    begin: TimeOfDay
    end: TimeOfDay

    def have(self, at: time) -> bool:
        """Return whether a time of the day is in them."""
        if self.begin <= self.end:
            return self.begin <= at < self.end
        return at >= self.begin or at < self.end


class Rule(Closed):
    """Who is notified where, and of what. `who` is a role or a person. Their own matters count, or those of `everybody`."""

    who: Slug
    to: tuple[Slug, ...] = Field(min_length=1)
    kinds: tuple[NoticeKind, ...] = tuple(NoticeKind)
    of: Literal["own", "everybody"] = "own"
    digest: TimeOfDay | None = None


class NotifyFile(Closed):
    """The whole file."""

    addresses: dict[Slug, Address] = Field(min_length=1)
    rules: tuple[Rule, ...] = Field(min_length=1)
    quiet_hours: QuietHours | None = None
    overdue_after_h: float = Field(default=24, gt=0, le=10_000)
    order_days: int = Field(default=14, ge=0, le=1_000)
    milestone_days: int = Field(default=3, ge=1, le=1_000)

    def is_quiet(self, at: datetime) -> bool:
        """Return whether nothing is sent at a moment, in the site's time."""
        return self.quiet_hours is not None and self.quiet_hours.have(at.time())


def read_settings(site_dir: Path) -> NotifyFile:
    """Return the checked file. Raise with its place where it is wrong, missing, or not its owner's alone."""
    path = site_dir / FILE
    _refuse_open_file(path)
    try:
        data, lines = load(path)
        found = validated(NotifyFile, data, lines, str(path))
        _refuse_impossible(found, lines, str(path))
    except InputError as error:
        raise _without_addresses(error) from None
    return found


def resolved(name: str, address: Address) -> str:
    """Return the URL of an address. Raise InputError where its variable is not set."""
    if address.url is not None:
        return address.url.get_secret_value()
    url = os.environ.get(address.env or "", "").strip()
    if not url:
        raise InputError(
            f"the address of {name} is in the variable {address.env}, which is not set",
            hint=f"export {address.env} where the engine is started",
            place=Place(FILE, None, f"addresses.{name}.env"),
        )
    return url


def _refuse_open_file(path: Path) -> None:
    try:
        found = path.stat()
    except OSError as error:
        raise UnreachableError(
            f"{path} cannot be read: {error.strerror}",
            hint="docs/how-to/notifications.md has one to begin with; it says who is notified where",
        ) from None
    if found.st_mode & OTHERS or found.st_uid != os.geteuid():
        raise UnreachableError(
            f"{path} holds passwords, and is not for this account alone",
            hint=f"own the file, and take the permissions of others away: chmod 600 {quote(str(path))}",
        )


def _refuse_impossible(found: NotifyFile, lines: Lines, file: str) -> None:
    """Raise InputError for a rule whose address is not there, and for a digest in the quiet hours."""
    for path, what, hint in _impossible(found):
        raise InputError(what, hint=hint, place=Place(file, line_of(lines, path), dotted(path)))


def _impossible(found: NotifyFile) -> Iterator[tuple[KeyPath, str, str]]:
    for number, rule in enumerate(found.rules):
        for place, name in enumerate(rule.to):
            if name not in found.addresses:
                known = ", ".join(found.addresses)
                yield ("rules", number, "to", place), f"there is no address {name!r}", f"addresses: {known}"
        if rule.digest and found.quiet_hours and found.quiet_hours.have(rule.digest):
            what = f"the digest of {rule.digest:%H:%M} is in the quiet hours"
            yield ("rules", number, "digest"), what, "choose a time at which something may be sent"


def _without_addresses(error: InputError) -> InputError:
    """Return an error that repeats no address which stands at a wrong place of the file."""
    place = error.place
    if place is not None and place.key is not None:
        place = Place(place.file, place.line, ADDRESS.sub("[address]", place.key))
    what, hint = (ADDRESS.sub("[address]", text) for text in (error.what, error.hint))
    return InputError(what, hint=hint, place=place)
