#include "attend/data/public_sets/side_files.h"

#include <fmt/format.h>

#include <utility>

#include "attend/core/files/atomic_file.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/quote.h"
#include "attend/data/public_sets/downloads.h"
#include "attend/error.h"

namespace attend {

std::optional<SideName> side_name(std::string_view path) {
  const std::string_view name = last_name(unpacked_name(path));
  const std::size_t end = name.rfind('.');
  if (end == name.npos || end == 0) return std::nullopt;
  const std::string_view corpus = name.substr(0, end), side = name.substr(end + 1);
  const std::string_view both = corpus.substr(corpus.rfind('.') + 1);
  const std::size_t dash = both.find('-');
  if (dash == both.npos || dash == 0 || dash + 1 == both.size()) return std::nullopt;
  SideName found{
      .corpus = std::string(corpus),
      .languages = {std::string(both.substr(0, dash)), std::string(both.substr(dash + 1))},
      .side = std::string(side)};
  if (side == "tsv" || side == found.languages.src || side == found.languages.tgt) return found;
  return std::nullopt;
}

bool are_same(const SetLanguages& a, const SetLanguages& b) {
  return (a.src == b.src && a.tgt == b.tgt) || (a.src == b.tgt && a.tgt == b.src);
}

void copy_entry(ArchiveReader& file, const std::filesystem::path& to) {
  std::vector<char> buffer(std::size_t{1} << 20);
  AtomicFile copy(to);
  for (std::size_t count = 0; (count = file.read(buffer.data(), buffer.size())) > 0;)
    copy.write(std::string_view(buffer.data(), count));
  copy.commit();
}

void SideFiles::take(ArchiveReader& file, SplitPairs& pairs) {
  const std::optional<SideName> name = side_name(file.name());
  if (!name || !are_same(name->languages, languages_)) return;
  if (name->side == "tsv") return add_table(file, *name, pairs);
  auto& sides = sides_[name->corpus];
  if (sides.contains(name->side))
    throw DataError(fmt::format("{}: expected {} once, found it again", file.where(),
                                quote(fmt::format("{}.{}", name->corpus, name->side))));
  const std::filesystem::path copy =
      folder_.scratch(fmt::format("{}.{}", name->corpus, name->side));
  copy_entry(file, copy);
  sides[name->side] = copy;
}

// Further columns are those of documents and scores.
void SideFiles::add_table(ArchiveReader& file, const SideName& name, SplitPairs& pairs) {
  LineReader lines = file.lines();
  const bool swapped = name.languages.src != languages_.src;
  for (std::string line; next_text(lines, line);) {
    const std::size_t tab = line.find('\t');
    const std::string_view first = std::string_view(line).substr(0, tab);
    std::string_view second;
    if (tab != line.npos) second = std::string_view(line).substr(tab + 1);
    second = second.substr(0, second.find('\t'));
    swapped ? pairs.add(second, first) : pairs.add(first, second);
  }
}

void SideFiles::finish(SplitPairs& pairs) {
  for (const auto& [corpus, sides] : sides_) {
    const auto src = sides.find(languages_.src), tgt = sides.find(languages_.tgt);
    if (src == sides.end() || tgt == sides.end())
      throw DataError(fmt::format("expected {0}.{1} and {0}.{2}, found only one of them", corpus,
                                  languages_.src, languages_.tgt));
    ParallelLines lines(src->second, tgt->second);
    for (SentencePair pair; lines.next(pair);) pairs.add(pair.first, pair.second);
  }
}

}  // namespace attend
