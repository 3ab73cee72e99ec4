#include "attend/decode/phrase_rules.h"

#include <algorithm>
#include <utility>

#include "attend/error.h"

namespace attend {

namespace {

// The tokens of `phrase` that a text ends with after `token`, if it ended with `written` before.
std::size_t matched(const std::vector<std::int32_t>& phrase,
                    const std::vector<std::size_t>& fallback, std::size_t written,
                    std::int32_t token) {
  while (written > 0 && phrase[written] != token) written = fallback[written - 1];
  return phrase[written] == token ? written + 1 : 0;
}

std::vector<std::size_t> fallbacks(const std::vector<std::int32_t>& phrase) {
  std::vector<std::size_t> fallback(phrase.size(), 0);
  for (std::size_t i = 1; i < phrase.size(); ++i)
    fallback[i] = matched(phrase, fallback, fallback[i - 1], phrase[i]);
  return fallback;
}

std::vector<RequiredPhrase> alone(const std::vector<std::vector<std::int32_t>>& phrases) {
  std::vector<RequiredPhrase> all;
  for (const std::vector<std::int32_t>& tokens : phrases) all.push_back({{tokens}});
  return all;
}

}  // namespace

PhrasePaths one_path(std::span<const std::int32_t> tokens) {
  PhrasePaths paths;
  for (const std::int32_t token : tokens) {
    paths.arcs.push_back({paths.end, token, paths.end + 1});
    ++paths.end;
  }
  return paths;
}

PhraseRules::PhraseRules(const std::vector<RequiredPhrase>& required,
                         std::vector<PhrasePaths> forbidden)
    : forbidden_(std::move(forbidden)) {
  for (PhrasePaths& phrase : forbidden_) {
    if (phrase.end == 0)
      throw ConfigError("phrases: expected at least one token in each, got none");
    std::sort(
        phrase.arcs.begin(), phrase.arcs.end(),
        [](const PhrasePaths::Arc& a, const PhrasePaths::Arc& b) { return a.token < b.token; });
  }
  for (const RequiredPhrase& phrase : required) add_required(phrase);
}

PhraseRules::PhraseRules(const std::vector<std::vector<std::int32_t>>& required,
                         std::vector<PhrasePaths> forbidden)
    : PhraseRules(alone(required), std::move(forbidden)) {}

void PhraseRules::add_required(const RequiredPhrase& phrase) {
  Required one{alternatives_.size(), alternatives_.size(), 0, phrase.once};
  for (const std::vector<std::int32_t>& tokens : phrase.alternatives) {
    if (tokens.empty()) throw ConfigError("phrases: expected at least one token in each, got none");
    Progress progress = begin();
    for (const std::int32_t token : tokens) read(progress, token);
    if (progress.violated) throw ConfigError("phrases: a required phrase contains a forbidden one");
    one.tokens = ++one.end == one.first + 1 ? tokens.size() : std::min(one.tokens, tokens.size());
    alternatives_.push_back({tokens, fallbacks(tokens)});
  }
  if (one.end == one.first)
    throw ConfigError("phrases: expected at least one alternative in each, got none");
  total_ += static_cast<int>(one.tokens);
  required_.push_back(one);
}

PhraseRules::Progress PhraseRules::begin() const {
  return {std::vector<std::size_t>(alternatives_.size(), 0),
          std::vector<std::vector<int>>(forbidden_.size())};
}

PhraseRules::Progress PhraseRules::begin(std::span<const std::int32_t> written) const {
  Progress progress = begin();
  for (const std::int32_t token : written) read(progress, token);
  if (progress.violated) throw DataError("phrases: the prefix contains a forbidden phrase");
  return progress;
}

bool PhraseRules::contains(const Progress& progress, const Required& phrase) const {
  for (std::size_t i = phrase.first; i < phrase.end; ++i)
    if (progress.required[i] >= alternatives_[i].tokens.size()) return true;
  return false;
}

void PhraseRules::read(Progress& progress, std::int32_t token) const {
  for (const Required& phrase : required_) {
    const bool is_contained = contains(progress, phrase);
    if (is_contained && !phrase.once) continue;
    for (std::size_t i = phrase.first; i < phrase.end; ++i) {
      const auto& [tokens, fallback] = alternatives_[i];
      std::size_t& written = progress.required[i];
      const std::size_t all = tokens.size(), before = written < all ? 0 : all;
      std::size_t next = matched(tokens, fallback, written - before, token);
      progress.violated = progress.violated || (is_contained && next == all);
      // One that has been written may begin within itself.
      const bool has_been = before > 0 || next == all;
      if (next == all) next = fallback.back();
      written = has_been ? all + next : next;
    }
  }
  for (std::size_t i = 0; i < forbidden_.size(); ++i) {
    std::vector<int>& places = progress.forbidden[i];
    std::vector<int> next;
    const auto& arcs = forbidden_[i].arcs;
    const auto first = std::partition_point(arcs.begin(), arcs.end(),
                                            [token](const auto& arc) { return arc.token < token; });
    for (auto arc = first; arc != arcs.end() && arc->token == token; ++arc) {
      if (arc->from != 0 && std::find(places.begin(), places.end(), arc->from) == places.end())
        continue;
      if (arc->to == forbidden_[i].end)
        progress.violated = true;
      else
        next.push_back(arc->to);
    }
    places = std::move(next);
  }
}

int PhraseRules::met(const Progress& progress) const {
  std::size_t contained = 0, furthest = 0;
  for (const Required& phrase : required_) {
    if (contains(progress, phrase)) {
      contained += phrase.tokens;
      continue;
    }
    for (std::size_t i = phrase.first; i < phrase.end; ++i) {
      const std::size_t left = alternatives_[i].tokens.size() - progress.required[i];
      if (left < phrase.tokens) furthest = std::max(furthest, phrase.tokens - left);
    }
  }
  return static_cast<int>(contained + furthest);
}

std::vector<std::int32_t> PhraseRules::wanted(const Progress& progress) const {
  std::vector<std::int32_t> tokens;
  for (const Required& phrase : required_)
    if (!contains(progress, phrase))
      for (std::size_t i = phrase.first; i < phrase.end; ++i)
        tokens.push_back(alternatives_[i].tokens[progress.required[i]]);
  return tokens;
}

std::vector<bool> PhraseRules::required_tokens(std::span<const std::int32_t> output) const {
  std::vector<bool> required(output.size(), false);
  for (const auto& [tokens, fallback] : alternatives_)
    for (auto at = output.begin();; ++at) {
      at = std::search(at, output.end(), tokens.begin(), tokens.end());
      if (at == output.end()) break;
      std::fill_n(required.begin() + (at - output.begin()), tokens.size(), true);
    }
  return required;
}

void PhraseRules::add_forbidden(const Progress& progress, std::vector<std::int32_t>& tokens) const {
  for (const Required& phrase : required_) {
    if (!phrase.once || !contains(progress, phrase)) continue;
    for (std::size_t i = phrase.first; i < phrase.end; ++i) {
      const std::size_t all = alternatives_[i].tokens.size(), written = progress.required[i];
      if (written + 1 == all || written + 1 == 2 * all)
        tokens.push_back(alternatives_[i].tokens.back());
    }
  }
  for (std::size_t i = 0; i < forbidden_.size(); ++i) {
    const std::vector<int>& places = progress.forbidden[i];
    for (const auto& [from, token, to] : forbidden_[i].arcs)
      if (to == forbidden_[i].end &&
          (from == 0 || std::find(places.begin(), places.end(), from) != places.end()))
        tokens.push_back(token);
  }
}

}  // namespace attend
