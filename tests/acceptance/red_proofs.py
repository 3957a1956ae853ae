"""A fault for every criterion that a proof measures: the proof's own script runs with it, and what it prints is not met."""

from __future__ import annotations

import hashlib
import json
import pwd
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from tests.acceptance.bench import Bench, arguments
from tests.acceptance.fabrics import SmallFabric
from tests.acceptance.red_cases import AT_THE_BOUNDARY, DATABASE, FILES, REAL
from tests.lab.playing import FOLDER
from tests.playbooks.scripts import script
from tests.ports import free_port

Found = dict[str, Any]


class RedProof(NamedTuple):
    """A fault, how it is injected, the value that the proof then prints (None: not measured), and what injects it."""

    fault: str
    how: str
    value: bool | float | None
    run: Callable[[Bench], Found]


def slurm(name: str, *words: object, **said: str) -> Callable[[Bench], Found]:
    """Return a run of a proof of the scheduler, of which these commands answer otherwise."""

    def run(bench: Bench) -> Found:
        bench.slurm(**said)
        return bench.proof(name, *words)

    return run


def series(playbook: str, exposed: str = "") -> Callable[[Bench], Found]:
    """Return a run of a playbook's own queries against a database that has these series alone."""

    def run(bench: Bench) -> Found:
        metric, _, *queries = arguments(playbook, "series_found")
        return bench.proof("series_found", metric, bench.prometheus(exposed), *queries)

    return run


def nvidia(part: str, said: Mapping[str, str] | None = None) -> Callable[[Bench], Found]:
    """Return a run of the proof of a part of NVIDIA's stack on a host with eight GPUs."""

    def run(bench: Bench) -> Found:
        bench.programs({"nvidia-smi": "for n in 0 1 2 3 4 5 6 7; do echo GPU $n: H100; done", **(said or {})})
        return bench.proof("nvidia_stack", part, "9.1.0", TOOLKITS=bench.folder)

    return run


def authentication(ssh: str) -> Callable[[Bench], Found]:
    """Return a run of the proof of log-ins, with an SSH client that says this."""

    def run(bench: Bench) -> Found:
        bench.programs({"ssh": ssh, "ldapadd": "exit 0", "ldapmodify": "exit 0", "systemctl": "exit 0"})
        return bench.proof("central_authentication", "dc=site", "cluster-users", "20000", "node-1:root")

    return run


def failover(bench: Bench) -> Found:
    """Stop the first of two controllers; the queued job stays where it is."""
    bench.slurm(scontrol="echo 'Slurmctld(backup) at mgmt-2 is UP'", squeue="echo PENDING")
    return bench.proof("cluster_scheduler")


APART = [{"name": "first", "pkey": "0x1", "members": ["node-1", "node-2"]}]


def neglected_fabric(bench: Bench) -> Found:
    """Let the second manager be dead, a server run one too, a leaf be dark, and opensm be unable to read its partitions."""
    fabric = SmallFabric(bench, "fm-1", partitions=APART)
    fabric.say('Unlink "leaf-2"')
    fabric.manager("fm-1", 14, partitions="first=0x1: 0xnode=full;\n")
    fabric.manager("node-3", 1)
    return bench.proof("subnet_managers")


def nobody_takes_over(bench: Bench) -> Found:
    """Let the manager that stands by be dead too."""
    fabric = SmallFabric(bench)
    first = fabric.manager("fm-1", 14)
    routes = fabric.routes()
    first.kill()
    return bench.proof("subnet_takeover", time.time(), routes, PATIENCE_S=0.5)


def other_routes(bench: Bench) -> Found:
    """Cut a cable between a leaf and a spine as the master dies."""
    fabric = SmallFabric(bench)
    first = fabric.manager("fm-1", 14)
    fabric.manager("fm-2", 13)
    routes = fabric.routes()
    first.kill()
    fabric.say('Unlink "leaf-1"[11]')
    return bench.proof("subnet_takeover", time.time(), routes)


def dead_collector(bench: Bench) -> Found:
    """Let a card be unplugged, and let the counters be read once and never again."""
    fabric = SmallFabric(bench, "fm-1")
    fabric.say('Unlink "node-2"')
    fabric.manager("fm-1", 14)
    series = bench.folder / "infiniband.prom"
    script("subnet_manager", "fabric_view")
    counters = script("fabric_counters", "fabric_counters")
    bench.patch.setattr(sys, "argv", ["fabric_counters", str(series)])
    counters.main()
    return bench.proof("fabric_counters_read", series)


CARD_FIRMWARE = "printf 'FW Version: 28.39.1002\\nPSID: MT_0000000838\\n'"
CARD_OPTIONS = "printf 'Configurations: Default Current Next Boot\\n  SRIOV_EN False(0) True(1) True(1)\\n'"
CARD_PIN = {"MT_0000000838": {"version": "28.43.1014", "options": {"SRIOV_EN": False}}}


def old_card(bench: Bench) -> Found:
    """Let a card have an older firmware and another option than is pinned, below a port that redirects what it sends."""
    cards = script("card_firmware", "network_cards")
    port = bench.folder / "pci0000:16" / "0000:16:01.0"
    (port / "0000:18:00.0").mkdir(parents=True)
    (bench.folder / "devices").mkdir()
    (bench.folder / "devices" / "0000:18:00.0").symlink_to(port / "0000:18:00.0")
    bridge = (
        "0000:16:01.0 PCI bridge\\n  ACSCtl: SrcValid+ ReqRedir+\\n\\n0000:17:01.0 PCI bridge\\n  ACSCtl: SrcValid+\\n"
    )
    lspci = f"""case "$*" in *-vvv*) printf '{bridge}';; *) echo '0000:18:00.0 0207: 15b3:1021';; esac"""
    bench.programs({"lspci": lspci, "mstflint": CARD_FIRMWARE, "mstconfig": CARD_OPTIONS})
    bench.patch.setattr(cards, "DEVICES", bench.folder / "devices")
    return bench.proof("card_firmware", "mstflint", json.dumps(CARD_PIN), DEVICES=bench.folder / "devices")


def other_stack(bench: Bench) -> Found:
    """Let the kernel's own driver run beside NVIDIA's package, and the second of two cards be named as the first."""
    devices = {"rail0": {"pci": "0000:18:00.0", "rate_gbit": 400}, "rail1": {"pci": "0000:2a:00.0", "rate_gbit": 400}}
    for pci, name in {"0000:18:00.0": "mlx5_0", "0000:2a:00.0": "rail0"}.items():
        (bench.folder / "bus/pci/devices" / pci / "infiniband" / name).mkdir(parents=True)
    loaded = bench.folder / "module/mlx5_ib"
    loaded.mkdir(parents=True)
    (loaded / "srcversion").write_text("ABC\n", encoding="utf-8")
    modinfo = 'case "$2" in filename) echo /lib/modules/6.1.0/kernel/drivers/infiniband/mlx5_ib.ko;; *) echo ABC;; esac'
    bench.programs(
        {"dpkg-query": "echo 3.1.0-091000", "modinfo": modinfo, "ibstat": "exit 0", "ibv_devinfo": "echo rail0"}
    )
    return bench.proof("rdma_stack", "doca", "3.1.0", "mlx5_ib", json.dumps(devices), SYS=bench.folder)


def open_service(bench: Bench) -> Found:
    """Let a service answer anybody."""
    return bench.proof("service_logins", f"{bench.answers('').removeprefix('http://')}/")


def mail(bench: Bench) -> Found:
    """Let jobs end without a message."""
    bench.slurm(squeue="echo RUNNING")
    return bench.proof("job_notifications", BOX=bench.folder / "mailbox")


def usage(bench: Bench) -> Found:
    """Let the usage report know of half of what the jobs had."""
    row = '{"user": "cwproof", "cpu_allocated": 0, "cpu_used": 0, "gpu_allocated": %s}'
    bench.slurm()
    before, after = (f"echo '[{row % hours}]'" for hours in ("0", "0.0444444"))
    bench.programs({"usage-report": f'if [ -e "$BENCH/asked" ]; then {after}; else : >"$BENCH/asked"; {before}; fi'})
    return bench.proof("accounting", "usage-report")


def installed(bench: Bench) -> Found:
    """Return what the proof makes of two servers: one took ninety minutes, the other greets with another key."""
    bench.programs({"ssh-keyscan": '[ "$5" != 10.0.0.1 ] || echo "10.0.0.1 ssh-ed25519 KEY"'})
    record = {"opened": 0, "began": 0, "up": 5400, "host_key": "ssh-ed25519 KEY"}
    hosts = {f"node-{n}": {"address": f"10.0.0.{n}"} for n in (1, 2)}
    found: Found = script("proof", "provisioning_client")._installed(
        {"hosts": hosts, "records": dict.fromkeys(hosts, record)}
    )
    return found


def log_ins(bench: Bench) -> Found:
    """Let the SSH server offer passwords, and root in, since a file that sorts before ours says so."""
    ours = "PasswordAuthentication no\nPermitRootLogin no\n"
    effective = "pubkeyauthentication yes\npasswordauthentication {0}\npermitrootlogin {0}"
    bench.programs(
        {
            "ssh": 'echo "root@127.0.0.1: Permission denied (publickey,password)." >&2; exit 255',
            "sshd": f'case "$*" in *" -f "*) echo "{effective.format("no")}";; *) echo "{effective.format("yes")}";; esac',
        }
    )
    bench.patch.setattr(pwd, "getpwall", lambda: [SimpleNamespace(pw_name="root", pw_shell="/bin/bash")])
    view = script("ssh_access", "sshd_view")
    for name, text in (("OURS", ours), ("MAIN", "Include early.conf\n")):
        file = bench.folder / name
        file.write_text(text, encoding="utf-8")
        bench.patch.setattr(view, name, file)
    (bench.folder / "early.conf").write_text("PasswordAuthentication yes\nPermitRootLogin yes\n", encoding="utf-8")
    return bench.proof("ssh_access", "local")


def bare_node(bench: Bench) -> Found:
    """Look at a node that was installed anew: no settings, no names, no certificate, no people, and its log lines do not arrive."""
    bench.programs({"systemctl": "exit 0", "getent": "exit 2"})
    missing = {"WRITTEN": {bench.folder / "none": "kernel settings"}, "CERTIFICATE": bench.folder / "none"}
    return bench.proof("node_services", "cwproof", 0, "missing", **missing)


def node_without_software(bench: Bench) -> Found:
    """Look at a node without frameworks' settings, instruments and the timed work: this machine."""
    missing = {str(bench.folder / name): name for name in ("frameworks.sh", "nccl.conf", "training@.service")}
    return bench.proof("node_software", bench.folder, WRITTEN=missing)


def lonely_home(bench: Bench) -> Found:
    """Let a home be a folder of this host alone, in which others find nothing."""
    bench.programs({"runuser": '[ "$2" != nobody ] || exit 1; while [ "$1" != -- ]; do shift; done; shift; exec "$@"'})
    home = bench.folder / "cwproof"
    home.mkdir(mode=0o700)
    person = SimpleNamespace(pw_dir=str(home), pw_uid=home.stat().st_uid)
    bench.patch.setattr(pwd, "getpwnam", lambda _: person)
    return bench.proof("home_folders", "cwproof", "word")


def joined(bench: Bench) -> Found:
    """Join a node whose job fails, while the daemon of another node begins anew."""
    bench.slurm(
        systemctl="echo active",
        sacct="echo FAILED",
        scontrol="echo NodeName=node-1 State=IDLE SlurmdStartTime=2026-01-01T00:00:00",
    )
    return bench.proof("node_jobs", "node-2", 0, "node-2")


def worn_node(bench: Bench) -> Found:
    """Look at a node that has lost what it was accepted with."""
    bench.programs(
        {"node-check": 'echo \'{"node": "node-1", "faults": ["/home is not mounted", "the clock is off"]}\'; exit 1'}
    )
    return bench.proof("node_as_accepted")


def wrong_door(bench: Bench) -> Found:
    """Let a node's SSH server in whom it must refuse: the plain person without a job; and refuse root and, while a job runs, its owner."""
    return door(
        bench, 'case "$*" in *cat) exec sleep 60;; *root@*) exit 255;; esac; [ -e "$BENCH/ran" ] || echo cwproof'
    )


def late_door(bench: Bench) -> Found:
    """Let a node begin a job some moments after the scheduler says that it runs."""
    begun = '[ -e "$BENCH/ran" ] && echo >>"$BENCH/asked" && [ "$(wc -l <"$BENCH/asked")" -gt 2 ]'
    return door(bench, f'case "$*" in *cat) exit;; *root@*) echo root; exit;; esac; {begun} && echo cwproof')


def door(bench: Bench, ssh: str) -> Found:
    """Try log-ins at a node whose SSH server answers so; `$BENCH/ran` is there while a job runs, for the scheduler."""
    bench.slurm(
        squeue='case "$*" in *%T*) : >"$BENCH/ran"; echo RUNNING;; *) [ ! -e "$BENCH/ran" ] || rm "$BENCH/ran";; esac',
        scontrol="echo ProctrackType = proctrack/cgroup",
        ssh=ssh,
        sshd="exec sleep 60",
    )
    pam = bench.folder / "pam"
    pam.write_text("account [success=2 default=ignore] pam_succeed_if.so quiet user in root\n", encoding="utf-8")
    return bench.proof("job_log_ins", "node-1", PAM=pam, SSHD=str(bench.folder / "bin" / "sshd"))


def logs(bench: Bench) -> Found:
    """Let the store find nothing of one host of two."""
    bench.programs({"logsearch": '[ "$2" != node-1 ] || echo found'})
    return bench.proof("central_logging", "logsearch", "word", "0", "node-1", "node-2")


def gap(bench: Bench) -> Found:
    """Let the other database scrape nothing for a minute and a half, and again in the last moments before it is asked."""
    return gap_of(bench, [*range(-180, -94, 15), -15, -5])


def gap_of(bench: Bench, moments: list[int]) -> Found:
    """Measure the gap in samples of these moments before now. A host that is scraped no longer has its last one two minutes ago."""
    bench.programs({"systemctl": "exit 0"})
    asked = int(time.time())
    samples = [f'up{{job="node",instance="n"}} 1 {asked + at}' for at in moments]
    url = bench.past("\n".join([*samples, f'up{{job="node",instance="before"}} 1 {asked - 120}']), node="n")
    sleep = time.sleep
    clock = SimpleNamespace(
        time=iter([asked - 90.0, float(asked)]).__next__, sleep=lambda s: sleep(s / 5 if s == 1 else 0)
    )
    return bench.proof("scrape_gap", "90", url, HERE=url, time=clock)


def pager(bench: Bench) -> Found:
    """Load a rule without a test, and let the channel stay silent."""
    (bench.folder / "alerts.yml").write_text("- alert: Tested\n- alert: Untested\n", encoding="utf-8")
    (bench.folder / "alerts_test.yml").write_text("alertname: Tested\n", encoding="utf-8")
    bench.programs({"systemctl": "exit 0", "promtool": "exit 0"})
    return bench.proof("alert_rules", "mgmt", bench.answers(""), bench.folder / "alerts.yml", PATIENCE_S=0)


def drilled(fired: str, delivery: str) -> Callable[[Bench], Found]:
    """Return the verdict of a drill in which one alert of two came after five minutes, and the other never."""

    def run(_: Bench) -> Found:
        drill = script("proof", "alert_drill")
        found: Found = drill.verdict({"LinkErrors", "LinkFlaps"}, {"LinkErrors": 300.0}, fired, "")
        late: Found = drill.verdict({"LinkErrors"}, {"LinkErrors": 300.0}, fired, delivery or "none")
        return late | found

    return run


def anomaly(bench: Bench) -> Found:
    """Slow a server's clocks, and let no alert come of it."""
    policy = bench.folder / "cpufreq" / "policy0"
    policy.mkdir(parents=True)
    (policy / "scaling_max_freq").write_text("3500000\n", encoding="utf-8")
    (policy / "cpuinfo_min_freq").write_text("800000\n", encoding="utf-8")
    bench.programs({"systemd-run": f"grep -q 800000 {policy}/scaling_max_freq && echo 4 || echo 1"})
    found = bench.proof("anomaly", "node-1", bench.prometheus(), "1", CPUFREQ=bench.folder / "cpufreq")
    assert (policy / "scaling_max_freq").read_text(encoding="utf-8") == "3500000"
    return found


def throughput(bench: Bench) -> Found:
    """Let a run report half of what its two ranks took in."""
    url = bench.prometheus('training_tokens_total{run="smoke",rank="0"} 102400')
    return bench.proof("throughput", url, "smoke", "102400", "102400")


OWNED = dict.fromkeys(("idle", "memory", "loader", "imbalance", "degraded"), "ada")


def audit(idle: int, owners: dict[str, str]) -> Callable[[Bench], Found]:
    """Return an audit of 500 servers, so many of them idle, and of 100 runs of which two wait for data, with these owners."""

    def run(bench: Bench) -> Found:
        now = int(time.time())
        said = []
        for number in range(500):
            share = 1.0 if number < idle else 0.5
            for mode, part in (("idle", share), ("user", 1 - share)):
                cpu = f'node_cpu_seconds_total{{mode="{mode}",group="compute",instance="n{number}"}}'
                said += [f"{cpu} {part * past} {now - 100 + past}" for past in (0, 90)]
        for number in range(100):
            said.append(f'training_loader_wait_share{{run="r{number}"}} {0.9 if number < 2 else 0.1} {now - 10}')
        said += [
            f"{name} {now - 10}"
            for name in (
                'node_memory_MemAvailable_bytes{instance="n"} 9', 'node_memory_MemTotal_bytes{instance="n"} 10',
                'training_collective_seconds{run="a"} 1', 'training_step_seconds{run="a"} 10', 'anomaly:speed_probe:ratio{instance="n"} 1',
                'up{job="node"} 1',
            )
        ]  # fmt: skip
        return bench.proof("performance_audit", bench.past("\n".join(said)), "1h", json.dumps(owners))

    return run


def dashboards(bench: Bench) -> Found:
    """Keep a dashboard whose series a database may have, where no Grafana shows it."""
    board = {"uid": "b", "title": "Board", "panels": [{"title": "up", "targets": [{"expr": "up"}]}]}
    (bench.folder / "board.json").write_text(json.dumps(board), encoding="utf-8")
    (bench.folder / "password").write_text("secret", encoding="utf-8")
    url = f"http://127.0.0.1:{free_port()}"
    return bench.proof("dashboards", url, bench.folder, PASSWORD=bench.folder / "password")


def repeated(bench: Bench) -> Found:
    """File a run and a repetition that ended with another loss."""

    def run(name: str, loss: float) -> Found:
        (bench.folder / name).mkdir()
        (bench.folder / name / "outcome.json").write_text(json.dumps({"filed_as": name}), encoding="utf-8")
        terms = [{"key": "seed", "value": "7"}, {"key": "run", "value": name}]
        return {"info": {"run_id": name}, "data": {"params": terms, "metrics": [{"key": "loss", "value": loss}]}}

    said = {"experiment": {"experiment_id": "1"}, "runs": [run("first", 0.5), run("again", 0.6)]}
    (bench.folder / "login").write_text("NAME=training\nPASSWORD=secret\n", encoding="utf-8")
    url = bench.answers(json.dumps(said))
    return bench.proof("experiment", url, bench.folder / "first", bench.folder / "again", LOGIN=bench.folder / "login")


def sweep(bench: Bench) -> Found:
    """Let the only other candidate be fast, and learn nothing: the usual setting was compared with itself, and was as fast."""
    for number in (1, 2):
        for name, seconds, loss in (("usual", 10, 0.5), ("careless", 1, 0.9)):
            outcome = {"tokens": 1000, "seconds": seconds, "validation_loss": loss, "restarts": 0}
            run = bench.folder / f"sweep-{number}-{name}"
            run.mkdir()
            (run / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
    return bench.proof("hyperparameters", bench.folder)


PROFILED = """
import json, pathlib, sys
terms = json.loads(pathlib.Path(sys.argv[1]).read_text())
folder = pathlib.Path(sys.argv[1]).parent
ends = [step + (200 if terms["profile_steps"] and step > 60 else 0) for step in range(1, terms["steps"] + 1)]
(folder / "curve.jsonl").write_text("\\n".join(json.dumps({"at": at}) for at in ends))
if terms["profile_steps"]:
    (folder / "trace.json").write_text("[]")
"""


def profile(bench: Bench) -> Found:
    """Let a profile take half as long as a run."""
    (bench.folder / "train.py").write_text(PROFILED, encoding="utf-8")
    return bench.proof("profiling", bench.folder, "node-1")


def framework(bench: Bench) -> Found:
    """Let a framework's training steps fail."""
    python = bench.folder / "pytorch" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    bench.patch.setitem(script("proof", "frameworks").STEPS, "pytorch", "raise SystemExit('the loss did not fall')")
    return bench.proof("frameworks", bench.folder, "pytorch")


def settings(bench: Bench) -> Found:
    """Let settings change nothing: every time is the same but for what varies by itself."""
    bench.programs(
        {"python": 'n=$(($(cat "$BENCH/n" 2>/dev/null || echo 0) + 1)); echo $n >"$BENCH/n"; echo 1.0$((n * 37 % 10))'}
    )
    (bench.folder / "frameworks.sh").write_text("export IDLE=1\n", encoding="utf-8")
    return bench.proof("framework_settings", "python", SETTINGS=str(bench.folder / "frameworks.sh"))


def container(bench: Bench) -> Found:
    """Let the runtime have no program that starts containers."""
    bench.programs(
        {"podman": '[ "$1" != run ] || { echo "Error: default OCI runtime \\"crun\\" not found" >&2; exit 127; }'}
    )
    return bench.proof("container_run", "podman")


def drift(bench: Bench) -> Found:
    """Change a file behind the configuration's back, and run the role with the real Ansible."""
    (bench.folder / "site.yml").write_text(
        f"- hosts: all\n  gather_facts: false\n  tasks:\n    - copy: {{content: right, dest: {bench.folder}/file}}\n",
        encoding="utf-8",
    )
    (bench.folder / "file").write_text("wrong", encoding="utf-8")
    (bench.folder / "play.yml").write_text(
        f"- hosts: all\n  gather_facts: false\n  roles: [{{role: drift, drift_playbook: {bench.folder}/site.yml, drift_tags: [all]}}]\n"
        f"  post_tasks:\n    - copy: {{content: '{{{{ drift_results[0].stdout }}}}', dest: {bench.folder}/found.json}}\n",
        encoding="utf-8",
    )
    bench.patch.setenv("ANSIBLE_ROLES_PATH", str(FOLDER / "roles"))
    bench.patch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    inventory = bench.folder / "hosts"
    inventory.write_text(
        f"localhost ansible_connection=local ansible_python_interpreter={sys.executable}\n", encoding="utf-8"
    )
    command = ["ansible-playbook", "-i", str(inventory), str(bench.folder / "play.yml")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found: Found = json.loads((bench.folder / "found.json").read_text(encoding="utf-8"))
    return found


def lost_server(bench: Bench) -> Found:
    """Let a write wait five minutes for a server that is cut off, and a file come back with other bytes."""
    loss = script("proof", "server_loss")
    (bench.folder / "000000").write_bytes(b"other")
    wrong = loss.differing(bench.folder, {"000000": hashlib.sha256(b"written").hexdigest()})
    found = loss.judged(300.0, wrong, 20.0, 1)
    return {name: {"value": value, "note": note} for name, (value, note) in found.items()}


def missing_copies(bench: Bench) -> Found:
    """Let three entries wait for a copy on one brick, and another brick be away."""
    bricks = "<brick><numberOfEntries>3</numberOfEntries></brick><brick><name>b</name><numberOfEntries>-</numberOfEntries></brick>"
    bench.programs({"gluster": f"echo '<cliOutput>{bricks}</cliOutput>'"})
    return bench.proof("volume_healed", "shared", 60)


def no_shared_space(bench: Bench) -> Found:
    """Look for the file system where this machine's own disk is, and for a limit where there is none."""
    folder = bench.folder / "limited"
    folder.mkdir()
    return bench.proof("shared_space", "/", folder, 1 << 20)


def unmounted(bench: Bench) -> Found:
    """Look for what another host wrote in a folder of this machine."""
    bench.programs({"systemctl": "echo disabled"})
    return bench.proof("shared_mount", bench.folder, "word")


def bad_copy(bench: Bench) -> Found:
    """Restore a sample of other bytes from a copy that is three days old."""
    (bench.folder / "backup.env").write_text("RESTIC_REPOSITORY=/nowhere\n", encoding="utf-8")
    (bench.folder / "sample").write_text(f"{hashlib.sha256(b'written').hexdigest()}  -\n", encoding="utf-8")
    snapshots = 'echo "[{\\"id\\": \\"1\\", \\"time\\": \\"$(date -d "72 hours ago" --iso-8601=seconds)\\"}]"'
    restore = 'mkdir -p "$7/shared"; echo other >"$7/shared/.backup-sample"'
    bench.programs({"restic": f'case "$2" in snapshots) {snapshots};; restore) {restore};; esac'})
    return bench.proof("backup_restore", bench.folder / "backup.env", "/shared/.backup-sample", bench.folder / "sample")


def half_the_series(bench: Bench) -> Found:
    """Ask a database for series that it has, and for those of bricks, which it has not."""
    return bench.proof("storage_series", bench.prometheus(), "up", "gluster_brick_up")


def missed_error(bench: Bench) -> Found:
    """Let a scrub name one of two damaged copies."""
    one = {"brick": "/b", "path": "/f", "signed": True, "repaired": True}
    injected = {"first": {"address": "10.0.0.1", **one}, "second": {"address": "10.0.0.2", **one, "signed": False}}
    scrub = {
        "found": [{"server": "10.0.0.1", "brick": "/b", "path": "/f"}],
        "done": ["10.0.0.1", "10.0.0.2"],
        "is_asked": True,
        "said": "",
    }
    return bench.proof("injected_errors", json.dumps(injected), json.dumps(scrub))


def slow_compression(bench: Bench) -> Found:
    """Write a sample in half a second without compression, and in a whole one with it."""
    written = {"bytes": 1 << 20, "equal_blocks": 0, "seconds": [[0.5, 1.0], [0.5, 1.1], [0.5, 0.9]]}
    kept = {"storage-1": {"/b": [400_000, 1 << 20]}}
    return bench.proof("compression", json.dumps(written), json.dumps(kept), "10")


def passed_cache(bench: Bench) -> Found:
    """Read a sample twice from the file system, since the own drive is full."""
    read = {"bytes": 32 << 20, "seconds": 0.1, "received": 33 << 20, "drives": 0, "wrong": []}
    read |= {"first_s": 0.1, "first_received": 33 << 20, "past": "/var/cache/data-cache: No space left on device"}
    seen = {"seen": True, "after_s": 3.0, "kept": 4096}
    return bench.proof("data_cache", json.dumps(read), json.dumps(seen), str(96 << 20))


def altered_set(bench: Bench) -> Found:
    """Put a set in place whose second file is not that of its list."""
    place = bench.folder / "reference"
    place.mkdir()
    sums = "".join(f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in ("a", "b"))
    for name, text in {"a": "a", "b": "altered", "SHA256SUMS": sums}.items():
        (place / name).write_text(text, encoding="utf-8")
    digest = hashlib.sha256(sums.encode()).hexdigest()
    settings = {"folder": str(bench.folder), "sets": {"reference": {"url": "http://away", "sums_sha256": digest}}}
    (bench.folder / "ingest.json").write_text(json.dumps(settings), encoding="utf-8")
    report = {"files": 2, "bytes": 8, "fetched": 8, "seconds": 1.0, "wrong": [], "missing": []}
    (bench.folder / "reference.ingest.json").write_text(json.dumps(report), encoding="utf-8")
    return bench.proof("data_ingest", 1, SETTINGS=bench.folder / "ingest.json")


def lazy_worker(bench: Bench) -> Found:
    """Let a worker leave one file of three documents without its tokens."""
    for folder in ("text", "tokens"):
        (bench.folder / folder).mkdir()
    (bench.folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    (bench.folder / "text" / "00000.jsonl").write_text('{"text": "a"}\n' * 3, encoding="utf-8")
    tokenizers = SimpleNamespace(Tokenizer=SimpleNamespace(from_file=lambda _: None))
    bench.patch.setitem(sys.modules, "tokenizers", tokenizers)
    return bench.proof("preprocessed", bench.folder, PYTHON=sys.executable)


def changed_sample(bench: Bench) -> Found:
    """Change a file of a set's oldest version behind git-annex's back."""
    store = bench.folder / "sets" / "one"
    annex = {
        "git": f"""case "$*" in
          *" tag "*) echo v1;;
          *"annex find"*) echo "SHA256E-s7--{hashlib.sha256(b"written").hexdigest()} file";;
          *clone*) for last; do :; done; mkdir "$4/$last"; echo changed >"$4/$last/file";;
        esac"""
    }
    store.mkdir(parents=True)
    bench.programs(annex)
    return bench.proof("dataset_versions", bench.folder / "sets", "one")


def shown(found: dict[str, tuple[object, str]]) -> Found:
    """Return what a proof found as it prints it."""
    return {name: {"value": value, "note": note} for name, (value, note) in found.items()}


def slow_server(_: Bench) -> Found:
    """Let four servers train together at half of their rate, as one of them is slow to reach, and the last with other data."""
    scale = script("proof", "training_scale")
    there = ["node-1", "node-2", "node-3", "node-4"]
    alone = {host: {"tokens": 100, "seconds": 1.0, "ranks": [{}]} for host in there}
    ranks = [{"host": host, "compute_s": 0.1, "round_trip_s": 0.05 if host == "node-3" else 0.0002} for host in there]
    outcomes = alone | {"4 together": {"tokens": 200, "seconds": 1.0, "ranks": ranks}}
    curves = {"node-1": {1: 1.4, 2: 1.3}, "4 together": {1: 1.4, 2: 1.2}}
    return shown(
        {
            scale.EFFICIENCY: scale.efficiency(outcomes, there),
            scale.CURVE: scale.match(curves, reference=[], band=0.001),
        }
    )


def unlike_restart(_: Bench) -> Found:
    """Let a run go on from a checkpoint without its random state, twenty minutes after a node was lost."""
    restart = script("proof", "checkpoint_restart")
    step = restart.Step
    whole = [step(number, 1.0, float(number), 0) for number in range(1, 5)]
    broken = [*whole[:2], step(2, 1.0, 1202.0, 1), step(3, 1.02, 1203.0, 1), step(4, 1.01, 1204.0, 1)]
    return shown(restart.judged(whole, broken, 2.0, "node-2 of 3 lost at step 2"))


def unrecovered(_: Bench) -> Found:
    """Let a full folder be noticed by nobody, and a job go on twenty minutes after a killed rank."""
    matrix = script("proof", "fault_matrix")
    row = {
        "must_be_noticed": True,
        "noticed_s": 3.0,
        "by": "the job",
        "state": "COMPLETED",
        "restarts": 1,
        "back_s": 2.0,
    }
    return shown(
        matrix.judged({"rank": row | {"outage_s": 1200.0}, "disk": row | {"outage_s": 0.1, "noticed_s": None}})
    )


def below_contract(_: Bench) -> Found:
    """Let four servers use a fifth of their peak, with two interruptions in an hour, as one is slow in its own work."""
    benchmark, terms = script("proof", "contract_benchmark"), script("proof", "contract_terms")
    ranks = [{"host": f"node-{n}", "compute_s": 0.5 if n == 3 else 0.1, "round_trip_s": 0.001} for n in range(1, 5)]
    agreed = terms.terms_of({"server_tflops": 1.0, "runs": 1, "spread": 0.05, "minutes": 60})
    return shown(benchmark.judged([benchmark.Ran(8e5, 60.0, 2, 1e6, ranks)], agreed, "1f2e3d4c"))


def late_recovery(_: Bench) -> Found:
    """Let a host run jobs after three hours where two were agreed."""
    recovery = script("proof", "disaster_recovery")
    data = {"copy": "1f2e3d4c", "age_h": 12.0, "restore_s": 10.0, "files": 3, "mb": 16.0, "newer": 0}
    return shown(recovery.judged(data, "", 10800.0, (120.0, 48.0), "node-4 erased"))


def old_copy(_: Bench) -> Found:
    """Let the newest copy be three days old where two were agreed."""
    recovery = script("proof", "disaster_recovery")
    data = {
        "copy": "1f2e3d4c",
        "age_h": 72.0,
        "failed": "copy 1f2e3d4c is the newest, and 72.0 h old where 48 h were agreed",
    }
    return shown(recovery.judged(data, "node-4 was not erased", 0.0, (120.0, 48.0)))


SLOW_SERVER = '{"storage-1": {"1": 2.0}, "storage-2": {"1": 2.0}, "storage-3": {"1": 0.5}}'
NETWORK = drilled("alerts.rules_fired_on_purpose_ratio", "alerts.delivery_max_s")
OUT_OF_ORDER = 'case "$*" in *Start,End*) echo "2026-01-01T00:00:05|2026-01-01T00:00:06";; *Elapsed*) echo 1;; *) echo COMPLETED;; esac'
IN_PART = """echo "begin node-03 $(date +%s.%N)"
echo "slurmstepd-node-01: error: TaskProlog failed status=1" >&2; exit 1"""
LOST = "printf 'begin 0\\nstep 9\\nstep 10\\nbegin 4\\n'"
WRONG = "echo '# Out of bounds values : 3 FAILED'"

PROOFS: dict[str, RedProof] = {
    "fabric_manager.instances": RedProof("the second subnet manager is dead", REAL, 1, neglected_fabric),
    "fabric_manager.strangers": RedProof("a server runs a subnet manager too", REAL, 1, neglected_fabric),
    "fabric_manager.switches_unmanaged": RedProof("a leaf is dark", REAL, 1, neglected_fabric),
    "partition.deviations": RedProof("opensm cannot read its partitions, and puts everybody into one", REAL, 2, neglected_fabric),
    "telemetry.port_coverage": RedProof("a card is unplugged", REAL, 0.944444, dead_collector),
    "telemetry.interval_s": RedProof("counters are read once and never again", REAL, None, dead_collector),
    "fabric_manager.takeover_s": RedProof("the manager that stands by is dead too", REAL, None, nobody_takes_over),
    "fabric_manager.routes_changed": RedProof("a cable is cut as the master dies", REAL, 9, other_routes),
    "nic.firmware_versions": RedProof("a card runs another firmware than is pinned", AT_THE_BOUNDARY, 2, old_card),
    "nic.option_deviations": RedProof("a card has virtual functions where none are pinned", AT_THE_BOUNDARY, 1, old_card),
    "nic.pcie_acs_enabled": RedProof("a port above a card redirects what it sends", AT_THE_BOUNDARY, 1, old_card),
    "rdma.stack_version_matches": RedProof("the kernel's driver runs beside NVIDIA's package", AT_THE_BOUNDARY, False, other_stack),
    "rdma.rail_devices": RedProof("programs find one device of two", AT_THE_BOUNDARY, 1, other_stack),
    "rdma.device_name_deviations": RedProof("the second card has the first one's name", AT_THE_BOUNDARY, 2, other_stack),
    "ost.slowest_over_median": RedProof("one server's drive has a quarter of the others' rate", FILES, 0.25, lambda bench: bench.proof("slowest_target", SLOW_SERVER)),
    "filesystem.capacity_pb": RedProof("the file system is not mounted", REAL, None, no_shared_space),
    "filesystem.quota_enforced": RedProof("a folder without a limit", REAL, False, no_shared_space),
    "filesystem.failover_s": RedProof("a write waits five minutes for a server that is cut off", FILES, 300, lost_server),
    "filesystem.wrong_files": RedProof("a file comes back with other bytes", FILES, 1, lost_server),
    "filesystem.unhealed_entries": RedProof("three entries wait for a copy, and a brick is away", AT_THE_BOUNDARY, 4, missing_copies),
    "mount.present": RedProof("a folder of the host's own disk", AT_THE_BOUNDARY, False, unmounted),
    "backup.restore_digest_match": RedProof("a sample of other bytes is restored", AT_THE_BOUNDARY, False, bad_copy),
    "backup.restored_in_a_day_tb": RedProof("a sample of other bytes is restored", AT_THE_BOUNDARY, None, bad_copy),
    "backup.age_h": RedProof("the newest copy is three days old", AT_THE_BOUNDARY, 72, bad_copy),
    "storage.series_present_ratio": RedProof("the database has no series of bricks", DATABASE, 0.5, half_the_series),
    "cache.hit_read_gb_s": RedProof("a node reads past its cache", FILES, 0.0, passed_cache),
    "ingest.checksum_failures": RedProof("a file of the set is not that of its list", FILES, 1, altered_set),
    "preprocess.sample_errors": RedProof("a worker leaves three documents without tokens", FILES, 3, lazy_worker),
    "dataset.restored_digest_match": RedProof("a file of the oldest version was changed", AT_THE_BOUNDARY, False, changed_sample),
    "compression.write_slowdown": RedProof("writing takes twice as long with compression", FILES, 100.0, slow_compression),
    "scrub.injected_errors_missed": RedProof("a scrub names one of two damaged copies", FILES, 1, missed_error),
    "training.scaling_efficiency": RedProof("a server that is slow to reach", FILES, 0.5, slow_server),
    "training.loss_curve_match": RedProof("a run with other data", FILES, False, slow_server),
    "fault.recovered_ratio": RedProof("a full folder that nobody notices", FILES, 0.5, unrecovered),
    "fault.restart_minutes": RedProof("a job that goes on after twenty minutes", FILES, 20, unrecovered),
    "restart.loss_deviation": RedProof("a checkpoint without its random state", FILES, 2, unlike_restart),
    "restart.minutes": RedProof("a job that goes on after twenty minutes", FILES, 20, unlike_restart),
    "training.mfu": RedProof("a server that is slow in its own work", FILES, 0.2, below_contract),
    "training.interruptions_over_model": RedProof("two interruptions in an hour of four servers", FILES, 25338.5, below_contract),
    "recovery.time_over_objective": RedProof("a host that runs jobs an hour late", FILES, 1.5, late_recovery),
    "recovery.data_lost_over_objective": RedProof("a copy that is a day too old", FILES, 1.5, old_copy),
    "config.second_run_changes": RedProof("a file was changed by hand", REAL, 1, drift),
    "provision.unattended_ok_ratio": RedProof("one of two servers greets with another key", AT_THE_BOUNDARY, 0.5, installed),
    "provision.minutes": RedProof("an installation of an hour and a half", AT_THE_BOUNDARY, 90, installed),
    "logging.sources_present_ratio": RedProof("lines of one host of two are not in the store", AT_THE_BOUNDARY, 0.5, logs),
    "logging.search_delay_s": RedProof("lines of one host of two are not in the store", AT_THE_BOUNDARY, None, logs),
    "auth.login_with_replica_down": RedProof("nobody is let in", AT_THE_BOUNDARY, False, authentication("exit 255")),
    "auth.closed_account_minutes": RedProof("a person who was removed is still let in", AT_THE_BOUNDARY, None, authentication("echo cwlogin")),
    "auth.plain_user_wrong_hosts": RedProof("a person who is no administrator is let in by a host for administrators", AT_THE_BOUNDARY, 1, authentication("echo cwplain")),
    "ssh.password_logins_possible": RedProof("the SSH server offers passwords", AT_THE_BOUNDARY, 2, log_ins),
    "ssh.settings_overridden": RedProof("a file that sorts before ours sets two things otherwise", AT_THE_BOUNDARY, 2, log_ins),
    "ssh.root_ways_in_elsewhere": RedProof("such a file lets root in by key and by password", AT_THE_BOUNDARY, 2, log_ins),
    "ssh.root_as_set": RedProof("root is let in from everywhere by such a file", AT_THE_BOUNDARY, False, log_ins),
    "node.services_missing": RedProof("a node that was installed anew and did not join", AT_THE_BOUNDARY, 5, bare_node),
    "node.software_missing": RedProof("a node that was installed anew", REAL, 6, node_without_software),
    "node.check_faults": RedProof("a node whose homes are gone, and whose clock is off", AT_THE_BOUNDARY, 2, worn_node),
    "ssh.jobless_users_admitted": RedProof("a person without a job is let in by a node, before a job and after it", AT_THE_BOUNDARY, 2, wrong_door),
    "ssh.job_owners_refused": RedProof("a person whose job runs on the node is refused", AT_THE_BOUNDARY, 1, wrong_door),
    "ssh.sessions_outliving_jobs": RedProof("a log-in stays after its job", AT_THE_BOUNDARY, 1, wrong_door),
    "ssh.administrators_refused": RedProof("root is refused", AT_THE_BOUNDARY, 1, wrong_door),
    "node.log_delay_s": RedProof("its log lines do not arrive", AT_THE_BOUNDARY, None, bare_node),
    "home.faults": RedProof("a node on which homes are not mounted", AT_THE_BOUNDARY, 1, lonely_home),
    "scheduler.node_job_failures": RedProof("a job fails on the node that joined", AT_THE_BOUNDARY, 1, joined),
    "scheduler.others_restarted": RedProof("the daemon of another node begins anew", AT_THE_BOUNDARY, 1, joined),
    "cuda.sample_failures": RedProof("a driver without a toolkit", AT_THE_BOUNDARY, 1, nvidia("cuda")),
    "cudnn.version_match_ratio": RedProof("another version than the pinned one", AT_THE_BOUNDARY, 0, nvidia("cudnn", {"dpkg-query": "echo libcudnn9 8.9.7"})),
    "nccl.version_match_ratio": RedProof("another version than the pinned one", AT_THE_BOUNDARY, 0, nvidia("nccl", {"dpkg-query": "echo libnccl2 2.18.3", "all_reduce_perf": WRONG})),
    "nccl.single_node_errors": RedProof("three wrong values inside one server", AT_THE_BOUNDARY, 3, nvidia("nccl", {"dpkg-query": "echo libnccl2 9.1.0", "all_reduce_perf": WRONG})),
    "container.gpus_seen": RedProof("a container sees one GPU of eight", AT_THE_BOUNDARY, 1, nvidia("container_toolkit", {"podman": '[ "$1" = images ] && echo image || echo "GPU 0: H100"'})),
    "container.runtime_present": RedProof("the runtime answers and starts no container", AT_THE_BOUNDARY, False, container),
    "framework.smoke_failures": RedProof("the loss does not fall", REAL, 1, framework),
    "framework.modules_missing": RedProof("no module of a framework", REAL, 1, framework),
    "framework.step_time_ratio": RedProof("the settings change nothing, and times vary by chance", AT_THE_BOUNDARY, 1.03, settings),
    "scheduler.test_job_failures": RedProof("jobs fail on every host", AT_THE_BOUNDARY, 6, slurm("cluster_scheduler", sacct="echo FAILED")),
    "scheduler.failover_s": RedProof("the second controller does not start the queued job", AT_THE_BOUNDARY, None, failover),
    "queue.policy_test_failures": RedProof("no rule holds", AT_THE_BOUNDARY, 6, slurm("job_queues", squeue='case "$*" in *%T*) echo RUNNING;; *%Q*) echo 5;; *) echo None;; esac')),
    "gres.unallocated_gpus_visible": RedProof("a job with one GPU sees all eight", AT_THE_BOUNDARY, 7, slurm("gpu_scheduling", srun="echo 8")),
    "gang.partial_starts": RedProof("a node lacks the prologue of tasks: jobs of two hosts begin on one", AT_THE_BOUNDARY, 2, slurm("gang_scheduling", srun=IN_PART)),
    "preempt.lost_steps": RedProof("a displaced job goes on six steps back", AT_THE_BOUNDARY, 6, slurm("preemption", squeue="echo RUNNING", scontrol="echo Restarts=1", srun=LOST)),
    "submit.ways_failed": RedProof("no way takes a job", AT_THE_BOUNDARY, 3, slurm("job_submission", 1, sacct="echo FAILED", scontrol="echo SLURM_JWT=token")),
    "user.output_in_home": RedProof("a job ends well, and its output is in no home", AT_THE_BOUNDARY, False, slurm("job_submission", 1)),
    "user.container_runs": RedProof("a job's container does not start", AT_THE_BOUNDARY, False, slurm("job_submission", 1, sbatch='echo 7; echo "Error: cannot set up namespace" >"slurm-7.out"')),
    "user.shell_in_job": RedProof("srun takes no terminal", AT_THE_BOUNDARY, False, slurm("job_submission", 1, srun="hostname")),
    "service.answers_without_login": RedProof("a service answers anybody", REAL, 1, open_service),
    "reservation.intruding_jobs": RedProof("a stranger's job starts on a reserved host", AT_THE_BOUNDARY, 1, slurm("reservations", squeue="echo RUNNING")),
    "accounting.gpu_hours_error": RedProof("the report has half of the hours", AT_THE_BOUNDARY, 50, usage),
    "notify.events_missed": RedProof("no message arrives", AT_THE_BOUNDARY, 6, mail),
    "chain.wrong_order": RedProof("stages overlap, and evaluation runs after a stage that failed", AT_THE_BOUNDARY, 3, slurm("job_dependencies", sacct=OUT_OF_ORDER)),
    "metrics.scrape_gap_s": RedProof("the other database scrapes nothing for a minute and a half", DATABASE, 90, gap),
    "alert.rules_untested": RedProof("a rule without a test", FILES, 1, pager),
    "alert.page_delay_s": RedProof("the pager stays silent", AT_THE_BOUNDARY, None, pager),
    "alert.test_fired_ratio": RedProof("one alert of two does not arrive", FILES, 0.5, drilled("alert.test_fired_ratio", "")),
    "alerts.rules_fired_on_purpose_ratio": RedProof("one alert of two does not arrive", FILES, 0.5, NETWORK),
    "alerts.delivery_max_s": RedProof("an alert arrives after five minutes", FILES, 300, NETWORK),
    "anomaly.injected_missed": RedProof("clocks are slowed, and no alert comes", DATABASE, 1, anomaly),
    "instrument.series_missing": RedProof("a run reports its step alone", DATABASE, 5, series("monitoring/176_instrument_training.yml", 'training_step{run="smoke-176"} 1')),
    "training.series_missing": RedProof("a run reports its loss without code and data", DATABASE, 4, series("monitoring/177_training_metrics.yml", 'training_loss{run="smoke-177"} 1')),
    "throughput.error": RedProof("a run reports half of what its ranks took in", DATABASE, 50, throughput),
    "straggler.injected_missed": RedProof("the slowed rank reports the time of the others", DATABASE, 2, series("monitoring/179_distributed_metrics.yml", 'training_compute_seconds{run="smoke-179",rank="0"} 1\ntraining_compute_seconds{run="smoke-179",rank="1"} 1')),
    "profile.overhead": RedProof("a profile takes half as long as a run", AT_THE_BOUNDARY, 50, profile),
    "checkpoint.series_missing": RedProof("no checkpoint was written for an hour", DATABASE, 4, series("monitoring/181_checkpoint_metrics.yml", 'training_checkpoint_total{run="smoke-181"} 3\ntraining_checkpoint_timestamp_seconds{run="smoke-181"} 1')),
    "loader.injected_stall_missed": RedProof("the run does not notice that it waits", DATABASE, 3, series("monitoring/182_loader_metrics.yml", 'training_loader_wait_share{run="smoke-182"} 0\ntraining_loader_queue_depth{run="smoke-182"} 4')),
    "experiment.repeated_ok": RedProof("the repetition ends with another loss", AT_THE_BOUNDARY, False, repeated),
    "dashboard.panels_without_data": RedProof("no Grafana runs, whatever the metrics database has", REAL, None, dashboards),
    "audit.findings_without_owner": RedProof("two runs wait for data, and nobody owns the loader", DATABASE, 2, audit(0, OWNED | {"loader": ""})),
    "audit.affected_share": RedProof("500 servers are idle, and somebody owns all of them", DATABASE, 100, audit(500, OWNED)),
    "training.unused_speed_up": RedProof("no other candidate learns as well as the usual one", FILES, None, sweep),
}  # fmt: skip
"""Faults by the metric of the proof."""
