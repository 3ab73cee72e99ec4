// The plugin with a fake MPI (fake_mpi/mpi.h): MPI counts bytes in int.
#include "../../src/plugins/mpi.cpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>

namespace attend {
namespace {

class MpiPlugin : public testing::Test {
 protected:
  MpiPlugin() { fake_mpi::calls.clear(); }
  ~MpiPlugin() override { fake_mpi::rank = 0, fake_mpi::size = 1; }

  const MessagePassing& functions_ = *attend_message_passing();
};

TEST_F(MpiPlugin, GathersShortMessagesInOneCall) {
  std::array<std::byte, 8> all{};
  functions_.gather(all.data(), 8, all.data());
  ASSERT_EQ(fake_mpi::calls.size(), 1u);
  EXPECT_EQ(fake_mpi::calls[0].count, 8);
  EXPECT_EQ(fake_mpi::calls[0].root, -1);
}

TEST_F(MpiPlugin, GathersMessagesOfMoreBytesThanIntCounts) {
  constexpr std::size_t kBytes = (std::size_t{5} << 30) + 3, kProcesses = 2;
  fake_mpi::size = kProcesses;
  fake_mpi::rank = 1;
  void* const memory = ::mmap(nullptr, kProcesses * kBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const all = static_cast<std::byte*>(memory);
  functions_.gather(all + kBytes, kBytes, all);  // its own part is in place
  std::array<std::size_t, kProcesses> from_each{};
  for (const fake_mpi::Call& call : fake_mpi::calls) {
    ASSERT_GT(call.count, 0);
    const auto root = static_cast<std::size_t>(call.root);
    ASSERT_LT(root, kProcesses);
    EXPECT_EQ(call.at, all + root * kBytes + from_each[root]);
    from_each[root] += static_cast<std::size_t>(call.count);
  }
  EXPECT_EQ(from_each, (std::array<std::size_t, kProcesses>{kBytes, kBytes}));
  ::munmap(memory, kProcesses * kBytes);
}

}  // namespace
}  // namespace attend
