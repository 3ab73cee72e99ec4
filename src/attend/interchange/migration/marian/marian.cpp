#include "attend/interchange/migration/marian/marian.h"

#include <array>

#include "attend/interchange/migration/marian/marian_rules.h"
#include "attend/interchange/migration/recipes.h"

namespace attend {

namespace {

constexpr PresetValue kMarianBase[] = {
    {"type", "transformer"},
    {"enc-depth", "6"},
    {"dec-depth", "6"},
    {"dim-emb", "512"},
    {"tied-embeddings-all", "true"},
    {"transformer-dim-ffn", "2048"},
    {"transformer-heads", "8"},
    {"transformer-postprocess", "dan"},
    {"transformer-preprocess", ""},
    {"transformer-ffn-activation", "relu"},
    {"transformer-dropout", "0.1"},
    {"learn-rate", "0.0003"},
    {"cost-type", "ce-mean-words"},
    {"lr-warmup", "16000"},
    {"lr-decay-inv-sqrt", "16000"},
    {"label-smoothing", "0.1"},
    {"clip-norm", "0"},
    {"sync-sgd", "true"},
    {"exponential-smoothing", "0.0001"},
    {"max-length", "100"},
    {"mini-batch-fit", "true"},
    {"mini-batch", "1000"},
    {"maxi-batch", "1000"},
    {"workspace", "9500"},
    {"optimizer-params", "0.9 0.98 1e-09"},
    {"beam-size", "8"},
    {"valid-mini-batch", "16"},
    {"normalize", "1"},
};

// What differs from the base.
constexpr PresetValue kMarianBig[] = {
    {"dim-emb", "1024"},         {"transformer-dim-ffn", "4096"},
    {"transformer-heads", "16"}, {"learn-rate", "0.0002"},
    {"lr-warmup", "8000"},       {"lr-decay-inv-sqrt", "8000"},
    {"workspace", "13000"},      {"optimizer-params", "0.9 0.998 1e-09"},
    {"valid-mini-batch", "8"},
};
constexpr PresetValue kMarianPrenorm[] = {
    {"transformer-postprocess", "da"},
    {"transformer-preprocess", "n"},
    {"transformer-postprocess-top", "n"},
};

// Where ours are others, or depend on a preset.
constexpr PresetValue kMarianDefaults[] = {
    {"type", "amun"},
    {"dim-emb", "512"},
    {"enc-depth", "1"},
    {"dec-depth", "1"},
    {"transformer-heads", "8"},
    {"transformer-dim-ffn", "2048"},
    {"transformer-ffn-activation", "swish"},
    {"transformer-preprocess", ""},
    {"transformer-postprocess", "dan"},
    {"transformer-postprocess-top", ""},
    {"transformer-postprocess-emb", "d"},
    {"transformer-dropout", "0"},
    {"tied-embeddings", "false"},
    {"output-omit-bias", "false"},
    {"dim-vocabs", "0 0"},
    {"mini-batch", "64"},
    {"learn-rate", "0.0001"},
    {"lr-warmup", "0"},
    {"lr-decay-inv-sqrt", "0"},
    {"optimizer-params", "0.9 0.999 1e-08"},
    {"label-smoothing", "0"},
    {"cost-type", "ce-sum"},
    {"clip-norm", "1"},
    {"after", "0e"},
    {"max-length", "50"},
    {"valid-freq", "10000u"},
    {"early-stopping", "10"},
    {"beam-size", "12"},
    {"normalize", "0"},
};

constexpr PresetValue kMarianDecoderDefaults[] = {{"beam-size", "12"}, {"normalize", "0"}};

constexpr std::string_view kMarianDefault = "Marian's default";

void expand_tasks(std::vector<ForeignOption>& options) {
  std::vector<std::string> tasks;
  for (const ForeignOption& option : options)
    if (option.name == "task") tasks = option.values;
  for (const std::string& task : tasks)
    add_presets(options, marian_task_presets(task), "of task " + task);
}

// What Marian's Transformer does without an option.
void add_marian_habits(Migration& m) {
  m.add("norm-epsilon", "1e-6", "as in Marian");
  if (!m.recipe().sets("positions")) m.add("positions", "sinusoidal_t2t", "as in Marian");
}

}  // namespace

std::vector<PresetValue> marian_task_presets(std::string_view task) {
  std::vector<PresetValue> presets;
  const auto add = [&presets](std::span<const PresetValue> more) {
    presets.insert(presets.end(), more.begin(), more.end());
  };
  const std::string_view size = task.substr(0, task.find("-prenorm"));
  if (size != "transformer-base" && size != "transformer-big") return presets;
  if (task.size() > size.size()) {
    if (task.substr(size.size()) != "-prenorm") return presets;
    add(kMarianPrenorm);
  }
  if (size == "transformer-big") add(kMarianBig);
  add(kMarianBase);
  return presets;
}

MigrationTables marian_training_tables() {
  static const std::array tables{marian_model_rules(), marian_text_rules(), marian_training_rules(),
                                 marian_run_rules(), marian_common_rules()};
  return tables;
}

MigrationTables marian_decoding_tables() {
  static const std::array tables{marian_decoding_rules(), marian_common_rules()};
  return tables;
}

std::span<const std::pair<char, std::string_view>> marian_training_letters() {
  static constexpr std::pair<char, std::string_view> kLetters[] = {
      {'m', "model"},   {'t', "train-sets"}, {'v', "vocabs"},     {'e', "after-epochs"},
      {'a', "after"},   {'o', "optimizer"},  {'l', "learn-rate"}, {'w', "workspace"},
      {'d', "devices"}, {'c', "config"},     {'b', "beam-size"},  {'n', "normalize"},
      {'T', "tempdir"}};
  return kLetters;
}

std::span<const std::pair<char, std::string_view>> marian_decoding_letters() {
  static constexpr std::pair<char, std::string_view> kLetters[] = {
      {'m', "models"},    {'v', "vocabs"},  {'i', "input"},    {'o', "output"},
      {'w', "workspace"}, {'d', "devices"}, {'c', "config"},   {'b', "beam-size"},
      {'n', "normalize"}, {'p', "port"},    {'g', "gemm-type"}};
  return kLetters;
}

Migration migrate_marian_training(std::vector<ForeignOption> options, OptionStyle style,
                                  const std::string& where) {
  expand_tasks(options);
  add_presets(options, kMarianDefaults, kMarianDefault);
  Migration migration(Recipe::of<TranslatorRecipe>("train translation"), std::move(options), style,
                      where);
  apply_rules(migration, marian_training_tables());
  add_marian_habits(migration);
  return migration;
}

Migration migrate_marian_decoding(std::vector<ForeignOption> options, OptionStyle style,
                                  const std::string& where) {
  add_presets(options, kMarianDecoderDefaults, kMarianDefault);
  Migration migration(Recipe::of<DecodingRecipe>("translate"), std::move(options), style, where);
  apply_rules(migration, marian_decoding_tables());
  return migration;
}

}  // namespace attend
