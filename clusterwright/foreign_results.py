"""Results of tests that other programs ran: the Common Test Report Format, and NVIDIA Infra Controller's validation of a machine.

NVIDIA's AICR writes the first. Formats: ctrf.io, and `MachineValidationResult` of Infra Controller's REST API (November 2026).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import AliasChoices, AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from clusterwright.text_file import text_in
from schedule.errors import InputError, Place

SKIPPED = "skipped"
"""How Infra Controller begins the output of a test that it did not run. Its exit code is 0 all the same."""


class ForeignResult(NamedTuple):
    """The last result of a test: what it printed, and when it ended. `passed` is None where it came to no verdict."""

    test: str
    passed: bool | None
    status: str
    output: str
    at: datetime | None


class ForeignReport(NamedTuple):
    """What a program found. `earlier` counts results that a later one of the same test replaces."""

    tool: str
    results: Sequence[ForeignResult]
    earlier: int


class _Test(BaseModel):
    name: str
    status: str
    message: str | None = None
    stdout: list[str] | None = None
    stop: int | None = None


class _Tool(BaseModel):
    name: str
    version: str | None = None


class _Summary(BaseModel):
    stop: int | None = None


class _Results(BaseModel):
    tool: _Tool
    summary: _Summary = _Summary()
    tests: list[_Test]


class _Ctrf(BaseModel):
    results: _Results

    def report(self) -> list[ForeignResult]:
        found = self.results
        return [
            ForeignResult(
                test.name,
                {"passed": True, "failed": False}.get(test.status),
                test.status,
                "\n".join([test.message or "", *(test.stdout or [])]).strip(),
                _moment(test.stop or found.summary.stop),
            )
            for test in found.tests
        ]


class _Machine(BaseModel):
    """A result of a machine's validation, as the REST API has it or, with underscores, the command line."""

    name: str
    exit_code: int = Field(validation_alias=AliasChoices("exitCode", "exit_code"))
    std_out: str = Field("", validation_alias=AliasChoices("stdOut", "std_out"))
    std_err: str = Field("", validation_alias=AliasChoices("stdErr", "std_err"))
    end_time: AwareDatetime | None = Field(None, validation_alias=AliasChoices("endTime", "end_time"))

    def result(self) -> ForeignResult:
        output = f"{self.std_out}\n{self.std_err}".strip()
        if output.casefold().startswith(SKIPPED):
            return ForeignResult(self.name, None, SKIPPED, output, self.end_time)
        passed = self.exit_code == 0
        return ForeignResult(self.name, passed, f"exit code {self.exit_code}", output, self.end_time)


_READ: TypeAdapter[_Ctrf | list[_Machine]] = TypeAdapter(_Ctrf | list[_Machine])


def read_report(path: Path) -> ForeignReport:
    """Return the last result of each test of a file. Raise InputError for a file that has no such results."""
    try:
        found = _READ.validate_json(text_in(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"][1:]))
        raise InputError(
            f"this has no results of tests: {first['msg']}",
            hint="a report in the Common Test Report Format, or the list of a machine's results of Infra Controller",
            place=Place(str(path), None, where or None),
        ) from None
    if isinstance(found, _Ctrf):
        results, tool = found.report(), f"{found.results.tool.name} {found.results.tool.version or ''}".strip()
    else:
        results, tool = [one.result() for one in found], "Infra Controller"
    last: dict[str, ForeignResult] = {}
    for one in results:
        before = last.get(one.test)
        if before is None or before.at is None or one.at is None or one.at >= before.at:
            last[one.test] = one
    return ForeignReport(tool, list(last.values()), len(results) - len(last))


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None
