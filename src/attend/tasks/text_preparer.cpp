#include "attend/tasks/text_preparer.h"

#include <algorithm>

namespace attend {

namespace {

// The language given, or else the model's. Only some options need one.
MosesLanguage language_of(const TextPreparation& options, const std::string& given,
                          const std::string& own, std::string_view option) {
  if (!options.normalize_punctuation && options.tokenize == WordSplitting::none)
    return MosesLanguage::en;
  return moses_language(given.empty() ? own : given, option);
}

}  // namespace

std::optional<TextKind> kind_of_input(const TextKinds& kinds) {
  for (const char* side : {"src", "text"}) {
    const auto found = kinds.find(side);
    if (found != kinds.end()) return found->second;
  }
  return std::nullopt;
}

TextPreparer TextPreparer::of_input(const TextKinds& kinds, const TextPreparation& options) {
  const std::string own = kind_of_input(kinds).value_or(TextKind()).language;
  return {options, language_of(options, options.language, own, "language")};
}

TextPreparer TextPreparer::of_target(const TextKinds& kinds, const TextPreparation& options) {
  const auto kind = kinds.find("tgt");
  const std::string own = kind == kinds.end() ? "" : kind->second.language;
  return {options, language_of(options, options.tgt_language, own, "tgt-language")};
}

bool TextPreparer::restores(const TextPreparation& options) {
  return options.detokenize && options.tokenize == WordSplitting::moses;
}

std::string TextPreparer::operator()(std::string_view text) const {
  return prepared(text, options_, language_);
}

std::vector<std::string> TextPreparer::operator()(std::span<const std::string> texts) const {
  std::vector<std::string> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back((*this)(text));
  return all;
}

std::string TextPreparer::in_parts(std::string_view text, char separator) const {
  std::string all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (begin > 0) all += separator;
    all += (*this)(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

std::string TextPreparer::restored(std::string text) const {
  return restores(options_) ? moses_detokenize(text, language_) : text;
}

}  // namespace attend
