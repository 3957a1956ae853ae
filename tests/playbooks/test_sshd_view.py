"""Whom an SSH server refuses, from what `sshd -T` prints; the real server is asked in `tests/lab/test_ssh_access.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.playbooks.scripts import script

view = script("ssh_access", "sshd_view")

OPEN = "pubkeyauthentication yes\npermitrootlogin without-password\nauthenticationmethods any\n"


@pytest.mark.parametrize(
    ("settings", "user", "why"),
    [
        ("", "ubuntu", ""),
        ("allowgroups root\nallowgroups staff\n", "ubuntu", ""),
        ("allowgroups root\n", "ubuntu", "allowgroups root"),
        ("allowgroups *\n", "ubuntu", ""),
        ("allowusers deploy\n", "ubuntu", "allowusers deploy"),
        ("allowusers ubuntu@10.0.0.0/8\n", "ubuntu", ""),
        ("allowusers ubuntu@192.168.*\n", "ubuntu", "allowusers ubuntu@192.168.*"),
        ("allowusers ubuntu\ndenygroups staff\n", "ubuntu", "denygroups staff"),
        ("denyusers ubuntu\n", "ubuntu", "denyusers ubuntu"),
    ],
)
def test_a_setting_that_refuses_is_named(settings: str, user: str, why: str) -> None:
    assert view.refusal(view.parsed(OPEN + settings), user, ["ubuntu", "staff"], "10.92.0.1") == why


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (OPEN, ""),
        (OPEN.replace("without-password", "no"), "permitrootlogin no"),
        (OPEN.replace("without-password", "forced-commands-only"), "permitrootlogin forced-commands-only"),
        (OPEN.replace("pubkeyauthentication yes", "pubkeyauthentication no"), "pubkeyauthentication no"),
        (OPEN.replace("methods any", "methods publickey,password"), "authenticationmethods publickey,password"),
        (OPEN.replace("methods any", "methods password publickey"), ""),
    ],
)
def test_root_is_let_in_by_key_alone_or_refused(settings: str, why: str) -> None:
    assert view.refusal(view.parsed(settings), "root", ["root"], "10.92.0.1") == why


def test_whoever_must_be_let_in_and_whoever_was_is_kept_out() -> None:
    before = {"ubuntu": "denyusers ubuntu", "root": "", "eve": "", "old": "denyusers old"}
    after = {
        "ubuntu": "denyusers ubuntu",
        "root": "allowgroups staff",
        "eve": "allowgroups staff",
        "old": "denyusers old",
    }

    assert view.kept_out(before, after, {"ubuntu"}, {"eve"}) == [
        "ubuntu (denyusers ubuntu)",
        "root (allowgroups staff)",
    ]


def test_lines_come_in_the_order_in_which_the_server_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, folder = tmp_path / "sshd_config", tmp_path / "sshd_config.d"
    folder.mkdir()
    main.write_text("Port 22\n# MaxAuthTries 9\nInclude sshd_config.d/*.conf\nmaxauthtries=6\n", encoding="utf-8")
    (folder / "10-access.conf").write_text("MaxAuthTries 4\n", encoding="utf-8")
    (folder / "05-hardening.conf").write_text("Match User root\n  MaxAuthTries 10\n", encoding="utf-8")
    monkeypatch.setattr(view, "MAIN", main)

    assert view.lines_of("maxauthtries") == [
        (folder / "05-hardening.conf", 2, "MaxAuthTries 10"),
        (folder / "10-access.conf", 1, "MaxAuthTries 4"),
        (main, 4, "maxauthtries 6"),
    ]


def test_a_group_whose_members_need_a_job_lets_nobody_in_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    server = view.Server(None, of_jobs=["cluster-users"])
    monkeypatch.setattr(server, "answers", lambda *_: view.parsed(f"{OPEN}allowgroups staff cluster-users\n"))
    monkeypatch.setattr(view, "groups_of", lambda _: ["cluster-users"])

    assert server.why_refused("root", "10.92.0.1") == "allowgroups staff"
    server.of_jobs = []
    assert server.why_refused("root", "10.92.0.1") == ""
