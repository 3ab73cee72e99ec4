// Training that starts from imported encoder-decoders and OPT: the loss of a step and its gradients
// are those of transformers (tools/golden_of_training.py --sums).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "attend/core/json.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/registry.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

struct TrainedCase {
  const char* name;
  LanguagePair languages = {};
};

class TrainedFamily : public testing::TestWithParam<TrainedCase> {
 protected:
  TrainedFamily()
      : directory_(fixture("models") / GetParam().name),
        golden_(SafetensorsFile::open(directory_.file("training.safetensors"))),
        model_(std::make_shared<const Checkpoint>(import_model(directory_).checkpoint)) {
    std::filesystem::create_directories(folder_);
    for (const char* side : {"sources", "targets"}) {
      std::ofstream stream(folder_ / side);
      for (const auto& line : parse_json(golden_.metadata().at(side), side))
        stream << line.get<std::string>() << '\n';
    }
  }
  ~TrainedFamily() override { std::filesystem::remove_all(folder_); }

  std::string file(const char* side) const { return (folder_ / side).string(); }

  TrainingTask started() const {
    TranslationTraining options;
    options.data.src_train = {file("sources")};
    options.data.tgt_train = {file("targets")};
    options.data.languages = GetParam().languages;
    options.data.length.max_length = 40;
    options.loss.training.label_smoothing = 0;
    adopt_model(options, *model_);
    options.initial = model_;
    return prepare_training(options, nullptr);
  }

  // The gradients under the names of transformers and in its layouts.
  std::vector<NamedTensor> gradients(const ParameterSet& parameters) const {
    ForeignConfig config = ForeignConfig::from_json(directory_.text("config.json"), "config.json");
    const std::string type = config.text("model_type");
    ForeignTensors tensors;
    for (const ModelFamily& family : model_families()) {
      if (family.name != type) continue;
      const NameMap names = family.read(directory_, config).names;
      for (const ParameterSet::Entry& entry : parameters.entries())
        tensors.add(names.theirs(entry.name),
                    parameters.gradients()
                        .slice_rows(entry.offset, entry.offset + entry.shape.size())
                        .reshape(entry.shape)
                        .clone());
    }
    return tensors.finish();
  }

  void expect_gradients(const TrainingTask& task, std::int32_t padding,
                        std::int64_t vocabulary) const {
    std::size_t compared = 0;
    for (const NamedTensor& gradient : gradients(task.objective->parameters())) {
      // transformers does not train this bias.
      if (gradient.name == "final_logits_bias") continue;
      const Tensor expected = golden_.tensor(gradient.name);
      const Tensor& tensor = gradient.tensor;
      const bool is_table = tensor.shape().rank() == 2 && tensor.rows() == vocabulary;
      if (is_table && padding >= 0) std::fill_n(tensor.row(padding), tensor.cols(), 0.0f);
      const std::vector<float> values = tensor.to_vector(),
                               numbers = ramp(static_cast<int>(values.size()));
      double squares = 0, products = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        squares += double{values[i]} * values[i];
        products += double{values[i]} * numbers[i];
      }
      const double scale = 1 + std::sqrt(squares);
      EXPECT_NEAR(squares, expected.to_vector()[0], 2e-4 * scale * scale) << gradient.name;
      EXPECT_NEAR(products, expected.to_vector()[1], 1e-3 * scale) << gradient.name;
      ++compared;
    }
    EXPECT_EQ(compared + 1, golden_.entries().size()) << "with the loss";
  }

  const std::filesystem::path folder_ = scratch("trained_family");
  const ModelDirectory directory_;
  const SafetensorsFile golden_;
  const std::shared_ptr<const Checkpoint> model_;
};

// The loss of all batches of an epoch, with its gradients in the parameters of the task.
double summed_negative_log_likelihood(TrainingTask& task, std::int64_t epoch = 0) {
  double sum = 0;
  for (std::int64_t batch = 0; batch < task.objective->batches(epoch); ++batch) {
    Pass pass = Pass::inference();
    const BatchLoss loss = task.objective->loss(epoch, batch, 1.0, pass);
    backward(loss.loss);
    sum += static_cast<double>(loss.nll_sum);
  }
  return sum;
}

std::string name_of_case(const testing::TestParamInfo<TrainedCase>& suite) {
  return suite.param.name;
}

INSTANTIATE_TEST_SUITE_P(Of, TrainedFamily,
                         testing::Values(TrainedCase{"m2m_100", {"en", "de"}},
                                         TrainedCase{"nllb", {"eng_Latn", "fra_Latn"}},
                                         TrainedCase{"nllb_legacy", {"eng_Latn", "deu_Latn"}},
                                         TrainedCase{"mbart", {"en_XX", "ro_RO"}},
                                         TrainedCase{"mbart50", {"en_XX", "fr_XX"}},
                                         TrainedCase{"bart"}, TrainedCase{"pegasus"},
                                         TrainedCase{"t5"}, TrainedCase{"flan_t5"},
                                         TrainedCase{"mt5"}, TrainedCase{"umt5"}),
                         name_of_case);

TEST_P(TrainedFamily, BeginsWithTheLossAndTheGradientsOfTheModel) {
  TrainingTask task = started();
  const double loss = summed_negative_log_likelihood(task);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);
  const auto& model = dynamic_cast<const TranslationModel&>(*task.model);
  const auto padding = parse_json(golden_.metadata().at("padding"), "padding");
  expect_gradients(task, padding.get<std::int32_t>(), model.tgt_tokenizer.vocab_size());
}

using TrainedLanguageFamily = TrainedFamily;
INSTANTIATE_TEST_SUITE_P(Of, TrainedLanguageFamily,
                         testing::Values(TrainedCase{"opt"}, TrainedCase{"bloom"}), name_of_case);

TEST_P(TrainedLanguageFamily, BeginsWithTheLossAndTheGradientsOfTheModel) {
  LanguageTraining options;
  options.data.train = {file("sources")};
  options.data.batch.batch_tokens = 1;  // a batch for every window
  adopt_model(options, *model_);
  options.initial = model_;
  TrainingTask task = prepare_training(options, nullptr);
  std::int64_t epoch = 0;  // one in which a single window holds the text
  while (epoch < 1000 && task.objective->batches(epoch) > 1) ++epoch;
  ASSERT_EQ(task.objective->batches(epoch), 1);
  const double loss = summed_negative_log_likelihood(task, epoch);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);
  const auto padding = parse_json(golden_.metadata().at("padding"), "padding");
  const auto& model = dynamic_cast<const LanguageModel&>(*task.model);
  expect_gradients(task, padding.get<std::int32_t>(), model.tokenizer.vocab_size());
}

// What training has no option for stays; the languages of the text become the defaults.
TEST_P(TrainedFamily, KeepsTheFormOfItsPairs) {
  const TranslationModel before = translation_model(*model_);
  const TrainingTask task = started();
  const auto& after = dynamic_cast<const TranslationModel&>(*task.model);
  PairFormat expected = before.format;
  expected.set_defaults(GetParam().languages);
  EXPECT_EQ(pair_format_json(after.format), pair_format_json(expected));
  EXPECT_EQ(after.suppressed, before.suppressed);
  EXPECT_EQ(after.decoding.min_length, before.decoding.min_length);
  EXPECT_EQ(after.decoding.no_repeat_ngram, before.decoding.no_repeat_ngram);
  EXPECT_EQ(after.decoding.beam_size, before.decoding.beam_size);
}

// Marian's own models begin with the loss that their scores are.
TEST(TrainedNativeMarian, BeginsWithTheLossOfTheModel) {
  for (const char* name : {"native_joint", "native_two", "native_spm", "native_pre"}) {
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
    EXPECT_NEAR(summed_negative_log_likelihood(task), scored, 1e-4 * scored) << name;
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
                          {"--tgt-lang", "did you mean fra_Latn?"});
  expect_training_refused("mt5", {"en", "de"}, 40, {"--src-lang", "one pair of languages"});
}

TEST(TrainedPositions, MustBeEnoughForTheMarks) {
  expect_training_refused("mbart", {"en_XX", "de_DE"}, 48,
                          {"max-length", "48 positions", "lower max-length to 47"});
}

}  // namespace
}  // namespace attend
