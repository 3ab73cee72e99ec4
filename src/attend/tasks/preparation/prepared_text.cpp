#include "attend/tasks/preparation/prepared_text.h"

#include <fmt/format.h>

#include <utility>

#include "attend/backend/bytes.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/files/input_file.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/training/initial_vocabulary.h"

namespace attend {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestTokenizer = std::uint64_t{1} << 30;

std::uint32_t crc_of(std::string_view bytes) { return crc32_of(std::as_bytes(std::span(bytes))); }

Tokenizer load_tokenizer(const fs::path& path, std::uint64_t checksum) {
  const InputFile file(path);
  if (file.size() > kLargestTokenizer)
    throw DataError(fmt::format("{}: expected at most {} bytes, found {}", file.path(),
                                kLargestTokenizer, file.size()));
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  if (crc_of(bytes) != checksum)
    throw DataError(fmt::format(
        "{}: its checksum is not the one that was written: it is damaged; restore it, or run "
        "attend prepare again",
        file.path()));
  try {
    return Tokenizer::from_bytes(bytes);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", file.path(), error.what()));
  }
}

bool is_same_length(const LengthOptions& a, const LengthOptions& b) {
  return a.max_length == b.max_length && a.over_long == b.over_long;
}

void require_like_the_first(const PreparedText& text, const std::string& folder,
                            const PreparedManifest& manifest) {
  const PreparedVocabulary &is = manifest.vocabulary, &first = text.manifest.vocabulary;
  const bool same = is.joint == first.joint && is.pretokenized == first.pretokenized &&
                    is.checksum == first.checksum && is.tgt_checksum == first.tgt_checksum;
  if (!same)
    throw OptionError<ConfigError>(
        "{} and {}: expected the same vocabularies, found others; prepare the second with {} {}",
        text.folders.front(), folder, as_flag("tokenizer-from"), text.folders.front());
  if (!is_same_length(manifest.length, text.manifest.length))
    throw OptionError<ConfigError>("{} and {}: expected to be prepared with the same {} and {}",
                                   text.folders.front(), folder, as_flag("max-length"),
                                   as_flag("over-long"));
}

void add_report(const ReadReport& more, ReadReport& report) {
  if (report.first_over_long.empty()) report.first_over_long = more.first_over_long;
  report.pairs += more.pairs;
  report.empty_src += more.empty_src;
  report.empty_tgt += more.empty_tgt;
  report.over_long += more.over_long;
  report.truncated += more.truncated;
  report.kept += more.kept;
}

// Text has the properties that all of its parts have; `samples` of it are there already.
void join_kinds(const std::map<std::string, TextKind>& more, std::int64_t more_samples,
                std::int64_t samples, std::map<std::string, TextKind>& kinds) {
  for (auto& [side, kind] : kinds) {
    const auto other = more.find(side);
    if (other == more.end()) continue;
    kind.lowercased = kind.lowercased && other->second.lowercased;
    kind.tokenized = kind.tokenized && other->second.tokenized;
    const double share =
        static_cast<double>(more_samples) / static_cast<double>(samples + more_samples);
    kind.unknown += (other->second.unknown - kind.unknown) * share;
  }
}

void add_folder(const std::string& folder, const PreparedManifest& manifest, PreparedText& text) {
  const Vocabularies& vocabularies = text.vocabularies;
  std::vector<std::int32_t> sizes{vocabularies.src.vocab_size()};
  if (manifest.format.sequences == 2) sizes.push_back(vocabularies.tgt.vocab_size());
  for (std::size_t i = 0; i < manifest.shards.size(); ++i)
    text.shards.push_back(std::make_shared<const ShardReader>(
        fs::path(folder) / shard_name(i), manifest.format, manifest.shards[i], sizes));
  text.samples.push_back(manifest.samples());
}

PreparedManifest manifest_for(const std::string& folder, std::string_view task) {
  PreparedManifest manifest = load_manifest(folder);
  if (manifest.task != task)
    throw ConfigError(
        fmt::format("{}: expected text that attend prepare {} has written, found it "
                    "prepared for {}",
                    folder, task, quote(manifest.task)));
  const int sequences = task == "translation" ? 2 : 1;
  if (manifest.format.sequences != sequences)
    throw DataError(fmt::format("{}: format: expected samples of {}, found them of {}",
                                manifest_file(folder).string(), sequences,
                                manifest.format.sequences));
  return manifest;
}

}  // namespace

PreparedText open_prepared(const std::vector<std::string>& folders, std::string_view task) {
  if (folders.empty()) throw ConfigError("prepared: expected a folder, got none");
  PreparedManifest first = manifest_for(folders.front(), task);
  Vocabularies vocabularies = load_vocabularies(folders.front(), first);
  PreparedText text{folders, std::move(first), std::move(vocabularies), {}, {}};
  add_folder(folders.front(), text.manifest, text);
  for (std::size_t i = 1; i < folders.size(); ++i) {
    const PreparedManifest manifest = manifest_for(folders[i], task);
    require_like_the_first(text, folders[i], manifest);
    add_report(manifest.pairs, text.manifest.pairs);
    text.manifest.lines += manifest.lines;
    join_kinds(manifest.text_kinds, manifest.samples(), text.manifest.samples(),
               text.manifest.text_kinds);
    add_folder(folders[i], manifest, text);
    text.manifest.shards.insert(text.manifest.shards.end(), manifest.shards.begin(),
                                manifest.shards.end());
  }
  return text;
}

Vocabularies load_vocabularies(const fs::path& folder, const PreparedManifest& manifest) {
  const PreparedVocabulary& vocabulary = manifest.vocabulary;
  if (vocabulary.joint) {
    Tokenizer joint = load_tokenizer(folder / "tokenizer", vocabulary.checksum);
    return {joint, joint};
  }
  return {load_tokenizer(folder / "tokenizer.src", vocabulary.checksum),
          load_tokenizer(folder / "tokenizer.tgt", vocabulary.tgt_checksum)};
}

Vocabularies vocabularies_from(const fs::path& path) {
  if (fs::exists(manifest_file(path))) return load_vocabularies(path, load_manifest(path));
  const fs::path file = model_file_of(path);
  if (file.extension() == ".safetensors") {
    const Checkpoint model = load_checkpoint(file);
    if (model.find("tokenizer") == nullptr)
      return {read_tokenizer(model, "tokenizer.src"), read_tokenizer(model, "tokenizer.tgt")};
  }
  Tokenizer only = load_vocabulary(path);
  return {only, only};
}

void save_vocabularies(const Vocabularies& vocabularies, const fs::path& folder,
                       PreparedManifest& manifest) {
  PreparedVocabulary& vocabulary = manifest.vocabulary;
  vocabulary.joint = vocabularies.joint();
  vocabulary.checksum = crc_of(vocabularies.src.bytes());
  vocabulary.tgt_checksum = vocabulary.joint ? 0 : crc_of(vocabularies.tgt.bytes());
  write_file_atomically(folder / (vocabulary.joint ? "tokenizer" : "tokenizer.src"),
                        vocabularies.src.bytes());
  if (!vocabulary.joint) write_file_atomically(folder / "tokenizer.tgt", vocabularies.tgt.bytes());
}

TokenizerOptions tokenizer_options_of(const PreparedManifest& manifest,
                                      const Vocabularies& vocabularies) {
  return {.type = type_of(vocabularies.tgt),
          .vocab_size = vocabularies.tgt.vocab_size(),
          .pretokenized = manifest.vocabulary.pretokenized};
}

void require_vocabularies(const PreparedText& text, const Tokenizer& src, const Tokenizer& tgt,
                          std::string_view model) {
  if (text.vocabularies.src.bytes() == src.bytes() && text.vocabularies.tgt.bytes() == tgt.bytes())
    return;
  throw OptionError<ConfigError>(
      "{}: its vocabulary is not that of {}; run attend prepare with {} and that model",
      text.folders.front(), model, as_flag("tokenizer-from"));
}

void require_adopted(const std::vector<OptionGroup>& adopted, const std::vector<OptionGroup>& given,
                     const IsSet& is_set, std::string_view source) {
  const auto shown = [](const OptionField& field) {
    return printable(fmt::format("{}", fmt::join(option_values(field), " ")), 200);
  };
  for (std::size_t g = 0; g < adopted.size(); ++g) {
    for (std::size_t f = 0; f < adopted[g].fields.size(); ++f) {
      const OptionField &now = adopted[g].fields[f], &before = given[g].fields[f];
      if (option_values(now) == option_values(before) || !is_set(now.name)) continue;
      throw OptionError<ConfigError>(
          "{}: the text was prepared with {} {}; leave {} {} out, or run attend prepare again",
          source, as_key(now.name), shown(now), as_flag(now.name), shown(before));
    }
  }
}

}  // namespace attend
