#include "attend/collective/shared_work.h"

#include <algorithm>

namespace attend {

namespace {

OwnPieces pieces_of(int rank, int size, std::int64_t count) {
  return {count * rank / size, count * (rank + 1) / size};
}

}  // namespace

OwnPieces own_pieces(const Collective& processes, std::int64_t count) {
  return pieces_of(processes.rank(), processes.size(), count);
}

std::vector<double> compute_sharded(
    Collective& processes, std::int64_t count, std::size_t width,
    const std::function<void(std::int64_t piece, std::span<double> numbers)>& compute) {
  const int size = processes.size();
  const auto most = static_cast<std::size_t>((count + size - 1) / size);
  std::vector<double> mine(most * width), all;
  const auto [begin, end] = own_pieces(processes, count);
  for (std::int64_t piece = begin; piece < end; ++piece)
    compute(piece, std::span(mine).subspan(static_cast<std::size_t>(piece - begin) * width, width));
  const std::vector<double> gathered = gather_numbers(processes, mine);
  for (int rank = 0; rank < size; ++rank) {
    const auto [first, last] = pieces_of(rank, size, count);
    const auto from = gathered.begin() + std::ssize(mine) * rank;
    all.insert(all.end(), from, from + (last - first) * static_cast<std::int64_t>(width));
  }
  return all;
}

std::vector<std::byte> gather_bytes(Collective& processes, std::span<const std::byte> mine) {
  const auto own = static_cast<double>(mine.size());
  const std::vector<double> sizes = gather_numbers(processes, {&own, 1});
  const auto most = static_cast<std::size_t>(*std::max_element(sizes.begin(), sizes.end()));
  std::vector<std::byte> padded(mine.begin(), mine.end()), gathered(most * sizes.size()), all;
  padded.resize(most);
  processes.gather(padded, gathered);
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    const auto from = gathered.begin() + static_cast<std::ptrdiff_t>(rank * most);
    all.insert(all.end(), from, from + static_cast<std::ptrdiff_t>(sizes[rank]));
  }
  return all;
}

std::vector<std::string> gather_texts(Collective& processes, std::span<const std::string> mine) {
  std::string joined;
  std::vector<std::uint64_t> lengths;
  for (const std::string& text : mine) {
    joined += text;
    lengths.push_back(text.size());
  }
  const std::vector<char> all = gather_lists<char>(processes, joined);
  std::vector<std::string> texts;
  auto at = all.begin();
  for (const std::uint64_t length : gather_lists<std::uint64_t>(processes, lengths)) {
    texts.emplace_back(at, at + static_cast<std::ptrdiff_t>(length));
    at += static_cast<std::ptrdiff_t>(length);
  }
  return texts;
}

}  // namespace attend
