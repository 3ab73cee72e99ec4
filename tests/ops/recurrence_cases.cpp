// The gated recurrent unit, and parts of matrices put together and taken apart.
#include "attend/ops/elementwise.h"
#include "attend/ops/gru.h"
#include "attend/ops/slices.h"
#include "attend/ops/ssru.h"
#include "ops/op_case.h"

namespace attend {

namespace {

using Inputs = const std::vector<Variable>&;

}  // namespace

std::vector<OpCase> recurrence_op_cases() {
  const Operand matrix{{4, 5}}, other{{2, 5}}, beside{{4, 2}}, gates{{3, 12}}, state{{3, 4}};
  return {
      {"gru_cell", {gates, gates, state}, [](Inputs x) { return gru_cell(x[0], x[1], x[2]); }},
      {"gru_cell_of_one_unit",
       {{{2, 3}}, {{2, 3}}, {{2, 1}}},
       [](Inputs x) { return gru_cell(x[0], x[1], x[2]); }},
      {"gru_cell_of_nothing",
       {{{0, 12}}, {{0, 12}}, {{0, 4}}},
       [](Inputs x) { return gru_cell(x[0], x[1], x[2]); }},
      {"gru_cell_with_equal_inputs",
       {gates, state},
       [](Inputs x) { return gru_cell(x[0], x[0], x[1]); }},
      {"ssru",
       {matrix, matrix},
       [](Inputs x) {
         return ssru(x[0], x[1], std::vector<std::int32_t>{0, 3, 3, 4});
       }},
      {"ssru_with_equal_inputs",
       {matrix},
       [](Inputs x) {
         return ssru(x[0], x[0], std::vector<std::int32_t>{0, 4});
       }},
      {"slice_rows", {matrix}, [](Inputs x) { return slice_rows(x[0], 1, 3); }},
      {"slice_rows_none", {matrix}, [](Inputs x) { return slice_rows(x[0], 4, 4); }},
      {"slice_rows_that_overlap",
       {matrix},
       [](Inputs x) { return add(slice_rows(x[0], 0, 3), slice_rows(x[0], 1, 4)); }},
      {"slice_columns", {matrix}, [](Inputs x) { return slice_columns(x[0], 1, 4); }},
      {"slice_columns_that_overlap",
       {matrix},
       [](Inputs x) { return multiply(slice_columns(x[0], 0, 3), slice_columns(x[0], 2, 5)); }},
      {"concat_rows",
       {matrix, other, matrix},
       [](Inputs x) {
         return concat_rows({x[0], x[1], x[2]});
       }},
      {"concat_rows_of_one_variable",
       {other},
       [](Inputs x) {
         return concat_rows({x[0], x[0]});
       }},
      {"concat_columns", {matrix, beside}, [](Inputs x) { return concat_columns(x[0], x[1]); }},
      {"concat_columns_of_one_variable",
       {matrix},
       [](Inputs x) { return concat_columns(x[0], x[0]); }},
      {"reshape",
       {matrix},
       [](Inputs x) {
         return reshape(x[0], {10, 2});
       }},
      {"reshape_of_columns",
       {matrix, {{6, 2}}},
       [](Inputs x) {
         return concat_columns(reshape(slice_columns(x[0], 1, 4), {6, 2}), x[1]);
       }},
  };
}

}  // namespace attend
