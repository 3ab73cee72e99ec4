#include <cmath>

#include "attend/backend/cpu/packed_weights.h"
#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

constexpr std::int64_t kVocabulary = 37;

KernelCase embed_case(const char* name, bool has_positions, float p) {
  // One product and one sum: two roundings, or one when fused.
  return {name,
          kMatrixShapes,
          {5e-7, 3e-7},
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor table = o.normal(kVocabulary, shape[1]);
            const std::vector<std::int32_t> ids = o.ids(shape[0], kVocabulary);
            const Tensor positions = has_positions ? o.normal(50, shape[1]) : Tensor();
            const std::vector<std::int32_t> position =
                has_positions ? o.ids(shape[0], 50) : std::vector<std::int32_t>();
            const Tensor y = o.output(shape[0], shape[1]);
            b.embed(table, ids, 11.3f, positions, position, {p, {8, 9}}, y);
            return {y};
          }};
}

// Of weights that products use too.
KernelCase weights_embed_case(const char* name, DType type, bool packed) {
  return {name,
          kMatrixShapes,
          {5e-7, 3e-7},
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const std::int64_t width = weight_width(type, shape[1]);
            const Tensor table = stored_weights(o.normal(kVocabulary, width), type, packed);
            const std::vector<std::int32_t> ids = o.ids(shape[0], kVocabulary);
            const Tensor positions = o.normal(50, width);
            const std::vector<std::int32_t> position = o.ids(shape[0], 50);
            const Tensor y = o.output(shape[0], width);
            b.embed(table, ids, 11.3f, positions, position, {0.3f, {8, 9}}, y);
            return {y};
          }};
}

// Three groups of columns, or one, and columns that are not rotated.
KernelCase rotate_case(const char* name, bool back, bool in_place) {
  KernelCase kernel;
  kernel.name = name;
  kernel.shapes = {{0, 2, 1}, {1, 2, 1}, {3, 6, 3}, {5, 30, 3}, {64, 64, 4}, {301, 32, 9}};
  kernel.tolerance = {1e-6, 3e-7};
  kernel.run = [=](Backend& b, Operands& o, const Shape& shape) -> Results {
    const Tensor x = o.normal(shape[0], shape[1] * shape[2] + 5), angles = o.normal(50, shape[1]);
    const Tensor y = in_place ? x : o.output(shape[0], x.cols());
    b.rotate(x, {shape[1] * shape[2], angles, o.ids(shape[0], 50), back}, y);
    return {y};
  };
  return kernel;
}

KernelCase top_k_case(const char* name, bool forbidden) {
  KernelCase kernel;
  kernel.name = name;
  kernel.shapes = {{0, 8, 2},  {1, 1, 1},     {1, 9, 9},    {3, 7, 1},     {5, 16, 5},
                   {4, 17, 3}, {33, 100, 10}, {7, 5003, 8}, {2, 5003, 300}};
  kernel.tolerance = kLogProbability;
  kernel.run = [=](Backend& b, Operands& o, const Shape& shape) -> Results {
    const Tensor x = o.with_ties(shape[0], shape[1]);
    if (forbidden) {
      for (std::int64_t r = 0; r < x.rows(); ++r) {
        for (std::int64_t c = 0; c < x.cols(); ++c) {
          if (c % 5 != r % 5) x.row(r)[c] = -INFINITY;
        }
      }
    }
    const int k = static_cast<int>(shape[2]);
    const Tensor values = o.output(shape[0], k);
    const Tensor indices = Tensor::zeros({shape[0], k}, DType::i32);
    b.log_softmax_top_k(x, k, values, indices);
    return {values, as_f32(indices)};
  };
  return kernel;
}

// Vocabularies of one segment of logits and of several, with a last one that is not whole.
KernelCase projected_top_k_case(const char* name, DType type, bool packed, bool has_bias = false) {
  KernelCase kernel;
  kernel.name = name;
  kernel.shapes = {{0, 8, 20, 2},    {1, 4, 3, 3},      {3, 24, 100, 5},
                   {5, 64, 1024, 6}, {7, 32, 2500, 11}, {150, 16, 2100, 2}};
  kernel.tolerance = {1e-5, 1e-6};  // logits of some 10 come on top of what log_softmax_top_k does
  kernel.run = [=](Backend& b, Operands& o, const Shape& shape) -> Results {
    const std::int64_t depth = weight_width(type, shape[1]);
    const Tensor x = o.normal(shape[0], depth), rows = o.normal(shape[2], depth);
    const int k = static_cast<int>(shape[3]);
    const Tensor values = o.output(shape[0], k);
    const Tensor indices = Tensor::zeros({shape[0], k}, DType::i32);
    b.projected_top_k(
        x,
        {stored_weights(rows, type, packed), has_bias ? o.normal_vector(shape[2], 3.0f) : Tensor()},
        k, values, indices);
    return {values, as_f32(indices)};
  };
  return kernel;
}

}  // namespace

std::vector<KernelCase> lookup_cases() {
  std::vector<KernelCase> cases;
  cases.push_back(embed_case("embed", false, 0.0f));
  cases.push_back(embed_case("embed_positions", true, 0.0f));
  cases.push_back(embed_case("embed_positions_dropout", true, 0.3f));
  cases.push_back(weights_embed_case("quantized_embed", DType::i8, false));
  cases.push_back(weights_embed_case("grouped_embed", DType::i4, false));
  cases.push_back(weights_embed_case("grouped_embed_packed", DType::i4, true));
  cases.push_back(weights_embed_case("embed_of_packed", DType::f32, true));
  cases.push_back(weights_embed_case("embed_of_bf16", DType::bf16, false));
  cases.push_back(weights_embed_case("embed_of_packed_bf16", DType::bf16, true));
  cases.push_back(weights_embed_case("quantized_embed_of_packed", DType::i8, true));
  // About 1030 / 37 = 28 additions to each row, in the same order; fused or not.
  cases.push_back({"scatter_add",
                   kMatrixShapes,
                   {2e-5, 2e-6},
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const Tensor dy = o.normal(shape[0], shape[1]);
                     const std::vector<std::int32_t> ids = o.ids(shape[0], kVocabulary);
                     const Tensor dtable = o.normal(kVocabulary, shape[1]);
                     b.scatter_add(dy, ids, 2.5f, dtable);
                     return {dtable};
                   }});
  cases.push_back({"gather_rows",
                   kMatrixShapes,
                   {0.0, 0.0},
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const Tensor x = o.normal(13, shape[1]);
                     const std::vector<std::int32_t> rows = o.ids(shape[0], 13);
                     const Tensor y = o.output(shape[0], shape[1]);
                     b.gather_rows(x, rows, y);
                     return {y};
                   }});
  cases.push_back(
      {"scatter_rows",
       kMatrixShapes,
       {0.0, 0.0},
       [](Backend& b, Operands& o, const Shape& shape) -> Results {
         const Tensor x = o.normal(shape[0], shape[1]);
         // One row of each page stays as it is; the others are written from the last to the first.
         const std::vector<Tensor> pages{o.normal(shape[0] / 2 + 1, shape[1]),
                                         o.normal(shape[0] - shape[0] / 2 + 1, shape[1])};
         std::vector<CacheSlot> slots;
         for (const std::int32_t page : {1, 0}) {
           for (auto row = static_cast<std::int32_t>(pages[static_cast<std::size_t>(page)].rows());
                --row > 0;)
             slots.push_back({page, row});
         }
         b.scatter_rows(x, slot_ids(slots), pages);
         return pages;
       }});
  cases.push_back({"scatter_rows_of_bytes",
                   kMatrixShapes,
                   {0.0, 0.0},
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const Tensor x = quantize_weights(o.normal(shape[0], shape[1]));
                     const std::vector<Tensor> pages{Tensor::zeros(x.shape(), DType::i8)};
                     std::vector<CacheSlot> slots;
                     for (auto row = static_cast<std::int32_t>(shape[0]); row-- > 0;)
                       slots.push_back({0, row});
                     b.scatter_rows(x, slot_ids(slots), pages);
                     return {dequantize_weights(pages.front())};
                   }});
  cases.push_back(rotate_case("rotate", false, false));
  cases.push_back(rotate_case("rotate_back_in_place", true, true));
  cases.push_back(top_k_case("log_softmax_top_k", false));
  cases.push_back(top_k_case("log_softmax_top_k_mostly_forbidden", true));
  cases.push_back(projected_top_k_case("projected_top_k", DType::f32, false));
  cases.push_back(projected_top_k_case("projected_top_k_packed", DType::f32, true));
  cases.push_back(projected_top_k_case("projected_top_k_bias", DType::f32, true, true));
  cases.push_back(projected_top_k_case("quantized_projected_top_k_bias", DType::i8, true, true));
  cases.push_back(projected_top_k_case("quantized_projected_top_k", DType::i8, false));
  cases.push_back(projected_top_k_case("projected_top_k_bf16_packed", DType::bf16, true));
  cases.push_back(projected_top_k_case("quantized_projected_top_k_packed", DType::i8, true));
  cases.push_back(projected_top_k_case("grouped_projected_top_k_packed", DType::i4, true));
  return cases;
}

}  // namespace attend
