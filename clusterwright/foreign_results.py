"""Results of tests that other programs ran: the Common Test Report Format, and NVIDIA Infra Controller's validation of a machine.

NVIDIA's AICR writes the first. Formats: ctrf.io, and `MachineValidationResult` of Infra Controller's REST API (November 2026).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

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


Milliseconds = Annotated[int, Field(ge=0, lt=253_402_300_800_000)]
"""Since 1970, before the year 10000."""


class _Test(BaseModel):
    name: str
    status: str
    message: str | None = None
    stdout: list[str] | None = None
    stop: Milliseconds | None = None


class _Tool(BaseModel):
    name: str
    version: str | None = None


class _Summary(BaseModel):
    stop: Milliseconds | None = None


class _Results(BaseModel):
    tool: _Tool
    summary: _Summary = _Summary()
    tests: list[_Test]


class _Ctrf(BaseModel):
    results: _Results

    def found(self) -> list[ForeignResult]:
        return [
            ForeignResult(
                test.name,
                {"passed": True, "failed": False}.get(test.status),
                test.status,
                "\n".join([test.message or "", *(test.stdout or [])]).strip(),
                _moment(test.stop or self.results.summary.stop),
            )
            for test in self.results.tests
        ]


class _Machine(BaseModel, alias_generator=to_camel):
    """A result of a machine's validation."""

    name: str
    exit_code: int
    std_out: str | None = None
    std_err: str | None = None
    end_time: AwareDatetime | None = None

    def found(self) -> ForeignResult:
        output = f"{self.std_out or ''}\n{self.std_err or ''}".strip()
        if output.casefold().startswith(SKIPPED):
            return ForeignResult(self.name, None, SKIPPED, output, self.end_time)
        return ForeignResult(self.name, self.exit_code == 0, f"exit code {self.exit_code}", output, self.end_time)


def read_report(path: Path) -> ForeignReport:
    """Return the last result of each test of a file. Raise InputError for a file that has no such results."""
    text = text_in(path)
    try:
        if text.lstrip().startswith("["):
            results = [one.found() for one in TypeAdapter(list[_Machine]).validate_json(text)]
            tool = "Infra Controller"
        else:
            report = _Ctrf.model_validate_json(text)
            results, named = report.found(), report.results.tool
            tool = f"{named.name} {named.version or ''}".strip()
    except ValidationError as error:
        first = error.errors()[0]
        raise _no_results(path, first["msg"], ".".join(map(str, first["loc"]))) from None
    if not results:
        raise _no_results(path, "the list is empty", "")
    last: dict[str, ForeignResult] = {}
    for one in results:
        before = last.get(one.test)
        if before is None or before.at is None or one.at is None or one.at >= before.at:
            last[one.test] = one
    return ForeignReport(tool, list(last.values()), len(results) - len(last))


def _no_results(path: Path, why: str, where: str) -> InputError:
    return InputError(
        f"this has no results of tests: {why}",
        hint="a report in the Common Test Report Format, or the list of a machine's results of Infra Controller",
        place=Place(str(path), None, where or None),
    )


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None
