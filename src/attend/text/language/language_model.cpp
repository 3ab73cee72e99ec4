#include "attend/text/language/language_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <sstream>

#include "attend/core/files/embedded_file.h"
#include "attend/core/strings/unicode.h"
#include "attend/error.h"
#include "attend/text/language/language_features.h"

namespace attend {

// languages.bin, except in browsers
std::span<const EmbeddedFile> language_model_files();

namespace detail {
namespace {

std::string_view take(std::string_view& file, std::size_t bytes) {
  if (bytes > file.size()) throw DataError("the model of languages ends too early");
  const std::string_view taken = file.substr(0, bytes);
  file.remove_prefix(bytes);
  return taken;
}

std::string_view take_line(std::string_view& file) {
  const std::size_t end = std::min(file.find('\n'), file.size());
  const std::string_view line = take(file, end);
  take(file, 1);
  return line;
}

std::vector<float> take_floats(std::string_view& file, std::size_t count) {
  const std::string_view bytes = take(file, 4 * count);
  std::vector<float> numbers;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t bits = 0;
    for (std::size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[at + i]);
    numbers.push_back(std::bit_cast<float>(bits));
  }
  return numbers;
}

}  // namespace

LanguageModel::LanguageModel(std::string_view file) {
  std::istringstream header{std::string(take_line(file))};
  header >> bits_ >> dimensions_ >> damping_ >> temperature_;
  if (!header || bits_ < 1 || bits_ > 31 || dimensions_ == 0 || dimensions_ % 2 != 0)
    throw DataError("the model of languages has an unknown header");
  for (const std::string_view name : unicode::split(take_line(file))) languages_.emplace_back(name);
  classes_ = languages_.size();
  if (classes_ < 2) throw DataError("the model of languages has no languages");
  languages_.pop_back();
  weights_ = take_floats(file, dimensions_ * classes_);
  bias_ = take_floats(file, classes_);
  vectors_ = take(file, (std::size_t{1} << bits_) * dimensions_ / 2);
}

const LanguageModel& LanguageModel::instance() {
  const std::span<const EmbeddedFile> files = language_model_files();
  if (files.empty()) throw ConfigError("attend recognizes no languages in browsers");
  static const LanguageModel model(files.front().content);
  return model;
}

std::vector<double> LanguageModel::probabilities(std::string_view text) const {
  const std::vector<std::uint32_t> features = language_features(text);
  if (features.empty()) return {};
  std::vector<int> sum(dimensions_, -8 * static_cast<int>(features.size()));
  const std::size_t bytes = dimensions_ / 2;
  for (const std::uint32_t feature : features) {
    const char* const vector = vectors_.data() + bytes * (feature >> (32 - bits_));
    for (std::size_t i = 0; i < bytes; ++i) {
      const auto pair = static_cast<unsigned char>(vector[i]);
      sum[2 * i] += pair & 15;
      sum[2 * i + 1] += pair >> 4;
    }
  }
  const double scale = 1 / std::pow(static_cast<double>(features.size()), damping_);
  std::vector<double> all(bias_.begin(), bias_.end());
  for (std::size_t d = 0; d < dimensions_; ++d)
    for (std::size_t l = 0; l < classes_; ++l)
      all[l] += scale * sum[d] * static_cast<double>(weights_[d * classes_ + l]);
  const double largest = *std::max_element(all.begin(), all.end());
  double total = 0;
  for (double& one : all) total += one = std::exp(temperature_ * (one - largest));
  for (double& one : all) one /= total;
  all.pop_back();
  return all;
}

}  // namespace detail
}  // namespace attend
