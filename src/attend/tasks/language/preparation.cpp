#include "attend/tasks/language/preparation.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "attend/core/lines.h"
#include "attend/core/reservoir_sample.h"
#include "attend/core/utf8.h"
#include "attend/data/language.h"
#include "attend/data/token_stream.h"
#include "attend/error.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/prepared_text.h"
#include "attend/tasks/training_task.h"

namespace attend {

namespace {

using Lines = std::vector<std::string>;

// Calls use(lines) for the lines of all files, some thousand at a time.
void for_parts(const std::vector<std::string>& files, const std::function<void(Lines&)>& use) {
  constexpr std::size_t kPartBytes = std::size_t{32} << 20;
  Lines lines;
  std::size_t bytes = 0;
  const auto use_all = [&] {
    if (!lines.empty()) use(lines);
    lines.clear();
    bytes = 0;
  };
  for (const std::string& file : files) {
    LineReader reader(file);
    for (std::string line; reader.next(line);) {
      bytes += line.size();
      lines.push_back(line);
      if (std::ssize(lines) == kPreparedAtOnce || bytes >= kPartBytes) use_all();
    }
  }
  use_all();
}

// What the first reading finds.
struct LineScan {
  std::int64_t lines = 0;
  Lines sample;
};

LineScan scan(const std::vector<std::string>& files, const PreparedFolderOptions& options,
              const Advance& advance) {
  ReservoirSample<std::string> sample(options.tokenizer_from.empty() ? options.sample_lines : 0,
                                      RandomKey{options.seed, stream_of("prepare.sample")});
  std::int64_t blank = 0;
  for_parts(files, [&](Lines& lines) {
    if (advance) advance(std::ssize(lines));
    for (std::string& line : lines) {
      blank += is_blank(line);
      sample.add(std::move(line));
    }
  });
  if (blank == sample.seen()) refuse_blank_text(blank, files);
  const std::int64_t seen = sample.seen();
  return {seen, sample.take()};
}

// The second reading, of so many lines.
void encode(const std::vector<std::string>& files, std::int64_t count, const Advance& advance,
            PreparedFolder& folder) {
  const Tokenizer& tokenizer = folder.vocabularies().src;
  KindSample kind(count, tokenizer);
  StreamWriter stream(folder.shards());
  LanguageCounts& counts = folder.manifest().lines;
  for_parts(files, [&](Lines& lines) {
    for (const std::string& line : lines) kind.add(line);
    const LanguageText part = encode_language(lines, tokenizer);
    const std::span ids = part.stream;
    stream.add(counts.lines == 0 ? ids : ids.subspan(1));  // the end of the line before is there
    counts.lines += part.lines;
    counts.empty_lines += part.empty_lines;
    counts.characters += part.characters;
    counts.words += part.words;
    if (advance) advance(std::ssize(lines));
  });
  stream.finish();
  TextKind& text = folder.manifest().text_kinds["text"];
  text = kind.kind(text.language);
}

}  // namespace

PreparationResult prepare_text(const LanguagePreparation& o, const Advance& advance) {
  if (o.data.train.empty()) throw ConfigError("--train: expected the file to train on, got none");
  const std::vector<std::string> files = in_folder(o.data.data, o.data.train);
  require_preparable(o.preparation, files);

  LineScan found = scan(files, o.preparation, advance);
  const bool given = !o.preparation.tokenizer_from.empty();
  const Vocabularies vocabularies = [&] {
    if (given) return vocabularies_from(o.preparation.tokenizer_from);
    Tokenizer learned = Tokenizer::train(found.sample, o.vocabulary);
    return Vocabularies{learned, learned};
  }();
  if (!vocabularies.joint())
    throw ConfigError(fmt::format("tokenizer-from: expected one vocabulary, found two in {}",
                                  o.preparation.tokenizer_from));
  const std::int64_t learned_from = std::ssize(found.sample);
  found.sample = {};  // memory

  PreparedManifest manifest;
  manifest.task = LanguageTraining::kName;
  manifest.vocabulary.pretokenized = o.vocabulary.pretokenized;
  manifest.text_kinds["text"].language =
      o.data.language.empty() ? language_of(o.data.train) : o.data.language;
  manifest.format = {.sequences = 1, .id_bytes = id_bytes_for(vocabularies.src.vocab_size())};
  PreparedFolder folder(o.preparation, vocabularies, std::move(manifest));
  encode(files, found.lines, advance, folder);
  return {folder.commit(), learned_from};
}

}  // namespace attend
