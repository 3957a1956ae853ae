"""The words of a run on their way out of its supervisor: the one place that they all pass, and where secrets are taken out.

What is secret becomes known while Ansible plays. An event is passed on when the next one has come: by then the plugin
`callbacks/known_secrets.py` has told what Ansible knew at that event. Lines that Ansible prints one after the other are
looked at together, because a secret may go over the end of a line. Marks that cannot be seen, and would move the cursor of a
terminal or change its colours, become visible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flows.runs.results.per_host import Event
from flows.runs.secrets.redaction import Redactor
from flows.runs.secrets.values import stated_by
from schedule.text import shown

TOLD = "known-secrets"
"""The file of the run's folder in which the plugin tells what it knows."""

NOTED = "results"
"""The folder of the run's folder in which the plugin `results` notes how tasks ended."""

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""How a program changes the colour of a terminal."""

TEXT = 2000
"""How many characters of a message are passed on."""

PRINTED = frozenset({"error", "verbose", "system_warning"})
"""Events of ansible-runner that are a printed line and nothing else."""

PRINTED_TOGETHER = 100_000
"""How many characters of printed lines are looked at together."""


class Words:
    """What a run says, without its secrets."""

    def __init__(self, work_dir: Path, inventory: Path, hosts: list[str], secrets: list[str]) -> None:
        """Take the run's folder, its inventory, the names of its hosts, which are never hidden, and what the engine knows."""
        self._redactor = Redactor((*stated_by(inventory), *secrets))
        self.told_in = work_dir / TOLD
        self._read = 0
        self.noted_in = work_dir / NOTED
        self.noted_in.mkdir(mode=0o700)
        self._next_note = 1
        self._hosts = frozenset(hosts)
        self._held: Event | None = None

    def before(self, event: Event) -> Event | None:
        """Return the event of ansible-runner that came before this one. None where there is none that can be passed on now.

        The event before the end, which is an empty one, can always be passed on.
        """
        held, self._held = self._held, dict(event)
        if held and _prints(held) and _prints(event) and len(held["stdout"]) < PRINTED_TOGETHER:
            self._held["stdout"] = f"{held['stdout']}\n{event['stdout']}"
            return None
        self._learn()
        return held

    def notes(self) -> Iterator[Event]:
        """Yield what the plugin `results` has noted and was not yielded yet. What it knew as secret by then is known here."""
        while (file := self.noted_in / str(self._next_note)).exists():
            note = json.loads(file.read_bytes())
            file.unlink()
            self._next_note += 1
            self._learn()
            self._redactor.learn(note.pop("secrets", ()))
            yield note

    def without_secrets(self, event: Event) -> Event:
        """Return an event of ours as it may be passed on."""
        said = {name: self._clean(name, value) for name, value in event.items()}
        return event | said

    def text(self, text: str) -> str:
        """Return a text as it may be passed on, without the colours of a terminal."""
        return self._visible(COLOUR.sub("", self._redactor.redact_words(text)))

    def _visible(self, text: str) -> str:
        """Return a text with its hidden marks visible. They may have hidden a secret: it is taken out too."""
        return self._redactor.redact_words(shown(text))

    def _clean(self, name: str, value: Any) -> Any:
        match name:
            case "event" | "status":
                return value
            case "host" if value in self._hosts:
                return value
            case "message":
                return self.text(value)[:TEXT]
            case "task" | "printed":
                return self.text(value)
            case "text":  # of a difference: files may differ in their colours alone
                return self._visible(value)
            case _:
                return self._redactor.redact_all(value)

    def _learn(self) -> None:
        """Learn what the plugin `known_secrets` has told since."""
        if not self.told_in.exists():
            return
        with self.told_in.open("rb") as file:
            file.seek(self._read)
            for line in file:
                self._read += len(line)
                self._redactor.learn((json.loads(line),))


def _prints(event: Event) -> bool:
    return event.get("event") in PRINTED
