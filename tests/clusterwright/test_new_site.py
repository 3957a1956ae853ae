"""A new site begins with the hosts there are: those of a lab that is up, or of an inventory that is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.commands.site.init import lab_inventory
from tests.conftest import Command
from tests.lab.lab import DEFAULT_NAME, DEFAULT_NETWORK, make_lab

HOSTS = "all: {hosts: {node-01: {ansible_host: 10.78.0.21}}}\n"


def test_the_preset_lab_takes_the_hosts_of_the_lab_that_is_up(tmp_path: Path, command: Command) -> None:
    left = tmp_path / "run" / DEFAULT_NAME / "inventory" / "hosts.yml"
    left.parent.mkdir(parents=True)
    left.write_text(HOSTS, encoding="utf-8")

    made = command("init", "--preset", "lab", tmp_path / "site", env={"LAB_HOME": str(tmp_path)})

    assert made.returncode == 0, made.stderr
    assert (tmp_path / "site/inventory/hosts.yml").read_text(encoding="utf-8") == HOSTS
    assert "\ninventory: inventory/hosts.yml" in (tmp_path / "site/site.yaml").read_text(encoding="utf-8")


def test_without_a_lab_the_preset_says_how_to_get_one(tmp_path: Path, command: Command) -> None:
    made = command("init", "--preset", "lab", tmp_path / "site", env={"LAB_HOME": str(tmp_path)})

    assert made.returncode == 0, made.stderr
    assert "make lab-up" in made.stdout + made.stderr
    assert not (tmp_path / "site/inventory").exists()


def test_an_inventory_that_is_named_goes_with_the_site(tmp_path: Path, command: Command) -> None:
    (tmp_path / "mine.yml").write_text(HOSTS, encoding="utf-8")

    made = command("init", "--preset", "superpod-1su", "--inventory", tmp_path / "mine.yml", tmp_path / "site")

    assert made.returncode == 0, made.stderr
    assert (tmp_path / "site/inventory/hosts.yml").read_text(encoding="utf-8") == HOSTS


def test_variables_beside_an_inventory_that_is_named_are_not_left_out_in_silence(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "mine.yml").write_text(HOSTS, encoding="utf-8")
    (tmp_path / "group_vars").mkdir()

    made = command("init", "--preset", "superpod-1su", "--inventory", tmp_path / "mine.yml", tmp_path / "site")

    assert f"{tmp_path / 'group_vars'} was not copied" in " ".join((made.stdout + made.stderr).split())


def test_an_inventory_that_is_not_there_is_refused_before_anything_is_written(tmp_path: Path, command: Command) -> None:
    refused = command("init", "--inventory", tmp_path / "none.yml", tmp_path / "site")

    assert refused.returncode == 2
    assert "none.yml" in refused.stderr
    assert not (tmp_path / "site").exists()


def test_the_lab_leaves_its_inventory_where_init_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LAB_HOME", str(tmp_path))

    assert make_lab(DEFAULT_NAME, "full", DEFAULT_NETWORK).inventory == lab_inventory()
