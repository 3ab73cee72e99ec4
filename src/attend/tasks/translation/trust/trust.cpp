#include "attend/tasks/translation/trust/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "attend/tasks/translation/trust/names.h"

namespace attend {

namespace {

std::string name_reason(const std::vector<std::string>& missing,
                        const std::vector<std::string>& added) {
  std::string reason;
  if (!missing.empty()) reason = fmt::format("{} is missing", fmt::join(missing, ", "));
  if (added.empty()) return reason;
  return fmt::format("{}{}{} is not in the source", reason, reason.empty() ? "" : "; ",
                     fmt::join(added, ", "));
}

// Adds those of a kind that is not there yet.
void add_flags(std::vector<TranslationFlag>& flags, const std::vector<TranslationFlag>& others) {
  for (const TranslationFlag& other : others)
    if (std::ranges::find(flags, other.name, &TranslationFlag::name) == flags.end())
      flags.push_back(other);
}

}  // namespace

TranslationTrust trust_of_text(std::span<const TranslationTrust> sentences) {
  TranslationTrust text;
  float sum = 0;
  bool all = !sentences.empty();
  for (const TranslationTrust& sentence : sentences) {
    add_flags(text.flags, sentence.flags);
    all = all && sentence.confidence;
    sum += sentence.confidence.value_or(0);
  }
  if (all) text.confidence = sum / static_cast<float>(sentences.size());
  return text;
}

TranslationTrust trust_of_both(const TranslationTrust& first, const TranslationTrust& second) {
  TranslationTrust both = first;
  add_flags(both.flags, second.flags);
  both.confidence.reset();
  if (first.confidence && second.confidence)
    both.confidence = *first.confidence * *second.confidence;
  return both;
}

TranslationTrust TrustJudge::of(std::string_view source, std::string_view translation,
                                const TranslationScores& scores) const {
  TranslationTrust trust{std::nullopt, flags_.of(source, translation)};
  if (!calibration_) return trust;
  const auto& names = calibration_->names;
  if (std::string reason = name_reason(
          missing_names(names, source, translation),
          source.empty() ? std::vector<std::string>{} : missing_names(names, translation, source));
      !reason.empty())
    trust.flags.push_back({"names", std::move(reason)});
  if (scores.tokens.empty()) return trust;
  const TrustFeatures features = trust_features(scores.tokens);
  // Without a source nothing is said by it.
  const bool is_detached =
      scores.without_source.empty()
          ? features[0] < calibration_->detached_below
          : !source.empty() && said_by_source(scores.tokens, scores.without_source) <
                                   calibration_->least_said_by_source;
  if (is_detached)
    trust.flags.push_back(
        {"detached", "the model finds the translation too unlikely for the source"});
  trust.confidence = static_cast<float>(calibration_->expected_chrf(features));
  return trust;
}

void TrustSummary::add(const TranslationTrust& trust) {
  ++translations;
  if (!trust.flags.empty()) ++flagged;
  for (const TranslationFlag& flag : trust.flags) ++flags[flag.name];
  if (!trust.confidence) return;
  ++with_confidence;
  confidence += double{*trust.confidence};
}

TrustSummary& TrustSummary::operator+=(const TrustSummary& other) {
  translations += other.translations;
  flagged += other.flagged;
  with_confidence += other.with_confidence;
  confidence += other.confidence;
  for (const auto& [name, count] : other.flags) flags[name] += count;
  return *this;
}

std::string TrustSummary::text() const {
  std::vector<std::string> counts;
  for (const auto& [name, count] : flags) counts.push_back(fmt::format("{} {}", name, count));
  const std::string named = counts.empty() ? "" : fmt::format(" ({})", fmt::join(counts, ", "));
  const std::string mean = with_confidence == 0
                               ? "no confidence without attend calibrate"
                               : fmt::format("mean confidence {:.2f}",
                                             confidence / static_cast<double>(with_confidence));
  return fmt::format("{} of {} translations are flagged{}; {}", flagged, translations, named, mean);
}

}  // namespace attend
