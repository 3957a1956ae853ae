"""Exports in mid-build: while an order has come by halves, every form is written, read again, and found whole by MPXJ.

`make bench-interchange` looks at twenty moments; here are two.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from schedule.exchange.reading import read_exchange
from schedule.exchange.writing import Form
from tests.commands import called
from tests.conftest import Command
from tests.once import Once
from tests.schedule.judges import judges
from tests.schedule.moments import SETTINGS, cut, faults, moments, rehearsed

no_mpxj = next(judge.missing for judge in judges() if judge.name == "MPXJ Primavera")
SERVERS = "001@site#gpu-server"


@pytest.fixture
def half_received(tmp_path: Path, once: Once) -> Path:
    """A real site with two deliveries of servers, of which the first has come."""

    def make(folder: Path) -> None:
        site = folder / "site"
        assert called(("init", "--start", "2026-11-23", site)).returncode == 0
        file = site / "site.yaml"
        file.write_text(file.read_text().replace("overrides: {}", SETTINGS))
        for words in (
            ("plan", "adopt", "--yes"),
            ("order", SERVERS, "--supplier", "A", "--reference", "1", "--out-of-sequence", "a slot was free"),
            ("receive", f"{SERVERS}/1", "--unscanned", "counted by hand"),
        ):
            done = called([*words, "--site", site, "--as", "owner"])
            assert done.returncode == 0, done.stderr

    return once("half-received", make) / "site"


@pytest.mark.parametrize("form", [form for form in Form if form is not Form.ICS])
def test_a_delivery_that_follows_a_received_one_is_expected_and_does_not_run(
    form: Form, half_received: Path, tmp_path: Path, command: Command
) -> None:
    """It comes two weeks after the first at the earliest: a date that the other program keeps. Nothing of it has happened."""
    path = tmp_path / f"plan.{form}"

    wrote = command("export", "schedule", path, "--site", half_received)

    assert wrote.returncode == 0, wrote.stderr
    tasks = {task.id: task for task in read_exchange(path).schedule.tasks}
    first, second = tasks[f"{SERVERS}/1"], tasks[f"{SERVERS}/2"]
    assert first.actual_finish is not None
    assert (second.actual_start, second.actual_finish) == (None, None)
    assert second.no_earlier is not None
    assert second.no_earlier - first.actual_finish >= timedelta(days=13, hours=23)
    read = command("import", "schedule", path, "--site", half_received, "--as", "owner")
    assert "The file says nothing that the record does not have." in read.stdout, read.stderr


@pytest.mark.long
@pytest.mark.skipif(bool(no_mpxj), reason=no_mpxj or "installed")
def test_at_random_moments_of_a_rehearsal_no_export_loses_or_proposes_anything(tmp_path: Path) -> None:
    site = tmp_path / "site"
    rehearsed(site)

    found = moments(site, 2, Random(8))

    assert len(found) == 2
    for moment in found:
        copy = cut(site, moment.seq, tmp_path / f"at-{moment.seq}")
        assert list(faults(copy, tmp_path)) == [], moment
