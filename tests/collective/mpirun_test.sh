#!/usr/bin/env bash
# Training by several processes of mpirun: the same bytes with 1, 2 and 4 of them for every task and optimizer, stopping and resuming with
# another number, processes that are killed, and what is said where something is missing. Skipped without mpirun or the plugin.
#
#   mpirun_test.sh ATTEND [KILLS]     kills a process at KILLS (10) moments
set -euo pipefail

attend=$1 kills=${2:-10}
plugin=$(dirname "$attend")/attend_mpi.so
if ! command -v mpirun >/dev/null || [ ! -e "$plugin" ]; then
  echo "skipped: no mpirun or no $plugin (tools/dependencies.sh ensure mpi, then build)"
  exit 77
fi
# Open MPI refuses root, and more processes than cores, unless told; and asks for rights to read other processes that containers lack.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
together() {
  local count=$1
  shift
  timeout -k 10 120 mpirun --oversubscribe --bind-to none -n "$count" "$attend" "$@" --threads 1
}
fail() {
  echo "FAILED: $*" >&2
  tail -40 "$(ls -t "$folder"/*.log | head -1)" >&2
  exit 1
}

folder=$(mktemp -d)
started=
finish() {
  [ -z "$started" ] || kill "$started" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
nouns=(dog:Hund cat:Kater man:Mann fish:Fisch) verbs=(sees:sieht finds:findet likes:mag)
for a in "${nouns[@]}"; do
  for b in "${nouns[@]}"; do
    for v in "${verbs[@]}"; do
      en="the ${a%:*} ${v%:*} the ${b%:*}." de="der ${a#*:} ${v#*:} den ${b#*:}."
      echo "$en" >>train.en
      echo "$de" >>train.de
      printf '%s\t%s\n' "$([ "$a" = "$b" ] && echo same || echo other)" "$en" >>train.tsv
      printf '%s\t%s\n' "$en" "$de" >>pairs.tsv
      for word in the "${a%:*}" "${v%:*}" the "${b%:*}"; do
        case "$word" in dog | cat | man | fish) echo "$word B-LIFE" ;; *) echo "$word O" ;; esac
      done >>train.conll
      echo >>train.conll
    done
  done
done
head -8 train.en >valid.en
head -8 train.de >valid.de
head -8 train.tsv >valid.tsv
head -8 pairs.tsv >valid_pairs.tsv
head -40 train.conll >valid.conll

shape="--d-model 16 --n-heads 2 --d-ff 32 --vocab-size 60 --batch-tokens 60 --learning-rate 0.01 --warmup-steps 2"
steps="--max-steps 6 --valid-every 3 --save-every 2 --shards 4 --ema-decay 0.5"
translation="translation --src-train train.en --tgt-train train.de --src-valid valid.en --tgt-valid valid.de --n-encoder-layers 1 --n-decoder-layers 1"

# The files of a run and its log without times, in one line each.
contents() {
  (cd "$1" && find . -name '*.safetensors' -exec sha256sum {} + && sed -e 's/,"time":{[^}]*}//' log.jsonl | sha256sum) | sort
}
same() {
  [ "$(contents "$1")" = "$(contents "$2")" ] || fail "$2 has other bytes than $1"
}

trial() {
  local name=$1
  shift
  "$attend" train "$@" --out "$name-1" --threads 2 >"$name-1.log" 2>&1 || fail "$name by one process"
  for count in 2 4; do
    together "$count" train "$@" --out "$name-$count" >"$name-$count.log" 2>&1 || fail "$name by $count processes"
    same "$name-1" "$name-$count"
    [ "$(grep -c '^the model is' "$name-$count.log")" = 1 ] || fail "$name: not one report of $count processes"
  done
  echo "$name: 1, 2 and 4 processes leave the same bytes"
}
for optimizer in adam muon adam8bit; do
  trial "translation-$optimizer" $translation $shape $steps --optimizer "$optimizer"
done
trial wire $translation $shape $steps --wire bf16
! cmp -s wire-1/model.safetensors translation-adam-1/model.safetensors || fail "--wire bf16 rounds nothing"
for optimizer in adam muon adam8bit; do
  for count in 2 4; do
    together "$count" train $translation $shape $steps --optimizer "$optimizer" --shard-optimizer --out "sharded-$optimizer-$count" \
      >"sharded-$optimizer-$count.log" 2>&1 || fail "a sharded $optimizer of $count processes"
    same "translation-$optimizer-1" "sharded-$optimizer-$count"
  done
done
echo "sharded optimizers leave the same bytes"
trial rnn $translation $shape $steps --arch rnn --accumulate 2
trial lm lm --train train.en --valid valid.en --n-layers 1 --sequence-length 12 $shape $steps
trial classification classification --train train.tsv --valid valid.tsv --n-encoder-layers 1 $shape $steps
trial tagging tagging --train train.conll --valid valid.conll --n-encoder-layers 1 $shape $steps
trial embedding embedding --train pairs.tsv --valid valid_pairs.tsv --n-encoder-layers 1 $shape $steps
trial adapters translation --init-from translation-adam-1 --lora-rank 2 --src-train train.en --tgt-train train.de --batch-tokens 60 $steps

echo "== memory of a sharded optimizer"
large="--train train.en --n-layers 4 --d-model 256 --d-ff 1024 --vocab-size 60 --sequence-length 12 --batch-tokens 60 --max-steps 3 --shards 4"
# The smallest peak of four processes, in KiB: that of one that does not write checkpoints.
peak_of() {
  local name=$1
  shift
  timeout 120 mpirun --oversubscribe --bind-to none -n 4 python3 -c '
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)' "$attend" train lm $large --threads 1 --out "$name" "$@" >"$name.log" 2>&1 || fail "$name"
  sed -n 's/.*peak \([0-9]*\).*/\1/p' "$name.log" | sort -n | head -1
}
if command -v python3 >/dev/null; then
  whole=$(peak_of memory-whole) sharded=$(peak_of memory-sharded --shard-optimizer)
  cmp memory-whole/model.safetensors memory-sharded/model.safetensors || fail "other bytes"
  # A model of several buckets, whose sums overlap with the backward pass.
  "$attend" train lm $large --out memory-1 >memory-1.log 2>&1 || fail "the large model by one process"
  cmp memory-1/model.safetensors memory-whole/model.safetensors || fail "overlapped sums leave other bytes"
  # 3.2 million parameters have 24 MiB of moments, of which a process keeps a quarter.
  grep -q 'up to 24\.[0-9] MiB of optimizer state' memory-whole.log || fail "no word of the memory of a whole optimizer"
  grep -q 'up to 6\.[0-9] MiB of optimizer state' memory-sharded.log || fail "no word of the memory of shares"
  [ $((whole - sharded)) -gt 12000 ] || fail "a sharded optimizer takes $sharded KiB, a whole one $whole"
  echo "peak of a process: $whole KiB, sharded $sharded KiB"
fi

echo "== wrong use"
# One line says it, and nothing is left behind.
refused() {
  local wanted=$1
  shift
  if "$@" >refused.log 2>&1; then fail "accepted: $*"; fi
  [ "$(grep -c '^attend: ' refused.log)" = 1 ] || fail "not one message: $*"
  grep -q "^attend: .*$wanted" refused.log || fail "no message with $wanted: $*"
}
refused 'multiple of 2, the number of processes, got 1; with --shards 2' together 2 train $translation $shape --out refused
refused 'expected 1, 2, 4, 8, ... processes' together 3 train $translation $shape --shards 4 --out refused
refused 'unexpected argument nothing' together 2 train translation nothing
refused 'dry-run: expected one process' together 2 train $translation $shape --shards 4 --dry-run
refused 'lm-1 holds a run of 6 steps' together 2 train $translation $shape --shards 4 --out lm-1
# The second process has other options than the first.
with_other_second() {
  timeout 60 mpirun --oversubscribe --bind-to none -n 1 "$attend" train $translation $shape --shards 2 --threads 1 --out refused : \
    -n 1 "$attend" train $translation $shape --shards 2 --threads 1 --out refused "$@"
}
refused 'process 1 of 2 differs from the first in its sizes of batches' with_other_second --seed 2
refused 'process 1 of 2 differs from the first in its wire' with_other_second --wire bf16
rm -rf refused
refused 'nowhere.en' with_other_second --src-train nowhere.en
! ls refused/checkpoints/*.safetensors 2>/dev/null || fail "a refused run left a checkpoint"
mkdir alone
cp "$attend" alone/attend
refused 'OMPI_COMM_WORLD_SIZE says 2 processes, but the plugin for MPI cannot be opened.*libopenmpi-dev' \
  timeout 60 mpirun --oversubscribe -n 2 alone/attend train lm --train train.en --out refused

echo "== SIGTERM to one process"
long="$translation $shape --max-steps 1500 --valid-every 0 --save-every 7 --keep-checkpoints 2 --shards 4"
"$attend" train $long --out whole --threads 2 >whole.log 2>&1 || fail "the whole run"
# The process of a rank in a run.
process_of() {
  local process
  for process in $(pgrep -f -- "--out $folder/$1"); do
    [ "$(readlink "/proc/$process/exe" 2>/dev/null)" = "$(readlink -f "$attend")" ] || continue
    # Not grep -q: it would end before tr does, and pipefail would make a failure of that.
    tr '\0' '\n' 2>/dev/null <"/proc/$process/environ" | grep -x "OMPI_COMM_WORLD_RANK=$2" >/dev/null && echo "$process" && return
  done
  return 1
}
# Waits until a run has checkpoints, or until nothing runs any more.
until_saved() {
  for i in $(seq 600); do
    ls "$1"/checkpoints/*.safetensors >/dev/null 2>&1 && return
    kill -0 "$started" 2>/dev/null || return 0
    sleep 0.05
  done
}
for rank in 0 1; do
  together 2 train $long --shard-optimizer --out "$folder/stopped" >stopped.log 2>&1 &
  started=$!
  until_saved stopped
  victim=$(process_of stopped "$rank") || fail "no process $rank to stop"
  kill -TERM "$victim"
  status=0
  wait "$started" || status=$?
  started=
  [ "$status" = 143 ] || fail "status $status after SIGTERM to process $rank"
  grep -q '^checkpoint saved; resume with' stopped.log || fail "no word of the checkpoint after SIGTERM to process $rank"
  together 4 train translation --resume --out stopped >resumed.log 2>&1 || fail "resuming with 4 what 2 began"
  cmp whole/model.safetensors stopped/model.safetensors || fail "the resumed run has other bytes"
  rm -r stopped
done

echo "== kill -9 of one process"
slowest=0 done=0
while [ "$done" -lt "$kills" ]; do
  [ $((done % 2)) = 0 ] && optimizer=--shard-optimizer || optimizer=--no-shard-optimizer
  together 4 train $long "$optimizer" --resume --out "$folder/killed" >killed.log 2>&1 &
  started=$!
  until_saved killed
  # mpirun 4.1 itself may hang when a process dies while it is still connecting.
  for i in $(seq 600); do
    grep -q '^training ' killed.log && break
    sleep 0.05
  done
  sleep "0.$((RANDOM % 1000 + 1000))"
  rank=$((RANDOM % 4))
  victim=$(process_of killed "$rank") || true
  if [ -z "$victim" ]; then  # the run has come to its end
    wait "$started" || fail "a run that was not killed"
    started=
    rm -r killed
    continue
  fi
  killed_at=$(date +%s%N)
  kill -9 "$victim" 2>/dev/null || true
  status=0
  wait "$started" || status=$?
  started=
  took=$((($(date +%s%N) - killed_at) / 1000000))
  [ "$took" -le "$slowest" ] || slowest=$took
  [ "$status" != 124 ] || fail "the others hang after kill -9 of process $rank"
  [ "$status" != 0 ] || continue  # it had come to its end
  done=$((done + 1))
  grep -q "rank $rank .*signal 9" killed.log || fail "no word of process $rank"
  ! process_of killed 0 && ! process_of killed 1 && ! process_of killed 2 && ! process_of killed 3 || fail "a process is left"
  newest=$(ls killed/checkpoints/step-*.safetensors | tail -1)
  "$attend" info "$newest" >info.log 2>&1 || fail "$newest is damaged"
done
echo "the others ended after at most $slowest ms"
"$attend" train $long --resume --out killed --threads 1 >last.log 2>&1 || fail "resuming alone what was killed $kills times"
cmp whole/model.safetensors killed/model.safetensors || fail "the run that was killed $kills times has other bytes"
echo "killed $kills times, resumed alone: the same bytes"
