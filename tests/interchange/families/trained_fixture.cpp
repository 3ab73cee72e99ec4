#include "interchange/families/trained_fixture.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_config.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/tagging/training.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {

TrainedFixture::TrainedFixture()
    : directory_(GetParam().folder()),
      golden_(SafetensorsFile::open(directory_.file("training.safetensors"))),
      model_(std::make_shared<const Checkpoint>(import_model(directory_).checkpoint)) {
  std::filesystem::create_directories(folder_);
  for (const char* side : {"sources", "targets"}) {
    std::ofstream stream(folder_ / side);
    for (const auto& line : recorded(side)) stream << line.get<std::string>() << '\n';
  }
}

TrainedFixture::~TrainedFixture() { std::filesystem::remove_all(folder_); }

nlohmann::json TrainedFixture::recorded(const char* side) const {
  return parse_json(golden_.metadata().at(side), side);
}

std::string TrainedFixture::table() const {
  std::ofstream stream(folder_ / "texts.tsv");
  const auto texts = recorded("sources"), labels = recorded("labels");
  for (std::size_t i = 0; i < texts.size(); ++i)
    stream << labels[i].get<std::string>() << '\t' << texts[i].get<std::string>() << '\n';
  return file("texts.tsv");
}

TrainingTask TrainedFixture::started() const {
  const auto start = [&](auto options) {
    adopt_model(options, *model_);
    options.initial = model_;
    return prepare_training(options, nullptr);
  };
  const std::string task = model_->text("attend.task");
  if (task == TranslationModel::kTask) {
    TranslationTraining options;
    options.data.src_train = {file("sources")};
    options.data.tgt_train = {file("targets")};
    options.data.languages = GetParam().languages;
    options.data.length.max_length = 40;
    options.loss.training.label_smoothing = 0;
    return start(options);
  }
  if (task == LanguageModel::kTask) {
    LanguageTraining options;
    options.data.train = {file("sources")};
    options.data.batch.batch_tokens = 1;  // a batch for every window
    return start(options);
  }
  if (task == TaggingModel::kTask) {
    TaggingTraining options;
    options.data.train = {table()};
    options.data.columns.table = TableFormat::tsv;
    return start(options);
  }
  ClassificationTraining options;
  options.data.train = {table()};
  if (recorded("sources")[0].get<std::string>().find('\t') != std::string::npos)
    options.data.columns.second_column = "3";
  return start(options);
}

NameMap TrainedFixture::names() const {
  ForeignConfig config = ForeignConfig::from_json(directory_.text("config.json"), "config.json");
  for (const ModelFamily& family : model_families())
    if (family.name == GetParam().model_type()) return family.read(directory_, config).names;
  throw Error("no family " + GetParam().model_type());
}

bool TrainedFixture::is_new(const ParameterSet::Entry& entry) const {
  return std::none_of(model_->tensors.begin(), model_->tensors.end(),
                      [&](const NamedTensor& tensor) { return tensor.name == entry.name; });
}

namespace {

// The 1 that is added to a gain is not added to its gradient. Decoders without their output have
// names without their first part; that of GPT-NeoX has another name in memory than in files.
ForeignName name_of_gradient(const SafetensorsFile& record, ForeignName name) {
  constexpr std::string_view kBase = "model.";
  if (name.layout == ForeignLayout::less_one) name.layout = ForeignLayout::same;
  if (name.name == "embed_out.weight") name.name = "lm_head.weight";
  if (!record.contains(name.name) && name.name.starts_with(kBase)) name.name.erase(0, kBase.size());
  return name;
}

}  // namespace

std::vector<NamedTensor> TrainedFixture::foreign_gradients(const ParameterSet& parameters) const {
  const NameMap all_names = names();
  ForeignTensors tensors;
  for (const ParameterSet::Entry& entry : parameters.entries())
    if (!is_new(entry))
      tensors.add(name_of_gradient(golden_, all_names.theirs(entry.name)),
                  gradient_of(parameters, entry).clone());
  return tensors.finish();
}

// Two numbers stand for a gradient: the script's sums(), without the row of the padding token in
// tables of embeddings.
void TrainedFixture::expect_gradients(const ParameterSet& parameters) const {
  const auto padding = parse_json(golden_.metadata().at("padding"), "padding").get<std::int64_t>();
  std::set<std::int64_t> vocabularies;
  for (const NamedTokenizer& named : load_model(*model_)->tokenizers())
    vocabularies.insert(named.tokenizer.vocab_size());
  std::int64_t compared = 0;
  for (const NamedTensor& gradient : foreign_gradients(parameters)) {
    if (gradient.name == "final_logits_bias") continue;  // which transformers does not train
    const Tensor& tensor = gradient.tensor;
    const bool is_table = tensor.shape().rank() == 2 && vocabularies.contains(tensor.rows());
    if (is_table && padding >= 0 && padding < tensor.rows())
      std::fill_n(tensor.row(padding), tensor.cols(), 0.0f);
    const std::vector<float> values = tensor.to_vector(),
                             numbers = ramp(static_cast<int>(values.size()));
    double squares = 0, products = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      squares += double{values[i]} * values[i];
      products += double{values[i]} * numbers[i];
    }
    const double scale = 1 + std::sqrt(squares);
    const std::vector<float> expected = golden_.tensor(gradient.name).to_vector();
    ASSERT_EQ(expected.size(), 2u) << gradient.name;
    EXPECT_NEAR(squares, expected[0], 2e-4 * scale * scale) << gradient.name;
    EXPECT_NEAR(products, expected[1], 1e-3 * scale) << gradient.name;
    ++compared;
  }
  const auto names_of_record = golden_.names();
  const auto others = std::count_if(
      names_of_record.begin(), names_of_record.end(),
      [](const auto& name) { return name == "loss" || name.starts_with("new_head."); });
  EXPECT_EQ(compared + others, std::ssize(names_of_record));
}

Tensor gradient_of(const ParameterSet& parameters, const ParameterSet::Entry& entry) {
  return parameters.gradients()
      .slice_rows(entry.offset, entry.offset + entry.shape.size())
      .reshape(entry.shape);
}

double summed_loss(TrainingTask& task) {
  std::int64_t epoch = 0;
  if (task.model->task() == LanguageModel::kTask)
    while (epoch < 1000 && task.objective->batches(epoch) > 1) ++epoch;
  const auto* const language = dynamic_cast<const LanguageModel*>(task.model.get());
  const bool has_experts = language != nullptr && language->network->config().experts > 0;
  double sum = 0;
  for (std::int64_t batch = 0; batch < task.objective->batches(epoch); ++batch) {
    // Experts are balanced in training only; the fixtures that have some have no dropout.
    Pass pass = has_experts ? Pass::training(1, 1) : Pass::inference();
    const BatchLoss loss = task.objective->loss(epoch, batch, 1.0, pass);
    backward(loss.loss);
    sum += static_cast<double>(loss.nll_sum);
  }
  return sum;
}

}  // namespace attend
