#include "attend/text/byte_bpe/byte_bpe.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/byte_bpe/byte_bpe_decoder.h"
#include "attend/text/byte_bpe/byte_letters.h"
#include "attend/text/normalization/source_map.h"

namespace attend::detail {
namespace {

constexpr std::size_t kMostPatterns = 16;

std::vector<Merges::Merge> merges_of(const ByteBpeDescription& description,
                                     const Vocabulary& vocabulary) {
  std::vector<Merges::Merge> merges;
  merges.reserve(description.merges.size());
  for (const auto& [left, right] : description.merges) {
    vocabulary.require(std::array{left, right}, "a side of a merge");
    const std::string joined = vocabulary.piece(left) + vocabulary.piece(right);
    const std::int32_t id = vocabulary.find(joined);
    if (id < 0) throw DataError(fmt::format("no piece is what a merge makes, {}", quote(joined)));
    for (const std::int32_t one : {left, right, id})
      if (vocabulary.is_control(one) || vocabulary.is_unknown(one))
        throw DataError(
            fmt::format("the special token {} is part of a merge", quote(vocabulary.piece(one))));
    merges.push_back({left, right, id});
  }
  return merges;
}

std::vector<float> scores_of(std::span<const Merges::Merge> merges, std::int32_t pieces) {
  std::vector<float> scores(static_cast<std::size_t>(pieces), 0.0f);
  float rank = 0;
  for (const Merges::Merge& merge : merges) {
    float& score = scores[static_cast<std::size_t>(merge.id)];
    rank -= 1;
    if (score == 0.0f) score = rank;
  }
  return scores;
}

std::vector<SplitPattern> patterns_of(const std::vector<std::string>& patterns) {
  if (patterns.size() > kMostPatterns)
    throw DataError(fmt::format("it has more than {} patterns", kMostPatterns));
  return {patterns.begin(), patterns.end()};
}

std::string with_valid_characters(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) append_code_point(result, next_code_point(text, at));
  return result;
}

}  // namespace

ByteBpe::ByteBpe(ByteBpeDescription description)
    : options_(std::move(description)),
      vocabulary_(std::move(options_.vocabulary)),
      patterns_(patterns_of(options_.patterns)),
      merges_([&] {
        const std::vector<Merges::Merge> merges = merges_of(options_, vocabulary_);
        scores_ = scores_of(merges, vocabulary_.size());
        return Merges(merges);
      }()) {
  options_.merges = {};
  vocabulary_.require(options_.added, "an added piece");
  read_pieces();
}

// Fills bytes_ and its inverse, whole_.
void ByteBpe::read_pieces() {
  std::vector<bool> is_added(vocabulary_.pieces().size());
  std::vector<std::pair<std::string, std::int32_t>> added;
  for (const std::int32_t id : options_.added) {
    if (is_control(id) || is_unknown(id) || is_added[static_cast<std::size_t>(id)])
      throw DataError(fmt::format("the added piece {} is another one, too", quote(piece(id))));
    is_added[static_cast<std::size_t>(id)] = true;
    added.emplace_back(piece(id), id);
  }
  if (!added.empty()) added_.emplace(std::move(added));
  bytes_.resize(is_added.size());
  byte_ids_.fill(vocabulary_.special().unk);
  for (std::int32_t id = 0; id < vocab_size(); ++id) {
    const auto index = static_cast<std::size_t>(id);
    if (is_control(id) || is_unknown(id)) continue;
    const auto bytes = is_added[index] ? piece(id) : bytes_of_letters(piece(id));
    if (!bytes) throw DataError(fmt::format("the piece {} is not made of bytes", quote(piece(id))));
    bytes_[index] = *bytes;
    if (is_added[index]) continue;
    if (bytes->size() == 1) byte_ids_[static_cast<unsigned char>(bytes->front())] = id;
    if (options_.ignore_merges) whole_.emplace(bytes_[index], id);
  }
  const auto missing = std::find(byte_ids_.begin(), byte_ids_.end(), -1);
  if (missing != byte_ids_.end())
    throw DataError(fmt::format("no piece is the byte {:#04x}, and none is unknown",
                                missing - byte_ids_.begin()));
}

std::int32_t ByteBpe::id(std::string_view piece) const {
  const std::int32_t found = vocabulary_.find(piece);
  return found < 0 ? vocabulary_.special().unk : found;
}

bool ByteBpe::begins_word(std::int32_t id) const {
  const std::string& bytes = bytes_of(id);
  return !bytes.empty() &&
         (bytes.front() == ' ' || (bytes.front() >= '\t' && bytes.front() <= '\r'));
}

template <class Part, class Added>
void ByteBpe::split_off_added(std::string_view text, const Part& part, const Added& added) const {
  std::size_t done = 0;
  for (std::size_t at = 0; added_ && at < text.size();) {
    const PrefixTable::Match match = added_->longest(text.substr(at));
    if (match.length == 0) {
      ++at;
      continue;
    }
    part(text.substr(done, at - done));
    added(match.value, text.substr(at, match.length));
    done = at += match.length;
  }
  part(text.substr(done));
}

std::vector<std::int32_t> ByteBpe::encode(std::string_view text) const {
  refuse_long_text(text.size());
  std::string valid;
  if (!is_utf8(text)) text = valid = with_valid_characters(text);
  std::vector<std::int32_t> ids;
  split_off_added(
      text, [&](std::string_view part) { encode_part(part, ids); },
      [&](std::int32_t id, std::string_view) { ids.push_back(id); });
  return ids;
}

std::vector<TokenSpan> ByteBpe::spans(std::string_view text) const {
  refuse_long_text(text.size());
  std::vector<TokenSpan> spans;
  const auto position = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - text.data());
  };
  split_off_added(
      text, [&](std::string_view part) { append_spans(part, position(part), spans); },
      [&](std::int32_t, std::string_view piece) {
        spans.push_back({position(piece), position(piece) + piece.size()});
      });
  return spans;
}

void ByteBpe::append_spans(std::string_view part, std::size_t begin,
                           std::vector<TokenSpan>& spans) const {
  const std::string whole = normalized(part, options_.normalization);
  const std::size_t prefix = options_.prefix_space && !whole.starts_with(' ') ? 1 : 0;
  const SourceMap source(part, character_normalizer(options_.normalization));
  std::vector<std::int32_t> ids;
  encode_part(with_valid_characters(part), ids);
  std::size_t at = 0;
  for (const std::int32_t id : ids) {
    const std::size_t first = std::max(at, prefix) - prefix;
    at += is_unknown(id) ? 1 : bytes_of(id).size();
    const TokenSpan span = source.source(first, std::max(at, prefix) - prefix);
    spans.push_back({begin + span.begin, begin + span.end});
  }
}

void ByteBpe::encode_part(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::string changed;
  if (!options_.normalization.changes_nothing())
    text = changed = normalized(text, options_.normalization);
  if (text.empty()) return;
  std::string prefixed;
  if (options_.prefix_space && !text.starts_with(' ')) text = prefixed = " " + std::string(text);
  std::vector<std::string_view> parts{text};
  for (const SplitPattern& pattern : patterns_) pattern.split(parts);
  for (const std::string_view part : parts) encode_bytes(part, ids);
}

void ByteBpe::encode_bytes(std::string_view bytes, std::vector<std::int32_t>& ids) const {
  if (options_.ignore_merges) {
    const auto found = whole_.find(bytes);
    if (found != whole_.end()) {
      ids.push_back(found->second);
      return;
    }
  }
  std::vector<std::int32_t> word;
  word.reserve(bytes.size());
  for (const char byte : bytes) word.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
  merges_.apply(word);
  ids.insert(ids.end(), word.begin(), word.end());
}

std::unique_ptr<TextDecoder> ByteBpe::decoder() const {
  return std::make_unique<ByteBpeDecoder>(*this);
}

}  // namespace attend::detail
