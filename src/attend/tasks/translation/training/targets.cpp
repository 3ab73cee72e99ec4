#include "attend/tasks/translation/training/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "attend/core/files/atomic_lines.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/data/corpus.h"
#include "attend/error.h"
#include "attend/tasks/training/part_folder.h"
#include "attend/translation_metrics.h"

namespace attend {

namespace {

constexpr std::int64_t kSentencesOfPart = 1000;  // sentences that a stop may lose

// Sentences, with their given translations if the options need them.
class SourceReader {
 public:
  SourceReader(const TargetSource& source, bool with_translations) : source_(source) {
    if (with_translations) pairs_.emplace(source.src, source.tgt);
  }

  // Replaces `text` by the next part. Returns false at the end.
  bool read(ParallelText& text) {
    text = {};
    if (pairs_) return pairs_->read(kSentencesOfPart, text);
    std::string line;
    while (std::ssize(text.src) < kSentencesOfPart && next(line)) text.src.push_back(line);
    return !text.src.empty();
  }

 private:
  bool next(std::string& line) {
    while (true) {
      if (lines_ && lines_->next(line)) return true;
      if (file_ == source_.src.size()) return false;
      lines_.emplace(source_.src[file_++]);
    }
  }

  const TargetSource& source_;
  std::optional<ParallelReader> pairs_;
  std::optional<LineReader> lines_;
  std::size_t file_ = 0;
};

// What tells whether targets were made the same way.
std::string settings_of(const TranslationEngine& teachers, const TargetSource& source,
                        const TargetOptions& options) {
  std::string text = to_toml(options, "targets");
  for (const auto& model : teachers.ensemble().models())
    text += fmt::format("# by {}\n", printable(model->source, 500));
  text += source.checksums;
  for (const auto* files : {&source.src, &source.tgt}) text += checksums_of(*files);
  const WordNoise& noise = options.noise;
  if (options.targets == TargetChoice::sample || !noise.is_none())
    text += fmt::format("# of seed {}\n", source.seed);
  if (options.n_best > 1) text += fmt::format("# the {} best\n", options.n_best);
  if (!noise.is_none())
    text += fmt::format("# with noise {} {} {}\n", noise.drop, noise.blank, noise.swap);
  text += fmt::format("# from {} to {}\n", quote(source.languages.source),
                      quote(source.languages.target));
  return text;
}

const TranslationCandidate& nearest(const Translation& translation, const std::string& given) {
  const std::vector<std::string> references{given};
  double best = -1;
  const TranslationCandidate* chosen = nullptr;
  for (const TranslationCandidate& candidate : translation.candidates) {
    const double score = sentence_chrf(candidate.text, references, {.allow_subwords = true});
    if (score <= best) continue;  // the more probable one of equal ones
    best = score;
    chosen = &candidate;
  }
  return *chosen;
}

class TargetFolder {
 public:
  TargetFolder(std::filesystem::path path, const std::string& settings) : path_(std::move(path)) {
    open_part_folder(path_, settings, "targets");
  }

  std::filesystem::path src() const { return path_ / "src.txt"; }
  std::filesystem::path tgt() const { return path_ / "tgt.txt"; }
  // The target side is written last.
  bool is_complete() const { return std::filesystem::exists(tgt()); }
  bool has_part(std::int64_t part) const { return std::filesystem::exists(part_file(part, "tgt")); }

  void write_part(std::int64_t part,
                  const std::vector<std::pair<std::string, std::string>>& pairs) {
    AtomicLines src(part_file(part, "src")), tgt(part_file(part, "tgt"));
    for (const auto& [source, target] : pairs) {
      src.add(source);
      src.end_line();
      tgt.add(target);
      tgt.end_line();
    }
    src.commit();
    tgt.commit();
  }

  // Joins the parts, and removes them.
  void complete(std::int64_t parts) {
    for (const auto& [side, file] : {std::pair("src", src()), std::pair("tgt", tgt())}) {
      AtomicLines all(file);
      for (std::int64_t part = 0; part < parts; ++part) {
        // A part may have no pair, and an empty file no lines.
        if (std::filesystem::file_size(part_file(part, side)) == 0) continue;
        for (const std::string& line : read_lines(part_file(part, side).string())) {
          all.add(line);
          all.end_line();
        }
      }
      all.commit();
    }
    for (std::int64_t part = 0; part < parts; ++part)
      for (const char* side : {"src", "tgt"}) std::filesystem::remove(part_file(part, side));
  }

 private:
  std::filesystem::path part_file(std::int64_t part, const char* side) const {
    return path_ / fmt::format("part-{:06}.{}", part + 1, side);
  }

  std::filesystem::path path_;
};

std::int64_t count_lines(const std::filesystem::path& file) {
  if (std::filesystem::file_size(file) == 0) return 0;
  LineReader lines(file.string());
  std::string line;
  std::int64_t count = 0;
  while (lines.next(line)) ++count;
  return count;
}

// The pairs of one part: the targets of each sentence that has some. `random`: of their noise.
std::vector<std::pair<std::string, std::string>> translated(const TranslationEngine& teachers,
                                                            const ParallelText& text,
                                                            const TargetOptions& options,
                                                            const TranslationOptions& decoding,
                                                            Random random) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::size_t i = 0;
  const auto add = [&](std::size_t of, const std::string& target) {
    if (is_blank(target)) return;
    pairs.emplace_back(text.src[of], options.noise.is_none()
                                         ? target
                                         : with_word_noise(target, options.noise, random));
  };
  const AnswerSink<Translation> sink{
      .accept =
          [&](const Translation& translation) {
            const std::size_t of = i++;
            if (is_blank(text.src[of])) return;
            if (options.targets == TargetChoice::nearest)
              return add(of, nearest(translation, text.tgt[of]).text);
            for (const TranslationCandidate& candidate : translation.candidates)
              add(of, candidate.text);
          },
      .reject = [&](const LineError&) { ++i; }};
  teachers.translate(text.src, "line ", sink, decoding);
  return pairs;
}

}  // namespace

TranslationOptions target_decoding(const TranslationEngine& teachers, const TargetSource& source,
                                   const TargetOptions& options) {
  TranslationOptions decoding = teachers.default_options();
  decoding.languages = source.languages;
  decoding.beam.beam_size = options.beam_size;
  decoding.beam.n_best = options.n_best;
  if (options.targets == TargetChoice::nearest) decoding.beam.n_best = options.beam_size;
  if (options.targets == TargetChoice::sample) {
    decoding.sampling = options.sampling;
    decoding.beam.n_best = options.samples;
  }
  return decoding;
}

TargetFiles write_targets(const TranslationEngine& teachers, const TargetSource& source,
                          const TargetOptions& options, const std::filesystem::path& folder,
                          const std::function<void(std::int64_t)>& progress) {
  check_options(options);
  const bool by_given = options.targets == TargetChoice::nearest;
  if (by_given && source.tgt.empty())
    throw OptionError<ConfigError>(
        "{}: expected given translations ({}) to choose the nearest by, got none",
        as_key("targets"), as_flag("tgt-train"));
  TargetFolder files(folder, settings_of(teachers, source, options));
  TargetFiles result{files.src(), files.tgt()};
  TranslationOptions decoding = target_decoding(teachers, source, options);
  if (!files.is_complete()) {
    SourceReader reader(source, by_given);
    ParallelText text;
    std::int64_t part = 0, sentences = 0;
    for (; reader.read(text); ++part) {
      sentences += std::ssize(text.src);
      if (!files.has_part(part)) {
        if (decoding.sampling)
          decoding.sampling->seed = source.seed + static_cast<std::uint64_t>(part);
        const Random random({source.seed, stream_of(fmt::format("noise {}", part))});
        files.write_part(part, translated(teachers, text, options, decoding, random));
      }
      progress(sentences);
    }
    files.complete(part);
  }
  result.pairs = count_lines(result.src);
  if (result.pairs == 0)
    throw DataError(fmt::format("{}: the teachers have translated no sentence of this text",
                                source.src.empty() ? "" : source.src.front()));
  return result;
}

}  // namespace attend
