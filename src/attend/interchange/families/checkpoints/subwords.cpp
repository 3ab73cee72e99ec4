#include "attend/interchange/families/checkpoints/subwords.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/tokenizer_json.h"
#include "attend/text/tokenizer_file.h"

namespace attend {

namespace {

using detail::PieceModelType;
using detail::StepsDescription;

constexpr std::string_view kGoesOn = "@@", kWordEnd = "</w>";
constexpr std::string_view kNoPrefix = "\n";  // of no piece

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

[[noreturn]] void refuse_line(const ModelDirectory& directory, std::string_view name,
                              std::size_t line, std::string_view expected,
                              const std::string& found) {
  throw DataError(fmt::format("{}/{}, line {}: expected {}, found {}", directory.path(), name,
                              line + 1, expected, quote(found)));
}

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

// Merges as their file has them. Those of fastBPE have counts behind them, those of subword-nmt a
// version before them; without one, the end of a word is a symbol of its own at first.
struct MergeCodes {
  std::vector<std::string> codes;
  bool suffix_apart = false;
};

MergeCodes read_codes(const ModelDirectory& directory, const std::string& name) {
  constexpr std::string_view kVersion = "#version:";
  std::vector<std::string> lines = lines_of(directory.text(name));
  MergeCodes read;
  std::size_t first = 0;
  const bool has_version = !lines.empty() && lines[0].starts_with(kVersion);
  if (has_version) {
    const std::string version = lines[0].substr(lines[0].find_last_of(" :") + 1);
    if (version != "0.1" && version != "0.2")
      refuse_line(directory, name, 0, "version 0.1 or 0.2", lines[0]);
    read.suffix_apart = version == "0.1";
    first = 1;
  }
  const auto spaces = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ' ');
  };
  const bool has_counts = !has_version && !lines.empty() && spaces(lines[0]) == 2;
  if (!has_version && !has_counts) read.suffix_apart = true;
  for (std::size_t i = first; i < lines.size(); ++i) {
    std::string& line = lines[i];
    if (spaces(line) != (has_counts ? 2 : 1) || line.starts_with(' ') || line.ends_with(' '))
      refuse_line(directory, name, i, has_counts ? "two symbols and a count" : "two symbols", line);
    if (has_counts) line.resize(line.rfind(' '));
    read.codes.push_back(std::move(line));
  }
  return read;
}

// The entries as pieces: at the end of a word they have a suffix, else none.
std::string piece_of_entry(const std::string& entry, std::int64_t id, bool has_codes) {
  if (!has_codes) return entry;
  if (entry == kGoesOn) return filler_piece(id);
  if (entry.ends_with(kGoesOn)) return entry.substr(0, entry.size() - kGoesOn.size());
  return entry + std::string(kWordEnd);
}

StepsDescription words_of(const VocabularyOrder& order, bool has_codes) {
  const SpecialPieces& special = order.special;
  StepsDescription d{.vocabulary = {}};
  for (std::int32_t id = 0; id < std::ssize(order.pieces); ++id) {
    const std::string& entry = order.pieces[static_cast<std::size_t>(id)];
    SpecialTokens& ids = d.vocabulary.special;
    const bool is_mark = entry == special.bos || entry == special.eos || entry == special.pad ||
                         contains(order.controls, entry);
    if (entry == special.bos) ids.bos = id;
    if (entry == special.eos) ids.eos = id;
    if (entry == special.pad) ids.pad = id;
    if (entry == special.unk) ids.unk = id;
    if (is_mark) d.vocabulary.controls.push_back(id);
    if (is_mark || entry == special.unk || entry == kGoesOn) d.model.outside.push_back(id);
    d.vocabulary.pieces.push_back(is_mark ? entry : piece_of_entry(entry, id, has_codes));
  }
  d.model.unknown = d.vocabulary.special.unk;
  d.pre_tokenizer = nlohmann::json::array({{{"type", "WhitespaceSplit"}}});
  return d;
}

}  // namespace

std::vector<std::string> read_fairseq_dictionary(const ModelDirectory& directory,
                                                 std::string_view name) {
  std::vector<std::string> entries{"<s>", "<pad>", "</s>", "<unk>"};
  std::set<std::string> known(entries.begin(), entries.end());
  const std::vector<std::string> lines = lines_of(directory.text(name));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::size_t space = line.rfind(' ');
    const bool has_count = space != line.npos && space > 0 && space + 1 < line.size() &&
                           line.find_first_not_of("0123456789", space + 1) == line.npos;
    if (!has_count) refuse_line(directory, name, i, "an entry and its count", line);
    entries.push_back(line.substr(0, space));
    if (!known.insert(entries.back()).second)
      refuse_line(directory, name, i, "every entry once", entries.back());
  }
  return entries;
}

SubwordFile find_subwords(const ModelDirectory& directory) {
  constexpr std::array kCodes{"bpecodes", "code", "codes", "bpe.codes"};
  std::vector<SubwordFile> found;
  for (const std::string& name : directory.names()) {
    if (std::find(kCodes.begin(), kCodes.end(), name) != kCodes.end())
      found.push_back({SubwordFile::Kind::codes, name});
    if (name.ends_with(".model")) found.push_back({SubwordFile::Kind::sentencepiece, name});
  }
  if (found.size() > 1)
    throw DataError(fmt::format("{}: expected one file that splits words, found {} and {}",
                                directory.path(), quote(found[0].name), quote(found[1].name)));
  return found.empty() ? SubwordFile{} : found.front();
}

Tokenizer subword_tokenizer(const ModelDirectory& directory, const SubwordFile& file,
                            const VocabularyOrder& order) {
  if (file.kind == SubwordFile::Kind::sentencepiece)
    return Tokenizer::from_bytes(reorder_sentencepiece(directory.text(file.name), order));
  const bool has_codes = file.kind == SubwordFile::Kind::codes;
  StepsDescription d = words_of(order, has_codes);
  if (has_codes) {
    MergeCodes read = read_codes(directory, file.name);
    d.model.type = PieceModelType::subword_nmt;
    d.model.codes = std::move(read.codes);
    d.model.suffix_apart = read.suffix_apart;
    d.model.word_suffix = kWordEnd;
    d.decoder = nlohmann::json::array({{{"type", "BPEDecoder"}, {"suffix", kWordEnd}}});
  } else {
    d.model.type = PieceModelType::wordpiece;
    d.model.continuing_prefix = kNoPrefix;
    d.model.longest_word = 1 << 20;
    d.decoder =
        nlohmann::json::array({{{"type", "WordPiece"}, {"prefix", kNoPrefix}, {"cleanup", false}}});
  }
  return Tokenizer::from_bytes(detail::tokenizer_bytes(d));
}

void remark_subwords(const SubwordFile& file, std::vector<std::string>& remarks) {
  if (file.kind == SubwordFile::Kind::sentencepiece) return;
  remarks.emplace_back(
      file.kind == SubwordFile::Kind::codes
          ? "text is split into words at spaces alone: if the model was trained on words of the "
            "Moses tokenizer, attend translate needs the option tokenize moses"
          : "no file splits words: texts must be in the entries of the vocabulary, between spaces");
}

}  // namespace attend
