#include <algorithm>
#include <cmath>

#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

constexpr Tolerance kOneRounding{0.0, 3e-7};

// `width` different columns for each of `rows` rows, every seventh of them absent.
std::vector<std::int32_t> some_columns(Operands& operands, std::int64_t rows, std::int64_t width,
                                       std::int64_t of) {
  std::vector<std::int32_t> columns;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int32_t first = operands.ids(1, of)[0];
    for (std::int64_t i = 0; i < width; ++i)
      columns.push_back((r + i) % 7 == 3 ? -1 : static_cast<std::int32_t>((first + i) % of));
  }
  return columns;
}

KernelCase dot_rows_case() {
  // The sum of 5000 products of size 1 reaches 70.
  return {"dot_rows",
          kMatrixShapes,
          {2e-4, 1e-6},
          [](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor x = o.normal(shape[0], shape[1]), y = o.normal(shape[0], shape[1]),
                         sums = o.output(shape[0], 1);
            b.dot_rows(x, y, sums);
            return {sums};
          }};
}

KernelCase scale_rows_case(const char* name, float beta) {
  return {name,
          kMatrixShapes,
          {1e-6, 1e-6},
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor x = o.normal(shape[0], shape[1]), factors = o.normal(shape[0], 1);
            const Tensor y =
                beta == 0.0f ? o.output(shape[0], shape[1]) : o.normal(shape[0], shape[1]);
            b.scale_rows(factors, x, beta, y);
            return {y};
          }};
}

}  // namespace

std::vector<KernelCase> columns_cases() {
  std::vector<KernelCase> cases;
  cases.push_back({"gather_columns",
                   kMatrixShapes,
                   {},
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const std::int64_t width = std::min<std::int64_t>(shape[1], 20);
                     const Tensor x = o.normal(shape[0], shape[1]), y = o.output(shape[0], width),
                                  one = o.output(shape[0], 1);
                     b.gather_columns(x, some_columns(o, shape[0], width, shape[1]), -INFINITY, y);
                     b.gather_columns(x, some_columns(o, shape[0], 1, shape[1]), NAN, one);
                     return {y, one};
                   }});
  cases.push_back({"fill_columns",
                   kMatrixShapes,
                   {},
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const Tensor x = o.normal(shape[0], shape[1]);
                     b.fill_columns(
                         x,
                         some_columns(o, shape[0], std::min<std::int64_t>(shape[1], 20), shape[1]),
                         -INFINITY);
                     return {x};
                   }});
  cases.push_back({"add_to_columns",
                   kMatrixShapes,
                   {},
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const std::int64_t width = std::min<std::int64_t>(shape[1], 20);
                     const Tensor x = o.normal(shape[0], shape[1]),
                                  values = o.normal(shape[0], width);
                     b.add_to_columns(x, some_columns(o, shape[0], width, shape[1]), values);
                     return {x};
                   }});
  cases.push_back(
      {"penalize_columns", kMatrixShapes, kOneRounding,
       [](Backend& b, Operands& o, const Shape& shape) -> Results {
         const Tensor x = o.normal(shape[0], shape[1]);
         b.penalize_columns(
             x, some_columns(o, shape[0], std::min<std::int64_t>(shape[1], 20), shape[1]), 1.3f);
         return {x};
       }});
  cases.push_back(dot_rows_case());
  cases.push_back(scale_rows_case("scale_rows", 0.0f));
  cases.push_back(scale_rows_case("scale_rows_added", 1.0f));
  return cases;
}

}  // namespace attend
