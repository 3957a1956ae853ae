#!/bin/sh
# Puts a host under load: burn_in_load.sh gpu FOLDER, without an end, or burn_in_load.sh system FOLDER SECONDS MEMORY DISK_MIB, all
# of it together for so long. What the tools print stays in the folder; a tool that finds an error ends the load.
set -u
kind=$1 folder=$2
cd "$folder" || exit 1

gpu_round() {
    # one round of the GPU's load; its words are kept when it has ended
    if command -v gpu_burn >/dev/null; then
        gpu_burn -tc "$1" >gpu_burn.new 2>&1
    else
        dcgmi diag -r targeted_power -p "targeted_power.test_duration=$1" -j >dcgm.new 2>&1
    fi
    rc=$?
    [ ! -e gpu_burn.new ] || { mv gpu_burn.new gpu_burn.txt && echo $rc >gpu_burn.rc; }
    [ ! -e dcgm.new ] || { mv dcgm.new dcgm.txt && echo $rc >dcgm.rc; }
    return $rc
}

has_gpu_load() { [ -e /proc/driver/nvidia/gpus ] && { command -v gpu_burn >/dev/null || command -v dcgmi >/dev/null; }; }

case $kind in
gpu)
    has_gpu_load || { echo "no GPU with its driver, or neither gpu_burn nor dcgmi" >&2; exit 69; }
    while gpu_round 3600; do :; done
    exit 1
    ;;
system)
    seconds=$3 memory=$4 disk_mib=$5
    set --
    rm -f ./*.rc stress.yaml fio_*.json
    if has_gpu_load; then gpu_round "$seconds" & fi
    stress-ng --cpu 0 --vm 2 --vm-bytes "$memory" --verify --timeout "$seconds" --metrics --yaml stress.new >stress.txt 2>&1 &
    stress=$!
    # it is written once, which wears the drive, and read until the end
    end=$(($(date +%s) + seconds))
    for rw in write read; do
        [ $rw = write ] || set -- --time_based --runtime="$((end - $(date +%s) > 0 ? end - $(date +%s) : 1))"
        fio --name=$rw --rw=$rw --filename=fio.scratch --size="${disk_mib}M" --bs=1M --ioengine=psync --end_fsync=1 --direct=1 \
            --output-format=json "$@" >fio_$rw.json 2>fio_$rw.txt
        echo $? >fio_$rw.rc
    done
    rm -f fio.scratch
    wait $stress
    rc=$?
    mv stress.new stress.yaml
    echo $rc >stress.rc
    wait
    exit $rc
    ;;
esac
