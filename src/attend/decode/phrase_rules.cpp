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

}  // namespace

PhrasePaths one_path(std::span<const std::int32_t> tokens) {
  PhrasePaths paths;
  for (const std::int32_t token : tokens) {
    paths.arcs.push_back({paths.end, token, paths.end + 1});
    ++paths.end;
  }
  return paths;
}

PhraseRules::PhraseRules(std::vector<std::vector<std::int32_t>> required,
                         std::vector<PhrasePaths> forbidden,
                         const std::vector<std::vector<std::int32_t>>& once)
    : forbidden_(std::move(forbidden)) {
  for (PhrasePaths& phrase : forbidden_) {
    if (phrase.end == 0)
      throw ConfigError("phrases: expected at least one token in each, got none");
    std::sort(
        phrase.arcs.begin(), phrase.arcs.end(),
        [](const PhrasePaths::Arc& a, const PhrasePaths::Arc& b) { return a.token < b.token; });
  }
  for (std::vector<std::int32_t>& tokens : required) add_required(std::move(tokens), false);
  for (const std::vector<std::int32_t>& tokens : once) add_required(tokens, true);
}

void PhraseRules::add_required(std::vector<std::int32_t> tokens, bool once) {
  if (tokens.empty()) throw ConfigError("phrases: expected at least one token in each, got none");
  total_ += static_cast<int>(tokens.size());
  Progress progress = begin();
  for (const std::int32_t token : tokens) read(progress, token);
  if (progress.violated) throw ConfigError("phrases: a required phrase contains a forbidden one");
  std::vector<std::size_t> fallback = fallbacks(tokens);
  required_.push_back({std::move(tokens), std::move(fallback), once});
}

PhraseRules::Progress PhraseRules::begin() const {
  return {std::vector<std::size_t>(required_.size(), 0),
          std::vector<std::vector<int>>(forbidden_.size())};
}

PhraseRules::Progress PhraseRules::begin(std::span<const std::int32_t> written) const {
  Progress progress = begin();
  for (const std::int32_t token : written) read(progress, token);
  if (progress.violated) throw DataError("phrases: the prefix contains a forbidden phrase");
  return progress;
}

void PhraseRules::read(Progress& progress, std::int32_t token) const {
  for (std::size_t i = 0; i < required_.size(); ++i) {
    const auto& [tokens, fallback, once] = required_[i];
    std::size_t& written = progress.required[i];
    const std::size_t all = tokens.size();
    if (written < all) {
      written = matched(tokens, fallback, written, token);
      if (written == all) written += fallback.back();
    } else if (once) {
      const std::size_t again = matched(tokens, fallback, written - all, token);
      progress.violated = progress.violated || again == all;
      written = all + (again == all ? fallback.back() : again);
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
  for (std::size_t i = 0; i < required_.size(); ++i) {
    const std::size_t written = progress.required[i];
    if (written >= required_[i].tokens.size())
      contained += required_[i].tokens.size();
    else
      furthest = std::max(furthest, written);
  }
  return static_cast<int>(contained + furthest);
}

std::vector<std::int32_t> PhraseRules::wanted(const Progress& progress) const {
  std::vector<std::int32_t> tokens;
  for (std::size_t i = 0; i < required_.size(); ++i) {
    const std::size_t written = progress.required[i];
    if (written < required_[i].tokens.size()) tokens.push_back(required_[i].tokens[written]);
  }
  return tokens;
}

void PhraseRules::add_forbidden(const Progress& progress, std::vector<std::int32_t>& tokens) const {
  for (std::size_t i = 0; i < required_.size(); ++i) {
    const auto& [phrase, fallback, once] = required_[i];
    const std::size_t written = progress.required[i], all = phrase.size();
    if (once && written + 1 == 2 * all) tokens.push_back(phrase.back());
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
