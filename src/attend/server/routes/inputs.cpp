#include "attend/server/routes/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "attend/error.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

void require_count(std::size_t texts) {
  if (texts == 0) throw HttpError{400, "inputs: expected at least one text"};
  if (texts > kMostInferred)
    throw HttpError{413,
                    fmt::format("inputs: expected at most {} texts, got {}", kMostInferred, texts)};
}

std::string one_text(const Json& json) {
  if (!json.is_string())
    throw HttpError{400, "inputs: expected a text, a pair of texts or a list of those"};
  return json.get<std::string>();
}

// A tab would end the first text.
std::string without_tabs(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

struct OneInput {
  std::string first;
  std::optional<std::string> second = {};
};

OneInput one_input(const Json& json) {
  if (json.is_array()) {
    if (json.empty() || json.size() > 2)
      throw HttpError{400, fmt::format("inputs: expected a text or a pair of texts in each list, "
                                       "got {}",
                                       json.size())};
    if (json.size() == 1) return {one_text(json[0])};
    return {one_text(json[0]), one_text(json[1])};
  }
  if (!json.is_object()) return {one_text(json)};
  const auto text = json.find("text"), second = json.find("text_pair");
  if (text == json.end()) throw HttpError{400, "inputs: expected a member text"};
  if (second == json.end() || second->is_null()) return {one_text(*text)};
  return {one_text(*text), one_text(*second)};
}

bool is_one_pair(const Json& json, bool takes_pairs) {
  return takes_pairs && json.is_array() && json.size() == 2 && json[0].is_string();
}

}  // namespace

std::vector<std::string> inputs_of(const Parameters& parameters) {
  std::vector<std::string> inputs = parameters.texts("inputs");
  require_count(inputs.size());
  return inputs;
}

InputTexts pairs_or_texts(const Parameters& parameters, bool takes_pairs) {
  const Json& json = *parameters.find("inputs");
  std::vector<OneInput> inputs;
  InputTexts result{.texts = {}, .is_list = json.is_array() && !is_one_pair(json, takes_pairs)};
  if (result.is_list) {
    require_count(json.size());
    for (const Json& one : json) inputs.push_back(one_input(one));
  } else {
    inputs.push_back(one_input(json));
  }
  result.pairs = inputs.front().second.has_value();
  for (OneInput& input : inputs) {
    if (input.second.has_value() != result.pairs)
      throw HttpError{400, "inputs: expected only pairs of texts, or only single ones"};
    result.texts.push_back(input.second ? without_tabs(std::move(input.first)) + "\t" +
                                              without_tabs(*std::move(input.second))
                                        : std::move(input.first));
  }
  return result;
}

}  // namespace attend
