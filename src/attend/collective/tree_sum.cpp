#include "attend/collective/tree_sum.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/collective/tensor_exchange.h"

namespace attend {

namespace {

// Elements of a message: few enough that a part is added up while it is in the caches.
constexpr std::int64_t kPiece = std::int64_t{1} << 20;

struct Part {
  std::int64_t begin = 0, end = 0;
};

struct Halves {
  Part kept, given;
};

// The partner with the lower rank keeps the lower half.
Halves halves_of(const Part& part, bool is_upper) {
  const std::int64_t middle = part.begin + (part.end - part.begin) / 2;
  const Part lower{part.begin, middle}, upper{middle, part.end};
  return is_upper ? Halves{upper, lower} : Halves{lower, upper};
}

Tensor part_of(const Tensor& values, const Part& part) {
  return values.slice_rows(part.begin, part.end);
}

// The piece that begins at an element; empty past the end.
Tensor piece_at(const Tensor& values, std::int64_t begin) {
  return values.slice_rows(std::min(begin, values.size()), std::min(begin + kPiece, values.size()));
}

// Calls use(begin) for each piece of up to `size` elements.
template <class Use>
void for_pieces(std::int64_t size, const Use& use) {
  for (std::int64_t begin = 0; begin < size; begin += kPiece) use(begin);
}

// Sends and receives pieces, which are f32 here, in the type of the wire.
class Messages {
 public:
  Messages(Collective& processes, Wire wire, std::int64_t elements)
      : processes_(processes), wire_(wire) {
    if (wire == Wire::f32) return;
    sent_ = Tensor::empty({std::min(elements, kPiece)}, DType::bf16);
    received_ = Tensor::empty(sent_.shape(), DType::bf16);
  }

  void exchange(int partner, const Tensor& sent, const Tensor& received) const {
    if (wire_ == Wire::f32) return attend::exchange(processes_, partner, sent, received);
    const Tensor out = sent_.slice_rows(0, sent.size()),
                 in = received_.slice_rows(0, received.size());
    if (sent.size() > 0) backend()->convert(sent, out);
    attend::exchange(processes_, partner, out, in);
    if (received.size() > 0) backend()->convert(in, received);
  }

 private:
  Collective& processes_;
  Wire wire_;
  Tensor sent_, received_;
};

// values <- the numbers of the wire nearest to them
void round_to(Wire wire, const Tensor& values) {
  if (wire == Wire::f32) return;
  const Tensor rounded = Tensor::empty({std::min(values.size(), kPiece)}, DType::bf16);
  for_pieces(values.size(), [&](std::int64_t begin) {
    const Tensor piece = piece_at(values, begin), nearest = rounded.slice_rows(0, piece.size());
    backend()->convert(piece, nearest);
    backend()->convert(nearest, piece);
  });
}

}  // namespace

void add_branch(const Tensor& other, const Tensor& values, Wire wire) {
  round_to(wire, other);
  round_to(wire, values);
  backend()->add(other, values, values);
}

void sum_over_processes(Collective& processes, const Tensor& values, Wire wire) {
  const int size = processes.size(), rank = processes.rank();
  require_power_of_two(processes, "sum_over_processes");
  if (size == 1) return round_to(wire, values);
  const std::int64_t half = (values.size() + 1) / 2;  // and what partners have is not longer
  const Messages messages(processes, wire, half);
  const Tensor received = Tensor::empty({std::min(half, kPiece)});
  Part part{0, values.size()};
  std::vector<Halves> levels;
  for (int distance = 1; distance < size; distance *= 2) {
    const Halves& halves = levels.emplace_back(halves_of(part, (rank & distance) != 0));
    const Tensor kept = part_of(values, halves.kept), given = part_of(values, halves.given);
    for_pieces(std::max(kept.size(), given.size()), [&](std::int64_t begin) {
      const Tensor sum = piece_at(kept, begin), branch = received.slice_rows(0, sum.size());
      messages.exchange(rank ^ distance, piece_at(given, begin), branch);
      if (sum.size() > 0) add_branch(branch, sum, wire);
    });
    part = halves.kept;
  }
  round_to(wire, part_of(values, part));
  for (int distance = size / 2; distance > 0; distance /= 2) {
    const Tensor kept = part_of(values, levels.back().kept),
                 given = part_of(values, levels.back().given);
    for_pieces(std::max(kept.size(), given.size()), [&](std::int64_t begin) {
      messages.exchange(rank ^ distance, piece_at(kept, begin), piece_at(given, begin));
    });
    levels.pop_back();
  }
}

}  // namespace attend
