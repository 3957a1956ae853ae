"""How a site's runs go: how many hosts at once, how long, and what they may know. It changes no plan and no release."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from steps.catalog.schema import Closed, StepId, Text

DAY_S = 86_400
Seconds = Annotated[int, Field(ge=1, le=90 * DAY_S)]
Group = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$", max_length=200)]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]


class RunLimits(Closed):
    """The bounds of a run. What is left out is worked out for each run (`flows.runs.limits`)."""

    forks: int | None = Field(default=None, ge=1, le=5000, description="hosts at once")
    ssh_retries: int | None = Field(default=None, ge=0, le=100, description="tries after a connection that failed")
    connect_timeout_s: Seconds | None = Field(default=None, description="seconds that a connection may take")
    task_timeout_s: Seconds | None = Field(default=None, description="seconds that a task may take on one host")
    hang_after_s: int | None = Field(
        default=None,
        ge=0,
        le=90 * DAY_S,
        description="seconds that a host may show nothing after the others; 0 for ever",
    )
    time_limit_s: Seconds | None = Field(default=None, description="seconds that a run, or a wave of it, may take")


class VaultPassword(Closed):
    """Where the password of a vault id comes from: a file, a program that prints it, or a person at the start."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$", max_length=100)] = "default"
    file: Text | None = None
    command: tuple[Text, ...] = ()
    prompt: bool = False

    @model_validator(mode="after")
    def _one_source(self) -> VaultPassword:
        if [self.file is not None, bool(self.command), self.prompt].count(True) != 1:
            raise ValueError("a vault's password has one source: `file`, `command` or `prompt: true`")
        return self


class RunSettings(RunLimits):
    """The bounds of a site's runs, those of a step or a group of hosts before them, how many go on at once, and the vaults' passwords."""

    side_by_side: int | None = Field(default=None, ge=1, le=1000, description="runs at once on the engine's machine")
    steps: dict[StepId, RunLimits] = Field(default_factory=dict)
    groups: dict[Group, RunLimits] = Field(default_factory=dict)
    vault: tuple[VaultPassword, ...] = ()
    environment: tuple[Variable, ...] = Field(default=(), description="variables of the engine that lookups may read")

    @model_validator(mode="after")
    def _vaults_once(self) -> RunSettings:
        names = [one.id for one in self.vault]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two passwords have the vault id {twice!r}")
        return self

    @model_validator(mode="after")
    def _safe_environment(self) -> RunSettings:
        for name in self.environment:
            if name.startswith(CHANGES_RUNS):
                raise ValueError(
                    f"the variable {name} would change what runs, and no release covers that; a setting of Ansible belongs in ansible.cfg"
                )
        return self


CHANGES_RUNS = ("LD_", "PYTHON", "PATH", "BASH_ENV", "ENV", "ANSIBLE_", "CLUSTERWRIGHT_")
"""How variables begin that decide what is executed."""
