"""Projects in files, as tests write them."""

from __future__ import annotations

from pathlib import Path

from schedule.files.csv_project import read_project
from schedule.files.project import Project

HEAD = "start,2027-01-04\ntime zone,Europe/Berlin\n"
"""A Monday. The columns are on line 3, the first activity on line 4."""


def written(folder: Path, **files: str) -> Path:
    """Return a folder with a CSV of each name."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def project_of(tmp_path: Path, rows: str, *, head: str = HEAD, **others: str) -> Project:
    """Return the project of activities, with what other files say."""
    return read_project(written(tmp_path / "project", activities=head + rows, **others))


def dates_of(project: Project) -> dict[str, tuple[str, str]]:
    """Return the early start and the early finish of each activity, as people read them."""
    solution = project.compiled().solve(start=project.start, actuals=project.actuals)
    pairs = zip(solution.start.tolist(), solution.finish.tolist(), strict=True)
    text = project.timeline.text
    return {
        name: (text(start), text(finish)) for name, (start, finish) in zip(project.activities.names, pairs, strict=True)
    }
