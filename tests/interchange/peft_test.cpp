#include "attend/interchange/peft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "attend/core/json/json.h"
#include "attend/interchange/foreign_model.h"
#include "attend/nn/low_rank.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/model_file/registry.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

Checkpoint base_model(const char* name) {
  return import_model(ModelDirectory(fixture("models") / name)).checkpoint;
}

Tensor numbered(Shape shape, float factor) {
  std::vector<float> values = ramp(static_cast<int>(shape.size()));
  for (float& value : values) value *= factor;
  return Tensor::from(values, shape);
}

class PeftDirectory : public testing::Test {
 protected:
  ~PeftDirectory() override { std::filesystem::remove_all(folder_); }

  // A directory of PEFT with these tensors, by names without "base_model.model.".
  ModelDirectory write(std::vector<NamedTensor> tensors,
                       const nlohmann::json& settings = nlohmann::json::object()) const {
    nlohmann::json config{{"peft_type", "LORA"},
                          {"r", 2},
                          {"lora_alpha", 4.0},
                          {"target_modules", {"query"}},
                          {"task_type", "SEQ_CLS"}};
    config.update(settings);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "adapter_config.json") << config;
    for (NamedTensor& tensor : tensors) tensor.name = "base_model.model." + tensor.name;
    write_safetensors(folder_ / "adapter_model.safetensors", tensors, {{"format", "pt"}});
    return ModelDirectory(folder_);
  }
  // An adapter of the queries of the first layer of the fixtures of BERT, whose width is 16.
  static std::vector<NamedTensor> of_queries(const std::string& prefix, std::int64_t rank = 2) {
    const std::string module = prefix + "encoder.layer.0.attention.self.query";
    return {{module + ".lora_A.weight", numbered({rank, 16}, 0.1f)},
            {module + ".lora_B.weight", numbered({16, rank}, 0.3f)}};
  }
  void expect_refused(const nlohmann::json& settings,
                      std::initializer_list<std::string_view> parts) const {
    const Checkpoint base = base_model("bert_classifier");
    expect_error<DataError>([&] { read_peft_adapter(write(of_queries("bert."), settings), base); },
                            parts);
  }

  const std::filesystem::path folder_ = scratch("peft");
};

const std::string kQueries = "encoder.layers.0.self_attn.q_proj.weight";

// The loss that PyTorch computes with the adapters (golden_of_training.py --lora=2).
TEST_F(PeftDirectory, IsAnAdapterWithTheLossOfPyTorch) {
  const SafetensorsFile record =
      SafetensorsFile::open(fixture("models") / "bert_classifier" / "adapters.safetensors");
  std::vector<NamedTensor> tensors;
  for (const TensorEntry& entry : record.entries()) {
    const std::size_t end = entry.name.rfind('.');
    const std::string last = entry.name.substr(end + 1), module = entry.name.substr(0, end);
    if (last == "lora_a") tensors.push_back({module + ".lora_A.weight", record.tensor(entry.name)});
    if (last == "lora_b") tensors.push_back({module + ".lora_B.weight", record.tensor(entry.name)});
  }
  ASSERT_EQ(tensors.size(), 8u);
  const Checkpoint base = base_model("bert_classifier");
  const auto merged = std::make_shared<const Checkpoint>(
      merge_adapter(base, read_peft_adapter(write(tensors), base)));

  std::ofstream table(folder_ / "texts.tsv");
  const auto texts = parse_json(record.metadata().at("sources"), "sources"),
             labels = parse_json(record.metadata().at("labels"), "labels");
  for (std::size_t i = 0; i < texts.size(); ++i)
    table << labels[i].get<std::string>() << '\t' << texts[i].get<std::string>() << '\n';
  table.close();
  ClassificationTraining options;
  options.data.train = {(folder_ / "texts.tsv").string()};
  adopt_model(options, *merged);
  options.initial = merged;
  const TrainingTask task = prepare_training(options, nullptr);
  Pass pass = Pass::inference();
  const double loss = task.objective->loss(0, 0, 1.0, pass).nll_sum;
  EXPECT_NEAR(loss, record.tensor("loss").item(), 1e-4 * loss);
}

TEST_F(PeftDirectory, IsWrittenAsItIsRead) {
  std::vector<NamedTensor> tensors = of_queries("bert.");
  tensors.push_back({"classifier.weight", numbered({3, 16}, 0.2f)});
  tensors.push_back({"classifier.base_layer.bias", numbered({3}, 0.2f)});
  const Checkpoint base = base_model("bert_classifier");
  const Checkpoint adapter = read_peft_adapter(write(tensors), base);
  EXPECT_EQ(adapter_note(adapter).base, checksum_of(base));
  EXPECT_EQ(adapter.tensors.size(), 4u);
  EXPECT_EQ(adapter.tensor("output.bias").to_vector(), numbered({3}, 0.2f).to_vector());

  write_peft_adapter(adapter, base, "somewhere/base", folder_ / "written");
  const ModelDirectory written(folder_ / "written");
  EXPECT_TRUE(is_peft_directory(folder_ / "written"));
  EXPECT_EQ(base_of_peft(written), "somewhere/base");
  const auto config = parse_json(written.text("adapter_config.json"), "config");
  EXPECT_EQ(config.at("modules_to_save"), nlohmann::json({"classifier"}));
  EXPECT_EQ(config.at("target_modules"),
            nlohmann::json({"bert.encoder.layer.0.attention.self.query"}));
  EXPECT_TRUE(config.at("task_type").is_null()) << "PEFT would expect a new output layer";
  const Checkpoint again = read_peft_adapter(written, base);
  ASSERT_EQ(again.tensors.size(), adapter.tensors.size());
  for (const NamedTensor& tensor : adapter.tensors)
    EXPECT_EQ(again.tensor(tensor.name).to_vector(), tensor.tensor.to_vector()) << tensor.name;
  EXPECT_EQ(again.metadata, adapter.metadata);
}

TEST_F(PeftDirectory, MayHoldTheModelWithinAnother) {
  const Checkpoint base = base_model("bert_sentences");  // an encoder without "bert."
  const Checkpoint inner = read_peft_adapter(write(of_queries("")), base);
  const Checkpoint outer = read_peft_adapter(write(of_queries("bert.")), base);
  for (const char* name : {"lora_a", "lora_b"}) {
    const std::string own = "encoder.layers.0.self_attn.q_proj." + std::string(name);
    EXPECT_EQ(inner.tensor(own).to_vector(), outer.tensor(own).to_vector());
  }
}

// Queries, keys and values are one matrix in GPT-2.
TEST_F(PeftDirectory, MayAdaptSeveralMatricesAtOnce) {
  const Checkpoint base = base_model("gpt2");
  const std::int64_t width = base.tensor("decoder.layers.0.self_attn.q_proj.weight").dim(1);
  const Tensor a = numbered({2, width}, 0.1f), b = numbered({3 * width, 2}, 0.3f);
  const Checkpoint adapter =
      read_peft_adapter(write({{"transformer.h.0.attn.c_attn.lora_A.weight", a},
                               {"transformer.h.0.attn.c_attn.lora_B.weight", b}},
                              {{"task_type", "CAUSAL_LM"}, {"fan_in_fan_out", true}}),
                        base);
  ASSERT_EQ(adapter.tensors.size(), 6u);
  std::int64_t part = 0;
  for (const char* which : {"q_proj", "k_proj", "v_proj"}) {
    const std::string module = "decoder.layers.0.self_attn." + std::string(which);
    EXPECT_EQ(adapter.tensor(module + ".lora_a").to_vector(), a.to_vector());
    EXPECT_EQ(adapter.tensor(module + ".lora_b").to_vector(),
              b.slice_rows(part * width, (part + 1) * width).to_vector());
    ++part;
  }
  EXPECT_NO_THROW(merge_adapter(base, adapter));
  expect_error<ConfigError>([&] { write_peft_adapter(adapter, base, "", folder_ / "written"); },
                            {"is a part of", "c_attn"});
}

// And in BLOOM, head by head.
TEST_F(PeftDirectory, MayAdaptSeveralMatricesHeadByHead) {
  constexpr std::int64_t kWidth = 18, kHeads = 3, kRows = kWidth / kHeads;  // of a head
  const Checkpoint base = base_model("bloom");
  const Tensor a = numbered({2, kWidth}, 0.1f);
  const auto of_rows = [&](std::int64_t rows) {
    const std::string module = "transformer.h.0.self_attention.query_key_value";
    return write(
        {{module + ".lora_A.weight", a}, {module + ".lora_B.weight", numbered({rows, 2}, 0.3f)}},
        {{"task_type", "CAUSAL_LM"}});
  };
  const Tensor b = numbered({3 * kWidth, 2}, 0.3f);
  const Checkpoint adapter = read_peft_adapter(of_rows(3 * kWidth), base);
  ASSERT_EQ(adapter.tensors.size(), 6u);
  std::int64_t part = 0;
  for (const char* which : {"q_proj", "k_proj", "v_proj"}) {
    const std::string module = "decoder.layers.0.self_attn." + std::string(which);
    EXPECT_EQ(adapter.tensor(module + ".lora_a").to_vector(), a.to_vector());
    const Tensor own = adapter.tensor(module + ".lora_b");
    ASSERT_EQ(own.shape(), (Shape{kWidth, 2}));
    for (std::int64_t head = 0; head < kHeads; ++head) {
      const std::int64_t begin = (head * 3 + part) * kRows;
      EXPECT_EQ(own.slice_rows(head * kRows, (head + 1) * kRows).to_vector(),
                b.slice_rows(begin, begin + kRows).to_vector())
          << which << " of head " << head;
    }
    ++part;
  }
  EXPECT_NO_THROW(merge_adapter(base, adapter));
  expect_error<ConfigError>([&] { write_peft_adapter(adapter, base, "", folder_ / "written"); },
                            {"is a part of", "query_key_value"});
  expect_error<DataError>([&] { read_peft_adapter(of_rows(30), base); },
                          {"expected matrices [r, in] and [out, r]"});
}

TEST_F(PeftDirectory, HasTheFactorOfItsSettings) {
  const Checkpoint base = base_model("bert_classifier");
  const std::vector<float> before = base.tensor(kQueries).to_vector();
  // How much the first element changes.
  const auto change = [&](std::int64_t rank, const nlohmann::json& settings) {
    const Checkpoint merged =
        merge_adapter(base, read_peft_adapter(write(of_queries("bert.", rank), settings), base));
    const std::vector<NamedTensor> tensors = of_queries("", rank);
    double product = 0;
    for (std::int64_t i = 0; i < rank; ++i)
      product += double{tensors[1].tensor.row(0)[i]} * tensors[0].tensor.row(i)[0];
    return (merged.tensor(kQueries).to_vector()[0] - before[0]) / product;
  };
  EXPECT_NEAR(change(2, nlohmann::json::object()), 2, 1e-4);
  EXPECT_NEAR(change(2, {{"lora_alpha", 3}}), 1.5, 1e-4);
  EXPECT_NEAR(change(2, {{"use_rslora", true}}), 4 / std::sqrt(2.0), 1e-4);
  EXPECT_NEAR(change(3, {{"rank_pattern", {{"query", 3}}}}), 4.0 / 3, 1e-4);
  for (const char* ours : {"query", "self.query", "bert.encoder.layer.0.attention.self.query"})
    EXPECT_NEAR(change(2, {{"alpha_pattern", {{"key", 16}, {ours, 8}}}}), 4, 1e-4) << ours;
  for (const char* other :
       {"uery", "layer.1.attention.self.query", "model.bert.encoder.layer.0.attention.self.query"})
    EXPECT_NEAR(change(2, {{"alpha_pattern", {{"key", 16}, {other, 8}}}}), 2, 1e-4) << other;
  EXPECT_NEAR(change(3, {{"use_rslora", true}, {"alpha_pattern", {{"query", 8}}}}),
              8 / std::sqrt(3.0), 1e-4);
}

TEST_F(PeftDirectory, HasTheFirstAlphaThatFits) {
  const Checkpoint base = base_model("bert_classifier");
  write(of_queries("bert."));
  const auto second_of = [&](const char* pattern) {
    std::ofstream(folder_ / "adapter_config.json")
        << R"({"peft_type": "LORA", "r": 2, "lora_alpha": 4, "alpha_pattern": )" << pattern << "}";
    return read_peft_adapter(ModelDirectory(folder_), base)
        .tensor("encoder.layers.0.self_attn.q_proj.lora_b")
        .to_vector();
  };
  EXPECT_EQ(second_of(R"({"query": 2, "self.query": 8})"),
            numbered({16, 2}, 0.3f * 0.5f).to_vector());
  EXPECT_EQ(second_of(R"({"self.query": 8, "query": 2})"),
            numbered({16, 2}, 0.3f * 2.0f).to_vector());
}

TEST_F(PeftDirectory, IsRefusedWithWhatIsNotSupported) {
  expect_refused({{"peft_type", "IA3"}}, {"adapter_config.json", "peft_type", "IA3"});
  expect_refused({{"use_dora", true}}, {"use_dora"});
  expect_refused({{"alpha_pattern", {{"layer.[01].+query", 8}}}},
                 {"alpha_pattern", "layer.[01].+query", "no regular expressions"});
  expect_refused({{"alpha_pattern", {{"query", 0}}}}, {"alpha_pattern", "query"});
  expect_refused({{"alpha_pattern", 8}}, {"alpha_pattern"});
  expect_refused({{"r", 0}}, {"\"r\""});
  expect_refused({{"lora_alpha", "big"}}, {"lora_alpha"});
  expect_refused({{"a_new_setting", 1}}, {"a_new_setting"});
}

// The weights of the base are then not those with which the adapter was trained.
TEST_F(PeftDirectory, IsRefusedIfItsInitializationChangedTheBase) {
  for (const char* method : {"pissa", "pissa_niter_16", "olora", "corda", "loftq", "lora_ga"})
    expect_refused({{"init_lora_weights", method}}, {"init_lora_weights", method});
  expect_refused({{"loftq_config", {{"loftq_bits", 4}}}}, {"loftq_config"});
  expect_refused({{"corda_config", {{"corda_method", 1}}}}, {"corda_config"});
  expect_refused({{"lora_ga_config", {{"scale", 1}}}}, {"lora_ga_config"});

  const Checkpoint base = base_model("bert_classifier");
  const std::vector<nlohmann::json> others{nullptr, true, false, "gaussian", "orthogonal", "eva"};
  for (const nlohmann::json& other : others) {
    nlohmann::json settings = nlohmann::json::object();
    settings["init_lora_weights"] = other;
    settings["loftq_config"] = nlohmann::json::object();
    settings["corda_config"] = nullptr;
    settings["lora_ga_config"] = nullptr;
    EXPECT_NO_THROW(read_peft_adapter(write(of_queries("bert."), settings), base)) << other;
  }
}

TEST_F(PeftDirectory, IsRefusedWithTensorsThatFitNothing) {
  const Checkpoint base = base_model("bert_classifier");
  const auto refused = [&](std::vector<NamedTensor> tensors,
                           std::initializer_list<std::string_view> parts) {
    expect_error<DataError>([&] { read_peft_adapter(write(std::move(tensors)), base); }, parts);
  };
  refused({}, {"expected matrices of an adapter, found none"});
  std::vector<NamedTensor> more = of_queries("bert.");
  more.push_back({"bert.encoder.layer.9.attention.self.query.lora_A.weight", numbered({2, 16}, 1)});
  refused(more, {"layer.9"});
  std::vector<NamedTensor> half = of_queries("bert.");
  half.pop_back();
  refused(half, {"lora_A"});
  std::vector<NamedTensor> wrong = of_queries("bert.");
  wrong[1].tensor = numbered({16, 3}, 1);
  refused(wrong, {"expected matrices [r, in] and [out, r]"});
  wrong[1].tensor = numbered({8, 2}, 1);
  expect_error<DataError>([&] { merge_adapter(base, read_peft_adapter(write(wrong), base)); },
                          {kQueries});
}

}  // namespace
}  // namespace attend
