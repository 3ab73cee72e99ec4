#include "attend/tasks/translation/document_context.h"

#include <algorithm>

#include "attend/core/strings/utf8.h"
#include "attend/data/context.h"

namespace attend {

std::vector<std::string> sentences_before(std::span<const std::string> texts, std::size_t i,
                                          const TranslationOptions& options) {
  std::size_t first = i;
  for (int left = options.context; left > 0 && first > 0; --left, --first)
    if (is_blank(texts[first - 1]) ||
        std::binary_search(options.documents.begin(), options.documents.end(), first))
      break;
  return {texts.begin() + static_cast<std::ptrdiff_t>(first),
          texts.begin() + static_cast<std::ptrdiff_t>(i)};
}

std::vector<std::int32_t> context_tokens(const TranslationEnsemble& ensemble,
                                         const TranslationCall& call,
                                         std::span<const std::string> before, std::int64_t tokens) {
  const TranslationModel& model = ensemble.first();
  std::vector<std::vector<std::int32_t>> sentences;
  for (const std::string& sentence : before)
    sentences.push_back(model.src_tokenizer.encode(call.source(sentence)));
  SourceContext context = model.format.context;
  context.tokens = std::min<std::int64_t>(context.tokens, call.options.max_source_tokens);
  if (const std::int64_t longest = ensemble.longest_input(); longest > 0)
    context.tokens = std::min(context.tokens, longest - call.marks.of_source());
  return tokens_before(sentences, tokens, context);
}

void LinesBefore::add(const std::string& line) {
  if (most_ == 0) return;
  if (is_blank(line)) return lines_.clear();
  if (std::ssize(lines_) == most_) lines_.erase(lines_.begin());
  lines_.push_back(line);
}

}  // namespace attend
