// What src/plugins/mpi.cpp uses of MPI, for a test: calls are counted, and no bytes move.
#pragma once

#include <cstddef>
#include <vector>

using MPI_Comm = int;
using MPI_Datatype = int;
using MPI_Request = int;
inline constexpr int MPI_COMM_WORLD = 0, MPI_BYTE = 1, MPI_THREAD_SERIALIZED = 2;
struct MPI_Status;
inline MPI_Status* const MPI_STATUS_IGNORE = nullptr;
inline MPI_Status* const MPI_STATUSES_IGNORE = nullptr;

namespace fake_mpi {
struct Call {
  const void* at;
  int count;
  int root;  // -1: of all processes
};
inline std::vector<Call> calls;
inline int rank = 0, size = 1;
}  // namespace fake_mpi

inline int MPI_Init_thread(int*, char***, int, int* threads) {
  *threads = MPI_THREAD_SERIALIZED;
  return 0;
}
inline int MPI_Abort(MPI_Comm, int) { return 0; }
inline int MPI_Comm_rank(MPI_Comm, int* rank) {
  *rank = fake_mpi::rank;
  return 0;
}
inline int MPI_Comm_size(MPI_Comm, int* size) {
  *size = fake_mpi::size;
  return 0;
}
inline int MPI_Testall(int, MPI_Request*, int* done, MPI_Status*) {
  *done = 1;
  return 0;
}
inline int MPI_Is_thread_main(int* is_main) {
  *is_main = 1;
  return 0;
}
inline int MPI_Sendrecv(const void* sent, int count, MPI_Datatype, int, int, void*, int,
                        MPI_Datatype, int, int, MPI_Comm, MPI_Status*) {
  fake_mpi::calls.push_back({sent, count, -1});
  return 0;
}
inline int MPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return 0; }
inline int MPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return 0; }
inline int MPI_Allgather(const void* mine, int count, MPI_Datatype, void*, int, MPI_Datatype,
                         MPI_Comm) {
  fake_mpi::calls.push_back({mine, count, -1});
  return 0;
}
inline int MPI_Bcast(void* bytes, int count, MPI_Datatype, int root, MPI_Comm) {
  fake_mpi::calls.push_back({bytes, count, root});
  return 0;
}
inline int MPI_Finalize() { return 0; }
