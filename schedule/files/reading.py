"""The way in: a file of any known format becomes a project."""

from __future__ import annotations

from pathlib import Path

from schedule.errors import InputError, Place
from schedule.files.project import Project


def read_project(path: Path) -> Project:
    """Return the project of a file or folder, by its ending. Raise InputError if it is wrong or of no known format."""
    if path.is_dir() or path.suffix.casefold() == ".csv":
        from schedule.files.csv_project import read_csv_project

        return read_csv_project(path)
    if path.suffix.casefold() == ".sm":
        from schedule.files.psplib_project import read_psplib_project

        return read_psplib_project(path)
    known = "a .csv file, a folder with activities.csv, or a .sm file of PSPLIB"
    raise InputError("this is no format that can be read", hint=f"name {known}", place=Place(str(path)))
