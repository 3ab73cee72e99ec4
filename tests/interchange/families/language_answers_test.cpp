// The small language models that transformers has written, against what it answers with them
// (tools/make_language_goldens.py): the tokens of prompts, greedy continuations, perplexities.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/language/scoring.h"
#include "interchange/fixture_files.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using OrderedJson = nlohmann::ordered_json;
using LanguageIds = std::vector<std::int32_t>;

// A copy of a fixture with other settings of generation.
class LanguageDirectory {
 public:
  LanguageDirectory(const std::string& name, const OrderedJson& settings)
      : folder_(scratch("language_" + name)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(fixture("models") / name, folder_);
    if (!settings.is_null()) std::ofstream(folder_ / "generation_config.json") << settings.dump();
  }
  ~LanguageDirectory() { std::filesystem::remove_all(folder_); }

  const std::filesystem::path& path() const { return folder_; }
  // Saved and loaded again.
  LanguageModel model() const {
    return language_model(import_model(ModelDirectory(folder_)).checkpoint);
  }

 private:
  std::filesystem::path folder_;
};

struct LanguageGolden {
  OrderedJson json;
  LanguageGolden(OrderedJson of) : json(std::move(of)) {}  // NOLINT
  std::string model() const { return json["model"]; }
};

void PrintTo(const LanguageGolden& golden, std::ostream* out) {
  *out << golden.model() << ' ' << golden.json["settings"];
}

std::vector<LanguageGolden> language_goldens() {
  std::vector<LanguageGolden> goldens;
  for (const OrderedJson& one : parse_json(fixture_bytes("language_goldens.json"), "goldens"))
    goldens.emplace_back(one);
  return goldens;
}

class LanguageAnswers : public testing::TestWithParam<LanguageGolden> {
 protected:
  const OrderedJson& golden() const { return GetParam().json; }
  LanguageModel model() const {
    return LanguageDirectory(GetParam().model(), golden()["settings"]).model();
  }
};

INSTANTIATE_TEST_SUITE_P(Of, LanguageAnswers, testing::ValuesIn(language_goldens()));

GenerationOptions greedily(const GenerationEngine& engine, int tokens) {
  GenerationOptions options = engine.default_options();
  options.sampling.top_k = 1;
  options.max_tokens = tokens;
  return options;
}

// Random models write bytes that are no characters. How many of them become one U+FFFD is tested
// with the decoders.
std::string with_single_marks(std::string text) {
  const std::string mark = "\uFFFD";
  for (std::size_t at; (at = text.find(mark + mark)) != text.npos;) text.erase(at, mark.size());
  return text;
}

constexpr int kGoldenTokens = 12;  // WRITTEN of the script

TEST_P(LanguageAnswers, AreThoseOfTransformers) {
  const GenerationEngine engine(model());
  for (const OrderedJson& answer : golden()["answers"]) {
    const std::string prompt = answer["prompt"];
    SCOPED_TRACE(answer["prompt"].dump());
    const LanguageIds ids = engine.model().prompt_ids(prompt);
    EXPECT_EQ(ids, answer["ids"].get<LanguageIds>());
    std::string streamed;
    const Generation written = engine.generate(prompt, greedily(engine, kGoldenTokens),
                                               [&](std::string_view more) { streamed += more; });
    EXPECT_EQ(written.ids, answer["written"].get<LanguageIds>());
    EXPECT_EQ(with_single_marks(written.text), with_single_marks(answer["text"]));
    EXPECT_EQ(streamed, written.text);
    EXPECT_EQ(written.complete,
              written.ids.size() < kGoldenTokens ||
                  std::count(engine.model().text.ends.begin(), engine.model().text.ends.end(),
                             written.ids.back()) > 0);
    if (engine.model().text.ends.empty()) continue;
    // A conversation has the same ends.
    EXPECT_EQ(engine.generate(engine.conversation(ids, greedily(engine, kGoldenTokens), 0))[0].ids,
              written.ids);
  }
}

TEST_P(LanguageAnswers, FindThePromptsAsLikelyAsTransformersDoes) {
  const LanguageModel model = this->model();
  for (const OrderedJson& answer : golden()["answers"]) {
    if (!answer.contains("scores")) continue;
    SCOPED_TRACE(answer["prompt"].dump());
    const LanguageIds ids = answer["ids"];
    const std::vector<GeneratedToken> tokens = score_tokens(model, ids, 2);
    ASSERT_EQ(tokens.size(), ids.size());
    EXPECT_TRUE(std::isnan(tokens[0].score));
    for (std::size_t i = 1; i < ids.size(); ++i) {
      EXPECT_EQ(tokens[i].id, ids[i]);
      EXPECT_NEAR(tokens[i].score, answer["scores"][i - 1].get<float>(), 2e-5);
      ASSERT_EQ(tokens[i].likeliest.size(), 2u);
      EXPECT_EQ(tokens[i].likeliest[0].id, answer["likeliest"][i - 1]);
      EXPECT_GE(tokens[i].likeliest[0].score, tokens[i].likeliest[1].score);
    }
    std::string text;
    for (const GeneratedToken& token : tokens) text += token.text;
    const std::string prompt = answer["prompt"];
    const bool has_special = prompt.find("<|") != prompt.npos;  // which add nothing
    EXPECT_EQ(text, has_special ? text : prompt);
  }
}

TEST_P(LanguageAnswers, HavePerplexitiesOfTheRecipeOfTransformers) {
  const LanguageModel model = this->model();
  for (const OrderedJson& one : golden()["perplexities"]) {
    const std::string text = one["text"];
    TextPerplexityOptions options;
    options.context = one["window"];
    options.stride = one["stride"];
    for (const int batch_tokens : {1, 4096}) {
      options.batch.batch_tokens = batch_tokens;
      const TextPerplexity found = document_perplexity(model, std::span(&text, 1), options);
      const double expected = one["perplexity"];
      EXPECT_NEAR(found.perplexity.per_token(), expected, 1e-5 * expected)
          << options.context << ", " << options.stride;
      EXPECT_EQ(found.summary(2).find("line ends"), std::string::npos);
    }
  }
}

// One path: a text within the context has the same tokens in both.
TEST_P(LanguageAnswers, ScoreTextsAsTheirPerplexityDoes) {
  const LanguageModel model = this->model();
  const std::string text = "A man is walking\nwith his dog.";
  const SequenceScore score = score_lines(model, std::span(&text, 1), {})[0];
  const Perplexity perplexity = document_perplexity(model, std::span(&text, 1)).perplexity;
  EXPECT_EQ(std::ssize(score.token_scores), perplexity.tokens);
  EXPECT_EQ(score.characters, perplexity.characters);
  EXPECT_NEAR(perplexity.nll, -score.log_probability, 1e-4 * perplexity.nll);
}

// The settings go into the exported directory and come back from it.
TEST_P(LanguageAnswers, StayAfterAnExport) {
  const LanguageDirectory directory(GetParam().model(), golden()["settings"]);
  const Checkpoint checkpoint = import_model(ModelDirectory(directory.path())).checkpoint;
  const auto exported = scratch("language_exported");
  std::filesystem::remove_all(exported);
  write_model_directory(export_model(checkpoint), exported);
  const LanguageModel before = language_model(checkpoint),
                      after = language_model(import_model(ModelDirectory(exported)).checkpoint);
  std::filesystem::remove_all(exported);
  EXPECT_EQ(after.text, before.text);
  EXPECT_EQ(after.generation, before.generation);
}

TEST(ImportedLanguageModel, RefusesSettingsThatWouldChangeItsAnswers) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, OrderedJson>>{{"forced_bos_token_id", 3},
                                                        {"guidance_scale", 1.5},
                                                        {"num_beams", 4},
                                                        {"encoder_no_repeat_ngram_size", 2},
                                                        {"token_healing", true}}) {
    const LanguageDirectory directory("gpt2", OrderedJson{{key, value}});
    expect_error<DataError>([&] { directory.model(); }, {"generation_config.json", key});
  }
}

// Only drawing looks at them.
TEST(ImportedLanguageModel, RefusesSettingsThatWouldChangeWhatItDraws) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, OrderedJson>>{{"min_p", 0.1},
                                                        {"typical_p", 0.9},
                                                        {"epsilon_cutoff", 0.01},
                                                        {"eta_cutoff", 0.01},
                                                        {"top_h", 0.5}}) {
    const LanguageDirectory drawing("gpt2", OrderedJson{{key, value}, {"do_sample", true}});
    expect_error<DataError>([&] { drawing.model(); }, {"generation_config.json", key});
    EXPECT_NO_THROW(LanguageDirectory("gpt2", OrderedJson{{key, value}}).model()) << key;
  }
}

TEST(ImportedLanguageModel, RefusesAnEmptyPromptWithoutATokenToBeginWith) {
  const LanguageDirectory directory("gpt2", OrderedJson{{"eos_token_id", 0}});
  const GenerationEngine engine(directory.model());
  expect_error<DataError>([&] { engine.generate(""); }, {"prompt has no tokens"});
}

TEST(ImportedLanguageModel, KnowsNoLines) {
  const GenerationEngine engine(LanguageDirectory("gpt2", {}).model());
  GenerationOptions options;
  options.one_line = true;
  expect_error<ConfigError>([&] { engine.generate("A", options); }, {"one_line", "documents"});
}

}  // namespace
}  // namespace attend
