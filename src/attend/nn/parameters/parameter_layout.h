// What a model declares: the names, shapes, uses and initial values of its parameters, and where
// each lies in the flat buffers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {

// The initialization of a parameter.
struct Init {
  enum class Kind { zeros, ones, xavier_uniform, normal } kind = Kind::zeros;
  // normal: the standard deviation. xavier_uniform: values lie within +-sqrt(6 / (fan_in +
  // fan_out)) * scale (Glorot & Bengio 2010).
  float scale = 1.0f;
  // The fan_out for a part of a fused projection; 0: the number of rows.
  std::int64_t fan_out = 0;
};

struct ParameterEntry {
  std::string name;  // module path: "encoder.layers.0.self_attn.q_proj.weight"
  Shape shape;
  Init init;
  // How the parameter is used. All but `other` may be bf16, in 8 or in 4 bits; product and output
  // may also be packed. output: an output projection (one row per token), possibly tied to an
  // embedding.
  enum class Use { other, lookup, product, output } use = Use::other;
  DType dtype = DType::f32;  // or bf16, i8, i4: in 8 or 4 bits, or a packed type
  std::int64_t offset = 0;   // first element in the flat buffer of its type
  bool frozen = false;       // stays as it is in training
  std::size_t memory = 0;    // the set's own, or one that gave it its offset and dtype

  // In the memory of another set or of a file.
  bool shared() const { return memory != 0; }
  bool multiplies() const { return use == Use::product || use == Use::output; }
  // The number of elements in the flat buffer of its type.
  std::int64_t elements() const;
};

// Entries [first, last], stacked along their rows; a single parameter is a stack of one.
struct ParameterStack {
  std::size_t first, last;
};

class ParameterLayout {
 public:
  // Throws ConfigError if the name is taken.
  ParameterStack add(const std::string& name, Shape shape, Init init, ParameterEntry::Use use);
  // Throws ConfigError unless the parameters were added one after another and have equal widths.
  // Of two overlapping stacks, one contains the other.
  ParameterStack stack(const std::string& first, const std::string& last);

  const std::vector<ParameterEntry>& entries() const { return entries_; }
  std::int64_t size() const { return size_; }  // number of scalars
  // The parts of a stack.
  std::span<const ParameterEntry> parts(const ParameterStack& stack) const;
  std::optional<std::size_t> find(const std::string& name) const;

  // Throws ConfigError if a parameter does not exist, or if only part of a stack is named.
  void freeze(const std::set<std::string>& names);
  // The first element of the gradient of an entry, if gradients leave out what is frozen.
  std::int64_t gradient_offset(const ParameterEntry& entry) const;

  // Places parameters where `loaded` has them, if it has one of the same name, shape and use,
  // unless `own` names it. Its memory m is called first_memory + m here.
  void share(const ParameterLayout& loaded, const std::set<std::string>& own,
             std::size_t first_memory);
  // Asks place(entry), which may set memory, dtype and offset. The parts of a stack are shared only
  // if all of them are, one after the other.
  void place(const std::function<void(ParameterEntry& entry)>& place);
  // Lets the parameters that are not shared follow one another in a buffer for each type, and
  // returns the sizes of the buffers. `types`: those of weights that are not f32, by name. Throws
  // ConfigError if a named weight does not exist or is not a matrix of weights.
  std::map<DType, std::int64_t> lay_out(const std::map<std::string, DType>& types);
  // The packed type takes the place of the type of entry i.
  void set_packed(std::size_t i);
  // block_of(entry): how many rows are packed together, 0 if the entry is not to be packed. Returns
  // it for each entry, or 0 for all parts of a stack that cannot be packed as one matrix.
  std::vector<std::int64_t> packed_row_blocks(
      const std::function<std::int64_t(const ParameterEntry& entry)>& block_of) const;

 private:
  std::span<ParameterEntry> writable_parts(const ParameterStack& stack);
  bool has_stack(const std::string& first, const std::string& last) const;
  // Makes entries the set's own where those of a stack are not all shared, or not `together`.
  void share_whole_stacks(const std::function<bool(const ParameterStack& stack)>& together);

  std::vector<ParameterEntry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<ParameterStack> stacks_;
  std::int64_t size_ = 0;
};

}  // namespace attend
