"""Why a task failed on a host, and why a host could not be reached, in words that say what to do.

Ansible's own message often says nothing (`non-zero return code`, `One or more items failed`). What matters is then in the last
lines of the error output, in the item of the loop that failed, or in the last line of a traceback.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from flows.runs.secrets.redaction import without_keys

NOT_FOUND = 127
"""The exit code of a shell that does not find a program."""

LAST_LINES = 3
"""How many lines of a program's output are repeated."""

LOOKED_AT = 20_000
"""How many characters of a program's output are looked at. The end says why it failed."""

KEPT = 100_000
"""How many characters of each output of a program that failed are kept in the run's log."""

OUTPUTS = ("module_stderr", "stderr", "module_stdout", "stdout")
"""Where a result has what a program or a module printed, in the order in which it is likely to say why it failed."""

WHY = ("msg", "exception", "cmd", "rc", "censored", "timedout", "failed", "unreachable")
"""What else of a result says why a task failed."""

LABEL = "_ansible_item_label"
"""Where a result has the name of an item of a loop."""

Result = dict[str, Any]
"""What a task has returned on a host."""

Clean = Callable[[str], str]
"""Returns a text without secrets. It sees whole texts: a part of a secret could not be found any more."""

EMPTY = re.compile(
    r"non-zero return code|(?:all|one or more) items? (?:completed|failed)\.?|module failure\b.*|failed"
    r"|(?:task failed: )?(?:unexpected failure|action failed|module result deserialization failed|the module failed)\b.*",
    re.IGNORECASE | re.DOTALL,
)
"""Messages that do not say why."""

BY_SSH = re.compile(r"^(?:Task failed: )?(?:Failed to connect to the host via ssh: )?(?:ssh: )?")
"""How Ansible begins every message about a host that it cannot reach."""

TRACEBACK = "Traceback (most recent call last)"

Hints = tuple[tuple[str, str], ...]
"""By what an error says: what it means, and what to do. The first that fits counts."""

AT_HOST: Hints = (
    (
        r"privilege escalation prompt|privilege escalation.*timed out",
        "sudo did not answer in time: look there whether it asks for a password, or waits for a name server",
    ),
    (
        r"(?:Missing|Incorrect|Invalid) (?:sudo|become|su|privilege escalation) password|a (?:password|terminal) is required",
        "sudo wants a password there: permit the log-in sudo without one, or keep ansible_become_password in a vault",
    ),
    (r"No space left on device|Disk quota exceeded", "a disk of it is full: make room there, or where the engine runs"),
    (r"Read-only file system", "a file system of it is read-only: look at its disk and its kernel log"),
    (
        r"python\S*: (?:command )?not found|interpreter .*not (?:found|a valid)|No python interpreters found",
        "Python is missing there: install it, or set ansible_python_interpreter",
    ),
)
"""Errors of a host that answers."""

NO_WAY: Hints = (
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED",
        "its host key is another than before: after a new installation, remove the old one with ssh-keygen -R; else see who answers",
    ),
    (
        r"Host key verification failed|host key is (?:not |un)known",
        "its host key is not known here: compare its fingerprint, and add it to known_hosts",
    ),
    (
        r"Permission denied \(|Authentication fail|Too many authentication failures|Invalid/incorrect",
        "it refuses the log-in: look at ansible_user, and at the key in its authorized_keys",
    ),
    (r"Connection refused", "nothing listens at its SSH port: sshd does not run there, or ansible_port is another"),
    (r"No route to host|Network is unreachable|Host is down", "no way to it: look at its power, cable and address"),
    (
        r"Could not resolve hostname|Name or service not known|name resolution",
        "its name has no address: add it to DNS, or set ansible_host",
    ),
    (r"timed? ?out", "no answer in time: it is off, has another address, or a firewall drops the connection"),
    (
        r"Connection (?:\w+ )*(?:closed|reset)|Broken pipe|lost connection|Shared connection to",
        "the connection broke off: it restarted, or sshd ended the session",
    ),
)
"""Errors on the way to a host."""


def essence(result: Result) -> dict[str, Any]:
    """Return of a task's result what `failure` and `unreachable` look at. Of a loop it has the first failed item, and how many failed.

    Long texts are shortened, so that the result of a program that prints without end has a size that can be passed on.
    """
    kept = {name: _shortened(result[name]) for name in (*WHY, *OUTPUTS) if name in result}
    if (label := _label(result)) is not None:
        kept[LABEL] = _shortened(str(label))
    failed = _failed_items(result)
    if failed:
        kept["results"] = [essence(failed[0])]
        kept["failed_items"] = len(failed)
    return kept


def printed(result: Result) -> dict[str, str]:
    """Return what the program of a failed task printed, as much of each output as is kept. Of a loop, its first failed item's."""
    failed = _failed_items(result)
    if failed:
        return printed(failed[0])
    return {name: _shortened(str(result[name])) for name in OUTPUTS if result.get(name)}


def _shortened(value: Any) -> Any:
    """Return a text with whole lines of its beginning and its end, and between them how many characters were left out.

    Lines are left whole, and private keys are hidden before, since a part of a secret could not be found any more.
    """
    if not isinstance(value, str) or len(value) <= KEPT:
        return value
    text = without_keys(value)
    head = text[: KEPT * 2 // 5].rpartition("\n")[0]
    tail = text[-KEPT * 3 // 5 :].partition("\n")[2]
    left_out = len(text) - len(head) - len(tail)
    return "\n".join(filter(None, (head, f"[{left_out:,} characters are left out here]", tail)))


def failure(result: Result, clean: Clean) -> str:
    """Return why a task failed on a host. A program that the host lacks is named, since Ansible does not name it."""
    if "censored" in result:
        return "what it says is hidden: the task has no_log"
    if "timedout" in result:
        period = result["timedout"].get("period", 0)
        return f"it did not end within {period} seconds, and was given up: `runs.task_timeout_s` in site.yaml"
    items = _failed_items(result)
    if items:
        return _of_items(items[0], result.get("failed_items", len(items)), clean)
    message, output = clean(str(result.get("msg") or "")), _output(result, clean)
    if is_missing(result) and (lacking := _lacking(result, output, clean)):
        return lacking
    if TRACEBACK in message:
        message = _last_line(message)
    if EMPTY.fullmatch(message.strip()):
        message = "" if result.get("rc") in {None, 0} else f"it ended with {result['rc']}"
    said = ": ".join(filter(None, (_in_line(message), _in_line(output)))) or clean(str(result.get("msg") or ""))
    return _with_hint(said, AT_HOST)


def unreachable(result: Result, clean: Clean) -> str:
    """Return why a host could not be reached, and what to do. Of a loop, its first item says that."""
    if items := _failed_items(result):
        return unreachable(items[0], clean)
    message = clean(str(result.get("msg") or ""))
    return _with_hint(BY_SSH.sub("", _in_line(message)) or "it could not be reached", AT_HOST + NO_WAY)


def is_missing(result: Result) -> bool:
    """Return whether a command did not run because its program is not installed."""
    return result.get("rc") == NOT_FOUND or "Error executing command" in str(result.get("msg", ""))


def bounded(text: str, longest: int) -> str:
    """Return a text of at most so many characters. The middle is left out: the beginning names it, and the end says why."""
    if len(text) <= longest:
        return text
    head = longest * 2 // 5
    return f"{text[:head]} … {text[head + 3 - longest :]}"


def _failed_items(result: Result) -> list[Result]:
    """Return the items of a loop that failed."""
    items = [one for one in result.get("results") or () if isinstance(one, dict)]
    return [one for one in items if one.get("failed") or one.get("unreachable")]


def _label(item: Result) -> Any:
    return item.get(LABEL, item.get("item"))


def _of_items(first: Result, count: int, clean: Clean) -> str:
    """Return why a loop failed: its first failed item with its reason, and how many more there are."""
    named = _in_line(clean(str(_label(first) or "")))
    more = f" (and {count - 1} more items)" if count > 1 else ""
    return f"item {bounded(named, 80)}: {failure(first, clean)}{more}"


def _lacking(result: Result, output: str, clean: Clean) -> str:
    command = result.get("cmd") or ""
    if result.get("rc") == NOT_FOUND and output:
        return f"a program is not installed on this host: {_last_line(output)}"
    if not command:
        return ""
    program = command.split()[0] if isinstance(command, str) else command[0]
    return f"{clean(str(program))} is not installed on this host, or is not for its user to run"


def _output(result: Result, clean: Clean) -> str:
    """Return the last lines that the failed program or module printed. Of a traceback, only the last line."""
    for name in OUTPUTS:
        lines = list(_lines(clean(_end(str(result.get(name) or "")))))
        if any(TRACEBACK in line for line in lines):
            return lines[-1]
        if lines and not (name.startswith("module") and lines[0].startswith("{")):
            return "\n".join(lines[-LAST_LINES:])
    exception = str(result.get("exception") or "")
    return _last_line(clean(exception)) if TRACEBACK in exception else ""


def _end(text: str) -> str:
    """Return the end of a long text, from the beginning of a line on."""
    return text if len(text) <= LOOKED_AT else text[-LOOKED_AT:].partition("\n")[2]


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that say something, without frames of dashes or stars."""
    for line in text.splitlines():
        if re.search(r"\w", line):
            yield line.strip()


def _last_line(text: str) -> str:
    return next(iter([*_lines(text)][-1:]), "")


def _in_line(text: str) -> str:
    return " ".join(text.split())


def _with_hint(said: str, hints: Hints) -> str:
    for pattern, hint in hints:
        if re.search(pattern, said, re.IGNORECASE):
            return f"{hint} ({said})"
    return said
