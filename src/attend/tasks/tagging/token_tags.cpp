#include "attend/tasks/tagging/token_tags.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "attend/core/strings/utf8.h"
#include "attend/text/huggingface/piece_text.h"
#include "attend/text/token_places.h"

namespace attend {
namespace {

// A token, or a word of several, with the probabilities of its tags.
struct Unit {
  std::string word;
  std::vector<float> probabilities;
  TokenSpan span;
  bool continues = false;  // the word of the token before
};

std::size_t best_tag(const std::vector<float>& probabilities) {
  return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) -
                                  probabilities.begin());
}

float highest(const Unit& unit) {
  return *std::max_element(unit.probabilities.begin(), unit.probabilities.end());
}

// Pieces of WordPiece that are longer or shorter than their text continue a word; without such
// pieces, tokens that no space stands before.
bool continues_word(std::string_view text, const TokenSpan& span, const std::string& piece,
                    bool is_wordpiece) {
  if (is_wordpiece)
    return count_code_points(piece) !=
           count_code_points(text.substr(span.begin, span.end - span.begin));
  return span.begin > 0 && text[span.begin - 1] != ' ' &&
         !(span.begin < text.size() && text[span.begin] == ' ');
}

std::vector<Unit> units_of(std::string_view text, const TextTokens& tokens,
                           std::span<const float> probabilities, const TagReading& reading) {
  const bool is_wordpiece = reading.type == TokenizerType::wordpiece;
  const std::size_t width = reading.labels.size();
  std::vector<Unit> units;
  for (std::size_t t = 0; t < tokens.ids.size(); ++t) {
    const auto row = probabilities.subspan(t * width, width);
    Unit unit{reading.tokenizer.piece(tokens.ids[t]), {row.begin(), row.end()}, tokens.spans[t]};
    if (tokens.ids[t] == reading.tokenizer.unk_id())
      unit.word = text.substr(unit.span.begin, unit.span.end - unit.span.begin);
    else
      unit.continues = continues_word(text, unit.span, unit.word, is_wordpiece);
    units.push_back(std::move(unit));
  }
  return units;
}

std::string text_of(std::span<const Unit> units, TokenizerType type) {
  std::vector<std::string> words;
  for (const Unit& unit : units) words.push_back(unit.word);
  return text_of_pieces(type, words);
}

std::vector<float> aggregated(std::span<const Unit> tokens, TagAggregation aggregation) {
  if (aggregation == TagAggregation::first) return tokens.front().probabilities;
  if (aggregation == TagAggregation::max)
    return std::max_element(tokens.begin(), tokens.end(),
                            [](const Unit& a, const Unit& b) { return highest(a) < highest(b); })
        ->probabilities;
  std::vector<float> means(tokens.front().probabilities.size());
  for (const Unit& token : tokens)
    for (std::size_t c = 0; c < means.size(); ++c) means[c] += token.probabilities[c];
  for (float& mean : means) mean /= static_cast<float>(tokens.size());
  return means;
}

// The words of tokens.
std::vector<Unit> words_of(const std::vector<Unit>& tokens, TokenizerType type,
                           TagAggregation aggregation) {
  std::vector<Unit> words;
  for (std::size_t begin = 0, end = 0; begin < tokens.size(); begin = end) {
    for (end = begin + 1; end < tokens.size() && tokens[end].continues;) ++end;
    const auto own = std::span(tokens).subspan(begin, end - begin);
    words.push_back({text_of(own, type),
                     aggregated(own, aggregation),
                     {own.front().span.begin, own.back().span.end}});
  }
  return words;
}

// A tag without B- or I-, and whether it goes on with what is before.
struct TagParts {
  std::string_view type;
  bool inside;
};
TagParts parts_of(std::string_view tag) {
  if (tag.starts_with("B-")) return {tag.substr(2), false};
  if (tag.starts_with("I-")) return {tag.substr(2), true};
  return {tag, true};
}

TagGroup group_of(std::span<const Unit> units, std::size_t begin, const std::string& tag,
                  TokenizerType type) {
  TagGroup group;
  group.label = tag.substr(tag.find('-') + 1);
  group.begin = begin;
  group.end = begin + units.size();
  group.text = text_of(units, type);
  group.span = {units.front().span.begin, units.back().span.end};
  for (const Unit& unit : units) group.score += highest(unit);
  group.score /= static_cast<float>(units.size());
  return group;
}

}  // namespace

void ignore_labels(const TaggingOptions& options, std::vector<TagGroup>& groups) {
  const std::vector<std::string>& ignored = options.ignore_labels;
  std::erase_if(groups, [&](const TagGroup& group) {
    return std::find(ignored.begin(), ignored.end(), group.label) != ignored.end();
  });
}

TextTokens tokens_of(std::string_view text, const Tokenizer& tokenizer, SpecialText special) {
  return {tokenizer.encode(text, special), TokenPlaces::untrimmed(tokenizer, text, special)};
}

Tagging tags_of_tokens(std::string_view text, const TextTokens& tokens,
                       std::span<const float> probabilities, const TagReading& reading) {
  const TokenizerType type = reading.type;
  std::vector<Unit> units = units_of(text, tokens, probabilities, reading);
  const TagAggregation aggregation = reading.options.aggregation_strategy;
  const bool alone = aggregation == TagAggregation::none;
  if (!alone && aggregation != TagAggregation::simple) units = words_of(units, type, aggregation);
  Tagging result;
  for (const Unit& unit : units) {
    result.words.push_back(unit.word);
    result.tags.push_back(best_tag(unit.probabilities));
    result.probabilities.push_back(highest(unit));
    result.spans.push_back(unit.span);
  }
  const auto tag = [&](std::size_t unit) { return reading.labels[result.tags[unit]]; };
  for (std::size_t begin = 0, end = 0; begin < units.size(); begin = end) {
    end = begin + 1;
    if (alone) {
      result.groups.push_back({tag(begin), begin, end, units[begin].word, units[begin].span,
                               result.probabilities[begin]});
      continue;
    }
    while (end < units.size() && parts_of(tag(end)).inside &&
           parts_of(tag(end)).type == parts_of(tag(end - 1)).type)
      ++end;
    result.groups.push_back(
        group_of(std::span(units).subspan(begin, end - begin), begin, tag(begin), type));
  }
  ignore_labels(reading.options, result.groups);
  return result;
}

Tagging joined_tags(std::vector<Tagging> parts) {
  Tagging result = std::move(parts.front());
  for (Tagging& part : std::span(parts).subspan(1)) {
    const std::size_t done = result.spans.empty() ? 0 : result.spans.back().end;
    for (std::size_t w = 0; w < part.words.size(); ++w) {
      if (part.spans[w].begin < done) continue;
      result.words.push_back(std::move(part.words[w]));
      result.tags.push_back(part.tags[w]);
      result.probabilities.push_back(part.probabilities[w]);
      result.spans.push_back(part.spans[w]);
    }
    std::move(part.groups.begin(), part.groups.end(), std::back_inserter(result.groups));
  }
  std::vector<TagGroup> groups = std::exchange(result.groups, {});
  std::stable_sort(groups.begin(), groups.end(), [](const TagGroup& a, const TagGroup& b) {
    return a.span.begin < b.span.begin;
  });
  const auto length_of = [](const TagGroup& group) { return group.span.end - group.span.begin; };
  for (const TagGroup& next : groups) {
    // The original compares the first group with itself, too: one without a character comes twice.
    if (result.groups.empty()) result.groups.push_back(next);
    TagGroup& last = result.groups.back();
    if (next.span.begin >= last.span.end) {
      result.groups.push_back(next);
    } else if (length_of(next) > length_of(last) ||
               (length_of(next) == length_of(last) && next.score > last.score)) {
      last = next;
    }
  }
  for (TagGroup& group : result.groups) {
    const auto place = [&](std::size_t byte) {
      return static_cast<std::size_t>(
          std::lower_bound(result.spans.begin(), result.spans.end(), byte,
                           [](const TokenSpan& span, std::size_t at) { return span.begin < at; }) -
          result.spans.begin());
    };
    group.begin = place(group.span.begin);
    group.end = std::max(group.begin + 1, place(group.span.end));
  }
  return result;
}

}  // namespace attend
