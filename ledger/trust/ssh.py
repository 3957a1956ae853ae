"""SSH signatures by OpenSSH: sign a text with a person's key, and verify a signature.

OpenSSH handles agents, hardware keys and passphrases. A signature is the armoured SSHSIG text of `ssh-keygen -Y sign`. It is
made in a namespace. So a signature that was made for another purpose is invalid here.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from ledger.rules.rows import SignerKey
from schedule.errors import InputError, NotSatisfiedError, UnreachableError

NAMESPACE = "clusterwright"
REHEARSAL_NAMESPACE = "clusterwright-rehearsal"

KEY_TYPES = (
    "ssh-ed25519",
    "sk-ssh-ed25519@openssh.com",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "ssh-rsa",
)
"""Types of key that may sign. DSA keys may not."""

_KEY = re.compile(r"^(?P<type>[a-z0-9@.-]+) (?P<blob>[A-Za-z0-9+/]{40,}={0,3})(?: .*)?$")


def namespace_of(*, rehearsal: bool) -> str:
    """Return the namespace in which the people of a site sign. A rehearsal has its own."""
    return REHEARSAL_NAMESPACE if rehearsal else NAMESPACE


def plain_key(text: str) -> str:
    """Return a public key as type and blob, without its comment. Raise InputError for other text and for a type that may not sign."""
    found = _KEY.match(text.strip())
    if found is None or found["type"] not in KEY_TYPES:
        kind = text.split(" ", 1)[0][:40]
        raise InputError(
            f"{kind!r} does not begin a public key that may sign",
            hint="write a line of a .pub file: " + ", ".join(t for t in KEY_TYPES if "@" not in t),
        )
    return f"{found['type']} {found['blob']}"


def allowed_signers(keys: Iterable[SignerKey], namespace: str) -> str:
    """Return the allowed_signers file of a site, as ssh-keygen(1) reads it."""
    return "".join(_line(key, namespace) for key in keys)


def _line(key: SignerKey, namespace: str) -> str:
    until = f',valid-before="{_moment(key.until)}"' if key.until else ""
    return f'{key.person} namespaces="{namespace}",valid-after="{_moment(key.since)}"{until} {key.key}\n'


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%d%H%M%SZ")


def sign(
    text: str,
    key: Path,
    namespace: str,
    *,
    may_ask: bool = True,
) -> str:
    """Return the signature of a text. `key` is the file of a private key, or of the public key whose private key an agent has.

    If `may_ask` is false, OpenSSH cannot ask for a passphrase. Raise NotSatisfiedError if the key needs one.
    """
    result = _ssh_keygen(
        ["-Y", "sign", "-n", namespace, "-f", str(key)],
        text,
        alone=not may_ask,
    )
    if result.returncode != 0:
        said = result.stderr.strip().splitlines()
        raise NotSatisfiedError(
            f"{key} did not sign: {said[-1] if said else 'ssh-keygen failed'}",
            hint="is it your key, can only you read the file, or does your agent have it (ssh-add -l)?",
        )
    return result.stdout


def refusal(
    text: str,
    signature: str,
    person: str,
    signers: str,
    namespace: str,
    at: datetime,
) -> str | None:
    """Return why a person's signature of a text is invalid at a time, in OpenSSH's words. None if it is valid."""
    with TemporaryDirectory(prefix="clusterwright-verify-") as folder:
        allowed, signed = Path(folder) / "allowed_signers", Path(folder) / "signature"
        allowed.write_text(signers, encoding="utf-8")
        signed.write_text(signature, encoding="utf-8")
        arguments = [
            "-Y",
            "verify",
            "-f",
            str(allowed),
            "-I",
            person,
            "-n",
            namespace,
            "-s",
            str(signed),
        ]
        result = _ssh_keygen([*arguments, "-O", f"verify-time={_moment(at)}"], text)
    if result.returncode == 0:
        return None
    said = (result.stderr.strip() or result.stdout.strip()).splitlines()
    return said[-1] if said else "ssh-keygen refused it"


def find_key(
    public: str,
    given: Path | None,
    environment: Mapping[str, str] = os.environ,
) -> Path:
    """Return the file of the key with which a person signs: `given`, CLUSTERWRIGHT_KEY, or the matching key in ~/.ssh.

    A key in ~/.ssh matches if its .pub file has the key that the site knows (`public`). A .pub file is returned if the private
    key is not beside it: then an agent signs. Raise UnreachableError if there is no such file.
    """
    named = given or (Path(environment["CLUSTERWRIGHT_KEY"]) if "CLUSTERWRIGHT_KEY" in environment else None)
    if named is not None:
        if not named.exists():
            raise UnreachableError(
                f"{named} does not exist", hint="--key names your private key, or its .pub file if an agent has it"
            )
        return named
    home = Path(environment.get("HOME", "~")).expanduser() / ".ssh"
    for pub in sorted(home.glob("*.pub")):
        try:
            matches = plain_key(pub.read_text(encoding="utf-8")) == public
        except (InputError, OSError, UnicodeDecodeError):
            continue
        if matches:
            private = pub.with_suffix("")
            return private if private.exists() else pub
    raise UnreachableError(
        f"none of the keys in {home} is the one that this site knows as yours",
        hint="name it with --key FILE or CLUSTERWRIGHT_KEY; name its .pub file if an agent has it",
    )


def _ssh_keygen(
    arguments: list[str],
    text: str,
    *,
    alone: bool = True,
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["ssh-keygen", *arguments],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=alone,
            env=os.environ | ({"SSH_ASKPASS_REQUIRE": "never"} if alone else {}),
        )
    except FileNotFoundError:
        raise UnreachableError("ssh-keygen is not installed", hint="install the package openssh-client") from None
