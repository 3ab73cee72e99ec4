// Maps the names of another program's weights to ours.
//
// A family of models is a list of rules, in terms of our parameters, and serves both directions: an
// import asks where a parameter comes from, an export what to write it as.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// How a tensor of the other program holds a parameter.
enum class ForeignLayout {
  same,
  transposed,  // [in, out] for [out, in]
  one_row,     // [1, N] for [N]
  behind_one,  // a table whose first row is no position: RoBERTa's
  behind_two,  // a table whose first two rows are no positions: BART's
  first_rows,  // a table whose further rows, if any, are never looked up
  less_one,    // gains without the 1 that is added to them: Gemma's
  // Without the last row or entry, which no token has: zeros in a table, a bias that is never
  // chosen. Marian has no token that the decoder begins with.
  but_one,             // [V, D] for [V + 1, D]
  but_one_transposed,  // [D, V] for [V + 1, D]
  but_one_row,         // [1, V] for [V + 1]
  but_one_entry        // [V] for [V + 1]
};

// One of several parameters that the other program stacks in one tensor: one after the other, or in
// each of several groups of rows. BLOOM has the queries, keys and values of one head after those of
// another. All parts together have `count` shares of equal size; this one has `size` of them, from
// share `index` on. Keys and values that several heads of queries share have fewer.
struct ForeignPart {
  int index = 0;
  int count = 1;
  int groups = 1;
  int size = 1;
};

// The order of the rows of queries or keys in each head, where the other program rotates other
// pairs of them. Ours are row i of the first half of a head and row i of the second; the first of
// these pairs are rotated, as many as the program rotates. Zero heads: the order is the same.
struct ForeignHeads {
  int heads = 0;
  int rotated = 0;        // its first rows, which are rotated; those behind them are not
  bool adjacent = false;  // pairs of them are rows 2i and 2i + 1, else i and rotated / 2 + i
};

// A parameter whose name is `ours` up to a last '*', which stands for the rest, is `theirs` with
// the rest appended. Another '*' stands for the number of a layer, a further one for that of an
// expert in it, '#' for a word of letters, such as encoder or decoder.
struct NameRule {
  std::string_view ours;
  std::string_view theirs;
  ForeignLayout layout = ForeignLayout::same;
  ForeignPart part = {};
  ForeignHeads heads = {};
};

struct ForeignName {
  std::string name;
  ForeignLayout layout = ForeignLayout::same;
  ForeignPart part = {};
  ForeignHeads heads = {};
};

class NameMap {
 public:
  // first_layer: the number of the first layer in the other program, 0 in ours.
  explicit NameMap(std::span<const NameRule> rules, int first_layer = 0)
      : first_layer_(first_layer) {
    add(rules);
  }
  // More rules, for names that none so far fits; all of their names begin with `prefix`.
  void add(std::span<const NameRule> rules, std::string_view prefix = "");

  // Our names that begin with `from` begin with `to` instead.
  void rename_ours(std::string_view from, std::string_view to);

  // The first rule that fits decides. Throws Error when none does: the rules are for another model.
  ForeignName theirs(std::string_view ours) const;
  // The same; nullopt when none does.
  std::optional<ForeignName> find(std::string_view ours) const;

 private:
  struct OwnedRule {
    std::string ours;
    ForeignName theirs;
  };
  std::vector<OwnedRule> rules_;
  int first_layer_;
};

// The rows of a tensor of all parts that are this part, in our order. Throws DataError when they do
// not divide into shares, groups and heads.
Tensor rows_of_part(const Tensor& whole, const ForeignName& name);
// A part with our rows in the order of the other program.
Tensor in_their_order(const Tensor& part, const ForeignHeads& heads);

// The parameter of this shape from the tensor. Throws DataError when that does not fit.
Tensor read_parameter(TensorTable& weights, const ForeignName& name, const Shape& shape);

// The other direction: our parameters as tensors of the other program.
class ForeignTensors {
 public:
  // Parameters that are parts of one tensor may come in any order. `parameter` is in host memory.
  void add(const ForeignName& name, const Tensor& parameter);

  // The tensors, in the order in which their first parameters came. Those that hold one parameter
  // as it is share its memory; rows in front of a table are zeros. Throws Error when a part is
  // missing.
  std::vector<NamedTensor> finish() const;

 private:
  struct Whole {
    ForeignName name;
    std::vector<std::pair<ForeignPart, Tensor>> parts;
  };
  std::vector<Whole> wholes_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace attend
