#include "attend/ops/slices.h"

#include "attend/ops/check.h"

namespace attend {

namespace {

void expect_range(std::string_view op, const Variable& x, std::int64_t begin, std::int64_t end,
                  int axis) {
  detail::expect_matrix(op, x);
  if (begin < 0 || begin > end || end > x.dim(axis))
    throw ShapeError(fmt::format("[{}] expected a range within {}, got {}..{}", op,
                                 to_string(x.shape()), begin, end));
}

// Adds dy to a part of the gradient.
template <class Part>
void add_to_part(const GradientSink& sink, const Tensor& dy, const Part& part) {
  const auto [buffer, beta] = sink.target();
  if (beta == 0.0f) buffer.zero();
  const Tensor to = part(buffer);
  backend()->add(to, dy, to);
}

Tensor contiguous(const Tensor& x) { return x.contiguous() ? x : x.clone(); }

}  // namespace

Variable slice_rows(const Variable& x, std::int64_t begin, std::int64_t end) {
  expect_range("slice_rows", x, begin, end, 0);
  if (begin == 0 && end == x.dim(0)) return x;
  // dx[begin + i] += dy[i]
  return record(
      x.value().slice_rows(begin, end), {&x}, [begin, end, dx = x.sink()](const Tensor& dy) {
        add_to_part(dx, dy, [=](const Tensor& whole) { return whole.slice_rows(begin, end); });
      });
}

Variable slice_columns(const Variable& x, std::int64_t begin, std::int64_t end) {
  expect_range("slice_columns", x, begin, end, 1);
  if (begin == 0 && end == x.dim(1)) return x;
  // dx[., begin + i] += dy[., i]
  return record(
      x.value().slice_columns(begin, end), {&x}, [begin, end, dx = x.sink()](const Tensor& dy) {
        add_to_part(dx, dy, [=](const Tensor& whole) { return whole.slice_columns(begin, end); });
      });
}

Variable concat_rows(const std::vector<Variable>& parts) {
  if (parts.empty()) throw ShapeError("[concat_rows] expected at least one matrix, got none");
  std::int64_t rows = 0;
  for (const Variable& part : parts) {
    detail::expect(detail::is_matrix(part) && part.dim(1) == parts[0].dim(1), "concat_rows",
                   "matrices of equal width", parts[0].shape(), part.shape());
    rows += part.dim(0);
  }
  const Tensor y = Tensor::empty({rows, parts[0].dim(1)});
  std::vector<GradientSink> sinks;
  std::vector<std::int64_t> offsets{0};
  for (const Variable& part : parts) {
    offsets.push_back(offsets.back() + part.dim(0));
    y.slice_rows(offsets[offsets.size() - 2], offsets.back()).copy_from(part.value());
    sinks.push_back(part.sink());
  }
  // dpart[i] = its rows of dy
  return record(y, parts, [sinks, offsets](const Tensor& dy) {
    for (std::size_t i = 0; i < sinks.size(); ++i) {
      if (sinks[i].needed()) sinks[i].add(dy.slice_rows(offsets[i], offsets[i + 1]));
    }
  });
}

Variable concat_columns(const Variable& a, const Variable& b) {
  detail::expect(detail::is_matrix(a) && detail::is_matrix(b) && a.dim(0) == b.dim(0),
                 "concat_columns", "matrices of equal height", a.shape(), b.shape());
  const std::int64_t width = a.dim(1);
  const Tensor y = Tensor::empty({a.dim(0), width + b.dim(1)});
  y.slice_columns(0, width).copy_from(a.value());
  y.slice_columns(width, y.cols()).copy_from(b.value());
  // da = its columns of dy,   db = its columns of dy
  return record(y, {&a, &b}, [width, da = a.sink(), db = b.sink()](const Tensor& dy) {
    if (da.needed()) da.add(dy.slice_columns(0, width));
    if (db.needed()) db.add(dy.slice_columns(width, dy.cols()));
  });
}

Variable reshape(const Variable& x, const Shape& shape) {
  detail::expect(x.shape().size() == shape.size(), "reshape", "as many elements", x.shape(), shape);
  if (x.shape() == shape) return x;
  // dx[i] = dy[i]
  return record(contiguous(x.value()).reshape(shape), {&x},
                [before = x.shape(), dx = x.sink()](const Tensor& dy) {
                  dx.add(contiguous(dy).reshape(before));
                });
}

}  // namespace attend
