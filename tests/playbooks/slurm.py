"""Slurm's commands, and systemd's, as scripts that stand in for them: they keep a node in files of the folder `$HOSTS`."""

from __future__ import annotations

from pathlib import Path

ALWAYS = "00:00-24:00 UTC"
"""A window that is always open."""

COMMANDS = {
    "systemctl": 'if [ -e "$HOSTS/slurm" ]; then echo "slurmd.service enabled enabled"; else exit 1; fi',
    "scontrol": """
        case "$1 $3" in
        "show "*) node=$3; echo "NodeName=$node State=$(cat "$HOSTS/$node.state") Reason=$(cat "$HOSTS/$node.reason") [root@now]";;
        "update State=DRAIN") node=${2#NodeName=}; echo IDLE+DRAIN > "$HOSTS/$node.state"; echo "${4#Reason=}" > "$HOSTS/$node.reason";;
        "update State=RESUME") node=${2#NodeName=}; case $node in reserved*) echo MAINT;; *) echo IDLE;; esac > "$HOSTS/$node.state"; : > "$HOSTS/$node.reason";;
        esac
        echo "$*" >> "$HOSTS/$node.asked" """,
    "squeue": """
        node=${2#--nodelist=}; jobs="$HOSTS/$node.jobs"
        head -n 1 "$jobs"; if [ "$node" != stuck ]; then sed -i 1d "$jobs"; fi""",
    "sinfo": """
        node=${3#--nodes=}; reason=$(cat "$HOSTS/$node.reason")
        echo "$(tr "[:upper:]" "[:lower:]" < "$HOSTS/$node.state") ${reason:-none}" """,
}


def node(folder: Path, name: str, state: str = "IDLE", reason: str = "", jobs: tuple[str, ...] = ()) -> None:
    """Make a node that Slurm knows: its state, why it is out of service, and of each look the job that is seen."""
    (folder / "slurm").touch()
    (folder / f"{name}.state").write_text(f"{state}\n", encoding="utf-8")
    (folder / f"{name}.reason").write_text(f"{reason}\n", encoding="utf-8")
    (folder / f"{name}.jobs").write_text("".join(f"{job}\n" for job in jobs), encoding="utf-8")


def commands(folder: Path, contents: dict[str, str]) -> None:
    """Write commands that stand in for others."""
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_text(f"#!/bin/sh\n{content}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
