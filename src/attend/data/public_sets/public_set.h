// Public data sets: where people download them, and how their files become those that the recipes
// read. Nothing is downloaded here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "attend/core/options/number_range.h"
#include "attend/core/options/options.h"

namespace attend {

class SetFolder;

// A file that people download.
struct SetDownload {
  std::string_view folder;  // the beginning of its address, up to its name
  std::string_view name;
  std::string_view sha256;  // as others have published it; empty: unknown
  bool optional = false;
};

// A prepared file of the published version of a set.
struct PublishedFile {
  std::string_view name;
  std::int64_t lines;
  std::string_view sha256 = {};  // empty: unknown
};

struct PublicSetOptions {
  std::string src_lang = {}, tgt_lang = {};  // empty: those that the set suggests
  std::int64_t valid_pairs = 2000;
  std::uint64_t seed = 1;
  bool any_version = false;
};

template <class Visitor>
void fields(PublicSetOptions& o, Visitor&& visit) {
  visit("src-lang", o.src_lang,
        "one language of the pairs, such as en; the default for tatoeba, wmt and multi30k is en");
  visit("tgt-lang", o.tgt_lang,
        "the other language of the pairs, such as de; the default for tatoeba, wmt and multi30k is "
        "de");
  visit("valid-pairs", o.valid_pairs, between(0, 1e6),
        "pairs of tatoeba or opus to set aside for validation, at most a tenth of all");
  visit("seed", o.seed, any_seed(), "seed of what is drawn and of the order of texts");
  visit("any-version", o.any_version,
        "accept files that differ from the published ones in checksum or number of lines");
}

struct PublicSet {
  std::string_view name, about, size, license;
  std::string_view page;  // that describes it
  std::span<const SetDownload> downloads;
  std::span<const PublishedFile> published;
  std::span<const std::string_view> options;  // names of those that have an effect on it
  // Writes the files of the set, from downloads of any name. Throws DataError if one is missing.
  void (*prepare)(std::span<const std::string> downloads, const PublicSetOptions& options,
                  SetFolder& out);
};

// The sets, each in a file of its name.
extern const PublicSet kMulti30k, kTatoeba, kWmt, kOpus, kImdb, kSst2, kWikiText2, kTinyShakespeare;

}  // namespace attend
