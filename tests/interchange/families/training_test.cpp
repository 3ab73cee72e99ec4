// Training that starts from imported models: the loss of a step and its gradients are those of
// transformers.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "attend/data/documents.h"
#include "attend/error.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/language/scoring.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/tagging/model.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/scoring.h"
#include "attend/tasks/translation/training/training.h"
#include "interchange/families/trained_fixture.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using TrainedFamily = TrainedFixture;
INSTANTIATE_TEST_SUITE_P(Of, TrainedFamily,
                         testing::ValuesIn(fixtures_with("training.safetensors")), name_of_fixture);

TEST_P(TrainedFamily, BeginsWithTheLossAndTheGradientsOfTheModel) {
  TrainingTask task = started();
  ParameterSet& parameters = task.objective->parameters();
  for (const ParameterSet::Entry& entry : parameters.entries())
    if (is_new(entry))  // the record has a head of an embedding model
      parameters.value(entry).copy_from(golden_.tensor("new_head" + entry.name.substr(6)));
  const double loss = summed_loss(task);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);
  expect_gradients(parameters);
}

// What training has no option for stays; the languages of the text become the defaults.
TEST_P(TrainedFamily, KeepsWhatTrainingHasNoOptionFor) {
  const auto before = load_model(*model_);
  const TrainingTask task = started();
  if (const auto* const after = dynamic_cast<const TranslationModel*>(task.model.get())) {
    const auto& model = dynamic_cast<const TranslationModel&>(*before);
    PairFormat expected = model.format;
    expected.set_defaults(GetParam().languages);
    EXPECT_EQ(pair_format_json(after->format), pair_format_json(expected));
    EXPECT_EQ(after->suppressed, model.suppressed);
    EXPECT_EQ(after->decoding.min_length, model.decoding.min_length);
    EXPECT_EQ(after->decoding.no_repeat_ngram, model.decoding.no_repeat_ngram);
    EXPECT_EQ(after->decoding.beam_size, model.decoding.beam_size);
  } else if (const auto* const language = dynamic_cast<const LanguageModel*>(task.model.get())) {
    EXPECT_EQ(language->text, dynamic_cast<const LanguageModel&>(*before).text);
  } else if (const auto* const tagger = dynamic_cast<const TaggingModel*>(task.model.get())) {
    EXPECT_EQ(tagger->labels, dynamic_cast<const TaggingModel&>(*before).labels);
  } else if (const auto* const same = dynamic_cast<const ClassificationModel*>(before.get())) {
    EXPECT_EQ(dynamic_cast<const ClassificationModel&>(*task.model).labels, same->labels);
    EXPECT_EQ(task.notes[0].find("labels:"), std::string::npos) << "the head stays";
  } else {
    EXPECT_EQ(dynamic_cast<const ClassificationModel&>(*task.model).labels,
              (std::vector<std::string>{"negative", "neutral", "positive"}))
        << "an embedding model gets a new head";
  }
}

// The loss is what scoring the same texts gives.
using TrainedTranslation = TrainedFixture;
INSTANTIATE_TEST_SUITE_P(Of, TrainedTranslation,
                         testing::Values(FamilyFixture{"marian"}, FamilyFixture{"marian_separate"}),
                         name_of_fixture);

TEST_P(TrainedTranslation, BeginsWithTheLossThatItsScoresAre) {
  TrainingTask task = started();
  const TranslationModel model = translation_model(*model_);
  const PairSpecialTokens marks = model.format.of({});
  std::vector<std::vector<std::int32_t>> src, tgt;
  for (const auto& line : recorded("sources"))
    src.push_back(marks.around(model.src_tokenizer.encode(line.get<std::string>())));
  for (const auto& line : recorded("targets"))
    tgt.push_back(model.tgt_tokenizer.encode(line.get<std::string>()));
  double scored = 0;
  for (const SequenceScore& score : score_pairs(model, marks, src, tgt))
    scored -= score.log_probability;
  EXPECT_NEAR(summed_loss(task), scored, 1e-4 * scored);
}

using TrainedLanguageModel = TrainedFixture;
INSTANTIATE_TEST_SUITE_P(Of, TrainedLanguageModel,
                         testing::Values(FamilyFixture{"gpt2"}, FamilyFixture{"llama"},
                                         FamilyFixture{"qwen3"}, FamilyFixture{"gemma2"},
                                         FamilyFixture{"gemma3"}),
                         name_of_fixture);

TEST_P(TrainedLanguageModel, BeginsWithTheLossThatItsPerplexityIs) {
  TrainingTask task = started();
  const LanguageModel model = language_model(*model_);
  const std::vector<std::string> documents =
      read_units(file("sources"), {.documents = true, .document_end = ""});
  ASSERT_EQ(documents.size(), 1u);
  // Training also predicts the end of the document.
  const std::vector<std::int32_t> ids = model.passage_ids(documents[0]);
  std::vector<std::int32_t> stream = ids;
  stream.push_back(model.tokenizer.eos_id());
  const double end = score_stream(model, stream).back();
  const double per_token = document_perplexity(model, documents).perplexity.per_token();
  const double loss = summed_loss(task);
  EXPECT_NEAR(loss, std::log(per_token) * static_cast<double>(ids.size() - 1) - end, 1e-4 * loss);
}

// Marian's own models begin with the loss that their scores are.
TEST(TrainedNativeMarian, BeginsWithTheLossOfTheModel) {
  for (const char* name :
       {"native_joint", "native_two", "native_spm", "native_ssru", "native_pre"}) {
    const auto imported = std::make_shared<const Checkpoint>(
        import_model(ModelDirectory(fixture("models") / name)).checkpoint);
    const std::string src = "a man sees the dog .", tgt = "ein Mann sieht der Hund .";
    const auto source = scratch("native_source"), target = scratch("native_target");
    std::ofstream(source) << src << '\n';
    std::ofstream(target) << tgt << '\n';
    TranslationTraining options;
    options.data.src_train = {source.string()};
    options.data.tgt_train = {target.string()};
    options.loss.training.label_smoothing = 0;
    adopt_model(options, *imported);
    options.initial = imported;
    TrainingTask task = prepare_training(options, nullptr);
    const double scored = -TranslationEngine(translation_model(*imported))
                               .score(std::vector{src}, std::vector{tgt})[0]
                               .log_probability;
    EXPECT_NEAR(summed_loss(task), scored, 1e-4 * scored) << name;
    for (const auto& file : {source, target}) std::filesystem::remove(file);
  }
}

// An option and the error that it leads to.
void expect_training_refused(const char* name, const LanguagePair& languages, int max_length,
                             std::initializer_list<std::string_view> fragments) {
  const auto model = std::make_shared<const Checkpoint>(
      import_model(ModelDirectory(fixture("models") / name)).checkpoint);
  const auto file = scratch("refused_training");
  std::ofstream(file) << "A man.\n";
  TranslationTraining options;
  options.data.src_train = options.data.tgt_train = {file.string()};
  options.data.languages = languages;
  options.data.length.max_length = max_length;
  expect_error<ConfigError>(
      [&] {
        adopt_model(options, *model);
        options.initial = model;
        prepare_training(options, nullptr);
      },
      fragments);
  std::filesystem::remove(file);
}

TEST(TrainedLanguages, AreAskedForAndChecked) {
  expect_training_refused("nllb", {"eng_Latn", "fra_Latin"}, 40,
                          {"tgt_lang", "did you mean fra_Latn?"});
  expect_training_refused("mt5", {"en", "de"}, 40, {"src_lang", "one pair of languages"});
}

TEST(TrainedPositions, MustBeEnoughForTheMarks) {
  expect_training_refused("mbart", {"en_XX", "de_DE"}, 48,
                          {"max_length", "48 positions", "lower max_length to 47"});
}

}  // namespace
}  // namespace attend
