#include "attend/interchange/writing/tokenizer_writing_parts.h"

#include <fmt/format.h>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend::detail {

void refuse_to_write(std::string_view what) { refuse_to_write(option_text("{}", what)); }

void refuse_to_write(const OptionText& what) {
  throw OptionError<ConfigError>("its tokenizer has no equivalent in a tokenizer.json: {}", what);
}

nlohmann::json vocabulary_json(const std::vector<std::string>& pieces) {
  nlohmann::json vocabulary = nlohmann::json::object();
  for (std::size_t id = 0; id < pieces.size(); ++id) vocabulary[pieces[id]] = id;
  return vocabulary;
}

nlohmann::json added_tokens_json(const std::vector<std::string>& pieces,
                                 const std::map<std::int32_t, bool>& added) {
  nlohmann::json tokens = nlohmann::json::array();
  for (const auto& [id, special] : added)
    tokens.push_back({{"id", id},
                      {"content", pieces[static_cast<std::size_t>(id)]},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", special}});
  return tokens;
}

}  // namespace attend::detail
