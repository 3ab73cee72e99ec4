#include <cmath>

#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

// Log-probabilities with ties, a tenth of them impossible, and a row without any.
Tensor distributions(Backend& b, Operands& o, const Shape& shape) {
  const Tensor x = o.with_ties(shape[0], shape[1]);
  b.log_softmax(x, x);
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t c = 0; c < x.cols(); ++c) {
      if (r % 50 == 49 || (c > 0 && o.random().below(10) == 0)) x.row(r)[c] = -INFINITY;
    }
  }
  return x;
}

// The same columns: what is summed in which order is part of what a seed means.
KernelCase sample_case(const char* name, const TokenFilter& filter,
                       const std::vector<Shape>& shapes = kMatrixShapes) {
  return {name, shapes, {}, [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor x = distributions(reference_backend(), o, shape);
            const Tensor uniform = Tensor::empty({shape[0]}),
                         columns = Tensor::empty({shape[0]}, DType::i32);
            for (float& number : uniform.span()) number = o.random().uniform();
            b.sample(x, filter, uniform, columns);
            return {as_f32(columns)};
          }};
}

// Of scores [R, M + R], as one block of a text has them: row r sees the last 20 of the first M + r
// columns.
KernelCase cache_case(const char* name, bool of_targets) {
  const std::vector<Shape> shapes{{1, 0, 5}, {1, 1, 5},   {1, 40, 30},
                                  {7, 0, 9}, {64, 3, 17}, {130, 50, 100}};
  return {name, shapes, {2e-6, 1e-6}, [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const std::int64_t rows = shape[0], states = shape[1] + rows, vocabulary = shape[2];
            const Tensor scores = o.normal(rows, states, 3.0f);
            const std::vector<std::int32_t> tokens = o.ids(states, vocabulary),
                                            targets = o.ids(rows, vocabulary);
            const Tensor all = distributions(reference_backend(), o, {rows, vocabulary});
            const Tensor own = Tensor::empty({rows});
            for (std::int64_t r = 0; r < rows; ++r) own.data()[r] = all.row(r)[0];
            const Tensor mixed = of_targets ? own : all;
            const Ids wanted = of_targets ? Ids(targets) : Ids();
            b.mix_with_cache(scores, {tokens, shape[1], 20, 0.7f, 0.2f}, wanted, mixed);
            return {mixed};
          }};
}

}  // namespace

std::vector<KernelCase> token_cases() {
  std::vector<KernelCase> cases;
  cases.push_back(sample_case("sample", {}));
  cases.push_back(sample_case("sample_flattened", {.temperature = 1.5f}));
  cases.push_back(sample_case("sample_top_k", {.temperature = 0.8f, .top_k = 5}));
  cases.push_back(sample_case("sample_top_p", {.top_p = 0.7f}));
  const std::vector<Shape> wide{{7, 2000}, {2, 9000}};
  cases.push_back(sample_case("sample_top_p_of_many", {.top_p = 0.9f}, wide));
  cases.push_back(sample_case("sample_nearly_all_of_many", {.top_p = 0.9999999f}, wide));
  cases.push_back(sample_case("sample_the_first_of_many", {.top_p = 1e-6f}, wide));
  cases.push_back(sample_case("sample_many_alike", {.temperature = 1e6f, .top_p = 0.5f}, wide));
  cases.push_back(sample_case("sample_few_of_many", {.temperature = 0.1f, .top_p = 0.99f}, wide));
  cases.push_back(sample_case("sample_top_k_top_p", {.top_k = 9, .top_p = 0.6f}));
  cases.push_back(cache_case("mix_with_cache_targets", true));
  cases.push_back(cache_case("mix_with_cache_all_tokens", false));
  return cases;
}

}  // namespace attend
