#include "attend/tasks/language/preparation.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/random/reservoir_sample.h"
#include "attend/core/strings/utf8.h"
#include "attend/data/language.h"
#include "attend/data/stored/token_stream.h"
#include "attend/error.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/language/training_text.h"
#include "attend/tasks/preparation/prepared_text.h"
#include "attend/tasks/training/training_task.h"

namespace attend {

namespace {

using Lines = std::vector<std::string>;

// Calls use(units) for the lines or documents of all files, some thousand at a time.
void for_parts(const std::vector<std::string>& files, const DocumentOptions& options,
               const std::function<void(Lines&)>& use) {
  constexpr std::size_t kPartBytes = std::size_t{32} << 20;
  Lines units;
  std::size_t bytes = 0;
  const auto use_all = [&] {
    if (!units.empty()) use(units);
    units.clear();
    bytes = 0;
  };
  for (const std::string& file : files) {
    UnitReader reader(file, options);
    for (std::string unit; reader.next(unit);) {
      bytes += unit.size();
      units.push_back(unit);
      if (std::ssize(units) == kPreparedAtOnce || bytes >= kPartBytes) use_all();
    }
  }
  use_all();
}

// The lines of units, which are lines or documents.
Lines taken_lines(Lines& units, const DocumentOptions& options) {
  return options.documents ? lines_of(units) : std::move(units);
}

// What a text is for the model with this vocabulary; otherwise as the options say. Throws
// ConfigError if they say something else.
LanguageFormat format_for(const LanguagePreparation& o, const Tokenizer& tokenizer) {
  const std::int32_t eos = tokenizer.eos_id();
  const bool documents = o.data.units.documents;
  const std::filesystem::path from = o.preparation.tokenizer_from;
  if (!from.empty() && !std::filesystem::exists(manifest_file(from))) {
    const std::filesystem::path file = model_file_of(from);
    if (file.extension() == ".safetensors") {
      const Checkpoint model = load_checkpoint(file);
      if (model.metadata.contains(kLanguageFormatKey)) {
        LanguageFormat format = language_model(model).text;
        if (!documents && !format.has_lines())
          throw OptionError<ConfigError>("documents: {} was trained on documents; add {}",
                                         model.source, as_flag("documents"));
        if (documents != format.has_lines()) return format;
      }
    }
  }
  return documents ? text_of_documents(eos) : text_of_lines(eos, eos);
}

// What the first reading finds.
struct LineScan {
  std::int64_t lines = 0;
  Lines sample;
};

LineScan scan(const std::vector<std::string>& files, const DocumentOptions& units,
              const PreparedFolderOptions& options, const Advance& advance) {
  ReservoirSample<std::string> sample(options.tokenizer_from.empty() ? options.sample_lines : 0,
                                      RandomKey{options.seed, stream_of("prepare.sample")});
  std::int64_t blank = 0;
  for_parts(files, units, [&](Lines& part) {
    Lines lines = taken_lines(part, units);
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
void encode(const LanguagePreparation& o, const std::vector<std::string>& files,
            std::int64_t line_count, const Advance& advance, PreparedFolder& folder) {
  const DocumentOptions& units = o.data.units;
  const Tokenizer& tokenizer = folder.vocabularies().src;
  const LanguageFormat format = format_for(o, tokenizer);
  KindSample kind(line_count, tokenizer);
  StreamWriter stream(folder.shards());
  LanguageCounts& counts = folder.manifest().lines;
  const bool begins_with_end =
      format.has_lines() || format.prefix == std::vector{tokenizer.eos_id()};
  for_parts(files, units, [&](Lines& part) {
    const LanguageText text = encode_language(part, tokenizer, format.stream());
    const std::span ids = text.stream;
    // The end of the unit before is there.
    stream.add(counts.lines == 0 || !begins_with_end ? ids : ids.subspan(1));
    counts += text;
    const Lines lines = taken_lines(part, units);
    for (const std::string& line : lines) kind.add(line);
    if (advance) advance(std::ssize(lines));
  });
  stream.finish();
  TextKind& text = folder.manifest().text_kinds["text"];
  text = kind.kind(text.language);
}

}  // namespace

void settle_defaults(LanguagePreparation& o, const IsSet& is_set) {
  settle_vocabulary(o.vocabulary, o.data.units.documents, is_set);
}

PreparationResult prepare_text(const LanguagePreparation& o, const Advance& advance) {
  if (o.data.train.empty())
    throw OptionError<ConfigError>("{}: expected the file to train on, got none", as_flag("train"));
  const std::vector<std::string> files = in_folder(o.data.data, o.data.train);
  require_preparable(o.preparation, files);

  check(o.data.units);
  LineScan found = scan(files, o.data.units, o.preparation, advance);
  const bool given = !o.preparation.tokenizer_from.empty();
  const Vocabularies vocabularies = [&] {
    if (given) return vocabularies_from(o.preparation.tokenizer_from);
    Tokenizer learned = learned_vocabulary(found.sample, o.vocabulary, o.data.units.documents);
    return Vocabularies{learned, learned};
  }();
  if (!vocabularies.joint())
    throw OptionError<ConfigError>("{}: expected one vocabulary, found two in {}",
                                   as_key("tokenizer-from"), o.preparation.tokenizer_from);
  const std::int64_t learned_from = std::ssize(found.sample);
  found.sample = {};  // memory

  PreparedManifest manifest;
  manifest.task = LanguageTraining::kName;
  manifest.vocabulary.pretokenized = o.vocabulary.pretokenized;
  manifest.text_kinds["text"].language =
      o.data.language.empty() ? language_of(o.data.train) : o.data.language;
  manifest.format = {.sequences = 1, .id_bytes = id_bytes_for(vocabularies.src.vocab_size())};
  PreparedFolder folder(o.preparation, vocabularies, std::move(manifest));
  encode(o, files, found.lines, advance, folder);
  return {folder.commit(), learned_from};
}

}  // namespace attend
