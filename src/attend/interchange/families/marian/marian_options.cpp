#include "attend/interchange/families/marian/marian_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "attend/core/files/packed/archive_reader.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/families.h"

namespace attend {

namespace {

// Files are in this directory, wherever they were when the options were written.
std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// The file of which `is_wanted`; nullopt: there is none. `what` names it where there are several.
std::optional<std::string> only_file(const ModelDirectory& directory, std::string_view what,
                                     const std::function<bool(std::string_view)>& is_wanted) {
  std::optional<std::string> found;
  for (const std::string& name : directory.names()) {
    if (!is_wanted(name)) continue;
    if (found)
      throw DataError(fmt::format("{}: expected one {}, found {} and {}", directory.path(), what,
                                  quote(*found), quote(name)));
    found = name;
  }
  return found;
}

std::optional<std::string> file_between(const ModelDirectory& directory, std::string_view begin,
                                        std::string_view end) {
  return only_file(directory, fmt::format("{}*{}", begin, end), [&](std::string_view name) {
    return name.starts_with(begin) && name.ends_with(end);
  });
}

MarianOptions read_marian_options(const ModelDirectory& directory, const std::string& name) {
  ForeignConfig config =
      ForeignConfig::from_yaml(directory.text(name), directory.path() + "/" + name);
  MarianOptions options;
  const std::vector<std::string> models = config.texts("models");
  if (models.size() != 1) config.refuse("models", "expected one model");
  options.weights = file_name(models.front());
  for (const std::string& vocabulary : config.texts("vocabs"))
    options.vocabularies.push_back(file_name(vocabulary));
  if (options.vocabularies.size() != 2) config.refuse("vocabs", "expected two vocabularies");
  options.decoding.beam_size = static_cast<int>(config.integer_or("beam-size", 12, kBeamSizes));
  options.decoding.length_penalty =
      static_cast<float>(config.number_or("normalize", 0.0, kLengthPenalties));
  options.writes_unknown = config.boolean_or("allow-unk", false);
  if (config.has("shortlist"))
    options.shortlist = file_between(directory, "lex.", ".bin").value_or("");
  config.ignore({"shortlist"});
  config.require("word-penalty", 0);
  // How the work is divided and what is printed; how often and how long a search goes on.
  config.ignore({"relative-paths",
                 "mini-batch",
                 "mini-batch-words",
                 "maxi-batch",
                 "maxi-batch-sort",
                 "workspace",
                 "cpu-threads",
                 "devices",
                 "num-devices",
                 "quiet",
                 "quiet-translation",
                 "log",
                 "log-level",
                 "max-length",
                 "max-length-factor",
                 "max-length-crop",
                 "n-best",
                 "alignment",
                 "allow-special",
                 "skip-cost",
                 "no-spm-decode",
                 "version",
                 "seed",
                 "fp16",
                 "precision",
                 "gemm-precision",
                 "max-length-break",
                 "ssplit-mode",
                 "bergamot-mode",
                 "skip-load"});
  config.require_all_known();
  return options;
}

std::optional<std::string> options_file(const ModelDirectory& directory) {
  constexpr const char* kName = "decoder.yml";
  if (directory.contains(kName)) return kName;
  if (auto found = file_between(directory, "", ".decoder.yml")) return found;
  return file_between(directory, "config.", ".yml");
}

// "de" and "en" of "model.deen.intgemm.alphas.bin".
LanguagePair languages_of_firefox(std::string_view weights) {
  constexpr std::size_t kBegin = std::string_view("model.").size(), kLetters = 4;
  const std::string_view pair = weights.substr(kBegin, weights.find('.', kBegin) - kBegin);
  const bool is_pair = pair.size() == kLetters && std::all_of(pair.begin(), pair.end(), [](char c) {
                         return c >= 'a' && c <= 'z';
                       });
  if (!is_pair) return {};
  return {std::string(pair.substr(0, kLetters / 2)), std::string(pair.substr(kLetters / 2))};
}

// Firefox keeps no options: it decodes greedily.
std::optional<MarianOptions> find_firefox_options(const ModelDirectory& directory) {
  const std::optional<std::string> weights = file_between(directory, "model.", ".bin");
  if (!weights || directory.contains("model.bin")) return std::nullopt;
  const std::optional<std::string> joint = file_between(directory, "vocab.", ".spm"),
                                   src = file_between(directory, "srcvocab.", ".spm"),
                                   tgt = file_between(directory, "trgvocab.", ".spm");
  if (!joint && (!src || !tgt))
    throw DataError(
        fmt::format("{}: expected vocab.*.spm, or srcvocab.*.spm and trgvocab.*.spm, "
                    "beside {}; found none",
                    directory.path(), *weights));
  MarianOptions options{.weights = *weights,
                        .vocabularies = {joint ? *joint : *src, joint ? *joint : *tgt}};
  options.shortlist = file_between(directory, "lex.", ".bin").value_or("");
  options.decoding.beam_size = 1;
  options.languages = languages_of_firefox(*weights);
  return options;
}

constexpr std::uint64_t kLargestFile = std::uint64_t{4} << 30;

std::string unpacked(const std::string& path) {
  ArchiveReader archive(path);
  std::string content;
  if (!archive.next()) return content;
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  for (std::size_t size = 0;; size = content.size()) {
    if (size > kLargestFile)
      throw DataError(fmt::format("{}: expected at most {} bytes, unpacked", path, kLargestFile));
    content.resize(size + kAtOnce);
    const std::size_t more = archive.read(content.data() + size, kAtOnce);
    content.resize(size + more);
    if (more == 0) return content;
  }
}

}  // namespace

std::optional<MarianOptions> find_marian_options(const ModelDirectory& directory) {
  if (const std::optional<std::string> name = options_file(directory))
    return read_marian_options(directory, *name);
  return find_firefox_options(directory);
}

ModelDirectory without_gzip(const ModelDirectory& directory) {
  constexpr std::string_view kEnd = ".gz";
  const std::vector<std::string> names = directory.names();
  if (directory.is_in_memory() ||
      std::none_of(names.begin(), names.end(),
                   [&](const std::string& name) { return name.ends_with(kEnd); }))
    return directory;
  TextFiles files;
  for (const std::string& name : names) {
    const bool is_packed = name.ends_with(kEnd);
    const std::string plain = is_packed ? name.substr(0, name.size() - kEnd.size()) : name;
    files[plain] =
        is_packed ? unpacked(directory.file(name).string()) : directory.text(name, kLargestFile);
  }
  return {directory.path(), std::move(files)};
}

}  // namespace attend
