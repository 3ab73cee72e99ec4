#include "attend/interchange/migration/fairseq/fairseq.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/interchange/migration/fairseq/fairseq_rules.h"
#include "attend/interchange/migration/recipes.h"

namespace attend {

namespace {

// Where ours are others, or depend on a preset.
constexpr PresetValue kFairseqDefaults[] = {
    {"criterion", "cross_entropy"}, {"lr-scheduler", "fixed"}, {"lr", "0.25"},
    {"adam-betas", "0.9,0.999"},    {"adam-eps", "1e-08"},     {"max-update", "0"},
};
constexpr PresetValue kFairseqTranslationDefaults[] = {{"max-source-positions", "1024"},
                                                       {"max-target-positions", "1024"}};
constexpr PresetValue kFairseqLanguageDefaults[] = {{"tokens-per-sample", "1024"},
                                                    {"sample-break-mode", "none"}};
// All words of the dictionaries.
constexpr PresetValue kFairseqWords[] = {{"nwordssrc", "-1"}, {"nwordstgt", "-1"}};
constexpr PresetValue kFairseqDecodingDefaults[] = {{"max-len-b", "200"}, {"min-len", "1"}};

constexpr std::string_view kFairseqDefault = "fairseq's default";

const ForeignOption* find_option_named(const std::vector<ForeignOption>& options,
                                       std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const ForeignOption& one) { return one.name == name; });
  return found == options.end() ? nullptr : &*found;
}

bool is_for_language_model(const std::vector<ForeignOption>& options) {
  const ForeignOption* const task = find_option_named(options, "task");
  const ForeignOption* const arch = find_option_named(options, "arch");
  return (task != nullptr && task->values == std::vector<std::string>{"language_modeling"}) ||
         (arch != nullptr && !arch->values.empty() &&
          arch->values.front().starts_with("transformer_lm")) ||
         find_option_named(options, "only-source") != nullptr;
}

// The decoder is as wide as the encoder, unless an architecture says otherwise.
void widen_decoder(std::vector<ForeignOption>& options) {
  for (const std::string name : {"embed-dim", "ffn-embed-dim"}) {
    const ForeignOption* const encoder = find_option_named(options, "encoder-" + name);
    if (encoder == nullptr || find_option_named(options, "decoder-" + name) != nullptr) continue;
    ForeignOption decoder{"decoder-" + name, encoder->values, "as the encoder"};
    options.push_back(std::move(decoder));
  }
}

void add_fairseq_defaults(std::vector<ForeignOption>& options, bool lm) {
  const PresetValue usual{"arch", lm ? "transformer_lm" : "transformer"};
  add_presets(options, {&usual, 1}, "as there is no other");
  const std::vector<std::string> arch = find_option_named(options, "arch")->values;
  if (!arch.empty())
    add_presets(options, fairseq_architecture(arch.front()),
                fmt::format("of arch {}", arch.front()));
  if (!lm) widen_decoder(options);
  add_presets(options, kFairseqDefaults, kFairseqDefault);
  add_presets(options,
              lm ? std::span<const PresetValue>(kFairseqLanguageDefaults)
                 : std::span<const PresetValue>(kFairseqTranslationDefaults),
              kFairseqDefault);
}

// What fairseq does without an option.
void add_fairseq_habits(Migration& m, bool trains) {
  m.add("tokenizer", "word", "a token is what stands between spaces");
  m.add("pretokenized", "true", "words stay as they are in the text");
  if (!trains_language_model(m) && !m.recipe().sets("joint-vocabulary"))
    m.add("joint-vocabulary", m.is_on("share-all-embeddings") ? "true" : "false",
          "as the dictionaries");
  if (!trains) return;
  if (!m.recipe().sets("positions")) m.add("positions", "sinusoidal_t2t", "as in fairseq");
  if (m.recipe().value("positions") == "sinusoidal_t2t")
    m.add("first-position", "2", "as in fairseq");
  if (!m.recipe().sets("batch-tokens")) m.add("batch-tokens", "4096", "as preset base");
}

}  // namespace

MigrationTables fairseq_training_tables() {
  static const std::array tables{fairseq_text_rules(), fairseq_model_rules(),
                                 fairseq_training_rules(), fairseq_run_rules(),
                                 fairseq_common_rules()};
  return tables;
}

MigrationTables fairseq_decoding_tables() {
  static const std::array tables{fairseq_decoding_rules(), fairseq_common_rules()};
  return tables;
}

std::span<const std::pair<char, std::string_view>> fairseq_letters() {
  static constexpr std::pair<char, std::string_view> kLetters[] = {
      {'s', "source-lang"}, {'t', "target-lang"}, {'a', "arch"}};
  return kLetters;
}

Migration migrate_fairseq_training(std::vector<ForeignOption> options, bool trains,
                                   const std::string& where) {
  const bool lm = is_for_language_model(options);
  add_presets(options, std::span(kFairseqWords).first(lm ? 1 : 2), kFairseqDefault);
  if (trains) add_fairseq_defaults(options, lm);
  Migration migration(lm ? Recipe::of<LanguageModelRecipe>("train lm")
                         : Recipe::of<TranslatorRecipe>("train translation"),
                      std::move(options), OptionStyle::command_line, where);
  apply_rules(migration, fairseq_training_tables());
  add_fairseq_habits(migration, trains);
  return migration;
}

Migration migrate_fairseq_decoding(std::vector<ForeignOption> options, const std::string& where) {
  add_presets(options, kFairseqDecodingDefaults, kFairseqDefault);
  Migration migration(Recipe::of<DecodingRecipe>("translate"), std::move(options),
                      OptionStyle::command_line, where);
  apply_rules(migration, fairseq_decoding_tables());
  return migration;
}

}  // namespace attend
