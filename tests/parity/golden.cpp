#include "parity/golden.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "backend/instruction_set.h"

namespace attend {

namespace {

void expect_close(const Tensor& actual, const Tensor& expected, double absolute, double relative,
                  const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  const std::vector<float> a = actual.to_vector(), e = expected.to_vector();
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double allowed = absolute + relative * std::abs(static_cast<double>(e[i]));
    // Written so that NaN fails.
    if (!(std::abs(static_cast<double>(a[i]) - e[i]) <= allowed)) {
      FAIL() << what << ", element " << i << ": " << a[i] << " instead of PyTorch's " << e[i]
             << ", allowed +-" << allowed;
    }
  }
}

Tensor gradient_of(const ParameterSet& parameters, const ParameterSet::Entry& entry) {
  return parameters.gradients()
      .slice_rows(entry.offset, entry.offset + entry.shape.size())
      .reshape(entry.shape);
}

}  // namespace

void expect_output(const Tensor& actual, const Tensor& expected, const std::string& what) {
  expect_close(actual, expected, 1e-5, 1e-5, what);
}

void expect_gradient(const Tensor& actual, const Tensor& expected, const std::string& what) {
  double largest = 0.0;
  for (const float value : expected.to_vector())
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  // The bias of keys moves all scores of a query alike: its gradient is zero, and what is left is
  // rounding, more of it on processors without FMA.
  const bool zero = largest < 1e-9;
  const double rounding = has_fma(instruction_sets().used) ? 2e-6 : 4e-6;
  expect_close(actual, expected, zero ? rounding : 1e-4 * largest + 1e-7, 0.0, what);
}

Golden::Golden(const std::string& name)
    : file_(SafetensorsFile::open(std::filesystem::path(ATTEND_SOURCE_DIR) / "tests" / "golden" /
                                  (name + ".safetensors"))) {}

std::string Golden::setting(const std::string& name) const {
  const auto value = nlohmann::json::parse(file_.metadata().at("settings")).at(name);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<std::int32_t> Golden::lengths(const std::string& name) const {
  const Tensor t = tensor(name);
  return {t.data<std::int32_t>(), t.data<std::int32_t>() + t.size()};
}

Ids Golden::offsets(const std::string& name) const {
  std::vector<std::int32_t> offsets{0};
  for (const std::int32_t length : lengths(name)) offsets.push_back(offsets.back() + length);
  return offsets;
}

Tensor Golden::packed(const std::string& name, const std::string& lengths_name) const {
  const Tensor padded = tensor(name);
  const std::int64_t rows = padded.dim(1), width = padded.dim(2);
  std::vector<float> values;
  std::int64_t sequence = 0;
  for (const std::int32_t length : lengths(lengths_name)) {
    const float* begin = padded.data() + sequence++ * rows * width;
    values.insert(values.end(), begin, begin + length * width);
  }
  return Tensor::from(values, {static_cast<std::int64_t>(values.size()) / width, width});
}

Ragged Golden::tokens(const std::string& name, const std::string& lengths_name) const {
  const Tensor padded = tensor(name);
  std::vector<std::int32_t> ids;
  std::int64_t sequence = 0;
  for (const std::int32_t length : lengths(lengths_name)) {
    const std::int32_t* begin = padded.data<std::int32_t>() + sequence++ * padded.dim(1);
    ids.insert(ids.end(), begin, begin + length);
  }
  return Ragged::copy(ids, *offsets(lengths_name));
}

void Golden::load(const ParameterSet& parameters, const std::string& prefix) const {
  for (const auto& entry : parameters.entries()) {
    ASSERT_EQ(entry.name.substr(0, prefix.size()), prefix);
    parameters.value(entry).copy_from(tensor("param." + entry.name.substr(prefix.size())));
  }
  const auto in_file =
      std::count_if(file_.entries().begin(), file_.entries().end(),
                    [](const TensorEntry& entry) { return entry.name.starts_with("param."); });
  EXPECT_EQ(static_cast<std::size_t>(in_file), parameters.entries().size());
}

void Golden::expect_gradients(const ParameterSet& parameters, const std::string& prefix) const {
  for (const auto& entry : parameters.entries()) {
    const std::string name = "dparam." + entry.name.substr(prefix.size());
    expect_gradient(gradient_of(parameters, entry), tensor(name), name);
  }
}

void Golden::expect_weights(const Tensor& actual, const std::string& query_lengths,
                            const std::string& key_lengths) const {
  const Tensor padded = tensor("out.weights");
  const std::int64_t heads = padded.dim(1), rows = padded.dim(2), columns = padded.dim(3);
  const std::vector<std::int32_t> queries = lengths(query_lengths), keys = lengths(key_lengths);
  std::vector<float> expected;
  for (std::size_t b = 0; b < queries.size(); ++b) {
    for (std::int64_t head = 0; head < heads; ++head) {
      for (std::int64_t query = 0; query < queries[b]; ++query) {
        const float* row = padded.data() +
                           ((static_cast<std::int64_t>(b) * heads + head) * rows + query) * columns;
        expected.insert(expected.end(), row, row + keys[b]);
      }
    }
  }
  expect_output(actual, Tensor::from(expected, {static_cast<std::int64_t>(expected.size())}),
                "attention weights");
}

}  // namespace attend
