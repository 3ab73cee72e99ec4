// Sentence pairs of Tatoeba, from the archives of manythings.org: English and another language.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "attend/core/options/option_error.h"
#include "attend/core/random/random.h"
#include "attend/core/random/reservoir_sample.h"
#include "attend/data/public_sets/downloads.h"
#include "attend/data/public_sets/published_tokens.h"
#include "attend/data/public_sets/split_pairs.h"
#include "attend/error.h"

namespace attend {
namespace {

// Another language TAB English, in the order of their bytes, each once.
using Rows = std::set<SentencePair>;

Rows read_rows(const SetFolder& folder, const std::string& part, const std::string& language) {
  Rows rows;
  ParallelLines lines(folder.path_of(fmt::format("{}.{}", part, language)),
                      folder.path_of(fmt::format("{}.en", part)));
  for (SentencePair pair; lines.next(pair);) rows.insert(pair);
  return rows;
}

void add_row(SetFile& file, const SentencePair& row) {
  file.add_line(fmt::format("{}\t{}", row.first, row.second));
}

// For recipes/tatoeba-alignment.toml: of the validation text, each sentence with one translation;
// no sentence of it is trained on.
void write_translations(const Rows& train, const Rows& valid, SetFolder& out) {
  std::unordered_set<std::string> first, second;
  for (const SentencePair& row : valid) {
    if (first.contains(row.first) || second.contains(row.second)) continue;
    first.insert(row.first);
    second.insert(row.second);
    add_row(out.file("valid-pairs.tsv"), row);
  }
  for (const SentencePair& row : train) {
    const auto is_held_out = [&](const std::string& sentence) {
      return first.contains(sentence) || second.contains(sentence);
    };
    if (!is_held_out(row.first) && !is_held_out(row.second)) add_row(out.file("pairs.tsv"), row);
  }
}

// For recipes/tatoeba-minilm.toml: English sentences that share a translation. Every tenth
// translation is held out, and no held-out sentence is trained on.
void write_paraphrases(const Rows& train, SetFolder& out) {
  std::unordered_map<std::string, int> count;
  for (const SentencePair& row : train) ++count[row.first];
  std::vector<SentencePair> others;
  std::unordered_set<std::string> held_out;
  const std::string* group = nullptr;
  int groups = 0;
  for (const SentencePair& row : train) {
    if (count[row.first] < 2) continue;
    if (group == nullptr || *group != row.first) ++groups;
    group = &row.first;
    if (groups % 10 != 0) {
      others.push_back(row);
      continue;
    }
    held_out.insert(row.second);
    add_row(out.file("valid.tsv"), row);
  }
  for (const SentencePair& row : others)
    if (!held_out.contains(row.second)) add_row(out.file("train.tsv"), row);
}

// For recipes/tatoeba-adapted.toml: a few pairs, lower-cased and tokenized like Multi30k.
void write_tokenized(const std::string& part, std::int64_t count, const std::string& language,
                     std::uint64_t seed, SetFolder& out) {
  ReservoirSample<SentencePair> sample(count, {seed, stream_of("tokenized " + part)});
  ParallelLines lines(out.path_of(fmt::format("{}.{}", part, language)),
                      out.path_of(fmt::format("{}.en", part)));
  for (SentencePair pair; lines.next(pair);) sample.add(pair);
  for (const SentencePair& pair : sample.take()) {
    out.file(fmt::format("{}.lc.norm.tok.{}", part, language))
        .add_line(moses_line(pair.first, language));
    out.file(fmt::format("{}.lc.norm.tok.en", part)).add_line(moses_line(pair.second, "en"));
  }
}

// "English TAB other [TAB attribution]" on each line of the only text in the archive besides its
// description.
void read_pairs(std::span<const std::string> downloads, bool english_first, SplitPairs& pairs) {
  std::string found;
  visit_files(downloads, [&](ArchiveReader& file) {
    const std::string_view name = last_name(file.name());
    if (!name.ends_with(".txt") || name.starts_with('_') || name.starts_with('.')) return;
    if (!found.empty())
      throw DataError(
          fmt::format("expected one pair of languages, found {} and {}", found, file.where()));
    found = file.where();
    LineReader lines = file.lines();
    for (std::string line; lines.next(line);) {
      const std::size_t tab = line.find('\t');
      if (tab == line.npos)
        throw DataError(fmt::format("{}: expected an English sentence, a tab, and its translation",
                                    lines.where()));
      const std::string_view english = std::string_view(line).substr(0, tab);
      std::string_view other = std::string_view(line).substr(tab + 1);
      other = other.substr(0, other.find('\t'));
      english_first ? pairs.add(english, other) : pairs.add(other, english);
    }
  });
  if (found.empty()) refuse_missing_part("tatoeba", "a text such as deu.txt");
}

void prepare_tatoeba(std::span<const std::string> downloads, const PublicSetOptions& options,
                     SetFolder& out) {
  const SetLanguages languages = languages_or(options, {"en", "de"});
  if ((languages.src == "en") == (languages.tgt == "en"))
    throw OptionError<ConfigError>("{}, {}: expected en and another language, got {} and {}",
                                   as_flag("src-lang"), as_flag("tgt-lang"), languages.src,
                                   languages.tgt);
  const bool english_first = languages.src == "en";
  const std::string& other = english_first ? languages.tgt : languages.src;
  SplitPairs pairs(out, languages, options, options.valid_pairs);
  read_pairs(downloads, english_first, pairs);
  pairs.finish();
  out.end_files();
  const Rows train = read_rows(out, "train", other);
  const bool has_valid = out.has(fmt::format("valid.{}", other));
  if (has_valid) write_translations(train, read_rows(out, "valid", other), out);
  write_paraphrases(train, out);
  if (!has_moses_rules(other)) {
    out.add_note(fmt::format("no tokenized text: there are no rules of Moses for {}", other));
    return;
  }
  write_tokenized("train", 20'000, other, options.seed, out);
  if (has_valid) write_tokenized("valid", 500, other, options.seed, out);
}

constexpr std::array<SetDownload, 1> kTatoebaDownloads{
    {{"https://www.manythings.org/anki/", "deu-eng.zip", ""}}};
constexpr std::array<std::string_view, 4> kTatoebaOptions{"src-lang", "tgt-lang", "valid-pairs",
                                                          "seed"};

}  // namespace

constinit const PublicSet kTatoeba{
    .name = "tatoeba",
    .about = "everyday sentences: English and German, or another language of the same page",
    .size = "200,000 pairs and more",
    .license = "CC BY 2.0",
    .page = "https://www.manythings.org/anki/",
    .downloads = kTatoebaDownloads,
    .published = {},
    .options = kTatoebaOptions,
    .prepare = prepare_tatoeba};

}  // namespace attend
