#include "attend/interchange/migration/opennmt/opennmt.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/error.h"
#include "interchange/migration/migrated_lines.h"

namespace attend {
namespace {

const std::string kUsualOpenNmt = R"(save_model: run/model
data:
    corpus_1:
        path_src: europarl.en
        path_tgt: europarl.de
        weight: 3
    corpus_2:
        path_src: news.en
        path_tgt: news.de
    valid:
        path_src: dev.en
        path_tgt: dev.de
        transforms:
src_vocab: run/vocab.src
share_vocab: true
transforms: [sentencepiece, filtertoolong, switchout]
src_seq_length: 150
tgt_seq_length: 140
src_vocab_size: 8000
tgt_vocab_size: 8000
# Transformer
encoder_type: transformer
decoder_type: transformer
position_encoding: true
word_vec_size: 256
rnn_size: 256
layers: 3
heads: 4
transformer_ff: 1024
dropout: [0.2]
attention_dropout:
- 0.05
share_embeddings: 'true'
share_decoder_embeddings: 'true'
optim: adam
adam_beta2: 0.998
decay_method: noam
learning_rate: 2.0
warmup_steps: 8000
max_grad_norm: 0
label_smoothing: 0.1
batch_size: 4096
batch_type: tokens
normalization: tokens
accum_count: [4]
world_size: 2
gpu_ranks: [0, 1]
train_steps: 50000
valid_steps: 1000
save_checkpoint_steps: 2000
keep_checkpoint: 5
average_decay: 0.0005
early_stopping: 4
report_every: 100
seed: 3435
model_dtype: fp16
frobnicate: 3
)";

TEST(MigratedOpenNmt, BecomesARecipe) {
  expect_lines(
      migrated(kUsualOpenNmt, "x.yaml"),
      {"# x.yaml (OpenNMT-py) as options of attend train translation",
       "src-train = [\"europarl.en\", \"news.en\"] # data.corpus_1.path_src: europarl.en; "
       "data.corpus_2.path_src: news.en",
       "tgt-valid = [\"dev.de\"] # data.valid.path_tgt: dev.de",
       "joint-vocabulary = true #",
       "tokenizer = \"unigram\" #",
       "vocab-size = 8000 #",
       "max-length = 140 #",
       "d-model = 256 # hidden_size: 256",
       "n-encoder-layers = 3 # layers: 3",
       "n-decoder-layers = 3 # layers: 3",
       "n-heads = 4 #",
       "d-ff = 1024 #",
       "dropout = 0.2 #",
       "activation-dropout = 0.2 # dropout: 0.2",
       "attention-dropout = 0.05 #",
       "attention-biases = \"none\" # add_qkvbias: false, OpenNMT-py's default; older versions",
       "ffn-bias = false #",
       "norm-first = true # as in OpenNMT-py",
       "norm-epsilon = 1e-06 #",
       "positions = \"sinusoidal\" # position_encoding: true",
       "tie-embeddings = \"all\" #",
       "output-bias = true #",
       "adam-beta2 = 0.998 #",
       "adam-epsilon = 1e-08 #",
       "schedule = \"noam\" # decay_method: noam",
       "learning-rate = 2.0 #",
       "warmup-steps = 8000 #",
       "clip-norm = 0.0 #",
       "batch-tokens = 4096 #",
       "accumulate = 8 # accum_count: 4; world_size: 2",
       "max-steps = 50000 #",
       "valid-every = 1000 #",
       "save-every = 2000 #",
       "keep-checkpoints = 5 #",
       "ema-decay = 0.9995 #",
       "patience = 4 #",
       "log-every = 100 #",
       "seed = 3435 #",
       "# data.corpus_1.weight: 3: mix-weights",
       "# data.valid.transforms: all files are read alike",
       "# transforms: sentencepiece filtertoolong switchout: change the text before training, or "
       "leave out: switchout",
       "# model_dtype: fp16: precision",
       "# frobnicate: 3"});
}

std::string openmt(const std::string& lines) {
  return migrated("encoder_type: transformer\n" + lines, "x.yaml", MigrationSource::opennmt);
}

TEST(MigratedOpenNmt, HasItsOwnDefaults) {
  expect_lines(openmt(""),
               {"d-model = 500 # hidden_size: 500, OpenNMT-py's default", "n-encoder-layers = 2 #",
                "positions = \"none\" #", "embedding-scale = 1.0 #", "tie-embeddings = \"none\" #",
                "clip-norm = 5.0 #", "schedule = \"constant\" #", "vocab-size = 32768 #",
                "tokenizer = \"word\" #", "pretokenized = true #", "batch-tokens = 4096 #",
                "# optim: sgd, OpenNMT-py's default: the optimizer is Adam here",
                "# decoder_type: rnn, OpenNMT-py's default"});
}

TEST(MigratedOpenNmt, TranslatesWhatDependsOnOthers) {
  expect_lines(openmt("decay_method: rsqrt\nwarmup_steps: 100\nlearning_rate: 2\n"),
               {"schedule = \"inverse_sqrt\" #", "learning-rate = 0.2 #", "warmup-steps = 100 #"});
  expect_lines(openmt("pos_ffn_activation_fn: silu\nmax_relative_positions: -1\nlayer_norm: rms\n"
                      "add_qkvbias: true\nadd_ffnbias: true\n"),
               {"activation = \"swish\" #", "gated-ffn = true #", "positions = \"rotary\" #",
                "norm = \"rms\" #", "attention-biases = \"all\" #", "ffn-bias = true #"});
  expect_lines(openmt("position_encoding_type: SinusoidalConcat\nposition_encoding: true\n"),
               {"positions = \"sinusoidal_t2t\" #"});
  expect_lines(
      openmt("dropout: [0.3, 0.1]\ndropout_steps: [0, 100]\nenc_layers: 4\n"),
      {"n-encoder-layers = 4 #", "n-decoder-layers = 2 #", "# dropout: 0.3 0.1: one value holds"});
}

TEST(MigratedOpenNmt, Decodes) {
  expect_lines(migrated("model: [run/model_step_1000.pt]\nsrc: in.txt\noutput: out.txt\n"
                        "beam_size: 4\nn_best: 2\nlength_penalty: none\nbatch_size: 8\n"
                        "block_ngram_repeat: 3\nban_unk_token: true\n",
                        "translate.yaml"),
               {"# translate.yaml (OpenNMT-py) as options of attend translate", "beam-size = 4 #",
                "n-best = 2 #", "length-penalty = 0.0 #", "batch-size = 8 #",
                "no-repeat-ngram = 3 #", "forbid-unknown = true #", "max-length = 250 #"});
  expect_lines(migrated("model: m.pt\nsrc: in.txt\nrandom_sampling_topk: 10\n"
                        "random_sampling_temp: 0.7\nbeam_size: 5\nseed: 3\n",
                        "translate.yaml"),
               {"sample = true #", "top-k = 10 #", "temperature = 0.7 #", "seed = 3 #",
                "# beam_size: 5: samples have no beam"});
}

TEST(MigratedOpenNmt, HasAFateForEveryOption) {
  expect_a_fate_for_every_rule(opennmt_training_tables(), [](std::vector<ForeignOption> options) {
    return migrate_opennmt_training(std::move(options), "x.yaml");
  });
  for (const bool draws : {false, true})
    expect_a_fate_for_every_rule(opennmt_decoding_tables(),
                                 [draws](std::vector<ForeignOption> options) {
                                   if (draws && options.front().name != "random_sampling_topk")
                                     options.push_back({"random_sampling_topk", {"5"}});
                                   return migrate_opennmt_decoding(std::move(options), "x.yaml");
                                 });
}

}  // namespace
}  // namespace attend
