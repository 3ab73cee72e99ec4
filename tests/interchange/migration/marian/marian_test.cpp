#include "attend/interchange/migration/marian/marian.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/migration/rules.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "attend/tasks/translation/model.h"
#include "interchange/fixtures.h"
#include "interchange/migration/migrated_lines.h"

namespace attend {
namespace {

const std::string kUsualMarian = R"(# as users write it
model: model/model.npz
task: transformer-base
train-sets:
  - corpus.en
  - corpus.de
valid-sets: [dev.en, dev.de]
vocabs:
  - vocab.spm
  - vocab.spm
dim-vocabs: [32000, 32000]
mini-batch-fit: true
workspace: 8000
optimizer-delay: 2
valid-freq: 5000
save-freq: 5000u
disp-freq: 500
early-stopping: 5
valid-metrics: [bleu-detok, ce-mean-words]
after: 20e,100Ku
beam-size: 6
normalize: 0.6
seed: 1111
devices: [0, 1]
valid-script-path: ./score.sh
transformer-dropout: 0.2
frobnicate: 3
)";

TEST(MigratedMarian, BecomesARecipe) {
  const std::string recipe = migrated(kUsualMarian, "marian.yml");
  expect_lines(
      recipe,
      {"src-train = [\"corpus.en\"] # train-sets: corpus.en corpus.de",
       "tgt-train = [\"corpus.de\"] # train-sets: corpus.en corpus.de",
       "src-valid = [\"dev.en\"] # valid-sets: dev.en dev.de",
       "tokenizer = \"unigram\" #",
       "joint-vocabulary = true # vocabs: vocab.spm vocab.spm; a new vocabulary is learned from "
       "the text",
       "vocab-size = 32000 # dim-vocabs: 32000 32000",
       "d-model = 512 # dim-emb: 512, of task transformer-base",
       "d-ff = 2048 # transformer-dim-ffn: 2048, of task transformer-base",
       "n-heads = 8 # transformer-heads: 8, of task transformer-base",
       "n-encoder-layers = 6 # enc-depth: 6, of task transformer-base",
       "dropout = 0.2 # transformer-dropout: 0.2",
       "tie-embeddings = \"all\" # tied-embeddings-all: true, of task transformer-base",
       "label-smoothing = 0.1 # label-smoothing: 0.1, of task transformer-base",
       "max-epochs = 20 # after: 20e,100Ku",
       "max-steps = 100000 # after: 20e,100Ku",
       "accumulate = 2 # optimizer-delay: 2",
       "valid-every = 5000 # valid-freq: 5000",
       "save-every = 5000 # save-freq: 5000u",
       "log-every = 500 # disp-freq: 500",
       "patience = 5 # early-stopping: 5",
       "ema-decay = 0.9999 #",
       "schedule = \"inverse_sqrt\" # lr-decay-inv-sqrt: 16000, of task transformer-base",
       "learning-rate = 0.0003 # learn-rate: 0.0003, of task transformer-base",
       "adam-beta2 = 0.98 #",
       "adam-epsilon = 1e-09 #",
       "beam-size = 6 # beam-size: 6",
       "valid-beam-size = 6 # beam-size: 6",
       "length-penalty = 0.6 # normalize: 0.6",
       "seed = 1111 # seed: 1111",
       "positions = \"sinusoidal_t2t\" # as in Marian",
       "output-bias = true # output-omit-bias: false, Marian's default",
       "# devices: 0 1: attend computes on the CPU: threads"});
}

TEST(MigratedMarian, SaysWhatHasNoEqualAndWhatIsUnknown) {
  const std::string recipe = migrated(kUsualMarian, "marian.yml");
  const std::size_t same = recipe.find("# the same here"), none = recipe.find("# no equal here"),
                    unknown = recipe.find("# unknown");
  ASSERT_LT(same, none);
  ASSERT_LT(none, unknown);
  const std::string without = recipe.substr(none, unknown - none);
  EXPECT_NE(without.find("valid-script-path: ./score.sh: "), std::string::npos) << recipe;
  EXPECT_NE(without.find("mini-batch-fit: true: set batch-tokens"), std::string::npos) << recipe;
  EXPECT_NE(recipe.substr(same, none - same).find("workspace: 8000: "), std::string::npos);
  EXPECT_NE(recipe.substr(unknown).find("frobnicate: 3"), std::string::npos);
}

std::string with(const std::string& lines) {
  return migrated("type: transformer\n" + lines, "x.yml");
}

TEST(MigratedMarian, HasMariansOwnDefaults) {
  expect_lines(with(""), {"n-encoder-layers = 1 # enc-depth: 1, Marian's default",
                          "activation = \"swish\" #", "max-length = 50 #", "length-penalty = 0.0 #",
                          "beam-size = 12 #", "adam-beta2 = 0.999 #", "label-smoothing = 0.0 #",
                          "tie-embeddings = \"none\" #", "norm-epsilon = 1e-06 #",
                          "max-steps = 1000000000 # after: 0e, Marian's default; no limit"});
  EXPECT_EQ(with("").find("early-stopping"), std::string::npos) << "a default that changes nothing";
  EXPECT_NE(migrated("dim-emb: 8\n", "x.yml").find("type: amun, Marian's default: "),
            std::string::npos);
}

TEST(MigratedMarian, ExpandsTasksAsMarianDoes) {
  expect_lines(migrated("task: transformer-big-prenorm\nlearn-rate: 0.5\n", "x.yml"),
               {"d-model = 1024 # dim-emb: 1024, of task transformer-big-prenorm", "n-heads = 16 #",
                "norm-first = true #", "adam-beta2 = 0.998 #", "warmup-steps = 8000 #",
                "learning-rate = 0.5 # learn-rate: 0.5"});
  EXPECT_NE(migrated("task: transformer-huge\ntype: transformer\n", "x.yml")
                .find("#   task: transformer-huge: attend does not know"),
            std::string::npos);
}

TEST(MigratedMarian, ReadsWhereItNormalizesAndDrops) {
  expect_lines(with("transformer-preprocess: n\ntransformer-postprocess: da\n"
                    "transformer-dropout: 0.3\n"),
               {"norm-first = true #", "norm-output = \"off\" #", "dropout = 0.3 #"});
  expect_lines(with("transformer-postprocess: an\ntransformer-postprocess-emb: n\n"
                    "transformer-dropout: 0.3\n"),
               {"norm-embedding = true #",
                "dropout = 0.0 # transformer-dropout: 0.3; no operation d uses it"});
  expect_lines(with("transformer-postprocess-emb: n\ntransformer-dropout: 0.3\n"),
               {"dropout = 0.3 # transformer-dropout: 0.3; here on the embeddings and"});
  const std::string highway = with("transformer-postprocess: dhn\n");
  EXPECT_NE(highway.find("transformer-postprocess: dhn: "), std::string::npos) << highway;
  EXPECT_TRUE(lines_with(highway, "norm-first").empty());
}

TEST(MigratedMarian, TiesWhatMarianTies) {
  expect_lines(with("tied-embeddings: true\n"), {"tie-embeddings = \"target\" #"});
  expect_lines(with("tied-embeddings-src: true\n"),
               {"tie-embeddings = \"inputs\" #", "joint-vocabulary = true #"});
  expect_lines(with("tied-embeddings-src: true\ntied-embeddings: true\n"),
               {"tie-embeddings = \"all\" #"});
}

TEST(MigratedMarian, TranslatesTheScheduleOnlyWhereThereIsOne) {
  expect_lines(with("lr-warmup: 8000\n"), {"schedule = \"constant\" #", "warmup-steps = 8000 #"});
  expect_lines(with("lr-warmup: 16K\nlr-decay-inv-sqrt: 16000u\n"),
               {"schedule = \"inverse_sqrt\" #",
                "warmup-steps = 16000 # lr-warmup: 16K; lr-decay-inv-sqrt: 16000u"});
  const std::string other = with("lr-warmup: 4000\nlr-decay-inv-sqrt: 16000\n");
  expect_lines(other, {"warmup-steps = 16000 # lr-decay-inv-sqrt: 16000"});
  EXPECT_NE(other.find("lr-warmup: 4000: here the rate rises until step 16000; after step 16000"),
            std::string::npos);
  const std::string labels = with("lr-warmup: 4000t\n");
  expect_lines(labels, {"warmup-steps = 0 # lr-warmup has no equal"});
  EXPECT_NE(labels.find("lr-warmup: 4000t: only a number of updates"), std::string::npos);
}

TEST(MigratedMarian, KeepsTheSizeOfAStep) {
  expect_lines(with("mini-batch-words: 4000\noptimizer-delay: 4\n"),
               {"batch-tokens = 1000 # mini-batch-words: 4000; a step has optimizer-delay batches; "
                "the longer side of a pair counts",
                "accumulate = 4 #"});
  expect_lines(with("mini-batch-fit: true\nmini-batch-words: 4000\noptimizer-delay: 0.5\n"),
               {"batch-tokens = 4096 # as preset base",
                "# optimizer-delay: 0.5: a step is a whole number of batches: accumulate"});
}

TEST(MigratedMarian, EndsWhereMarianEnds) {
  expect_lines(
      with("after: 100Ku,3e\nafter-batches: 50\nafter-epochs: 4\n"),
      {"max-steps = 50 # after: 100Ku,3e; after-epochs: 4; after-batches: 50", "max-epochs = 3 #"});
  const std::string labels = with("after: 2Gt,70u\nafter-epochs: 2\n");
  expect_lines(labels, {"max-steps = 70 #", "max-epochs = 2 #"});
  EXPECT_NE(labels.find("after: 2Gt,70u: training does not end after"), std::string::npos);
}

TEST(MigratedMarian, ClipsOnlyWhatHasTheSameNorm) {
  expect_lines(with("clip-norm: 2\ncost-type: ce-mean-words\n"), {"clip-norm = 2.0 #"});
  EXPECT_TRUE(lines_with(with("clip-norm: 2\ncost-type: ce-sum\n"), "clip-norm").empty());
}

TEST(MigratedMarian, KnowsVocabulariesOfWordsAndOfPieces) {
  expect_lines(with("vocabs: [a.yml, b.yml]\ndim-vocabs: [100, 200]\n"),
               {"tokenizer = \"word\" #", "pretokenized = true #", "joint-vocabulary = false #",
                "vocab-size = 200 # dim-vocabs: 100 200; both vocabularies have the larger size "
                "here"});
  expect_lines(with("vocabs: [a.spm, b.spm]\nsentencepiece-options: --model_type=bpe "
                    "--character_coverage=1.0 --byte_fallback=true\n"),
               {"tokenizer = \"bpe\" # sentencepiece-options: --model_type=bpe",
                "byte-fallback = true #", "character-coverage = 1.0 #", "vocab-size = 32000 #"});
  EXPECT_NE(with("vocabs: [a.spm, b.spm]\nsentencepiece-options: --split_digits=true\n")
                .find("not in the recipe: --split_digits=true"),
            std::string::npos);
}

TEST(MigratedMarian, RefusesValuesThatNoOptionTakes) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"dim-emb: wide\n", "x.yml: dim-emb: expected a whole number from 1 to 65536, got wide"},
           {"label-smoothing: 7\n", "label-smoothing: expected a number from 0 to 1, got 7"},
           {"transformer-ffn-activation: leaky\n", "transformer-ffn-activation: expected one of"},
           {"valid-sets: [a, b]\nvalid-freq: 10x\n", "valid-freq: expected a whole number with a"},
           {"dim-emb:\n", "dim-emb: expected a value, got none"},
           {"dim-emb: [1, 2]\n", "x.yml: dim-emb"},
           {"tied-embeddings: 3\n", "tied-embeddings: expected true or false, got '3'"}}) {
    try {
      with(text);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST(MigratedMarian, DecodesAsMarianDoes) {
  expect_lines(
      migrated("models: [model.npz]\nvocabs: [a.spm, b.spm]\nbeam-size: 4\nnormalize: 0.7\n"
               "mini-batch: 16\nmaxi-batch: 10\nn-best: true\nalignment: hard\n"
               "cpu-threads: 2\n",
               "decoder.yml"),
      {"beam-size = 4 # beam-size: 4", "length-penalty = 0.7 # normalize: 0.7", "batch-size = 16 #",
       "window = 160 # maxi-batch: 10", "n-best = 4 #", "alignment = true #",
       "threads = 2 # cpu-threads: 2"});
  expect_lines(migrated("models: [m.npz]\noutput-sampling: [topk, 10, 0.5]\n", "decoder.yml"),
               {"sample = true #", "top-k = 10 #", "temperature = 0.5 #"});
  expect_lines(migrated("models: [m.npz]\n", "decoder.yml"),
               {"beam-size = 12 # beam-size: 12, Marian's default", "length-penalty = 0.0 #"});
}

TEST(MigratedMarian, HasAFateForEveryOption) {
  expect_a_fate_for_every_rule(marian_training_tables(), [](std::vector<ForeignOption> options) {
    return migrate_marian_training(std::move(options), OptionStyle::yaml, "x.yml");
  });
  expect_a_fate_for_every_rule(marian_decoding_tables(), [](std::vector<ForeignOption> options) {
    return migrate_marian_decoding(std::move(options), OptionStyle::yaml, "x.yml");
  });
}

// What Marian writes into its models: the recipe makes a model of that form.
TEST(MigratedMarian, MakesTheModelThatAnImportMakes) {
  for (const std::string name :
       {"native_joint", "native_two", "native_pre", "native_rms", "native_ssru"}) {
    SCOPED_TRACE(name);
    const ModelDirectory directory(fixture("models") / name);
    TensorTable weights = open_foreign_weights(directory.open("model.npz"));
    const MigratedFile file =
        migrate(weights.read_text("special:model.yml"), "model.yml", MigrationSource::marian);
    const auto model = translation_model(import_model(directory).checkpoint);
    TransformerConfig config = std::get<TransformerConfig>(model.network->architecture());
    const Recipe& recipe = file.migrations.front().recipe();
    for (const OptionField& field : option_fields(config)) {
      const std::string value = fmt::format("{}", fmt::join(option_values(field), " "));
      if (field.name != "dropout") {
        EXPECT_EQ(recipe.value(field.name), value) << field.name;
      }
    }
  }
}

}  // namespace
}  // namespace attend
