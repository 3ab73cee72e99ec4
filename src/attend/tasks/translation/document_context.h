// The sentences that a model with context reads before a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/tasks/translation/ensemble.h"
#include "attend/tasks/translation/running_translations.h"
#include "attend/translator.h"

namespace attend {

// Returns those before the i-th text of a call, oldest first.
std::vector<std::string> sentences_before(std::span<const std::string> texts, std::size_t i,
                                          const TranslationOptions& options);

// Returns their tokens, as many as there is room for with a sentence of `tokens` tokens.
std::vector<std::int32_t> context_tokens(const TranslationEnsemble& ensemble,
                                         const TranslationCall& call,
                                         std::span<const std::string> before, std::int64_t tokens);

// Keeps those before the next line of a stream.
class LinesBefore {
 public:
  explicit LinesBefore(int most) : most_(most) {}
  const std::vector<std::string>& lines() const { return lines_; }
  // The line has been read.
  void add(const std::string& line);

 private:
  int most_;
  std::vector<std::string> lines_;
};

}  // namespace attend
