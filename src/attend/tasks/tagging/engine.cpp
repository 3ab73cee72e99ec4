#include "attend/tasks/tagging/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/utf8.h"
#include "attend/data/tagged_text.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/text_preparer.h"
#include "attend/text/token_places.h"

namespace attend {

namespace {

using Words = std::vector<std::string>;

std::vector<std::string> names_of(const std::vector<std::size_t>& tags,
                                  const std::vector<std::string>& labels) {
  std::vector<std::string> names;
  for (const std::size_t tag : tags) names.push_back(labels.at(tag));
  return names;
}

// Runs of words: the entities and what is between them, or neighbors of one tag.
std::vector<Entity> runs_of(const Tagging& tagging, const std::vector<std::string>& labels) {
  const std::vector<std::string> names = names_of(tagging.tags, labels);
  std::vector<Entity> runs;
  if (are_entity_tags(labels)) {
    std::size_t done = 0;
    const auto skip_to = [&](std::size_t begin) {
      if (begin > done) runs.push_back({"O", done, begin});
    };
    for (const Entity& entity : entities_of(names)) {
      skip_to(entity.begin);
      runs.push_back(entity);
      done = entity.end;
    }
    skip_to(names.size());
    return runs;
  }
  for (std::size_t word = 0; word < names.size(); ++word) {
    if (runs.empty() || runs.back().type != names[word]) runs.push_back({names[word], word, word});
    runs.back().end = word + 1;
  }
  return runs;
}

// A run of words as a group.
TagGroup group_of(const Tagging& tagging, const std::string& text, const Entity& run) {
  TagGroup group;
  group.label = run.type;
  group.begin = run.begin;
  group.end = run.end;
  group.span = {tagging.spans[run.begin].begin, tagging.spans[run.end - 1].end};
  group.text = text.substr(group.span.begin, group.span.end - group.span.begin);
  double sum = 0;
  for (std::size_t word = run.begin; word < run.end; ++word)
    sum += double{tagging.probabilities[word]};
  group.score = static_cast<float>(sum / static_cast<double>(run.end - run.begin));
  return group;
}

}  // namespace

std::vector<Entity> Tagging::entities(const std::vector<std::string>& labels) const {
  if (groups.empty()) return entities_of(names_of(tags, labels));
  std::vector<Entity> found;
  for (const TagGroup& group : groups)
    if (group.label != "O") found.push_back({group.label, group.begin, group.end});
  return found;
}

TaggingEngine TaggingEngine::load(const std::filesystem::path& path) {
  return TaggingEngine(load_tagging_model(path));
}

void TaggingEngine::check(const TaggingOptions& options) const {
  check_options(options);
  TextPreparer::of_input(model_->text_kinds, options.preparation);
}

bool TaggingEngine::is_by_tokens(const TaggingOptions& options) const {
  return model_->units == TaggedUnits::tokens &&
         options.aggregation_strategy != TagAggregation::words;
}

TaggingInput TaggingEngine::input(const std::string& text, const TaggingOptions& options,
                                  const std::string& where) const {
  if (is_blank(text)) throw LineError(fmt::format("{}: expected a text to tag, found none", where));
  TaggingInput result{TextPreparer::of_input(model_->text_kinds, options.preparation)(text)};
  if (is_by_tokens(options)) {
    if (options.stride > 0 && options.aggregation_strategy == TagAggregation::none)
      throw ConfigError("stride: the strategy none does not join parts; use another strategy");
    if (options.stride >= model_->length.max_length - 2)
      throw ConfigError(fmt::format("stride: expected less than {}, the tokens of a part, got {}",
                                    model_->length.max_length - 2, options.stride));
    return result;
  }
  if (options.stride > 0)
    throw ConfigError("stride: only for imported taggers; words of others are never left out");
  const TagAggregation strategy = options.aggregation_strategy;
  if (model_->units != TaggedUnits::tokens &&
      (strategy == TagAggregation::average || strategy == TagAggregation::max))
    throw OptionError<ConfigError>(
        "{}: average and max are for imported taggers; the first token of a word has the tag of "
        "this model",
        as_key("aggregation-strategy"));
  const std::vector<std::string_view> words =
      words_of_text(result.text, model_->units == TaggedUnits::punctuation);
  for (const std::string_view word : words) {
    const auto begin = static_cast<std::size_t>(word.data() - result.text.data());
    result.words.emplace_back(word);
    result.spans.push_back({begin, begin + word.size()});
  }
  if (words.empty()) throw LineError(fmt::format("{}: expected a text to tag, found none", where));
  return result;
}

TaggingEngine::Parts TaggingEngine::parts_of(const TaggingInput& input,
                                             const TaggingOptions& options) const {
  if (!is_by_tokens(options) || !input.words.empty()) return {model_->parts(input.words)};
  const SpecialText special_text =
      options.split_special_tokens ? SpecialText::as_text : model_->special_text;
  Parts result{{}, tokens_of(input.text, model_->tokenizer, special_text)};
  const SpecialTokens special = model_->special();
  const std::size_t before = special.bos >= 0 ? 1 : 0, count = result.tokens.ids.size(),
                    most = static_cast<std::size_t>(model_->length.max_length) - 1 - before,
                    step = options.stride > 0 ? most - static_cast<std::size_t>(options.stride)
                                              : count + 1;
  for (std::size_t begin = 0; begin == 0 || begin < count; begin += step) {
    const std::size_t end = std::min(begin + most, count);
    TaggedPart part{{}, {}, begin};
    if (before > 0) part.ids.push_back(special.bos);
    for (std::size_t t = begin; t < end; ++t) {
      part.rows.push_back(static_cast<std::int32_t>(part.ids.size()));
      part.ids.push_back(result.tokens.ids[t]);
    }
    part.ids.push_back(special.eos);
    result.parts.push_back(std::move(part));
    if (end == count) break;
  }
  return result;
}

std::int64_t TaggingEngine::count_tokens(const TaggingInput& input,
                                         const TaggingOptions& options) const {
  std::int64_t tokens = 0;
  for (const TaggedPart& part : parts_of(input, options).parts) tokens += std::ssize(part.ids);
  return tokens;
}

std::vector<Tagging> TaggingEngine::tag(std::span<const std::string> texts,
                                        const TaggingOptions& options) const {
  check(options);
  std::vector<TaggingInput> all;
  for (const std::string& text : texts)
    all.push_back(input(text, options, fmt::format("text {}", all.size() + 1)));
  return tag_inputs(all, options);
}

void TaggingEngine::tag(LineReader& lines, const AnswerSink<Tagging>& sink,
                        const TaggingOptions& options) const {
  check(options);
  answer_lines(
      lines, static_cast<std::size_t>(options.window), sink,
      [&](const std::string& line) { return input(line, options, lines.where()); },
      [&](std::span<const TaggingInput> window) { return tag_inputs(window, options); });
}

std::vector<Tagging> TaggingEngine::tag_words(std::span<const Words> texts,
                                              const TaggingOptions& options) const {
  std::vector<TaggingInput> inputs;
  for (const Words& words : texts) {
    TaggingInput input{"", words};
    for (const std::string& word : words) {
      if (!input.spans.empty()) input.text += ' ';
      input.spans.push_back({input.text.size(), input.text.size() + word.size()});
      input.text += word;
    }
    inputs.push_back(std::move(input));
  }
  return tag_inputs(inputs, options);
}

std::vector<Tagging> TaggingEngine::tag_inputs(std::span<const TaggingInput> inputs,
                                               const TaggingOptions& options) const {
  check_options(options);
  std::vector<Parts> read;
  std::vector<std::vector<float>> scores(inputs.size());  // of the rows of each input
  struct Pending {
    std::size_t input, rows;
  };
  std::vector<Pending> pending;  // the parts in the batch
  RaggedBuilder next;
  std::vector<std::int32_t> rows;
  const auto flush = [&] {
    if (pending.empty()) return;
    const Tensor found = tag_log_probabilities(*model_, next.build(), std::exchange(rows, {}));
    const float* row = found.data();
    for (const Pending& part : pending) {
      const float* const end = row + static_cast<std::int64_t>(part.rows) * found.cols();
      scores[part.input].insert(scores[part.input].end(), row, end);
      row = end;
    }
    pending.clear();
  };
  for (const TaggingInput& input : inputs) {
    read.push_back(parts_of(input, options));
    for (const TaggedPart& part : read.back().parts) {
      if (part.rows.empty()) continue;  // a text without a token
      if (next.tokens() + std::ssize(part.ids) > options.batch_tokens) flush();
      for (const std::int32_t row : part.rows)
        rows.push_back(static_cast<std::int32_t>(next.tokens()) + row);
      next.add(part.ids);
      pending.push_back({read.size() - 1, part.rows.size()});
    }
  }
  flush();
  std::vector<Tagging> results;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    results.push_back(tagging_of(inputs[i], read[i], scores[i], options));
    results.back().text = inputs[i].text;
  }
  return results;
}

Tagging TaggingEngine::tagging_of(const TaggingInput& input, const Parts& parts,
                                  std::span<const float> scores,
                                  const TaggingOptions& options) const {
  if (!is_by_tokens(options) || !input.words.empty()) return tags_of_words(input, scores, options);
  TaggingOptions asked = options;
  if (asked.aggregation_strategy == TagAggregation::standard)
    asked.aggregation_strategy = TagAggregation::simple;
  std::vector<float> probabilities(scores.size());
  std::transform(scores.begin(), scores.end(), probabilities.begin(),
                 [](float score) { return std::exp(score); });
  std::span<const float> rest(probabilities);
  std::vector<Tagging> found;
  for (const TaggedPart& part : parts.parts) {
    const auto begin = static_cast<std::ptrdiff_t>(part.first), end = begin + std::ssize(part.rows);
    TextTokens own{{parts.tokens.ids.begin() + begin, parts.tokens.ids.begin() + end},
                   {parts.tokens.spans.begin() + begin, parts.tokens.spans.begin() + end}};
    TokenPlaces::trim(model_->tokenizer, input.text, own.ids, own.spans);
    const std::size_t size = part.rows.size() * labels().size();
    found.push_back(tags_of_tokens(input.text, own, rest.first(size),
                                   {model_->tokenizer, tokenizer_type_, labels(), asked}));
    rest = rest.subspan(size);
  }
  return found.size() == 1 ? std::move(found.front()) : joined_tags(std::move(found));
}

Tagging TaggingEngine::tags_of_words(const TaggingInput& input, std::span<const float> scores,
                                     const TaggingOptions& options) const {
  Tagging result{input.words, {}, {}, input.spans};
  const std::size_t width = labels().size();
  for (std::size_t w = 0; w < input.words.size(); ++w) {
    const auto row = scores.subspan(w * width, width);
    const auto best = std::max_element(row.begin(), row.end());
    result.tags.push_back(static_cast<std::size_t>(best - row.begin()));
    result.probabilities.push_back(std::exp(*best));
  }
  if (options.aggregation_strategy == TagAggregation::none) {
    for (std::size_t w = 0; w < input.words.size(); ++w)
      result.groups.push_back(group_of(result, input.text, {labels()[result.tags[w]], w, w + 1}));
  } else {
    for (const Entity& run : runs_of(result, labels()))
      result.groups.push_back(group_of(result, input.text, run));
  }
  ignore_labels(options, result.groups);
  return result;
}

}  // namespace attend
