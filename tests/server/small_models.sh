# Sourced by the tests with clients: makes small models of every kind in a folder of its own, serves them, and sets $url. Needs $root and
# $attend; the caller may add to `finish`, which is called at the end, options of the server to $serve_options and the models' size to $size.
# `more_models`, if there is such a function, makes others with the options $small before the server starts, and names them in $serve_options.

folder=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
printf 'value\ttext\tother\n' >pairs.tsv
for i in 1 2 3 4 5 6 7 8; do
  printf 'The old dog sees the cat.\nA cat eats the fish.\nThe dog sleeps.\nThe cat sees a fish.\n' >>train.en
  printf 'Der alte Hund sieht die Katze.\nEine Katze frisst den Fisch.\nDer Hund schläft.\nDie Katze sieht einen Fisch.\n' >>train.de
  printf 'good\tA good film.\nbad\tA bad film.\n' >>train.tsv
  printf '0.9\tA good film.\tA fine film.\n0.1\tA good film.\tThe dog sleeps.\n' >>pairs.tsv
  printf 'Anna B-PER\nBell I-PER\nsees O\nParis B-LOC\n. O\n\nParis B-LOC\nsleeps O\n. O\n\n' >>tags.conll
done
small="${size:---d-model 16 --n-heads 2 --d-ff 16} --batch-tokens 64 --learning-rate 0.02 --warmup-steps 10 --max-steps 60 --threads 1"
"$attend" train translation $small --preset base --n-encoder-layers 1 --n-decoder-layers 1 --vocab-size 60 --src-train train.en --tgt-train train.de \
  --valid-every 0 --out en-de >log 2>&1
"$attend" train lm $small --preset base --n-layers 1 --sequence-length 64 --vocab-size 40 --train train.en --out lm >log 2>&1
"$attend" train classification $small --n-encoder-layers 1 --vocab-size 20 --train train.tsv --max-epochs 0 --out films >log 2>&1
"$attend" train classification $small --n-encoder-layers 1 --vocab-size 20 --train pairs.tsv --label-column value --text-column text --second-column other \
  --problem-type regression --max-epochs 0 --out pairs >log 2>&1
"$attend" train tagging $small --n-encoder-layers 1 --tokenizer word --vocab-size 10 --train tags.conll --max-epochs 0 --out ner >log 2>&1
cp -r "$root/tests/interchange/data/models/qwen2" talks
printf '%s' '{% for m in messages %}{{ bos_token + m.role + "\n" + m.content + eos_token }}{% endfor %}{{ bos_token + "assistant\n" }}' \
  >talks/chat_template.jinja
"$attend" import talks --out chat.safetensors >log 2>&1
"$attend" import "$root/tests/interchange/data/models/bert_sentences" --out vectors.safetensors >log 2>&1
if declare -F more_models >/dev/null; then more_models; fi

# shellcheck disable=SC2086  # several words
"$attend" serve en-de lm films vectors.safetensors chat.safetensors pairs ner --listen 127.0.0.1:0 --threads 1 --no-access-log ${serve_options:-} 2>serve.log &
server=$!
for try in $(seq 1200); do
  grep -q 'listening on' serve.log && break
  kill -0 "$server" 2>/dev/null || { cat serve.log; exit 1; }
  sleep 0.05
done
url=$(sed -n 's/^attend: listening on //p' serve.log)
