// What attend asks of the plugin attend_mpi.so (src/plugins), the only file that needs MPI. The
// program opens it at run time, so it runs where MPI is not installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attend {

inline constexpr std::uint32_t kMessagePassingVersion = 1;

// Functions as in Collective, on bytes. Errors of MPI end the process with its message.
struct MessagePassing {
  std::uint32_t version;
  void (*start)(int* rank, int* size);
  void (*exchange)(int partner, const void* sent, std::size_t sent_bytes, void* received,
                   std::size_t received_bytes);
  void (*gather)(const void* mine, std::size_t bytes, void* all);
  void (*broadcast)(void* bytes, std::size_t count);
  void (*finish)();
};

// The function that the plugin exports: const MessagePassing* attend_message_passing().
inline constexpr const char* kMessagePassing = "attend_message_passing";

}  // namespace attend
