// Models whose files are well-formed and whose content is not: what is deep, what is no number. One
// clear line, and never an answer.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "cli/program_test.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tasks/small_tagger.h"

namespace attend {
namespace {

Checkpoint small_language_checkpoint() { return finished_checkpoint_of(small_language_model()); }

Checkpoint small_translation_checkpoint() { return finished_checkpoint_of(small_model()); }

// A copy of `checkpoint` with every number of the tensors whose names contain `part` replaced.
Checkpoint with_numbers(Checkpoint checkpoint, std::string_view part, float number) {
  bool found = false;
  for (NamedTensor& named : checkpoint.tensors) {
    if (named.tensor.dtype() != DType::f32 || named.name.find(part) == std::string::npos) continue;
    named.tensor = Tensor::full(named.tensor.shape(), number);
    found = true;
  }
  EXPECT_TRUE(found) << part;
  return checkpoint;
}

class HostileModel : public ProgramTest {
 protected:
  std::string save(const std::string& name, const Checkpoint& checkpoint) const {
    save_checkpoint(path(name), checkpoint);
    return path(name);
  }

  // Every command that answers with this kind of model refuses, naming the file, and prints nothing
  // that is no number.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& model,
                      const std::string& input = "") {
    EXPECT_EQ(run(arguments, input), 1) << testing::PrintToString(arguments) << out_;
    EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), 1) << error_;
    EXPECT_NE(error_.find(model), std::string::npos) << error_;
    EXPECT_NE(error_.find("finite"), std::string::npos) << error_;
    for (const char* word : {"nan", "inf", "null"})
      EXPECT_EQ(out_.find(word), std::string::npos) << out_;
  }

  void expect_translation_refused(const Checkpoint& checkpoint) {
    const std::string model = save("translation", checkpoint);
    const std::string src = write("src", "the old dog\n"), tgt = write("tgt", "der alte hund\n");
    expect_refused({"score", model, "--src", src, "--tgt", tgt}, model);
    expect_refused({"score", model, "--src", src, "--tgt", tgt, "--tokens"}, model);
    expect_refused({"translate", model}, model, "the old dog\n");
    expect_refused({"translate", model, "--format", "json"}, model, "the old dog\n");
    expect_refused({"embed", model}, model, "the old dog\n");
    expect_refused({"attention", model, "the old dog", "--out", path("page.html")}, model);
    expect_refused(
        {"attention", model, "the old dog", "--target", "der hund", "--out", path("page.html")},
        model);
    EXPECT_FALSE(std::filesystem::exists(path("page.html")));
  }

  void expect_classifier_refused(const Checkpoint& checkpoint) {
    const std::string model = save("classifier", checkpoint);
    expect_refused({"classify", model}, model, "a good film\n");
    expect_refused({"classify", model, "--format", "json"}, model, "a good film\n");
    expect_refused({"evaluate", model, "--labeled", write("labeled", "fine\ta good film\n")},
                   model);
    expect_refused({"embed", model, "--pooling", "max"}, model, "a good film\n");
    expect_refused({"attention", model, "a good film", "--out", path("page.html")}, model);
    EXPECT_FALSE(std::filesystem::exists(path("page.html")));
  }

  void expect_embedder_refused(const Checkpoint& checkpoint) {
    const std::string model = save("embedder", checkpoint);
    expect_refused({"embed", model}, model, "a good film\n");
    expect_refused({"embed", model, "--pooling", "none"}, model, "a good film\n");
    expect_refused({"embed", model, "--npy", path("vectors.npy")}, model, "a good film\n");
    const std::string labeled = write("labeled", "x\ta good film\nx\ta bad film\n");
    expect_refused({"evaluate", model, "--labeled", labeled}, model);
    expect_refused({"attention", model, "a good film", "--out", path("page.html")}, model);
    EXPECT_FALSE(std::filesystem::exists(path("page.html")));
    EXPECT_FALSE(std::filesystem::exists(path("vectors.npy")));
  }

  void expect_tagger_refused(const Checkpoint& checkpoint) {
    const std::string model = save("tagger", checkpoint);
    expect_refused({"classify", model}, model, "Mr Bell\n");
    expect_refused({"classify", model, "--format", "json"}, model, "Mr Bell\n");
    expect_refused({"evaluate", model, "--labeled", write("tagged", "Mr B-PER\nBell I-PER\n")},
                   model);
    expect_refused({"embed", model}, model, "Mr Bell\n");
  }

  void expect_language_model_refused(const Checkpoint& checkpoint) {
    const std::string model = save("language", checkpoint);
    expect_refused({"generate", model, "--prompt", "the cat", "--max-tokens", "3"}, model);
    expect_refused(
        {"generate", model, "--prompt", "the cat", "--max-tokens", "3", "--format", "json"}, model);
    expect_refused({"evaluate", model, "--text", write("text", "the cat sat on the mat\n")}, model);
    expect_refused({"evaluate", model, "--text", path("text"), "--format", "json"}, model);
    expect_refused({"embed", model, "--pooling", "none"}, model, "the cat\n");
  }
};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                kInfinity = std::numeric_limits<float>::infinity();

TEST_F(HostileModel, WeightsThatAreNoNumbersGiveNoTranslation) {
  const Checkpoint good = small_translation_checkpoint();
  for (const float number : {kNan, kInfinity, -kInfinity}) {
    expect_translation_refused(with_numbers(good, "embed", number));
    expect_translation_refused(with_numbers(good, "encoder.layers.0.", number));
  }
}

TEST_F(HostileModel, WeightsThatAreNoNumbersGiveNoClass) {
  const Checkpoint good = small_classifier_checkpoint();
  for (const float number : {kNan, kInfinity, -kInfinity}) {
    expect_classifier_refused(with_numbers(good, "embed", number));
    expect_classifier_refused(with_numbers(good, "layers.0.", number));
  }
}

TEST_F(HostileModel, WeightsThatAreNoNumbersGiveNoText) {
  const Checkpoint good = small_language_checkpoint();
  for (const float number : {kNan, kInfinity, -kInfinity}) {
    expect_language_model_refused(with_numbers(good, "embed", number));
    expect_language_model_refused(with_numbers(good, "layers.0.", number));
  }
}

TEST_F(HostileModel, WeightsThatAreNoNumbersGiveNoVector) {
  const Checkpoint good = finished_checkpoint_of(small_embedder());
  for (const float number : {kNan, kInfinity, -kInfinity}) {
    expect_embedder_refused(with_numbers(good, "embed", number));
    expect_embedder_refused(with_numbers(good, "layers.0.", number));
  }
}

TEST_F(HostileModel, WeightsThatAreNoNumbersGiveNoTag) {
  const Checkpoint good = finished_checkpoint_of(small_tagger());
  for (const float number : {kNan, kInfinity, -kInfinity}) {
    expect_tagger_refused(with_numbers(good, "embed", number));
    expect_tagger_refused(with_numbers(good, "layers.0.", number));
    expect_tagger_refused(with_numbers(good, "output.", number));
  }
}

TEST_F(HostileModel, NumbersThatAReluWouldHideAreRefused) {
  expect_translation_refused(
      with_numbers(small_translation_checkpoint(), "encoder.layers.0.feed_forward", kNan));
}

TEST_F(HostileModel, WeightsSoLargeThatSumsOverflowAreRefused) {
  const std::string src = write("src", "the old dog\n"), tgt = write("tgt", "der alte hund\n");
  const std::string model =
      save("translation", with_numbers(small_translation_checkpoint(), "embed", 3e38f));
  expect_refused({"score", model, "--src", src, "--tgt", tgt}, model);
  expect_refused({"translate", model}, model, "the old dog\n");
  expect_refused({"embed", model, "--layer", "0"}, model, "the old dog\n");
}

TEST_F(HostileModel, ScalesOfEightBitsThatAreNoNumbersAreRefused) {
  for (const float number : {kNan, kInfinity, 3e38f}) {
    expect_translation_refused(
        with_numbers(quantize_model(small_translation_checkpoint()), ".scale", number));
    expect_classifier_refused(
        with_numbers(quantize_model(small_classifier_checkpoint()), ".scale", number));
    expect_language_model_refused(
        with_numbers(quantize_model(small_language_checkpoint()), ".scale", number));
    expect_language_model_refused(with_numbers(
        quantize_model(small_language_checkpoint(), WeightBits::four), ".scale", number));
  }
}

TEST_F(HostileModel, InfoNamesTheTensorThatHoldsNoNumbers) {
  Checkpoint checkpoint = with_numbers(small_translation_checkpoint(),
                                       "encoder.layers.1.self_attn.q_proj.weight", kNan);
  checkpoint.metadata.erase("attend.golden");
  const std::string model = save("model", checkpoint);
  expect_error({"info", model}, {model, "encoder.layers.1.self_attn.q_proj.weight", "finite"});
  EXPECT_EQ(run({"info", model, "--format", "json"}), 1);
  EXPECT_NE(nlohmann::json::parse(out_)["problem"].get<std::string>().find("finite"),
            std::string::npos);
}

TEST_F(HostileModel, InfoFailsWhenTheModelNoLongerComputesTheSame) {
  const Checkpoint checkpoint = small_translation_checkpoint();
  EXPECT_EQ(run({"info", save("model", checkpoint)}), 0) << error_;
  const std::string other = save("other", with_numbers(checkpoint, "norm", 3.0f));
  expect_error({"info", other}, {other, "results differ from those when it was saved"});
  EXPECT_NE(out_.find("DIFFERENT"), std::string::npos) << out_;
}

TEST_F(HostileModel, NoModelIsMadeOfWhatIsNoNumber) {
  const std::string bad =
      save("bad", with_numbers(small_translation_checkpoint(), "norm", kInfinity));
  const std::string good = save("good", small_translation_checkpoint());
  expect_refused({"quantize", bad, "--out", path("out")}, bad);
  expect_refused({"average", good, bad, "--out", path("out")}, bad);
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(HostileModel, DeepMetadataAreShownAsTextAndReadAsNothing) {
  const std::string deep(1'000'000, '[');
  for (const char* key : {"attend.config", "attend.golden", "attend.decoding", "note"}) {
    Checkpoint checkpoint = small_translation_checkpoint();
    checkpoint.metadata[key] = "{\"d_model\":" + deep + std::string(deep.size(), ']') + "}";
    const std::string model = save("model", checkpoint);
    EXPECT_EQ(run({"info", model}), std::string(key) == "note" ? 0 : 1) << key;
    if (std::string(key) != "note") {
      EXPECT_NE(error_.find("nested lists"), std::string::npos) << error_.substr(0, 200);
    }
  }
  Checkpoint classifier = small_classifier_checkpoint();
  classifier.metadata["attend.labels"] = deep + std::string(deep.size(), ']');
  expect_error({"classify", save("classifier", classifier)}, {"attend.labels", "nested lists"},
               "a good film\n");
}

}  // namespace
}  // namespace attend
