#!/bin/sh
# transformers loads what `attend export` writes, and computes the same: of imported models and of
# models that attend has trained. So does CTranslate2 with what its converter makes of them. Skipped
# (77) without transformers; without sentence-transformers, protobuf or ctranslate2, what needs them.
#   transformers_test.sh SOURCE_DIR ATTEND
# ATTEND_PYTHON: a Python that has transformers; by default python3.
set -eu
source=$1 attend=$2 python=${ATTEND_PYTHON:-python3}
"$python" -c 'import transformers, torch, sentencepiece, safetensors' 2>/dev/null || {
  echo "skipped: $python has no transformers, torch, sentencepiece and safetensors"
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
check() { "$python" "$source/tools/check_export.py" "$attend" "$@"; }
# A family that CTranslate2 knows: FOLDER of check().
converts() {
  "$python" -c 'import ctranslate2' 2>/dev/null || return 0
  "$python" "$source/tools/check_ctranslate2.py" "$1/exported" "$1/exported_golden.safetensors" "$1/ctranslate2"
}

round_trip() { # NAME LANGUAGES...
  name=$1
  shift
  original=$source/tests/interchange/data/models/$name
  "$attend" import "$original" --out "$folder/$name.safetensors" > "$folder/log"
  check "$folder/$name.safetensors" "$folder/$name" "$original" "$@"
}
for name in marian marian_separate gpt2 llama mistral qwen2 qwen3 bart bart_widths pegasus t5 \
    flan_t5 umt5 longt5 t5gemma mixtral qwen2_moe qwen3_moe mistral_window qwen2_window smollm3 \
    gemma gemma2 gemma3 phi3 phi4_mini olmo2 gpt_neox stablelm granite phi falcon falcon_new gptj \
    cohere mpt opt_narrow \
    opt opt_post_norm bloom bert_classifier bert_regression bert_tagger distilbert_classifier \
    distilbert_tagger roberta_classifier roberta_multi_label roberta_tagger mpnet_classifier \
    mpnet_tagger electra_encoder electra_classifier electra_tagger camembert_classifier \
    camembert_tagger albert_classifier albert_tagger nomic_bert_classifier nomic_bert_tagger \
    modernbert_classifier modernbert_tagger gte_classifier gte_tagger \
    deberta_classifier deberta_tagger; do
  round_trip "$name"
done
round_trip m2m_100 en de
round_trip nllb eng_Latn fra_Latn
round_trip nllb_legacy eng_Latn deu_Latn
round_trip mbart en_XX ro_RO
round_trip mbart50 en_XX fr_XX
if "$python" -c 'import sentence_transformers' 2>/dev/null; then
  round_trip bert_sentences
  round_trip bert_dense
  round_trip xlm_roberta_sentences
  round_trip mpnet_sentences
  round_trip camembert_sentences
  round_trip albert_sentences
  round_trip nomic_bert_sentences
  round_trip deberta_sentences
  round_trip modernbert_sentences
  round_trip gte_sentences
  round_trip qwen3_sentences
  round_trip mistral_sentences
  round_trip embedding_gemma_sentences
else
  echo "skipped: $python has no sentence-transformers"
fi
# Directories with a SentencePiece model in place of a tokenizer.json.
if "$python" -c 'import google.protobuf' 2>/dev/null; then
  round_trip xlm_roberta_classifier
  round_trip mt5
  round_trip mbart50_v4 en_XX fr_XX
  round_trip pegasus_v4
else
  echo "skipped: $python has no protobuf, which transformers reads these tokenizers with"
fi

# Marian's own models, which transformers cannot load, as MarianMT.
for name in native_joint native_spm; do
  "$attend" import "$source/tests/interchange/data/models/$name" --out "$folder/$name.safetensors" > "$folder/log"
  check "$folder/$name.safetensors" "$folder/$name"
done

# Random language models: greedy texts and perplexities.
"$python" "$source/tools/check_language_models.py" "$attend" 6

# WORDS -> 300 sentences of them
sentences() {
  awk -v words="$1" 'BEGIN { n = split(words, w, " ")
    for (i = 0; i < 300; ++i) print w[i % n + 1], w[int(i / 3) % n + 1], w[i * i % n + 1], w[int(i / 7) % n + 1] " ." }'
}
mkdir "$folder/demo"
sentences 'The small man sees an old dog while a woman buys two green apples' > "$folder/demo/train.en"
sentences 'Der kleine Mann sieht einen alten Hund wenn die Frau zwei grüne Äpfel kauft' > "$folder/demo/train.de"
small='--d-model 16 --n-heads 2 --d-ff 24 --vocab-size 70 --max-steps 20 --batch-tokens 512'
train() { # NAME TASK OPTIONS...
  name=$1 task=$2
  shift 2
  # shellcheck disable=SC2086
  "$attend" train "$task" --data "$folder/demo" --out "$folder/$name" $small "$@" > "$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
  }
  check "$folder/$name" "$folder/$name.check"
}
pairs="--src-train train.en --tgt-train train.de --n-encoder-layers 2 --n-decoder-layers 1"
# shellcheck disable=SC2086
train translator translation $pairs
# shellcheck disable=SC2086
train separate translation $pairs --no-joint-vocabulary --tie-embeddings none \
  --tokenizer unigram --vocab-size 30 --activation gelu
# shellcheck disable=SC2086
train target translation $pairs --no-joint-vocabulary --tie-embeddings target
# shellcheck disable=SC2086
train normalized_first translation $pairs --norm-first
# shellcheck disable=SC2086
train normalized_first_bytes translation $pairs --norm-first --tokenizer byte-bpe \
  --vocab-size 270 --normalization nfkc
# shellcheck disable=SC2086
train widths translation $pairs --decoder-n-heads 4 --decoder-d-ff 40
# shellcheck disable=SC2086
train relative translation $pairs --norm-first --norm rms --norm-epsilon 1e-6 --no-ffn-bias \
  --positions relative --attention-biases none --inverse-temperature 1 --embedding-scale 1
# shellcheck disable=SC2086
train relative_in_layers translation $pairs --norm-first --norm rms --norm-epsilon 1e-6 \
  --no-ffn-bias --positions relative --no-relative-shared --attention-biases none \
  --inverse-temperature 1 --embedding-scale 1 --output-scale 0.25
train slopes lm --train train.en --n-layers 2 --positions alibi --norm-embedding \
  --activation gelu_tanh --embedding-scale 1 --d-ff 64
train generator lm --train train.en --n-layers 2
train learned lm --train train.en --n-layers 2 --positions learned --max-positions 64 \
  --sequence-length 64 --tokenizer unigram --vocab-size 30
train rotary_normalized lm --train train.en --n-layers 2 --positions rotary --norm rms --qk-norm \
  --rotary-scaling yarn --rotary-factor 4 --rotary-original-length 24 --rotary-high-factor 32 \
  --gated-ffn --no-ffn-bias --attention-biases none --activation swish
train windows lm --train train.en --n-layers 3 --positions rotary --norm rms --qk-norm \
  --norm-branch --attention-window 4 --attention-layers local,global --local-rotary-theta 100 \
  --gated-ffn --no-ffn-bias --attention-biases none --activation gelu_tanh
train window lm --train train.en --n-layers 2 --positions rotary --norm rms \
  --gated-ffn --no-ffn-bias --attention-biases none --activation swish --attention-window 3
train rotary lm --train train.en --n-layers 2 --positions rotary --norm rms \
  --gated-ffn --no-ffn-bias --attention-biases none --activation swish --n-key-heads 1

"$python" -c 'import ctranslate2' 2>/dev/null || echo "skipped: $python has no ctranslate2"
# Not Flan-T5, whose output its converter scales although it is not tied to the embeddings; nor two
# vocabularies and YaRN, which it does not know; nor M2M100, whose languages it does not find in
# transformers 5; nor a decoder with other heads than the encoder, to which it gives those of the
# encoder. For Qwen2 and OPT it expects pieces that the small models do not have.
for name in marian gpt2 llama mistral bart pegasus t5 bloom bert_classifier distilbert_classifier \
    roberta_classifier nllb mbart mbart50 translator.check normalized_first.check generator.check \
    learned.check rotary.check slopes.check; do
  converts "$folder/$name"
done
