// The parameters of a model: named views of one flat buffer, and of a second one for gradients.
//
// Modules declare their parameters during construction. `allocate` then lays them out in order of
// declaration, without gaps, and initializes them. A flat buffer means one pass of the optimizer,
// one norm, and one write of a checkpoint. parameter_layout.h says what is declared and where it
// lies, parameter_memory.h holds the buffers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "attend/autograd/variable.h"
#include "attend/nn/parameters/parameter_layout.h"
#include "attend/nn/parameters/parameter_memory.h"

namespace attend {

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
  using Entry = ParameterEntry;

  // What is declared under `path` from now on is what is declared under `shared`, the first time
  // there: modules with the same parameters, such as layers.
  void share(const std::string& path, const std::string& shared) { shared_[path] = shared; }

  // Throws ConfigError if the name is taken, or if shared parameters differ in their shapes.
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

  const std::vector<Entry>& entries() const { return layout_.entries(); }
  std::int64_t size() const { return layout_.size(); }  // number of scalars
  // [size], without those in fewer bits; weights may be packed
  const Tensor& values() const { return memories_.front().of(DType::f32); }
  // The gradients of the trained parameters, consecutive: [size] unless some are frozen. Undefined
  // for inference and when all are frozen.
  const Tensor& gradients() const { return gradients_; }
  std::int64_t trained_size() const { return gradients_.defined() ? gradients_.size() : 0; }
  // The gradients of values [begin, end), all of which are trained.
  Tensor gradients(const ParameterRange& values) const;
  // A view of the parameter with the name of the entry, which may be that of another set. It has
  // the shape of the entry (in 8 and 4 bits its own), possibly packed.
  Tensor value(const Entry& entry) const;

 private:
  struct Handle {
    ParameterStack stack;
    std::shared_ptr<Variable> variable;
  };
  Parameter declare(const ParameterStack& stack);
  Parameter add(const std::string& name, Shape shape, Init init, Entry::Use use);
  // The name under which a parameter of this name is stored.
  std::string stored_name(const std::string& name) const;
  // The parameter of these parts that is declared already; undefined: none.
  Parameter declared(const std::string& first, const std::string& last) const;
  // Allocates what is not shared, and binds.
  void allocate_own(const WeightTypes& types);
  // Gives each handle the view of its memory.
  void bind();

  ParameterLayout layout_;
  std::map<std::string, std::string> shared_;  // paths, and where their parameters are
  std::vector<Handle> handles_;
  std::vector<ParameterMemory> memories_{1};  // its own, and those that it shares
  Tensor gradients_;
};

}  // namespace attend
