// The parameters of a model: named views of one flat buffer, and of a second one for gradients.
//
// Modules declare their parameters during construction. `allocate` then lays them out in order of
// declaration, without gaps, and initializes them. A flat buffer means one pass of the optimizer,
// one norm, and one write of a checkpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "attend/autograd/variable.h"

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

// A handle to a declared parameter. Its variable exists after ParameterSet::allocate.
class Parameter {
 public:
  const Variable& operator*() const { return *variable_; }
  const Variable* operator->() const { return variable_.get(); }
  explicit operator bool() const { return variable_ != nullptr; }

 private:
  friend class ParameterSet;
  std::shared_ptr<Variable> variable_;
};

// Elements [begin, end) of the flat buffer of a ParameterSet.
struct ParameterRange {
  std::int64_t begin = 0, end = 0;
};

class ParameterSet {
 public:
  struct Entry {
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
  };

  // Throws ConfigError if the name is taken.
  Parameter add(const std::string& name, Shape shape, Init init);
  // Three kinds of weights: a matrix used only by linear(), which takes it packed and in 8 or 4
  // bits (backend/weights.h); an output projection with a row per token, which embedding() may also
  // use; and a matrix used only by embedding().
  Parameter add_weights(const std::string& name, Shape shape, Init init);
  Parameter add_output_weights(const std::string& name, Shape shape, Init init);
  Parameter add_table(const std::string& name, Shape shape, Init init);
  // One parameter made of several, declared consecutively and stacked along their rows: the fused
  // Q, K, V projection. Throws ConfigError unless their widths are equal.
  Parameter stack(const std::string& first, const std::string& last);

  // Lays out the buffers, with gradients, and draws initial values from (seed, name), independent
  // of the order of declaration. Call this or allocate_for_inference() once, after constructing the
  // modules.
  void allocate(std::uint64_t seed);
  // Takes the named parameters out of training: they have no gradients. Call it once, after
  // allocate(). Throws ConfigError if one does not exist, or if only part of a stack is named.
  void freeze(const std::set<std::string>& names);
  // Substitutes computed variables (e.g. W + BA) for parameters: modules see of(entry), which has
  // the shape of the parameter. An undefined result keeps the parameter. A stack is substituted
  // part by part. All parameters must be frozen. Holds until the next call.
  void replace(const std::function<Variable(const Entry& entry)>& of);
  // The types of weights that are not f32, by name: bf16, or i8 and i4 for 8 and 4 bits.
  using WeightTypes = std::map<std::string, DType>;
  // Without gradients or initial values. Throws ConfigError if a named weight does not exist, is
  // not a matrix of weights, or if the parts of a stack differ.
  void allocate_for_inference(const WeightTypes& types = {});

  // For inference, with the memory of a loaded set wherever both have a parameter of the same name,
  // shape and use, unless `own` names it. Of a stack, all parts are shared or none. The others are
  // allocated as above.
  void allocate_sharing(const ParameterSet& loaded, const std::set<std::string>& own,
                        const WeightTypes& types = {});

  // Parameters in memory that is only read: a mapped file.
  struct Stored {
    struct Place {
      std::int64_t begin = 0;    // byte
      DType dtype = DType::f32;  // plain or packed
    };
    Tensor bytes;  // u8, on the host
    std::map<std::string, Place> places;
  };
  // For inference, with parameters used where `stored` has them, if they lie there as kernels read
  // them: matrices of weights packed, the parts of a stack one after the other. The others are
  // allocated as above. The places fit the shapes and `types`.
  void allocate_in_place(const Stored& stored, const WeightTypes& types = {});

  // Calls fill(entry, value, block) for each parameter that is not shared, which gives it its
  // values. If block > 0, it also packs them, with Backend::pack_weights for parts of whole blocks
  // of rows; only GEMMs and look-ups may read them afterwards. Call it once, after one of the three
  // functions above.
  using Fill = std::function<void(const Entry& entry, const Tensor& value, std::int64_t block)>;
  void fill_packed(const Fill& fill);

  const std::vector<Entry>& entries() const { return entries_; }
  std::int64_t size() const { return size_; }  // number of scalars
  // [size], without those in fewer bits; weights may be packed
  const Tensor& values() const { return memories_.front().floats; }
  // The gradients of the trained parameters, consecutive: [size] unless some are frozen. Undefined
  // for inference and when all are frozen.
  const Tensor& gradients() const { return gradients_; }
  std::int64_t trained_size() const { return gradients_.defined() ? gradients_.size() : 0; }
  // The gradients of values [begin, end), all of which are trained.
  Tensor gradients(const ParameterRange& values) const;
  // A view in the shape of the entry (in 8 and 4 bits its own), possibly packed.
  Tensor value(const Entry& entry) const;

 private:
  struct Handle {
    std::int64_t first, last;  // entries
    std::shared_ptr<Variable> variable;
  };
  void bind();
  std::vector<std::int64_t> packed_row_blocks() const;
  void lay_out(const WeightTypes& types);
  void share(const ParameterSet& loaded, const std::set<std::string>& own);
  bool has_stack(const std::string& first, const std::string& last) const;
  bool are_adjacent(const Handle& handle) const;
  // Makes entries the set's own where those of a handle are not all shared, or not `together`.
  void share_whole_stacks(const std::function<bool(const Handle& handle)>& together);
  Tensor view(std::int64_t first, std::int64_t last) const;
  Tensor view(const Tensor& flat, std::int64_t first, std::int64_t last) const;
  std::int64_t find(const std::string& name) const;
  // The first element of the gradient of an entry.
  std::int64_t gradient_offset(const Entry& entry) const;

  // The flat buffers, in each of which the parameters of one type follow one another.
  struct Memory {
    Tensor floats;     // f32
    Tensor halves;     // bf16, or undefined: none
    Tensor quantized;  // i8, or undefined: none
    Tensor grouped;    // i4, or undefined: none

    static Memory over(const Tensor& bytes);  // the same bytes as each type
    const Tensor& of(DType dtype) const;      // plain or packed
  };

  std::vector<Entry> entries_;
  std::vector<Handle> handles_;
  std::int64_t size_ = 0;
  std::vector<Memory> memories_{1};  // its own, and those that it shares
  Tensor gradients_;
};

}  // namespace attend
