#include "attend/tasks/tagging/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "attend/core/option_fields.h"
#include "attend/core/unicode.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"

namespace attend {

namespace {

using Words = std::vector<std::string>;

// Adds the tags of some words: rows of tag_log_probabilities().
void add_tags(const Tensor& scores, std::int64_t row, std::size_t words, Tagging& result) {
  for (std::size_t w = 0; w < words; ++w, ++row) {
    const float* const begin = scores.row(row);
    const float* const best = std::max_element(begin, begin + scores.cols());
    result.tags.push_back(static_cast<std::size_t>(best - begin));
    result.probabilities.push_back(std::exp(*best));
  }
}

}  // namespace

std::vector<Entity> Tagging::entities(const std::vector<std::string>& labels) const {
  std::vector<std::string> names;
  for (const std::size_t tag : tags) names.push_back(labels.at(tag));
  return entities_of(names);
}

TaggingEngine TaggingEngine::load(const std::filesystem::path& path) {
  return TaggingEngine(load_tagging_model(path));
}

std::vector<std::string> TaggingEngine::words(const std::string& text,
                                              const std::string& where) const {
  const std::vector<std::string_view> found = unicode::split(text);
  if (found.empty()) throw LineError(fmt::format("{}: expected a text to tag, found none", where));
  return {found.begin(), found.end()};
}

std::int64_t TaggingEngine::count_tokens(std::span<const std::string> words) const {
  std::int64_t tokens = 0;
  for (const TaggedPart& part : model_->parts(words)) tokens += std::ssize(part.ids);
  return tokens;
}

std::vector<Tagging> TaggingEngine::tag(std::span<const std::string> texts,
                                        const TaggingOptions& options) const {
  std::vector<Words> all;
  for (const std::string& text : texts)
    all.push_back(words(text, fmt::format("text {}", all.size() + 1)));
  return tag_words(all, options);
}

void TaggingEngine::tag(LineReader& lines, const AnswerSink<Tagging>& sink,
                        const TaggingOptions& options) const {
  check_options(options);
  std::string line;
  answer_all(Conversation<Words, Tagging>{
      .window = static_cast<std::size_t>(options.window),
      .arrived = [&] { return lines.has_arrived(); },
      .next = [&]() -> std::optional<Words> {
        if (!lines.next(line)) return std::nullopt;
        return words(line, lines.where());
      },
      .where = [&] { return lines.where(); },
      .answer = [&](std::span<const Words> window) { return tag_words(window, options); },
      .sink = sink,
  });
}

std::vector<Tagging> TaggingEngine::tag_words(std::span<const Words> texts,
                                              const TaggingOptions& options) const {
  check_options(options);
  std::vector<Tagging> results;
  struct Pending {
    std::size_t text, words;
  };
  std::vector<Pending> pending;  // the parts in the batch
  RaggedBuilder next;
  std::vector<std::int32_t> rows;
  const auto flush = [&] {
    if (pending.empty()) return;
    const Tensor scores = tag_log_probabilities(*model_, next.build(), std::exchange(rows, {}));
    std::int64_t row = 0;
    for (const Pending& part : pending) {
      add_tags(scores, row, part.words, results[part.text]);
      row += static_cast<std::int64_t>(part.words);
    }
    pending.clear();
  };
  for (const Words& words : texts) {
    results.push_back({words, {}, {}});
    for (const TaggedPart& part : model_->parts(words)) {
      if (next.tokens() + std::ssize(part.ids) > options.batch_tokens) flush();
      for (const std::int32_t row : part.rows)
        rows.push_back(static_cast<std::int32_t>(next.tokens()) + row);
      next.add(part.ids);
      pending.push_back({results.size() - 1, part.rows.size()});
    }
  }
  flush();
  return results;
}

}  // namespace attend
