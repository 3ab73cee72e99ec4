// Models that Marian has trained (tools/make_marian_fixtures.py), against what it makes of a few
// sentences.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"
#include "interchange/written_formats.h"

namespace attend {
namespace {

// An output of Marian's beam search.
struct MarianOutput {
  std::string text;
  std::vector<float> token_scores;
};
struct MarianRecord {
  std::string source;
  std::vector<MarianOutput> outputs;
};

std::vector<MarianRecord> marian_records(const std::string& name) {
  std::vector<MarianRecord> records;
  for (const auto& entry : parse_json(fixture_bytes("models/" + name + "/record.json"), name)) {
    records.push_back({entry.at("source").get<std::string>(), {}});
    for (const auto& output : entry.at("outputs"))
      records.back().outputs.push_back({output.at("text").get<std::string>(),
                                        output.at("token_scores").get<std::vector<float>>()});
  }
  return records;
}

// The names and values of all tensors.
std::vector<std::pair<std::string, std::vector<float>>> describe_parameters(
    const Checkpoint& checkpoint) {
  std::vector<std::pair<std::string, std::vector<float>>> all;
  for (const NamedTensor& named : checkpoint.tensors)
    if (named.tensor.dtype() == DType::f32) all.emplace_back(named.name, named.tensor.to_vector());
  return all;
}

class NativeMarianModel : public testing::TestWithParam<const char*> {
 protected:
  ImportedModel imported() const {
    return import_model(ModelDirectory(fixture("models") / GetParam()));
  }
};

INSTANTIATE_TEST_SUITE_P(Of, NativeMarianModel,
                         testing::Values("native_joint", "native_two", "native_spm", "native_ssru",
                                         "native_widths"),
                         [](const auto& suite) { return std::string(suite.param); });

// Marian writes five decimals.
TEST_P(NativeMarianModel, ScoresEveryTokenAsMarianDoes) {
  const TranslationEngine engine(translation_model(imported().checkpoint));
  int compared = 0;
  for (const MarianRecord& record : marian_records(GetParam())) {
    for (const MarianOutput& output : record.outputs) {
      const SequenceScore ours = engine.score(std::vector<std::string>{record.source},
                                              std::vector<std::string>{output.text})[0];
      // Some outputs are cut, others not in the pieces that text is cut into.
      constexpr float kLeastOfAnEnd = -0.3f;
      if (ours.token_scores.size() != output.token_scores.size() ||
          output.token_scores.back() < kLeastOfAnEnd)
        continue;
      for (std::size_t i = 0; i < output.token_scores.size(); ++i)
        EXPECT_NEAR(ours.token_scores[i], output.token_scores[i], 3e-5)
            << record.source << ", token " << i;
      ++compared;
    }
  }
  EXPECT_GE(compared, 3);
}

TEST_P(NativeMarianModel, WritesWhatMarianWrites) {
  const TranslationEngine engine(translation_model(imported().checkpoint));
  TranslationOptions options = engine.default_options();
  EXPECT_EQ(options.beam.beam_size, 12);
  EXPECT_EQ(options.beam.length_penalty, 0.0f);
  options.beam.beam_size = options.beam.n_best = 4;
  options.beam.length_penalty = 0.6f;
  int equal = 0;
  for (const MarianRecord& record : marian_records(GetParam())) {
    const std::string best =
        engine.translate(std::vector<std::string>{record.source}, options)[0].text();
    equal += std::any_of(record.outputs.begin(), record.outputs.end(),
                         [&](const MarianOutput& output) { return output.text == best; });
  }
  EXPECT_GE(equal, 2) << "searches end at different times";
}

TEST_P(NativeMarianModel, RunsInFewerBits) {
  const Checkpoint exact = imported().checkpoint;
  const std::vector<std::string> src{"a man sees the dog ."}, tgt{"ein Mann sieht der Hund ."};
  const auto score = [&](const Checkpoint& checkpoint) {
    return TranslationEngine(translation_model(checkpoint)).score(src, tgt)[0].log_probability;
  };
  for (const auto& [bits, off] :
       {std::pair{WeightBits::eight, 0.05}, std::pair{WeightBits::four, 0.2}}) {
    const Checkpoint quantized = quantize_model(exact, bits);
    const auto small = load_model(quantized);
    EXPECT_TRUE(check_golden_samples(*small, golden_samples(quantized, *small)).holds());
    EXPECT_NEAR(score(quantized) / score(exact), 1.0, off);
  }
}

// Models with other normalizations. The record has translations as Marian validates them, and the
// greedy output of a formula that agrees with them: of models that normalize before their
// sublayers, Marian's decoder computes something else than what Marian trains.
class NativeMarianNorms : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Of, NativeMarianNorms,
                         testing::Values("native_rms", "native_pre", "native_pre_rms"),
                         [](const auto& suite) { return std::string(suite.param); });

// `prefix`: of what the record says of older versions.
void expect_record_of(const TranslationEngine& engine, const std::string& name,
                      const std::string& prefix) {
  TranslationOptions options = engine.default_options();
  options.beam.beam_size = 1;
  options.beam.max_length = 12;
  for (const auto& entry : parse_json(fixture_bytes("models/" + name + "/record.json"), name)) {
    const std::vector<std::string> source{entry.at("source").get<std::string>()};
    EXPECT_EQ(engine.translate(source, options)[0].text(),
              entry.at(prefix + "greedy").get<std::string>());
    for (const auto& output : entry.at("outputs")) {
      const SequenceScore ours =
          engine.score(source, std::vector{output.at("text").get<std::string>()})[0];
      EXPECT_NEAR(ours.log_probability, output.at(prefix + "log_probability").get<double>(),
                  1e-5 * static_cast<double>(ours.token_scores.size()))
          << source[0];
    }
  }
}

TEST_P(NativeMarianNorms, AreThoseThatMarianTrains) {
  const std::string name = GetParam();
  const ImportedModel imported = import_model(ModelDirectory(fixture("models") / name));
  expect_record_of(TranslationEngine(translation_model(imported.checkpoint)), name, "");
  const bool says_so =
      std::any_of(imported.remarks.begin(), imported.remarks.end(), [](const std::string& remark) {
        return remark.find("without normalization") != remark.npos;
      });
  EXPECT_EQ(says_so, name.starts_with("native_pre")) << "that Marian's decoder does not";
}

TEST(NativeMarian, NeverWritesWhatTheDecoderBeginsWithNorTheUnknownWord) {
  const ImportedModel imported = import_model(ModelDirectory(fixture("models") / "native_joint"));
  const TranslationModel model = translation_model(imported.checkpoint);
  EXPECT_EQ(model.special().bos, 54) << "behind the pieces of the model";
  for (const std::int32_t id : {model.special().bos, model.special().unk})
    EXPECT_NE(std::find(model.suppressed.begin(), model.suppressed.end(), id),
              model.suppressed.end());
  EXPECT_EQ(imported.family, "marian");
  ASSERT_EQ(imported.remarks.size(), 1u);
  EXPECT_NE(imported.remarks[0].find("of the 55 embeddings"), std::string::npos);
}

class ExportedNativeMarian : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Of, ExportedNativeMarian,
                         testing::Values("native_joint", "native_spm", "native_widths"),
                         [](const auto& suite) { return std::string(suite.param); });

// As MarianMT: with a table of the positions, and an epsilon of 1e-5 in place of 1e-6.
TEST_P(ExportedNativeMarian, IsAMarianMt) {
  const Checkpoint original =
      import_model(ModelDirectory(fixture("models") / GetParam())).checkpoint;
  const ExportedModel exported = export_model(original);
  EXPECT_EQ(exported.family, "marian");
  const auto written = scratch("native_as_marian");
  write_model_directory(exported, written);
  const TranslationEngine ours(translation_model(original)),
      theirs(translation_model(import_model(ModelDirectory(written)).checkpoint));
  const Tokenizer &src_tokenizer = theirs.model().src_tokenizer,
                  &tokenizer = theirs.model().tgt_tokenizer;
  const std::int32_t pad = std::min(src_tokenizer.vocab_size(), tokenizer.vocab_size()) - 1;
  EXPECT_EQ(theirs.model().special().bos, pad) << "transformers has one id for both vocabularies";
  EXPECT_EQ(tokenizer.piece(pad), "<pad>");
  EXPECT_EQ(src_tokenizer.piece(src_tokenizer.vocab_size() - 1), "<pad>");
  for (const MarianRecord& record : marian_records(GetParam())) {
    const std::vector<std::string> src{record.source}, tgt{record.outputs.front().text};
    const SequenceScore before = ours.score(src, tgt)[0], after = theirs.score(src, tgt)[0];
    ASSERT_EQ(after.token_scores.size(), before.token_scores.size());
    for (std::size_t i = 0; i < before.token_scores.size(); ++i)
      EXPECT_NEAR(after.token_scores[i], before.token_scores[i], 1e-3) << record.source;
  }
  std::filesystem::remove_all(written);
}

TEST(NativeMarian, IsNotExportedWithNormsThatMarianMtDoesNotHave) {
  const auto expect_no_export = [](const char* name, const char* difference) {
    const Checkpoint model = import_model(ModelDirectory(fixture("models") / name)).checkpoint;
    expect_error<ConfigError>([&] { export_model(model); }, {"MarianMT", difference});
  };
  expect_no_export("native_two", "norm-embedding is true instead of false");
  expect_no_export("native_rms", "norm-output is on instead of off");
  expect_no_export("native_pre", "norm-first is true instead of false");
  expect_no_export("native_ssru", "decoder-autoreg is ssru instead of self_attention");
}

class DamagedNativeMarian : public DamagedDirectory {
 protected:
  explicit DamagedNativeMarian(std::string name = "native_joint") : name_(std::move(name)) {
    copy(name_.c_str());
  }

  // Of the original file, whatever has been replaced before.
  void replace(const char* file, const std::string& from, const std::string& to) const {
    write(file, fixture_bytes("models/" + name_ + "/" + file));
    DamagedDirectory::replace(file, from, to);
  }

  std::string name_;
};

// The weights as model.bin, with other settings.
class NativeMarianSettings : public DamagedNativeMarian {
 protected:
  using DamagedNativeMarian::DamagedNativeMarian;

  void write_binary(const std::string& from, const std::string& to) const {
    constexpr std::uint64_t kFloat = 0x404, kText = 0x101;
    TensorTable table =
        open_foreign_weights(ModelDirectory(fixture("models") / name_).open("model.npz"));
    std::vector<WrittenMarianItem> items;
    for (const ForeignTensor& tensor : table.tensors()) {
      std::string data(tensor.bytes(), '\0');
      tensor.read(std::as_writable_bytes(std::span(data)));
      const bool settings = tensor.name == "special:model.yml";
      if (settings) {
        const auto found = data.find(from);
        ASSERT_NE(found, data.npos) << from;
        data.replace(found, from.size(), to);
      }
      const std::vector<std::int32_t> shape =
          settings ? std::vector{static_cast<std::int32_t>(data.size())}
                   : std::vector<std::int32_t>(tensor.shape.begin(), tensor.shape.end());
      items.push_back({tensor.name, settings ? kText : kFloat, shape, data});
    }
    std::ofstream(folder_ / "model.bin", std::ios::binary) << written_marian(items);
    replace("model.npz.decoder.yml", "- model.npz", "- model.bin");
  }
  void expect_refused_setting(const std::string& from, const std::string& to,
                              std::initializer_list<std::string_view> fragments) const {
    write_binary(from, to);
    expect_refused(fragments);
  }
};

TEST_F(NativeMarianSettings, AreReadFromABinaryModelToo) {
  write_binary("dim-emb: 16", "dim-emb: 16");
  EXPECT_EQ(
      describe_parameters(imported().checkpoint),
      describe_parameters(import_model(ModelDirectory(fixture("models/native_joint"))).checkpoint));
}

TEST_F(NativeMarianSettings, AreAllKnownOrRefused) {
  expect_refused_setting("skip: false", "skipped: false", {"special:model.yml", "skipped"});
  expect_refused_setting("type: transformer\n", "type: s2s\n", {"type", "s2s"});
  expect_refused_setting("transformer-ffn-depth: 2", "transformer-ffn-depth: 3",
                         {"transformer-ffn-depth", "3"});
  expect_refused_setting("transformer-decoder-dim-ffn: 0", "transformer-decoder-dim-ffn: 48",
                         {"decoder_l1_ffn_W1", "48"});
  expect_refused_setting("transformer-decoder-autoreg: self-attention",
                         "transformer-decoder-autoreg: rnn",
                         {"dec-cell", "gru", "only \"ssru\" is supported"});
  expect_refused_setting("transformer-decoder-autoreg: self-attention",
                         "transformer-decoder-autoreg: average-attention",
                         {"transformer-decoder-autoreg", "average-attention"});
  expect_refused_setting("transformer-tied-layers:\n  []", "transformer-tied-layers:\n  - 1",
                         {"transformer-tied-layers"});
  expect_refused_setting("transformer-train-position-embeddings: false",
                         "transformer-train-position-embeddings: true",
                         {"transformer-train-position-embeddings", "true"});
  expect_refused_setting("transformer-ffn-activation: swish", "transformer-ffn-activation: silly",
                         {"transformer-ffn-activation", "silly"});
}

TEST_F(NativeMarianSettings, AreRefusedForNormalizationsInOtherPlaces) {
  expect_refused_setting("transformer-postprocess: dan", "transformer-postprocess: dhn",
                         {"transformer-postprocess", "dhn"});
  expect_refused_setting("transformer-postprocess: dan", "transformer-postprocess: da",
                         {"transformer-postprocess", "dan, dar"});
  expect_refused_setting("transformer-preprocess: \"\"", "transformer-preprocess: n",
                         {"transformer-postprocess", "dan", "transformer-preprocess, da"});
  expect_refused_setting("transformer-preprocess: \"\"", "transformer-preprocess: h",
                         {"transformer-preprocess", "h"});
  expect_refused_setting("transformer-postprocess-top: \"\"", "transformer-postprocess-top: r",
                         {"transformer-postprocess-top", "only n"});
  expect_refused_setting("transformer-postprocess-top: \"\"", "transformer-postprocess-top: a",
                         {"transformer-postprocess-top"});
  expect_refused_setting("transformer-postprocess-emb: d", "transformer-postprocess-emb: r",
                         {"transformer-postprocess-emb"});
}

// What they say must be in the weights, too.
TEST_F(NativeMarianSettings, AreRefusedForANormalizationWithoutWeights) {
  expect_refused_setting("transformer-postprocess-top: \"\"", "transformer-postprocess-top: n",
                         {"encoder_top_ln_scale"});
  expect_refused_setting("transformer-postprocess: dan", "transformer-postprocess: dar",
                         {"encoder_l1_self_Wo_rms_scale"});
}

class NativeMarianVersions : public NativeMarianSettings {
 protected:
  NativeMarianVersions() : NativeMarianSettings("native_pre") {}
};

// Before 1.11 the input of keys and values was not normalized.
TEST_F(NativeMarianVersions, SayWhatIsNormalized) {
  write_binary("version: v1.12.42", "version: v1.10.28");
  const ImportedModel older = imported();
  expect_record_of(TranslationEngine(translation_model(older.checkpoint)), name_, "older_");
  for (const std::string& remark : older.remarks)
    EXPECT_EQ(remark.find("without normalization"), remark.npos);
  write_binary("version: v1.12.42", "version: v1.11.0");
  expect_record_of(TranslationEngine(translation_model(imported().checkpoint)), name_, "");
  expect_refused_setting("version: v1.12.42", "version: none", {"version", "none"});
}

TEST_F(NativeMarianSettings, AreRefusedForTiesOfTheSourceAlone) {
  expect_refused_setting("tied-embeddings-all: true\ntied-embeddings-src: false",
                         "tied-embeddings-all: false\ntied-embeddings-src: true",
                         {"tied-embeddings-src"});
}

TEST_F(DamagedNativeMarian, IsRefusedForDamagedWeights) {
  replace("model.npz", "tied-embeddings-all: true", "tied-embeddings-xyz: true");
  expect_refused({"model.npz"});
  std::filesystem::resize_file(folder_ / "model.npz", 3000);
  expect_refused({"model.npz"});
}

TEST_F(DamagedNativeMarian, IsRefusedForOptionsThatCannotBeRead) {
  replace("model.npz.decoder.yml", "beam-size: 12", "beam-size: [");
  expect_refused({"decoder.yml", "line"});
  replace("model.npz.decoder.yml", "word-penalty: 0", "word-penalty: 1");
  expect_refused({"decoder.yml", "word-penalty", "1"});
  replace("model.npz.decoder.yml", "normalize: 0", "new-option: 0");
  expect_refused({"decoder.yml", "new-option"});
  replace("model.npz.decoder.yml", "- model.npz", "- model.npz\n  - other.npz");
  expect_refused({"decoder.yml", "models", "one model"});
}

TEST_F(DamagedNativeMarian, IsRefusedWithoutAFileThatItNames) {
  std::filesystem::remove(folder_ / "vocab.yml");
  expect_refused({"vocab.yml"});
  std::filesystem::remove(folder_ / "model.npz");
  expect_refused({"model.npz"});
}

TEST_F(DamagedNativeMarian, IsRefusedForAVocabularyWithoutAnEnd) {
  replace("vocab.yml", "</s>: 0", "end: 0");
  expect_refused({"vocab.yml", "</s>"});
  replace("vocab.yml", "</s>: 0", "</s>: 99");
  expect_refused({"vocab.yml", "every id"});
}

TEST_F(DamagedNativeMarian, IsRefusedIfSeveralOptionsCouldBeMeant) {
  std::filesystem::copy(folder_ / "model.npz.decoder.yml", folder_ / "other.decoder.yml");
  expect_refused({"model.npz.decoder.yml", "other.decoder.yml"});
}

TEST_F(DamagedNativeMarian, IsNoModelWithoutItsOptions) {
  std::filesystem::remove(folder_ / "model.npz.decoder.yml");
  expect_refused({"config.json", "decoder.yml"});
}

}  // namespace
}  // namespace attend
