#include "attend/inspect/axis_labels.h"

#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "attend/core/json/json_text.h"

namespace attend {

using AxisJson = nlohmann::ordered_json;

AxisLabels::AxisLabels(Tokenizer tokenizer, std::vector<std::int32_t> ids,
                       std::vector<float> scores)
    : tokenizer_(std::move(tokenizer)),
      ids_(std::move(ids)),
      scores_(std::move(scores)),
      words_(tokenizer_.words(ids_)) {}

AxisJson AxisLabels::word_labels() const {
  AxisJson labels = AxisJson::array();
  for (const Tokenizer::Word& word : words_)
    labels.push_back(label(word.text, word.begin, word.end));
  return labels;
}

AxisJson AxisLabels::piece_labels() const {
  AxisJson labels = AxisJson::array();
  for (std::int32_t i = 0; i < std::ssize(ids_); ++i)
    labels.push_back(label(tokenizer_.piece(ids_[static_cast<std::size_t>(i)]), i, i + 1));
  return labels;
}

AxisJson AxisLabels::label(const std::string& text, std::int32_t begin, std::int32_t end) const {
  AxisJson json{{"text", text}};
  const std::int32_t id = ids_[static_cast<std::size_t>(begin)];
  if (id == tokenizer_.bos_id()) json["marks"] = "start";
  if (id == tokenizer_.eos_id()) json["marks"] = "end";
  // What follows a translation that was cut off has none.
  if (std::cmp_less_equal(end, scores_.size()))
    json["log_probability"] =
        json_number(std::accumulate(scores_.begin() + begin, scores_.begin() + end, 0.0f));
  return json;
}

}  // namespace attend
