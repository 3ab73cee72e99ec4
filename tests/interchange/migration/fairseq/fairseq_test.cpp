#include "attend/interchange/migration/fairseq/fairseq.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/error.h"
#include "interchange/migration/migrated_lines.h"

namespace attend {
namespace {

const std::string kUsualFairseq = R"(#!/bin/bash
# IWSLT'14 German to English
TEXT=examples/iwslt14.tokenized.de-en
fairseq-preprocess --source-lang de --target-lang en \
    --trainpref $TEXT/train --validpref $TEXT/valid --testpref $TEXT/test \
    --nwordssrc 8848 --nwordstgt 6632 \
    --destdir data-bin/iwslt14 --workers 20

CUDA_VISIBLE_DEVICES=0 fairseq-train \
    data-bin/iwslt14 \
    --arch transformer_iwslt_de_en --share-decoder-input-output-embed \
    --optimizer adam --adam-betas '(0.9, 0.98)' --clip-norm 0.0 \
    --lr 5e-4 --lr-scheduler inverse_sqrt --warmup-updates 4000 \
    --dropout 0.3 --weight-decay 0.0001 \
    --criterion label_smoothed_cross_entropy --label-smoothing 0.1 \
    --max-tokens 4096 --max-update 50000 \
    --eval-bleu \
    --eval-bleu-args '{"beam": 5, "max_len_a": 1.2, "max_len_b": 10}' \
    --eval-bleu-detok moses \
    --eval-bleu-remove-bpe \
    --eval-bleu-print-samples \
    --best-checkpoint-metric bleu --maximize-best-checkpoint-metric \
    --fp16 --patience 5 --save-interval-updates 1000 --frobnicate 3 > log 2>&1 &
)";

TEST(MigratedFairseq, BecomesARecipe) {
  expect_lines(migrated(kUsualFairseq, "train.sh"),
               {"src-train = [\"examples/iwslt14.tokenized.de-en/train.de\"] # --trainpref",
                "tgt-train = [\"examples/iwslt14.tokenized.de-en/train.en\"] # --trainpref",
                "src-valid = [\"examples/iwslt14.tokenized.de-en/valid.de\"] #",
                "src-language = \"de\" # --source-lang de",
                "vocab-size = 8848 # --nwordssrc 8848; --nwordstgt 6632; both",
                "tokenizer = \"word\" #",
                "pretokenized = true #",
                "joint-vocabulary = false #",
                "d-model = 512 # --encoder-embed-dim 512; "
                "--decoder-embed-dim 512, of arch transformer_iwslt_de_en",
                "d-ff = 1024 #",
                "n-heads = 4 #",
                "n-encoder-layers = 6 #",
                "tie-embeddings = \"target\" #",
                "dropout = 0.3 # --dropout 0.3",
                "weight-decay = 0.0001 # --weight-decay 0.0001",
                "adam-beta2 = 0.98 # --adam-betas (0.9, 0.98)",
                "adam-epsilon = 1e-08 # --adam-eps 1e-08, fairseq's default",
                "learning-rate = 0.0005 # --lr 5e-4",
                "schedule = \"inverse_sqrt\" #",
                "warmup-steps = 4000 # --warmup-updates 4000",
                "label-smoothing = 0.1 #",
                "batch-tokens = 4096 # --max-tokens 4096; without padding, unlike fairseq",
                "max-steps = 50000 # --max-update 50000",
                "patience = 5 # --patience 5",
                "save-every = 1000 #",
                "valid-every = 1000 #",
                "valid-beam-size = 5 # eval-bleu-args",
                "max-length = 1024 #",
                "positions = \"sinusoidal_t2t\" # as in fairseq",
                "first-position = 2 # as in fairseq",
                "# --frobnicate 3"});
}

TEST(MigratedFairseq, SaysWhatHasNoEqual) {
  const std::string recipe = migrated(kUsualFairseq, "train.sh");
  const std::string without = recipe.substr(recipe.find("# no equal here"));
  for (const std::string part : {"--fp16: precision = \"bf16\"", "--eval-bleu-detok moses: ",
                                 "not in the recipe: max_len_a max_len_b", "--testpref"})
    EXPECT_NE(without.find(part), std::string::npos) << part << recipe;
}

std::string train(const std::string& options) {
  return migrated("fairseq-train data-bin " + options + "\n", "train.sh");
}

TEST(MigratedFairseq, KnowsArchitectures) {
  expect_lines(train("--arch transformer_vaswani_wmt_en_de_big --share-all-embeddings"),
               {"d-model = 1024 #", "d-ff = 4096 #", "n-heads = 16 #", "dropout = 0.3 #",
                "tie-embeddings = \"all\" #", "joint-vocabulary = true #", "norm-first = false #"});
  expect_lines(train("--arch transformer_wmt_en_de_big_t2t"),
               {"norm-first = true #", "attention-dropout = 0.1 #", "activation-dropout = 0.1 #"});
  expect_lines(train("--arch transformer --encoder-embed-dim 256 --encoder-learned-pos "
                     "--decoder-learned-pos"),
               {"d-model = 256 # --encoder-embed-dim 256; --decoder-embed-dim 256, as the encoder",
                "positions = \"learned\" #", "max-positions = 1024 #", "d-ff = 2048 #"});
  EXPECT_NE(train("--arch fconv").find("--arch fconv: the recipe trains a Transformer"),
            std::string::npos);
}

TEST(MigratedFairseq, HasWidthsForBothSidesAndNormsForOne) {
  expect_lines(train("--arch transformer --encoder-attention-heads 4 --encoder-normalize-before "
                     "--decoder-ffn-embed-dim 512"),
               {"n-heads = 4 #", "decoder-n-heads = 8 #", "d-ff = 2048 #", "decoder-d-ff = 512 #",
                "norm-first = false # encoder and decoder are alike"});
}

TEST(MigratedFairseq, TranslatesSchedules) {
  expect_lines(train("--arch transformer --lr-scheduler polynomial_decay --end-learning-rate 1e-5 "
                     "--total-num-update 900 --warmup-updates 10 --lr 1e-3"),
               {"schedule = \"linear\" #", "min-learning-rate = 1e-05 #", "warmup-steps = 10 #"});
  expect_lines(train("--arch transformer --lr-scheduler inverse_sqrt --warmup-init-lr 1e-07"),
               {"warmup-steps = 4000 # fairseq's default", "learning-rate = 0.25 #",
                "label-smoothing = 0.0 # --criterion cross_entropy, fairseq's default",
                "# --warmup-init-lr 1e-07: the rate rises from 0"});
  expect_lines(train("--arch transformer --lr-scheduler reduce_lr_on_plateau"),
               {"schedule = \"constant\" # lr-scheduler has no equal"});
}

TEST(MigratedFairseq, KnowsThatAFlagIsOn) {
  expect_lines(train("--arch transformer --sentence-avg --skip-remainder-batch"),
               {"# --sentence-avg: the loss is the mean of the tokens",
                "# --skip-remainder-batch: all batches are trained on"});
}

TEST(MigratedFairseq, MultipliesTheBatchesOfAStep) {
  expect_lines(train("--arch transformer --max-tokens 100 --update-freq 2 "
                     "--distributed-world-size 4"),
               {"accumulate = 8 #"});
}

TEST(MigratedFairseq, TrainsLanguageModels) {
  expect_lines(
      migrated("fairseq-preprocess --only-source --trainpref wiki.train.tokens "
               "--validpref wiki.valid.tokens --nwordssrc 1000\n"
               "fairseq-train --task language_modeling data-bin/wikitext-103 "
               "--arch transformer_lm --share-decoder-input-output-embed --dropout 0.1 "
               "--optimizer adam --adam-betas '(0.9, 0.98)' --tokens-per-sample 512 "
               "--sample-break-mode none --max-tokens 2048 --update-freq 16 "
               "--lr-scheduler inverse_sqrt --lr 0.0005 --max-update 50000\n",
               "lm.sh"),
      {"# lm.sh (fairseq) as options of attend train lm",
       "train = [\"wiki.train.tokens\"] # --trainpref wiki.train.tokens", "documents = true #",
       "sequence-length = 512 # --tokens-per-sample 512", "d-model = 512 #", "n-layers = 6 #",
       "norm-first = true #", "tied = true #", "vocab-size = 1000 #"});
}

TEST(MigratedFairseq, Decodes) {
  expect_lines(
      migrated("fairseq-generate data-bin/iwslt14 --path checkpoints/checkpoint_best.pt "
               "--batch-size 128 --beam 4 --lenpen 0.6 --nbest 2 --remove-bpe "
               "--no-repeat-ngram-size 3 --max-len-b 300 --print-alignment\n",
               "generate.sh"),
      {"# generate.sh (fairseq) as options of attend translate", "beam-size = 4 #",
       "length-penalty = 0.6 #", "n-best = 2 #", "batch-size = 128 #", "no-repeat-ngram = 3 #",
       "max-length = 300 # --max-len-b 300", "min-length = 1 #", "alignment = true #"});
  expect_lines(migrated("fairseq-interactive d --path a.pt --sampling --sampling-topk 10 "
                        "--temperature 0.7 --seed 3 --beam 5\n",
                        "generate.sh"),
               {"sample = true #", "top-k = 10 #", "temperature = 0.7 #", "seed = 3 #",
                "# --beam 5: samples have no beam"});
}

TEST(MigratedFairseq, RefusesValuesThatNoOptionTakes) {
  for (const auto& [options, message] : std::vector<std::pair<std::string, std::string>>{
           {"--lr fast", "train.sh: --lr: expected a number above 0 up to 1e+30, got fast"},
           {"--adam-betas 0.9", "--adam-betas: expected two numbers"},
           {"--lr", "--lr: expected a value, got none"},
           {"--lr 1 --lr 2", "--lr is given twice, as '1' and '2'; keep one of them"},
           {"--eval-bleu-args beam", "--eval-bleu-args: expected a JSON object"},
           {"-q", "expected options of fairseq-train, got '-q'"}}) {
    try {
      train(options);
      ADD_FAILURE() << options;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST(MigratedFairseq, HasAFateForEveryOption) {
  for (const std::string task : {"translation", "language_modeling"})
    expect_a_fate_for_every_rule(
        fairseq_training_tables(), [&task](std::vector<ForeignOption> options) {
          if (options.front().name != "task") options.push_back({"task", {task}});
          return migrate_fairseq_training(std::move(options), true, "x.sh");
        });
  for (const bool samples : {false, true})
    expect_a_fate_for_every_rule(fairseq_decoding_tables(),
                                 [samples](std::vector<ForeignOption> options) {
                                   if (samples && options.front().name != "sampling")
                                     options.push_back({"sampling"});
                                   return migrate_fairseq_decoding(std::move(options), "x.sh");
                                 });
}

}  // namespace
}  // namespace attend
