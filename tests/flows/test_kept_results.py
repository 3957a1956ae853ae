"""No result of a run is lost without a word, however long it is and whatever bytes it has: with Ansible itself, on this machine."""

from __future__ import annotations

import sys
import threading
from datetime import date
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
import yaml

from flows.performers.reading import read_metrics
from flows.runs.inventory.hosts import inventory_hosts
from flows.runs.results.failures import KEPT, essence, failure, unreachable
from flows.runs.results.per_host import LOST, HostResult, PlaybookResult
from flows.runs.run import RunSpec, run_playbook
from schedule.errors import InputError
from steps.acceptance.handed import LONGEST_TEXT

LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
BEYOND_THE_RUNNER = 720_000
"""ansible-runner drops a result of more than 700,000 characters."""

MEASURE = """
    - name: Measure
      ansible.builtin.command: {argv: "{{ raw_output_tool.argv }}"}
      loop: "{{ tools }}"
      loop_control: {loop_var: raw_output_tool}
      register: measured
    - name: Pass it on
      ansible.builtin.set_fact:
        raw_output_results: "{{ measured.results }}"
"""


class Played(NamedTuple):
    """How a playbook ended, what was said of it while it ran, and its log."""

    result: PlaybookResult
    said: list[str]
    log: str

    def host(self, name: str = "n1") -> HostResult:
        """Return the result of a host."""
        return next(host for host in self.result.hosts if host.host == name)


def played(tmp_path: Path, tasks: str, hosts: tuple[str, ...] = ("n1",), **variables: object) -> Played:
    book = tmp_path / "books" / "phase" / "000.yml"
    book.parent.mkdir(parents=True)
    book.write_text(f"- name: Try\n  hosts: all\n  gather_facts: false\n  tasks:\n{tasks}", encoding="utf-8")
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(yaml.safe_dump({"all": {"hosts": dict.fromkeys(hosts, LOCAL)}}), encoding="utf-8")
    spec = RunSpec(book, inventory, hosts, dict(variables), tmp_path / "run", tmp_path / "log")
    said: list[str] = []
    result = run_playbook(spec, on_event=lambda event: said.append(event.sentence), cancel=threading.Event())
    return Played(result, said, (tmp_path / "log").read_text(encoding="utf-8"))


def tool(name: str, *argv: str) -> dict[str, object]:
    return {"name": name, "argv": list(argv), "package": "coreutils"}


def printing(characters: int, then: str = "") -> tuple[str, ...]:
    return (sys.executable, "-c", f"print(('x' * 59 + chr(10)) * {characters // 60}); {then}")


def test_a_result_that_ansible_runner_drops_keeps_all_readings_of_its_host(tmp_path: Path) -> None:
    """One tool that printed much took the readings of all others with it, and the run was in order."""
    tools = [tool("much", *printing(BEYOND_THE_RUNNER)), tool("uptime", "echo", "up 4 days")]

    run = played(tmp_path, MEASURE, tools=tools)

    assert run.host().status == "changed"
    assert len(run.result.raw["n1"]["much"]["stdout"]) == BEYOND_THE_RUNNER - 1
    assert run.result.raw["n1"]["uptime"]["stdout"] == "up 4 days"


def test_an_output_that_is_too_long_to_be_read_is_not_measured_and_says_so(tmp_path: Path) -> None:
    """A reader would find a wrong value in a part of it. The other tools of the host are measured."""
    tools = [tool("uptime", *printing(LONGEST_TEXT + 6000)), tool("kernel", "echo", "6.8.0")]

    run = played(tmp_path, MEASURE, tools=tools)

    (read,) = read_metrics(["boot.uptime_s"], "n1", run.result.raw["n1"], {}, today=date(2026, 11, 23))
    assert read.value is None
    assert f"characters, and at most {LONGEST_TEXT:,} are read" in read.note
    assert run.result.raw["n1"]["kernel"]["stdout"] == "6.8.0"


def test_a_program_that_prints_much_says_why_it_failed_and_its_output_is_kept_within_a_bound(tmp_path: Path) -> None:
    """ansible-runner took 760 MB for 60 MB, and gave no reason."""
    argv = list(printing(6_000_000, "import sys; print('the last line'); sys.exit('the disk is on fire')"))
    most = [0]
    over = threading.Event()
    watcher = threading.Thread(target=_watch_supervisors, args=(most, over))
    watcher.start()

    run = played(
        tmp_path,
        '    - name: Say much\n      ansible.builtin.command: {argv: "{{ argv }}"}\n',
        argv=argv,
    )

    over.set()
    watcher.join()
    assert run.host().message == "it ended with 1: the disk is on fire"
    assert "n1: stdout: the last line" in run.log
    assert "characters are left out here]" in run.log
    assert len(run.log) < 3 * KEPT
    assert most[0] < 100_000_000, "6 MB took the supervisor of a run 150 MB"


def _watch_supervisors(most: list[int], over: threading.Event) -> None:
    """Note the most memory that a supervisor of this process's runs has taken."""
    while not over.wait(0.1):
        for child in psutil.Process().children():
            try:
                if "flows.runs.process.supervisor" in child.cmdline():
                    most[0] = max(most[0], child.memory_info().rss)
            except psutil.Error:
                continue


def test_bytes_that_are_no_text_do_not_fail_a_task_nor_hide_what_its_tool_says(tmp_path: Path) -> None:
    """Ansible would refuse the whole result: `Refusing to deserialize an invalid UTF8 string value`."""
    code = "import sys; sys.{}.buffer.write(b'temp 45 \\xb0C'); sys.exit({})"
    tools = [tool("heat", sys.executable, "-c", code.format("stdout", 0))]
    fail = '    - name: Fail\n      ansible.builtin.command: {argv: "{{ argv }}"}\n'

    run = played(tmp_path, MEASURE + fail, tools=tools, argv=[sys.executable, "-c", code.format("stderr", 2)])

    assert run.result.raw["n1"]["heat"]["stdout"] == "temp 45 �C"
    assert (run.host().failed_task, run.host().message) == ("Fail", "it ended with 2: temp 45 �C")


def test_what_would_move_a_terminal_is_visible_in_live_logs_and_in_the_record(tmp_path: Path) -> None:
    """A host could clear the screen of the person who looks at its run, or write its title. Colours are left out."""
    words = r"\033[31mred\033[0m \033]0;title\007\033[2Jgone"
    task = f"    - name: \"Say \\e[2J it\"\n      ansible.builtin.shell: printf '{words}' >&2; exit 3\n"

    run = played(tmp_path, task)

    assert run.host().message == "it ended with 3: red <U+001B>]0;title<U+0007><U+001B>[2Jgone"
    for text in (*run.said, run.log, run.host().message, run.host().failed_task):
        assert "\x1b" not in text
        assert "\x07" not in text
    assert "TASK Say <U+001B>[2J it" in run.said


def test_a_secret_that_colours_divide_is_hidden(tmp_path: Path) -> None:
    task = "    - name: Say it\n      ansible.builtin.shell: \"printf 'canary\\\\033[31m-4711-token' >&2; exit 3\"\n"

    run = played(tmp_path, task, api_token="canary-4711-token")

    assert "4711" not in run.log
    assert "[secret]" in run.host().message


def test_a_host_with_a_blank_in_its_name_that_failed_is_not_done(tmp_path: Path) -> None:
    """Its name was divided where Ansible lists the hosts that are not done, and so it counted as rescued."""
    task = "    - name: Break\n      ansible.builtin.command: 'false'\n"

    run = played(tmp_path, task, hosts=("node 1", "n2"))

    assert {host.host: host.status for host in run.result.hosts} == {"node 1": "failed", "n2": "failed"}


@pytest.mark.parametrize("name", ["node 1", "node\t1", "node\u200b1", "node\x1b1"])
def test_an_inventory_with_such_a_name_is_refused(tmp_path: Path, name: str) -> None:
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(yaml.safe_dump({"all": {"hosts": {"n1": None, name: None}}}), encoding="utf-8")

    with pytest.raises(InputError, match="has a host name with a blank or a hidden mark: 'node") as refused:
        inventory_hosts(inventory)

    assert "\x1b" not in refused.value.what
    assert "rename the host there" in refused.value.hint


def test_a_run_whose_results_could_not_all_be_kept_is_not_in_order(tmp_path: Path) -> None:
    """A full disk must not make a step done: what was read there is not known."""
    task = f"""    - name: Take the room away
      ansible.builtin.file: {{path: "{tmp_path}/run/results", state: absent}}
    - name: Go on
      ansible.builtin.command: 'true'
"""

    run = played(tmp_path, task)

    assert (run.result.status, run.result.message) == ("failed", LOST)
    assert run.host().status == "skipped"
    assert LOST in run.host().message


def test_a_loop_of_many_items_keeps_the_reason_of_the_first_that_failed() -> None:
    items = [
        {"item": number, "msg": "non-zero return code", "stderr": "x" * 900 + "\nno", "rc": 1, "failed": True}
        for number in range(5000)
    ]

    kept = essence({"msg": "One or more items failed", "results": [{"item": "ok", "rc": 0}, *items]})

    assert len(str(kept)) < 2000
    assert failure(kept, str) == f"item 0: it ended with 1: {'x' * 900} no (and 4999 more items)"


def test_of_a_host_that_a_loop_did_not_reach_it_is_said_why() -> None:
    """Of the loop itself Ansible says that all items completed."""
    said = "Task failed: Failed to connect to the host via ssh: ssh: connect to host n8 port 22: No route to host"
    items = [{"item": number, "unreachable": True, "msg": said} for number in range(2)]

    kept = essence({"msg": "All items completed", "unreachable": True, "results": items})

    assert unreachable(kept, str).startswith("no way to it: look at its power, cable and address")


def test_a_private_key_at_the_place_where_an_output_is_shortened_is_hidden() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIE\n" * 30_000 + "-----END RSA PRIVATE KEY-----\n"

    kept = essence({"msg": "no", "stderr": "a line\n" * 6000 + key + "the end\n" * 3000})

    assert "MIIE" not in kept["stderr"]
    assert kept["stderr"].endswith("the end\n")
