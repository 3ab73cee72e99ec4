// The plugin attend_mpi.so: messages between processes by MPI. See attend/collective/plugin.h.
#include <mpi.h>

#include <algorithm>
#include <cstddef>

#include "attend/collective/plugin.h"

namespace attend {
namespace {

// MPI counts in int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct Piece {
  std::size_t begin = 0, bytes = 0;
  int count() const { return static_cast<int>(bytes); }
};

Piece piece_at(std::size_t begin, std::size_t bytes) {
  return {std::min(begin, bytes), std::min(kMostBytes, bytes - std::min(begin, bytes))};
}

void start(int* rank, int* size) {
  int threads = 0;  // only the thread of the training calls MPI
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

void exchange(int partner, const void* sent, std::size_t sent_bytes, void* received,
              std::size_t received_bytes) {
  const auto* const out = static_cast<const std::byte*>(sent);
  auto* const in = static_cast<std::byte*>(received);
  for (std::size_t at = 0; at == 0 || at < std::max(sent_bytes, received_bytes); at += kMostBytes) {
    const Piece to = piece_at(at, sent_bytes), from = piece_at(at, received_bytes);
    MPI_Sendrecv(out + to.begin, to.count(), MPI_BYTE, partner, 0, in + from.begin, from.count(),
                 MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// For short messages.
void gather(const void* mine, std::size_t bytes, void* all) {
  const int count = static_cast<int>(bytes);
  MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD);
}

void broadcast(void* bytes, std::size_t count) {
  auto* const all = static_cast<std::byte*>(bytes);
  for (std::size_t at = 0; at < count; at += kMostBytes) {
    const Piece piece = piece_at(at, count);
    MPI_Bcast(all + piece.begin, piece.count(), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
}

void finish() { MPI_Finalize(); }

}  // namespace
}  // namespace attend

extern "C" __attribute__((visibility("default"))) const attend::MessagePassing*
attend_message_passing() {
  static const attend::MessagePassing functions{attend::kMessagePassingVersion,
                                                attend::start,
                                                attend::exchange,
                                                attend::gather,
                                                attend::broadcast,
                                                attend::finish};
  return &functions;
}
