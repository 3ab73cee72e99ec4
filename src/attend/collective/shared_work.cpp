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

std::vector<double> share_out(
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

std::vector<std::string> gather_texts(Collective& processes, std::span<const std::string> mine) {
  std::string joined;
  std::vector<double> lengths;
  for (const std::string& text : mine) {
    joined += text;
    lengths.push_back(static_cast<double>(text.size()));
  }
  const std::vector<double> counts =
      gather_numbers(processes, std::vector<double>{static_cast<double>(lengths.size())});
  lengths.resize(static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end())));
  joined.resize(
      static_cast<std::size_t>(largest_number(processes, static_cast<double>(joined.size()))));
  const std::vector<double> all_lengths = gather_numbers(processes, lengths);
  std::string all(joined.size() * counts.size(), '\0');
  processes.gather(std::as_bytes(std::span(joined)), std::as_writable_bytes(std::span(all)));

  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    std::size_t at = rank * joined.size();
    for (std::size_t i = 0; i < static_cast<std::size_t>(counts[rank]); ++i) {
      const auto length = static_cast<std::size_t>(all_lengths[rank * lengths.size() + i]);
      texts.push_back(all.substr(at, length));
      at += length;
    }
  }
  return texts;
}

}  // namespace attend
