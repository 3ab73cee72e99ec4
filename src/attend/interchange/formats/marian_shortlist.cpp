#include "attend/interchange/formats/marian_shortlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "attend/core/files/byte_reader.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::uint64_t kShortlistMagic = 0xF11A48D5013417F5;

class MarianShortlistReader {
 public:
  MarianShortlistReader(std::string_view bytes, std::string_view where)
      : where_(where), bytes_(std::as_bytes(std::span(bytes))), reader_(bytes_, where_) {}

  std::uint64_t number() { return reader_.number<std::uint64_t>(); }
  std::int32_t id(int count) {
    const auto found = reader_.number<std::uint32_t>();
    if (found >= static_cast<std::uint32_t>(count))
      refuse(fmt::format("it lists the target token {}, but the model has {}", found, count));
    return static_cast<std::int32_t>(found);
  }
  void require_rest(std::uint64_t offsets, std::uint64_t ids) {
    const std::uint64_t most = bytes_.size();
    if (offsets > most || ids > most || offsets * 8 + ids * 4 + 48 != most)
      refuse(fmt::format("it claims {} offsets and {} tokens in {} bytes; truncated?", offsets, ids,
                         most));
  }
  [[noreturn]] void refuse(std::string_view why) const {
    throw DataError(fmt::format("{}: expected a shortlist of Marian: {}", where_, why));
  }

 private:
  std::string where_;
  std::span<const std::byte> bytes_;
  ByteReader reader_;
};

}  // namespace

bool is_marian_shortlist(std::string_view bytes) {
  ByteReader reader(std::as_bytes(std::span(bytes)), "a shortlist");
  return bytes.size() >= sizeof kShortlistMagic &&
         reader.number<std::uint64_t>() == kShortlistMagic;
}

Shortlist read_marian_shortlist(std::string_view bytes, const MarianShortlistShape& shape,
                                std::string_view where) {
  MarianShortlistReader in(bytes, where);
  if (!is_marian_shortlist(bytes)) in.refuse("it does not begin as one");
  in.number();  // what is_marian_shortlist() has seen
  in.number();  // the checksum
  const std::uint64_t first = in.number();
  in.number();  // the most of a source token
  const std::uint64_t offsets = in.number(), ids = in.number();
  in.require_rest(offsets, ids);
  std::vector<std::uint64_t> begins(static_cast<std::size_t>(offsets));
  for (std::uint64_t& begin : begins) begin = in.number();
  if (begins.empty() || begins.front() != 0 || begins.back() != ids ||
      !std::is_sorted(begins.begin(), begins.end()))
    in.refuse(fmt::format("its offsets do not rise from 0 to {}", ids));
  Shortlist list;
  const auto always =
      std::min<std::uint64_t>(first, static_cast<std::uint64_t>(shape.target_tokens));
  list.always.resize(static_cast<std::size_t>(always));
  std::iota(list.always.begin(), list.always.end(), 0);
  std::vector<std::int32_t> all, lengths{0};
  for (int source = 0; source < shape.source_tokens; ++source) {
    const auto next = static_cast<std::size_t>(source) + 1;
    const auto begin = static_cast<std::ptrdiff_t>(all.size());
    for (std::uint64_t i = next < begins.size() ? begins[next - 1] : 0;
         next < begins.size() && i < begins[next]; ++i)
      all.push_back(in.id(shape.target_tokens));
    if (shape.shared) all.push_back(source);
    std::sort(all.begin() + begin, all.end());
    all.erase(std::unique(all.begin() + begin, all.end()), all.end());
    lengths.push_back(static_cast<std::int32_t>(all.size()));
  }
  list.translations = {Ids(std::move(all)), Ids(std::move(lengths))};
  return list;
}

}  // namespace attend
