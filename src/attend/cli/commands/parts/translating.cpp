#include "attend/cli/commands/parts/translating.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"

namespace attend {

namespace {

constexpr std::size_t kMeasuredSentences = 128;

struct Sample {
  std::vector<std::string> first;  // lines
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
};

Sample sample_of(const std::vector<std::string>& files) {
  Sample sample;
  std::string line;
  for (const std::string& file : files) {
    LineReader lines(file);
    while (lines.next(line)) {
      ++sample.lines;
      sample.bytes += std::ssize(line) + 1;
      if (sample.first.size() < kMeasuredSentences) sample.first.push_back(line);
    }
  }
  return sample;
}

}  // namespace

TranslationEngine ensemble_of(const Teachers& translators) {
  TranslationEnsemble::Models models;
  for (const auto& translator : translators)
    models.push_back(std::make_shared<const TranslationModel>(translation_model(*translator)));
  return TranslationEngine(TranslationEnsemble(std::move(models)));
}

PartCost targets_cost(const TranslationEngine& translators, TeacherState state,
                      const TargetSource& source, const TargetOptions& options) {
  const Sample text = sample_of(source.src);
  TranslationOptions decoding = target_decoding(translators, source, options);
  // Untrained ones write until they must end; the translation is about as long as its source.
  if (state == TeacherState::untrained) {
    std::int64_t tokens = 0;
    for (const std::string& line : text.first)
      tokens += std::ssize(translators.model().src_tokenizer.encode(line)) + 1;
    decoding.beam.max_length = static_cast<int>(tokens / std::ssize(text.first)) + 1;
    if (decoding.sampling) decoding.sampling->max_length = decoding.beam.max_length;
  }
  const auto begin = std::chrono::steady_clock::now();
  translators.translate(text.first, "line ",
                        {.accept = [](const Translation&) {}, .reject = [](const LineError&) {}},
                        decoding);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double each = seconds / static_cast<double>(text.first.size());
  return {fmt::format("targets of {}", counted(text.lines, "sentence")),
          each * static_cast<double>(text.lines), 0, 2 * text.bytes * options.of_a_sentence()};
}

}  // namespace attend
