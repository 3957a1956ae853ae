#!/bin/sh
# Written by Clusterwright, step H39. After the last job of a person on a node, nothing of theirs is left: no process, no shared memory.
[ "$SLURM_UID" -ge 1000 ] || exit 0
jobs=$(squeue --noheader --format=%A --user="$SLURM_UID" --nodelist="$SLURMD_NODENAME" --states=running,suspended,configuring) || exit 0
for job in $jobs; do
  [ "$job" = "$SLURM_JOB_ID" ] || exit 0
done
pkill -KILL -U "$SLURM_UID"
find /dev/shm -xdev -mindepth 1 -user "$SLURM_UID" -delete
exit 0
