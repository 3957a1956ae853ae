"""One Ansible run in a process group of its own: `python -m flows.ansible.supervisor RUN`.

The only module that imports ansible_runner. The first line of stdin is the run's terms; stdin then stays open
as a lifeline. When it ends, the parent is gone, and this process ends its whole group, itself included. What
happens goes to stdout, an event a line.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

PATIENCE_S = 3.0
RAW = "clusterwright_raw"


def main() -> int:
    """Run the playbook and report; give 0 where Ansible could be run at all."""
    terms = json.loads(sys.stdin.readline())
    threading.Thread(target=_watch_lifeline, daemon=True).start()
    import ansible_runner  # here: the lifeline is watched before the slow import

    result = ansible_runner.run(
        private_data_dir=terms["work_dir"],
        playbook=terms["playbook"],
        inventory=terms["inventory"],
        limit=",".join(terms["hosts"]) or None,
        extravars=terms["extra_vars"],
        cmdline="--check --diff" if terms["check"] else None,
        envvars=terms["env"],
        settings={"pexpect_use_poll": False},
        runner_mode="subprocess",  # pexpect would put Ansible into a session that our group cannot reach
        quiet=True,
        suppress_env_files=True,
        event_handler=_report,
        timeout=terms["timeout_s"],
    )
    _say({"event": "end", "status": result.status, "rc": result.rc})
    return 0


def _report(event: dict[str, Any]) -> bool:
    """Pass on what people and the ledger need of an Ansible event; keep none of it in memory."""
    data = event.get("event_data", {})
    host, task = data.get("host", ""), data.get("task", "")
    match event.get("event"):
        case "playbook_on_task_start":
            _say({"event": "task", "task": task})
        case "runner_on_ok":
            result = data.get("res", {})
            raw = result.get("ansible_facts", {}).get(RAW) if isinstance(result, dict) else None
            changed = bool(result.get("changed")) if isinstance(result, dict) else False
            _say({"event": "ok", "host": host, "task": task, "changed": changed, "s": data.get("duration", 0)})
            if raw is not None:
                _say({"event": "raw", "host": host, "raw": raw})
        case "runner_on_failed":
            ignored = bool(data.get("ignore_errors"))
            message = str(data.get("res", {}).get("msg", ""))[:2000]
            _say({"event": "ignored" if ignored else "failed", "host": host, "task": task, "message": message})
        case "runner_on_unreachable":
            message = str(data.get("res", {}).get("msg", ""))[:2000]
            _say({"event": "unreachable", "host": host, "task": task, "message": message})
        case "runner_on_skipped":
            _say({"event": "skipped", "host": host, "task": task})
        case "error" | "verbose" | "system_warning":
            _say({"event": "output", "text": str(event.get("stdout", ""))[:2000]})
        case _:
            pass
    return False


def _say(event: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _watch_lifeline() -> None:
    """Wait for the end of stdin; then end the group, politely and for certain."""
    while sys.stdin.buffer.read(1):
        pass
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)
    time.sleep(PATIENCE_S)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
