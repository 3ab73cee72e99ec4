// The plugin attend_mpi.so: messages between processes by MPI. See attend/collective/plugin.h.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <thread>

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
  // The thread of the training calls MPI, or during its backward pass another one.
  int threads = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads);
  if (threads < MPI_THREAD_SERIALIZED) {
    std::fputs(
        "attend: expected an MPI that several threads may call in turn "
        "(MPI_THREAD_SERIALIZED), found one without\n",
        stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

// MPI waits by looking again and again, which takes a core. Beside a computation it is better to
// sleep in between: its threads have all of them.
void wait_beside_computation(std::array<MPI_Request, 2>& requests) {
  constexpr std::chrono::microseconds kShort{20}, kLong{200};
  std::chrono::microseconds pause = kShort;
  for (int done = 0;;) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLong);
  }
}

void exchange_piece(int partner, std::span<const std::byte> sent, std::span<std::byte> received) {
  const auto out = static_cast<int>(sent.size()), in = static_cast<int>(received.size());
  int is_main = 1;
  MPI_Is_thread_main(&is_main);
  if (is_main != 0) {
    MPI_Sendrecv(sent.data(), out, MPI_BYTE, partner, 0, received.data(), in, MPI_BYTE, partner, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  std::array<MPI_Request, 2> requests{};
  MPI_Irecv(received.data(), in, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent.data(), out, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests[1]);
  wait_beside_computation(requests);
}

void exchange(int partner, const void* sent, std::size_t sent_bytes, void* received,
              std::size_t received_bytes) {
  const auto* const out = static_cast<const std::byte*>(sent);
  auto* const in = static_cast<std::byte*>(received);
  for (std::size_t at = 0; at == 0 || at < std::max(sent_bytes, received_bytes); at += kMostBytes) {
    const Piece to = piece_at(at, sent_bytes), from = piece_at(at, received_bytes);
    exchange_piece(partner, {out + to.begin, to.bytes}, {in + from.begin, from.bytes});
  }
}

void broadcast_from(int root, std::byte* all, std::size_t count) {
  for (std::size_t at = 0; at < count; at += kMostBytes) {
    const Piece piece = piece_at(at, count);
    MPI_Bcast(all + piece.begin, piece.count(), MPI_BYTE, root, MPI_COMM_WORLD);
  }
}

void gather(const void* mine, std::size_t bytes, void* all) {
  if (bytes <= kMostBytes) {
    const int count = static_cast<int>(bytes);
    MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD);
    return;
  }
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  auto* const parts = static_cast<std::byte*>(all);
  std::byte* const own = parts + static_cast<std::size_t>(rank) * bytes;
  if (own != mine) std::memcpy(own, mine, bytes);
  for (int root = 0; root < size; ++root)
    broadcast_from(root, parts + static_cast<std::size_t>(root) * bytes, bytes);
}

void broadcast(void* bytes, std::size_t count) {
  broadcast_from(0, static_cast<std::byte*>(bytes), count);
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
