#include "attend/ops/pooling.h"

#include <algorithm>
#include <functional>

#include "attend/ops/check.h"

namespace attend {

namespace {

void check(const Variable& x, const Ids& offsets) {
  detail::expect_matrix("pool", x);
  if (!offsets || offsets->empty()) throw ShapeError("[pool] expected offsets [B+1], got none");
  if (offsets->front() != 0 || offsets->back() != x.dim(0))
    throw ShapeError(fmt::format(
        "[pool] expected offsets [B+1] increasing from 0 to the rows of {}, got [{}] from {} to {}",
        to_string(x.shape()), offsets->size(), offsets->front(), offsets->back()));
  const auto no_rise = std::adjacent_find(offsets->begin(), offsets->end(), std::greater_equal<>());
  if (no_rise != offsets->end())
    throw ShapeError(
        fmt::format("[pool] expected sequences of one or more rows of {}, got offsets [{}] with {} "
                    "followed by {}",
                    to_string(x.shape()), offsets->size(), *no_rise, *(no_rise + 1)));
}

}  // namespace

Variable pool(const Variable& x, const Ids& offsets, Pooling pooling) {
  check(x, offsets);
  const Tensor y = Tensor::empty({static_cast<std::int64_t>(offsets->size()) - 1, x.dim(1)});
  const bool keep_rows = pooling == Pooling::max && will_record({&x});
  const Tensor rows = keep_rows ? Tensor::empty(y.shape(), DType::i32) : Tensor();
  backend()->pool(pooling, x.value(), offsets, y, rows);

  // y[b, d] = x[r(b, d), d], r the row of the maximum, or the first row:
  //   dx[r(b, d), d] = dy[b, d]
  // y[b] = sum of share(t) x[n] over the T rows n = t of sequence b (pooling_share):
  //   dx[n] = share(t) dy[b]
  return record(y, {&x},
                [pooling, offsets, rows, shape = x.shape(), dx = x.sink()](const Tensor& dy) {
                  const Tensor gradient = Tensor::empty(shape);
                  backend()->pool_backward(pooling, dy, offsets, rows, gradient);
                  dx.add(gradient);
                });
}

}  // namespace attend
