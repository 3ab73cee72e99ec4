// The parameters of a model: named views into one flat buffer, and another for their gradients.
//
// Modules declare their parameters while they are constructed; `allocate` then lays all of them
// out, in the order of declaration and without gaps, and gives every one its initial value. One
// flat buffer means one pass of the optimizer, one norm, one write of a checkpoint.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "attend/autograd/variable.h"

namespace attend {

// How a parameter begins.
struct Init {
  enum class Kind { zeros, ones, xavier_uniform, normal } kind = Kind::zeros;
  // normal: the standard deviation. xavier_uniform: values lie within +-sqrt(6 / (fan_in +
  // fan_out)) * scale (Glorot & Bengio 2010).
  float scale = 1.0f;
  // For a part of a fused projection: what counts as fan_out instead of the number of rows; 0: the
  // rows.
  std::int64_t fan_out = 0;
};

// A handle to a declared parameter. Its variable exists once ParameterSet::allocate has run.
class Parameter {
 public:
  const Variable& operator*() const { return *variable_; }
  const Variable* operator->() const { return variable_.get(); }
  explicit operator bool() const { return variable_ != nullptr; }

 private:
  friend class ParameterSet;
  std::shared_ptr<Variable> variable_;
};

class ParameterSet {
 public:
  struct Entry {
    std::string name;  // module path: "encoder.layers.0.self_attn.q_proj.weight"
    Shape shape;
    Init init;
    // All but `other` may be in 8 bits, the last two packed. output: of products whose rows are
    // tokens, and perhaps of look-ups, too.
    enum class Use { other, lookup, product, output } use = Use::other;
    DType dtype = DType::f32;  // i8: in 8 bits; or packed, of either
    std::int64_t offset = 0;   // first element in the flat buffer of its kind
  };

  // Throws ConfigError when the name is taken.
  Parameter add(const std::string& name, Shape shape, Init init);
  // A matrix that is used by linear() alone, which takes it packed and in 8 bits
  // (backend/weights.h); one with a row for every token, which embedding() may use, too; and one
  // that is used by embedding() alone.
  Parameter add_weights(const std::string& name, Shape shape, Init init);
  Parameter add_output_weights(const std::string& name, Shape shape, Init init);
  Parameter add_table(const std::string& name, Shape shape, Init init);
  // One parameter made of several declared one right after the other, stacked along their rows: the
  // packed Q, K, V projection. Throws ConfigError unless they are as wide as each other.
  Parameter stack(const std::string& first, const std::string& last);

  // Lays the buffers out, with gradients, and draws the initial values from (seed, name): they do
  // not depend on the order of declaration. One of these two is called once, after the modules were
  // made.
  void allocate(std::uint64_t seed);
  // Without gradients and with values still to be filled in; those named are kept in 8 bits. Throws
  // ConfigError when one of them does not exist or is not such a matrix, or only a part of a stack
  // is named.
  void allocate_for_inference(const std::set<std::string>& quantized = {});

  // Packs the weights of products, once they have their values and nothing but products and
  // look-ups will read them.
  void pack_weights();

  const std::vector<Entry>& entries() const { return entries_; }
  std::int64_t size() const { return size_; }  // number of scalars
  const Tensor& values() const {
    return values_;
  }  // [size], less those in 8 bits; weights perhaps packed
  const Tensor& gradients() const { return gradients_; }  // [size], undefined unless trainable
  Tensor value(
      const Entry& entry) const;  // a view, in the entry's shape or that in 8 bits, perhaps packed

 private:
  struct Handle {
    std::int64_t first, last;  // entries
    std::shared_ptr<Variable> variable;
  };
  void bind();
  void lay_out(const std::set<std::string>& quantized);
  Tensor view(std::int64_t first, std::int64_t last) const;
  Tensor view(const Tensor& flat, std::int64_t first, std::int64_t last) const;
  std::int64_t find(const std::string& name) const;

  std::vector<Entry> entries_;
  std::vector<Handle> handles_;
  std::int64_t size_ = 0;
  Tensor values_;
  Tensor quantized_;  // i8: matrices in 8 bits, one after the other
  Tensor gradients_;
};

}  // namespace attend
