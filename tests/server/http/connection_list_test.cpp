#include "attend/server/http/connection_list.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(ConnectionList, LetsAConnectionEndWhileItIsClosed) {
  ConnectionList list;
  ConnectionList::Place first, second;
  first = list.add([&] { list.remove(first); });
  second = list.add([&] { list.remove(second); });
  EXPECT_TRUE(list.close_longest_idle());
  EXPECT_EQ(list.size(), 1);
  list.close_all();
  EXPECT_EQ(list.size(), 0);
}

TEST(ConnectionList, ClosesThoseThatAreIdle) {
  ConnectionList list;
  int closed = 0;
  const ConnectionList::Place busy = list.add([&] { closed += 10; });
  list.add([&] { ++closed; });
  list.set_idle(busy, false);
  list.close_idle();
  EXPECT_EQ(closed, 1);
}

TEST(ConnectionList, TellsThatNoneIsIdle) {
  ConnectionList list;
  EXPECT_FALSE(list.close_longest_idle());
  const ConnectionList::Place busy = list.add([] {});
  list.set_idle(busy, false);
  EXPECT_FALSE(list.close_longest_idle());
  list.set_idle(busy, true);
  EXPECT_TRUE(list.close_longest_idle());
}

}  // namespace
}  // namespace attend
