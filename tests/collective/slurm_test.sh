#!/usr/bin/env bash
# Training under srun: a Slurm of one node, made for the test, starts two processes, which leave the bytes of one; a signal to the job saves
# and stops. Needs root, slurmctld, slurmd, srun with PMIx and munged (slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge).
#
#   slurm_test.sh ATTEND
set -euo pipefail

attend=$1
for program in slurmctld slurmd srun munged; do
  command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: a Slurm of its own needs root"; exit 77; }
[ -e "$(dirname "$attend")/attend_mpi.so" ] || { echo "skipped: built without MPI"; exit 77; }

folder=$(mktemp -d)
finish() {
  local file daemon
  for file in d.pid ctld.pid munge/pid; do
    daemon=$(cat "$folder/$file" 2>/dev/null) && kill "$daemon" || continue
    for i in $(seq 100); do
      kill -0 "$daemon" 2>/dev/null || break
      sleep 0.1
    done
  done
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "FAILED: $*" >&2
  tail -20 "$(ls -t "$folder"/*.log | head -1)" >&2
  exit 1
}
cd "$folder"
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
mkdir state spool munge
head -c 128 /dev/urandom >munge/key
chmod 400 munge/key
chmod 755 . munge
chown -R munge munge
runuser -u munge -- munged --socket="$folder/munge/socket" --key-file="$folder/munge/key" --pid-file="$folder/munge/pid" \
  --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
node=$(hostname -s)
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/ctld.pid
SlurmdPidFile=$folder/d.pid
SlurmctldLogFile=$folder/ctld.log
SlurmdLogFile=$folder/d.log
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
export SLURM_CONF=$folder/slurm.conf OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
slurmctld
slurmd

for i in $(seq 40); do
  echo "the dog number $i sees a cat" >>train.txt
done
training="train lm --train train.txt --n-layers 1 --d-model 16 --n-heads 2 --d-ff 32 --vocab-size 40 --sequence-length 12 --batch-tokens 60
  --shards 4"
together() {
  timeout 120 srun --ntasks=2 --overcommit --mpi=pmix "$attend" $training --threads 1 "$@"
}
"$attend" $training --max-steps 5 --out alone >alone.log 2>&1 || fail "one process"
together --max-steps 5 --out two >two.log 2>&1 || fail "two processes of srun"
cmp alone/model.safetensors two/model.safetensors || fail "two processes leave other bytes than one"

together --max-steps 1000000 --valid-every 0 --save-every 0 --out stopped >stopped.log 2>&1 &
for i in $(seq 600); do
  [ -s stopped/log.jsonl ] && break
  sleep 0.1
done
scancel --signal=TERM "$(squeue --noheader --steps --format=%i | head -1)"
status=0
wait $! || status=$?
[ "$status" = 143 ] || fail "status $status after scancel"
grep -q '^checkpoint saved; resume with' stopped.log || fail "no word of the checkpoint after scancel"
ls stopped/checkpoints/*.safetensors >/dev/null || fail "no checkpoint after scancel"
echo "two processes of srun leave the bytes of one, and stop when told"
