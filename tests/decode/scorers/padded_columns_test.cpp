#include "attend/decode/scorers/padded_columns.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend {
namespace {

using Columns = std::vector<std::int32_t>;

TEST(PaddedColumns, AreEquallyManyForEachRow) {
  const std::vector<Columns> rows{{4, 2}, {}, {7, 0, 5}};
  EXPECT_EQ(widest(rows), 3u);
  EXPECT_EQ(padded_columns(rows, 3), (Columns{4, 2, -1, -1, -1, -1, 7, 0, 5}));
  EXPECT_EQ(padded_columns(rows, 4), (Columns{4, 2, -1, -1, -1, -1, -1, -1, 7, 0, 5, -1}));
}

TEST(PaddedColumns, OfNoRowsAreNone) {
  EXPECT_EQ(widest(std::vector<Columns>()), 0u);
  EXPECT_EQ(padded_columns(std::vector<Columns>(), 2), Columns());
}

}  // namespace
}  // namespace attend
