#include "attend/interchange/migration/opennmt/opennmt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/interchange/migration/opennmt/opennmt_rules.h"
#include "attend/interchange/migration/recipes.h"

namespace attend {

namespace {

// Where ours are others, or depend on a preset.
constexpr PresetValue kOpenDefaults[] = {
    {"encoder_type", "rnn"},
    {"decoder_type", "rnn"},
    {"enc_layers", "2"},
    {"dec_layers", "2"},
    {"hidden_size", "500"},
    {"heads", "8"},
    {"transformer_ff", "2048"},
    {"dropout", "0.3"},
    {"attention_dropout", "0.1"},
    {"norm_eps", "1e-06"},
    {"add_qkvbias", "false"},
    {"add_ffnbias", "false"},
    {"position_encoding", "false"},
    {"share_embeddings", "false"},
    {"share_vocab", "false"},
    {"src_vocab_size", "32768"},
    {"tgt_vocab_size", "32768"},
    {"batch_size", "64"},
    {"optim", "sgd"},
    {"adam_beta2", "0.999"},
    {"max_grad_norm", "5"},
    {"label_smoothing", "0"},
    {"decay_method", "none"},
    {"learning_rate", "1"},
    {"train_steps", "100000"},
    {"valid_steps", "10000"},
    {"normalization", "sents"},
};
constexpr PresetValue kOpenDecodingDefaults[] = {{"max_length", "250"}};
constexpr std::string_view kOpenDefault = "OpenNMT-py's default";

// data.NAME.FIELD: the files of a corpus; the one named valid is validation text.
void migrate_corpora(Migration& m) {
  for (const std::string side : {"src", "tgt"}) {
    for (const bool valid : {false, true}) {
      std::vector<std::string_view> names;
      std::vector<std::string> files;
      for (const ForeignOption& option : m.options()) {
        const bool is_file = option.name.starts_with("data.") &&
                             option.name.ends_with(".path_" + side) && !option.values.empty();
        if (!is_file || option.name.starts_with("data.valid.") != valid) continue;
        names.push_back(option.name);
        files.push_back(m.text(option.name));
      }
      if (!names.empty())
        m.translate(names, fmt::format("{}-{}", side, valid ? "valid" : "train"), files);
    }
  }
  for (const ForeignOption& option : m.options()) {
    if (!option.name.starts_with("data.") || m.is_decided(option.name)) continue;
    if (option.name.ends_with(".weight")) {
      m.without_equal(option.name, "mix-weights has the share of each file in an epoch");
    } else if (option.name.ends_with(".transforms")) {
      m.without_equal(option.name, "all files are read alike: see transforms");
    }
  }
}

}  // namespace

MigrationTables opennmt_training_tables() {
  static const std::array tables{opennmt_model_rules(), opennmt_training_rules()};
  return tables;
}

MigrationTables opennmt_decoding_tables() {
  static const std::array tables{opennmt_decoding_rules()};
  return tables;
}

Migration migrate_opennmt_training(std::vector<ForeignOption> options, const std::string& where) {
  // Older versions have another name.
  for (ForeignOption& option : options)
    if (option.name == "rnn_size") option.name = "hidden_size";
  add_presets(options, kOpenDefaults, kOpenDefault);
  Migration m(Recipe::of<TranslatorRecipe>("train translation"), std::move(options),
              OptionStyle::yaml, where);
  m.add("tokenizer", "word", "a token is what stands between spaces");
  migrate_corpora(m);
  apply_rules(m, opennmt_training_tables());
  if (m.recipe().value("tokenizer") == "word")
    m.add("pretokenized", "true", "words stay as they are in the text");
  m.add("norm-first", "true", "as in OpenNMT-py");
  m.add("output-bias", "true", "as in OpenNMT-py");
  m.add("adam-epsilon", "1e-8", "as in OpenNMT-py");
  return m;
}

Migration migrate_opennmt_decoding(std::vector<ForeignOption> options, const std::string& where) {
  add_presets(options, kOpenDecodingDefaults, kOpenDefault);
  Migration m(Recipe::of<DecodingRecipe>("translate"), std::move(options), OptionStyle::yaml,
              where);
  apply_rules(m, opennmt_decoding_tables());
  return m;
}

}  // namespace attend
