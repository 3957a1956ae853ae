"""What a new site is, as a person answers `init`: what is built, where, from when on, and with whom."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from clusterwright.commands.options import a_day
from clusterwright.output import table
from clusterwright.this_machine import Machine
from ledger.project_time import project_now
from schedule.errors import ClusterwrightError, InputError
from steps.design.figures import figure_specs
from steps.design.people_file import people_in
from steps.design.preset import Preset, layered, preset_names, read_preset
from steps.stamps import local_day

FACILITIES = ("existing", "shell", "greenfield")
NOT_BUILT = ("lab", "localhost")
"""Presets that nobody builds: they are for trying the program."""
T = TypeVar("T")


ZONE = "Etc/UTC"
"""The time zone of a new site, until its file names another."""
WORKING_DAYS = range(1, 6)
"""Its working days, Monday to Friday, as the template of a site file has them."""


class Answers(NamedTuple):
    """What a new site file says. None is what the preset says, and for people three placeholders.

    Where the site is one `machine`, the one at hand, its parts are written down too.
    """

    preset: Preset
    start: date
    nodes: int | None = None
    facility: str | None = None
    country: str = "US"
    time_zone: str = ZONE
    people: Path | None = None
    start_hour: int | None = None
    machine: Machine | None = None


def asked(preset: str, start: date | None) -> Answers:
    """Return what a person answers, question by question. `preset` and `start` are what Enter takes; None is the site's next working day."""
    print("Seven short questions; Enter takes what is in brackets, and site.yaml has every answer for you to change.\n")
    names = [name for name in preset_names() if name not in NOT_BUILT]
    presets = [read_preset(name) for name in names]
    table(
        ("preset", "servers", "GPUs", "what it is"),
        [(one.name, *(f"{count:,}" for count in _size(one)), one.title) for one in presets],
        right=(1, 2),
    )
    chosen = _ask("Which of these is nearest to what you build?", preset, read_preset)
    servers, _ = _size(chosen)
    nodes = _ask("How many GPU servers?", f"{servers}", _nodes)
    facility = _ask(
        f"The hall: {', '.join(FACILITIES[:2])} or {FACILITIES[2]}?", str(chosen.choices["facility"]), _facility
    )
    country = _ask("Which country, in two letters? Its public holidays are days off.", "US", _country)
    zone = _ask("Which time zone?", ZONE, _zone)
    first = _ask("The first day of the project?", (start or next_working_day(zone)).isoformat(), a_day)
    people = _ask("Who works and signs: a CSV file with id, name, roles; empty for three placeholders?", "", _people)
    return Answers(
        chosen,
        first,
        None if nodes == servers else nodes,
        None if facility == chosen.choices["facility"] else facility,
        country,
        zone,
        people,
    )


def next_working_day(zone: str) -> date:
    """Return the first day after today, in a time zone, that is no weekend. A part of today is gone: a plan that began with it would be late."""
    day = local_day(project_now(), zone) + timedelta(days=1)
    while day.isoweekday() not in WORKING_DAYS:
        day += timedelta(days=1)
    return day


def _ask(question: str, usual: str, read: Callable[[str], T]) -> T:
    """Return an answer that can be read; one that cannot is asked for again, with the reason."""

    def answer(text: str) -> T:
        try:
            return read(text.strip())
        except ClusterwrightError as wrong:
            raise typer.BadParameter(f"{wrong.what}{f'; {wrong.hint}' if wrong.hint else ''}") from None

    # what a prompt returns is what its reader returns
    return typer.prompt(question, default=usual, value_proc=answer, show_default=bool(usual))  # type: ignore[no-any-return]


def _size(preset: Preset) -> tuple[int, int]:
    """Return the servers and the accelerators of a preset."""
    figures, _, _ = layered(preset, {})
    return int(figures["nodes"]), int(figures["nodes"] * figures["gpus_per_node"])


def _nodes(text: str) -> int:
    most = int(figure_specs()["nodes"].most or 0)
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise InputError(f"a whole number from 1 to {most:,}")
    return int(text)


def _facility(text: str) -> str:
    if text not in FACILITIES:
        raise InputError(f"one of {', '.join(FACILITIES)}")
    return text


def _country(text: str) -> str:
    if len(text) != 2 or not text.isalpha():
        raise InputError("two letters, as US")
    return text.upper()


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError):
        raise InputError("not an IANA time zone such as Europe/Oslo") from None
    return text


def _people(text: str) -> Path | None:
    if not text:
        return None
    path = Path(text).expanduser()
    people_in(path)
    return path
