"""The login of a dashboard: random, for its user only, the same until somebody asks for another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flows.dashboard.login import login_file, login_of, renew_login
from flows.engine.state_folder import state_folder
from schedule.errors import InputError


def test_a_login_is_made_once_and_only_its_user_may_read_it(tmp_path: Path) -> None:
    login = login_of(tmp_path)

    assert login == login_of(tmp_path)
    assert len(login.partition(":")[2]) >= 40
    assert login_file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert list(state_folder(tmp_path).iterdir()) == [login_file(tmp_path)]


def test_a_wide_umask_makes_neither_folder_nor_login_readable(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        login_of(tmp_path)
    finally:
        os.umask(before)

    assert login_file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert state_folder(tmp_path).stat().st_mode & 0o777 == 0o700


def test_a_state_folder_that_was_open_becomes_private(tmp_path: Path) -> None:
    """An earlier version, or a copy of the site, may have left it readable."""
    (tmp_path / ".clusterwright").mkdir(mode=0o755)

    assert state_folder(tmp_path).stat().st_mode & 0o077 == 0


def test_two_sites_have_two_logins_and_a_new_one_replaces_the_old(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    first = login_of(tmp_path / "one")

    assert login_of(tmp_path / "two") != first
    renew_login(tmp_path / "one")
    assert login_of(tmp_path / "one") != first


@pytest.mark.parametrize(
    "text",
    ["", "\n", "nothing", "a:short", ":sixteen-letters-or-more", "two words:sixteen-letters-or-more", "\x00\xff"],
)
def test_a_file_without_a_login_is_refused_and_never_opens_the_server_to_all(tmp_path: Path, text: str) -> None:
    """Prefect takes an empty text for: no login is wanted."""
    login_of(tmp_path)
    login_file(tmp_path).write_bytes(text.encode("latin-1"))

    with pytest.raises(InputError, match=r"no login of a dashboard(.|\n)*--new-login"):
        login_of(tmp_path)


def test_a_login_that_others_could_read_is_not_used_any_more(tmp_path: Path) -> None:
    login_of(tmp_path)
    login_file(tmp_path).chmod(0o644)

    with pytest.raises(InputError, match=r"others may read(.|\n)*--new-login"):
        login_of(tmp_path)


def test_a_login_of_another_user_is_refused_and_root_may_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wrote the login knows it."""
    login = login_of(tmp_path)
    writer = login_file(tmp_path).stat().st_uid

    monkeypatch.setattr(os, "geteuid", lambda: writer + 1)
    with pytest.raises(InputError, match="others may read or change"):
        login_of(tmp_path)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert login_of(tmp_path) == login
