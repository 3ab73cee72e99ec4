#include "attend/ops/embedding.h"

#include <algorithm>

#include "attend/backend/weights.h"
#include "attend/ops/check.h"

namespace attend {

namespace {

void check_range(std::string_view op, std::span<const std::int32_t> ids, const Variable& table) {
  detail::expect_matrix(op, table);
  if (ids.empty()) return;
  const auto [low, high] = std::minmax_element(ids.begin(), ids.end());
  if (*low < 0 || *high >= table.dim(0))
    throw ShapeError(fmt::format("[{}] expected rows 0..{} of a table {}, got {}..{}", op,
                                 table.dim(0) - 1, to_string(table.shape()), *low, *high));
}

void scatter(const GradientSink& sink, const Tensor& dy, const Ids& ids, float scale) {
  if (!sink.needed()) return;
  const auto [buffer, beta] = sink.target();
  if (beta == 0.0f) buffer.zero();
  backend()->scatter_add(dy, ids, scale, buffer);
}

}  // namespace

Variable embedding(const Variable& table, const Ids& ids, float scale, const Positions& positions,
                   const Dropout& dropout) {
  check_range("embedding", *ids, table);
  detail::expect_probability("embedding", dropout);
  const Tensor y =
      Tensor::empty({static_cast<std::int64_t>(ids->size()), weight_columns(table.value())});
  if (positions.table.defined()) {
    detail::expect(detail::is_matrix(positions.table) && positions.table.dim(1) == y.cols(),
                   "embedding", "tables of equal width", table.shape(), positions.table.shape());
    detail::expect_one_per_row("embedding", "positions", y.shape(), positions.position->size());
    check_range("embedding", *positions.position, positions.table);
  }
  backend()->embed(table.value(), ids, scale, positions.table.value(), positions.position, dropout,
                   y);

  // y[n] = mask (scale table[ids[n]] + positions[position[n]]):   dtable[ids[n]] += scale mask
  // dy[n],   dpositions[position[n]] += mask dy[n]
  return record(y, {&table, &positions.table},
                [ids, position = positions.position, scale, dropout, dtable = table.sink(),
                 dpositions = positions.table.sink()](const Tensor& dy) {
                  Tensor masked = dy;
                  if (dropout.p > 0.0f) {
                    masked = Tensor::empty(dy.shape());
                    backend()->dropout(dropout, dy, masked);
                  }
                  scatter(dtable, masked, ids, scale);
                  scatter(dpositions, masked, position, 1.0f);
                });
}

Variable gather_rows(const Variable& x, const Ids& rows) {
  check_range("gather_rows", *rows, x);
  const Tensor y = Tensor::empty({static_cast<std::int64_t>(rows->size()), x.dim(1)});
  backend()->gather_rows(x.value(), rows, y);
  // dx[rows[i]] += dy[i]
  return record(y, {&x}, [rows, dx = x.sink()](const Tensor& dy) { scatter(dx, dy, rows, 1.0f); });
}

Variable scatter_rows(const Variable& x, const Ids& rows, std::int64_t count) {
  detail::expect_one_per_row("scatter_rows", "rows", x.shape(), rows->size());
  const Variable y(Tensor::zeros({count, x.dim(1)}));
  check_range("scatter_rows", *rows, y);
  backend()->scatter_add(x.value(), rows, 1.0f, y.value());
  // dx[i] = dy[rows[i]]
  return record(y.value(), {&x}, [rows, shape = x.shape(), dx = x.sink()](const Tensor& dy) {
    const Tensor gradient = Tensor::empty(shape);
    backend()->gather_rows(dy, rows, gradient);
    dx.add(gradient);
  });
}

}  // namespace attend
