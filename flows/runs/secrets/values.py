"""Which values are secrets: those of variables whose name says so, and those that a text states under such a name.

Only names and plain data are looked at here. What Ansible itself knows of vaults, roles and plays is gathered by the callback
plugin `callbacks/known_secrets.py`, which uses these rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

SECRET_PARTS = ("passw", "passphrase", "passcode", "secret", "credential", "apikey", "privatekey")
"""A name with a word in which one of these is found is a secret's."""

SECRET_ENDS = ("token", "tokens", "pwd", "pw", "psk")
"""So is a name with a word that ends in one of these."""

SECRET_WORDS = frozenset(
    {"pass", "community", "communities", "creds", "pin", "vault", "authorization", "cookie", "passkey"}
)
"""So is a name with one of these words."""

KEY_WORDS = frozenset({"key", "keys"})
"""So is a name with one of these words, if another word is before it that is not in `OPEN_KEYS`."""

OPEN_KEYS = frozenset({"public", "pub", "authorized", "host", "ssh", "gpg", "sort", "primary", "foreign"})
"""What is before `key` where the key is no secret."""

DESCRIBES = frozenset(
    {
        *("public", "pub", "file", "files", "path", "dir", "folder", "url", "uri", "src", "dest", "name", "names"),
        *("user", "id", "ids", "host", "hosts", "server", "servers", "checksum", "digest", "length", "size"),
        *("count", "total", "second", "type", "keytype", "format", "algorithm", "comment", "ttl", "age", "days"),
        *("expires", "expire", "min", "max", "policy", "method", "mode", "owner", "group", "required", "enabled"),
        *("possible", "provider", "store"),
    }
)
"""A name that ends with one of these is about a secret, as `munge_key_host` and `password_file` are. Its value is none."""

WELL_KNOWN = frozenset(
    {
        *("true", "false", "none", "null", "public", "private", "admin", "root", "default", "always", "on_create"),
        *("omit", "present", "absent", "password", "secret", "token", "agent-token", "community", "changed"),
        *("failed", "localhost"),
    }
)
"""Words that everybody knows. To hide them hides nothing, and a log without them cannot be read."""

LEAST = 4
"""A value with fewer characters is not looked for: it would be found everywhere."""
LEAST_DIGITS = 6
"""A number with fewer digits is not looked for."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NAMED = re.compile(r"""(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{0,99})["']?[ \t]*[:=][ \t]*(?=(?P<rest>[^\r\n]{0,4096}))""")
_QUOTED = re.compile(r""""((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.|'')*)'""")
_PLAIN_KEY = re.compile(r"(ssh-|ecdsa-|sk-ssh-|sk-ecdsa-|-----BEGIN (PUBLIC|CERTIFICATE))")
_PLAIN_URL = re.compile(r"https?://[^@?]*")
_BLOCK = re.compile(r"[|>][-+0-9]*\s*(#.*)?")
_PAIRS = (("name", "value"), ("key", "value"))
"""The keys under which a list of pairs has a name and its value, as `dict2items` makes them."""


def is_secret_name(name: str) -> bool:
    """Return whether the name of a variable says that its value is a secret."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or words[-1] in DESCRIBES:
        return False
    keys = (before not in OPEN_KEYS and word in KEY_WORDS for before, word in pairwise(words))
    return any(map(_is_secret_word, words)) or any(keys)


def _is_secret_word(word: str) -> bool:
    return word in SECRET_WORDS or word.endswith(SECRET_ENDS) or any(part in word for part in SECRET_PARTS)


def is_worth_hiding(value: str) -> bool:
    """Return whether a value can be looked for in a text without hiding what is no secret."""
    if len(value) < LEAST or value.lower() in WELL_KNOWN:
        return False
    if value.replace(".", "", 1).isdigit():
        return len(value) >= LEAST_DIGITS
    return not _PLAIN_KEY.match(value) and not _PLAIN_URL.fullmatch(value)


def secrets_in(data: Any) -> Iterator[str]:
    """Yield the values in plain data, at any depth, whose name says that they are secrets."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from leaves(value) if is_secret_name(str(name)) else secrets_in(value)
        for key, of_value in _PAIRS:
            if of_value in data and is_secret_name(str(data.get(key, ""))):
                yield from leaves(data[of_value])
    elif isinstance(data, list | tuple):
        for one in data:
            yield from secrets_in(one)


def leaves(data: Any) -> Iterator[str]:
    """Yield every text and number in plain data, as text."""
    if isinstance(data, dict):
        for value in data.values():
            yield from leaves(value)
    elif isinstance(data, list | tuple | set):
        for one in data:
            yield from leaves(one)
    elif isinstance(data, bytes):
        yield data.decode("utf-8", "replace")
    elif data is not None and not isinstance(data, bool):
        yield str(data)


def stated_in(text: str) -> Iterator[str]:
    """Yield the values that a text states under a secret name, as `name: value` or `name=value`.

    The text needs not be well formed: a file that nobody can parse is quoted in the message that says so.
    """
    for found in _NAMED.finditer(text):
        if is_secret_name(found["name"]):
            yield from _stated(found["rest"].strip(), text, found.end("rest"))


def _stated(rest: str, text: str, end: int) -> Iterator[str]:
    if not rest or rest.startswith("!vault") or "{{" in rest:
        return
    if _BLOCK.fullmatch(rest):
        yield from _block(text[end:])
        return
    quoted = _QUOTED.match(rest)
    if quoted:
        yield quoted[1] or quoted[2] or ""
        return
    yield from rest.split()[:1]
    yield rest.split(" #", 1)[0].strip(" \t,")


def _block(text: str) -> Iterator[str]:
    """Yield the indented lines that a text begins with: a block of YAML."""
    for line in text.splitlines()[1:]:
        if line.strip() and not line[0].isspace():
            return
        yield line.strip()


def inventory_files(inventory: Path) -> Iterator[Path]:
    """Yield the files of an inventory, and those with variables beside it."""
    folders = [inventory.parent / "group_vars", inventory.parent / "host_vars"]
    if inventory.is_dir():
        folders.append(inventory)
    elif inventory.is_file():
        yield inventory
    for folder in folders:
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


def stated_by(inventory: Path) -> Iterator[str]:
    """Yield the secrets that the files of an inventory state in clear text, before Ansible has read them."""
    for path in inventory_files(inventory):
        try:
            yield from stated_in(path.read_text(encoding="utf-8", errors="replace"))
        except OSError:  # Ansible says that it cannot be read
            continue
