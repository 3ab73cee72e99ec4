// What several rows add to one entry of a table is added in the order of the rows, whatever the
// threads.
#include <gtest/gtest.h>

#include "backend/backend_test.h"
#include "core/scoped_threads.h"

namespace attend {
namespace {

class ScatterAdd : public EachBackend {};

INSTANTIATE_TEST_SUITE_P(Backends, ScatterAdd, testing::Values(&reference_backend, &fast_backend),
                         backend_name);

// 1 is lost in 1 + 1e8, and would not be in -1e8 + 1e8 + 1.
TEST_P(ScatterAdd, GoesFromTheFirstRowToTheLast) {
  for (const std::int64_t columns : {1, 17, 5000}) {
    for (const int count : {1, 3}) {
      const ScopedThreads scope(count);
      const Tensor dy = Tensor::empty({4, columns}), table = Tensor::zeros({3, columns});
      const float values[]{1.0f, 7.0f, 1e8f, -1e8f};
      for (std::int64_t r = 0; r < 4; ++r) std::fill_n(dy.row(r), columns, values[r]);
      kernels().scatter_add(dy, std::vector<std::int32_t>{2, 0, 2, 2}, 1.0f, table);
      for (std::int64_t c = 0; c < columns; ++c) {
        ASSERT_EQ(table.row(2)[c], 0.0f)
            << "column " << c << " of " << columns << ", threads: " << count;
        ASSERT_EQ(table.row(0)[c], 7.0f);
        ASSERT_EQ(table.row(1)[c], 0.0f);
      }
    }
  }
}

}  // namespace
}  // namespace attend
