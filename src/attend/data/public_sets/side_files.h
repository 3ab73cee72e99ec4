// Archives with one file for each side of a corpus: "europarl-v7.de-en.de", "europarl-v7.de-en.en".
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/files/packed/archive_reader.h"
#include "attend/data/public_sets/split_pairs.h"

namespace attend {

// One side of a corpus, or a table of both.
struct SideName {
  std::string corpus;      // "europarl-v7.de-en"
  SetLanguages languages;  // de, en
  std::string side;        // "de"; "tsv": a table whose columns begin with the two
};

// What the name of a file says, if it is one of these.
std::optional<SideName> side_name(std::string_view path);

// Whether they are the same two languages, in any order.
bool are_same(const SetLanguages& a, const SetLanguages& b);

// The files of several archives, copied into scratch files until both sides of a corpus are there.
class SideFiles {
 public:
  SideFiles(SetFolder& folder, SetLanguages languages)
      : folder_(folder), languages_(std::move(languages)) {}

  // Keeps the file if it is a side of a corpus in the two languages, or adds the pairs of a table.
  // Throws DataError if the corpus already has this side.
  void take(ArchiveReader& file, SplitPairs& pairs);
  // Adds the pairs of corpora with both sides. Throws DataError for one with a single side.
  void finish(SplitPairs& pairs);

 private:
  void add_table(ArchiveReader& file, const SideName& name, SplitPairs& pairs);

  SetFolder& folder_;
  SetLanguages languages_;
  std::map<std::string, std::map<std::string, std::filesystem::path>> sides_;
};

// Copies a file of an archive.
void copy_entry(ArchiveReader& file, const std::filesystem::path& to);

}  // namespace attend
