// The tokens and words of a text as labels of the rows or columns of what a model computes.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "attend/text/tokenizer.h"

namespace attend {

// A label is {"text", "marks": "start" or "end", "log_probability"}; the last two only where they
// apply.
class AxisLabels {
 public:
  // `scores`: the log-probability of each id, or nothing.
  AxisLabels(Tokenizer tokenizer, std::vector<std::int32_t> ids, std::vector<float> scores = {});

  const std::vector<std::int32_t>& ids() const { return ids_; }
  const std::vector<Tokenizer::Word>& words() const { return words_; }
  nlohmann::ordered_json word_labels() const;
  nlohmann::ordered_json piece_labels() const;

 private:
  // Labels the ids [begin, end).
  nlohmann::ordered_json label(const std::string& text, std::int32_t begin, std::int32_t end) const;

  Tokenizer tokenizer_;
  std::vector<std::int32_t> ids_;
  std::vector<float> scores_;
  std::vector<Tokenizer::Word> words_;
};

}  // namespace attend
