#include "attend/interchange/families/marian/marian_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/interchange/weights/foreign_weights.h"
#include "attend/tasks/translation/engine.h"
#include "core/gzip.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"
#include "interchange/written_formats.h"

namespace attend {
namespace {

// A translator with the files that Firefox has, made from one that Marian trained.
class FirefoxModel : public DamagedDirectory {
 protected:
  static constexpr const char* kWeights = "model.ende.intgemm.alphas.bin";

  FirefoxModel() {
    std::filesystem::create_directories(folder_);
    write(kWeights, written_marian(items("native_ssru")));
    write("vocab.ende.spm", fixture_bytes("models/native_ssru/vocab.spm"));
  }

  static ImportedModel original() {
    return import_model(ModelDirectory(fixture("models") / "native_ssru"));
  }
  static std::string translation(const ImportedModel& model, const std::string& text,
                                 bool shortlist = false) {
    const TranslationEngine engine(translation_model(model.checkpoint));
    TranslationOptions options = engine.default_options();
    options.beam.beam_size = 1;
    options.shortlist = shortlist;
    return engine.translate(std::vector<std::string>{text}, options)[0].text();
  }

  static std::vector<WrittenMarianItem> items(const char* fixture_name) {
    constexpr std::uint64_t kText = 0x101, kFloat = 0x404, kEightBits = 0x4101;
    TensorTable table =
        open_foreign_weights(ModelDirectory(fixture("models") / fixture_name).open("model.npz"));
    std::vector<WrittenMarianItem> items;
    for (const ForeignTensor& tensor : table.tensors()) {
      std::string data(tensor.bytes(), '\0');
      tensor.read(std::as_writable_bytes(std::span(data)));
      const std::vector<std::int32_t> shape(tensor.shape.begin(), tensor.shape.end());
      const bool is_text = tensor.name.starts_with("special:");
      const bool is_matrix = shape.size() == 2 && shape[0] > 1;
      const bool is_table = tensor.name.ends_with("Wemb");
      if (is_matrix) data = in_eight_bits(data, shape, is_table);
      items.push_back({tensor.name,
                       is_text     ? kText
                       : is_matrix ? kEightBits
                                   : kFloat,
                       shape, data});
      if (is_matrix)
        items.push_back({tensor.name + "_QuantMultA", kFloat, {1, 1}, bytes_of(20.0f)});
    }
    return items;
  }

 private:
  static std::string in_eight_bits(const std::string& data, const std::vector<std::int32_t>& shape,
                                   bool is_table) {
    std::vector<float> values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), data.size());
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::abs(value));
    const float scale = 127.0f / largest;
    const auto rows = static_cast<std::size_t>(shape[0]),
               columns = static_cast<std::size_t>(shape[1]);
    std::string bytes(values.size(), '\0');
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        bytes[is_table ? r * columns + c : c * rows + r] =
            static_cast<char>(std::lround(values[r * columns + c] * scale));
    return bytes + bytes_of(scale);
  }
};

TEST_F(FirefoxModel, TranslatesAsTheModelThatItWasMadeOf) {
  const ImportedModel ours = imported(), theirs = original();
  const TranslationEngine one(translation_model(ours.checkpoint)),
      other(translation_model(theirs.checkpoint));
  const std::vector<std::string> src{"a man sees the dog ."}, tgt{"ein Mann sieht der Hund ."};
  EXPECT_NEAR(one.score(src, tgt)[0].log_probability / other.score(src, tgt)[0].log_probability,
              1.0, 0.02);
  const TranslationModel model = translation_model(ours.checkpoint);
  EXPECT_EQ(model.decoding.beam_size, 1);
  EXPECT_EQ(model.text_kinds.at("src").language, "en");
  EXPECT_EQ(model.text_kinds.at("tgt").language, "de");
}

TEST_F(FirefoxModel, IsReadAsItIsServed) {
  const auto expected = imported().checkpoint;
  for (const char* file : {kWeights, "vocab.ende.spm"}) {
    const std::string name = file;
    std::ifstream in(folder_ / name, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    write((name + ".gz").c_str(), gzip(content));
    std::filesystem::remove(folder_ / name);
  }
  const auto packed = imported().checkpoint;
  ASSERT_EQ(packed.tensors.size(), expected.tensors.size());
  for (std::size_t i = 0; i < packed.tensors.size(); ++i) {
    if (packed.tensors[i].tensor.dtype() != DType::f32) continue;
    EXPECT_EQ(packed.tensors[i].tensor.to_vector(), expected.tensors[i].tensor.to_vector());
  }
  write((std::string(kWeights) + ".gz").c_str(), "\x1f\x8b damaged");
  EXPECT_THROW(imported(), DataError);
}

TEST_F(FirefoxModel, HasItsShortlist) {
  const std::string text = "a man sees the dog .";
  EXPECT_EQ(translation_model(imported().checkpoint).shortlist, nullptr);
  write("lex.50.50.ende.s2t.bin", written_marian_shortlist(1, {0, 0}, {}));
  const ImportedModel model = imported();
  ASSERT_NE(translation_model(model.checkpoint).shortlist, nullptr);
  EXPECT_NE(translation(model, text), translation(model, text, /*shortlist=*/true))
      << "only tokens of the source are allowed";
  write("lex.50.50.ende.s2t.bin", "damaged");
  expect_refused({"lex.50.50.ende.s2t.bin", "expected a shortlist of Marian"});
}

TEST_F(FirefoxModel, MayHaveTheOptionsOfTranslateLocally) {
  write("lex.s2t.bin", written_marian_shortlist(1, {0, 0}, {}));
  write("config.intgemm8bitalpha.yml", R"(relative-paths: true
models:
  - model.ende.intgemm.alphas.bin
vocabs:
  - vocab.ende.spm
  - vocab.ende.spm
shortlist:
    - lex.s2t.bin
    - false
beam-size: 2
normalize: 1.0
word-penalty: 0
max-length-break: 128
mini-batch-words: 1024
workspace: 128
max-length-factor: 2.0
skip-cost: true
cpu-threads: 0
quiet: true
quiet-translation: true
gemm-precision: int8shiftAlphaAll
)");
  const TranslationModel model = translation_model(imported().checkpoint);
  EXPECT_EQ(model.decoding.beam_size, 2);
  EXPECT_EQ(model.decoding.length_penalty, 1.0f);
  EXPECT_NE(model.shortlist, nullptr);
}

// As Firefox has them for languages of other scripts.
TEST_F(FirefoxModel, MayHaveAVocabularyForEachLanguage) {
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  write(kWeights, written_marian(items("native_spm")));
  write("srcvocab.ende.spm", fixture_bytes("models/native_spm/src.spm"));
  write("trgvocab.ende.spm", fixture_bytes("models/native_spm/tgt.spm"));
  const TranslationEngine one(translation_model(imported().checkpoint)),
      other(translation_model(
          import_model(ModelDirectory(fixture("models") / "native_spm")).checkpoint));
  const std::vector<std::string> src{"a man sees the dog ."}, tgt{"ein Mann sieht der Hund ."};
  EXPECT_NEAR(one.score(src, tgt)[0].log_probability / other.score(src, tgt)[0].log_probability,
              1.0, 0.02);
}

TEST_F(FirefoxModel, NeedsOneOfEveryFile) {
  std::filesystem::rename(folder_ / "vocab.ende.spm", folder_ / "srcvocab.ende.spm");
  expect_refused({"srcvocab.*.spm and trgvocab.*.spm"});
  write("model.deen.bin", "another");
  expect_refused({"expected one model.*.bin", "model.deen.bin"});
}

}  // namespace
}  // namespace attend
