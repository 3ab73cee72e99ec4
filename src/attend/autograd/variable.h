// Reverse-mode differentiation: a Variable is a tensor that remembers how it was made.
//
// An op computes its value, then calls `record` with the inputs and a function that receives the
// gradient of the output and hands gradients on to the inputs. `backward` calls these functions,
// latest first. The graph holds no values except those that the functions captured, so an
// activation that no gradient needs is freed as soon as the forward code lets go of it; gradients
// are freed once they were used.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {

class Variable;
struct GradientNode;

// Where the gradient of one variable is collected. Cheap to copy; captured by the gradient
// functions of ops.
class GradientSink {
 public:
  GradientSink() = default;

  // False when nobody will look at this gradient: skip computing it.
  bool needed() const { return node_ != nullptr; }
  // Adds `gradient` to what is there. The tensor is adopted when nothing was: it must not be
  // written to afterwards.
  void add(const Tensor& gradient) const;
  // For kernels that can add by themselves (c = ... + beta c): the buffer to write to, and the beta
  // to do it with.
  struct Target {
    Tensor buffer;
    float beta;
  };
  Target target() const;
  // True when no gradient has arrived yet.
  bool empty() const;

  bool operator==(const GradientSink&) const = default;

 private:
  friend class Variable;
  explicit GradientSink(std::shared_ptr<GradientNode> node) : node_(std::move(node)) {}
  std::shared_ptr<GradientNode> node_;
};

using GradientFunction = std::function<void(const Tensor& gradient)>;

class Variable {
 public:
  Variable() = default;
  // A constant, or with requires_gradient a leaf whose gradient `backward` leaves in gradient().
  explicit Variable(Tensor value, bool requires_gradient = false);
  // A leaf whose gradient is added to `gradient` (a part of a flat buffer), of the same shape.
  Variable(Tensor value, Tensor gradient);

  bool defined() const { return value_.defined(); }
  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  std::int64_t dim(int axis) const { return value_.dim(axis); }
  bool requires_gradient() const { return node_ != nullptr; }

  // The gradient of a leaf after backward(); undefined when none has arrived.
  Tensor gradient() const;
  GradientSink sink() const { return GradientSink(node_); }

 private:
  friend Variable record(Tensor value, const std::vector<Variable>& inputs,
                         GradientFunction function);
  friend void backward(const Variable& output, const Tensor& gradient);

  Tensor value_;
  std::shared_ptr<GradientNode> node_;
};

// The result of an op. `function` is dropped when no input requires a gradient or under NoGradient.
// Undefined inputs are allowed.
Variable record(Tensor value, std::initializer_list<const Variable*> inputs,
                GradientFunction function);
// The same for any number of inputs.
Variable record(Tensor value, const std::vector<Variable>& inputs, GradientFunction function);

// True when record() would keep the function: an op may skip saving what only its gradient needs.
bool will_record(std::initializer_list<const Variable*> inputs);

// Sends `gradient` (default: ones, for a loss of one element) back from `output` to every leaf.
// Consumes the graph: a second call that comes by any part of it throws Error. Throws ShapeError
// when `gradient` has another shape than `output`.
void backward(const Variable& output, const Tensor& gradient = {});

// Whether this is the gradient 1 that backward() began with: what was computed for it, beside the
// value, can be passed on as it is.
bool is_unit_gradient(const Tensor& gradient);

// While alive, ops on this thread record nothing.
class NoGradient {
 public:
  NoGradient();
  ~NoGradient();
  NoGradient(const NoGradient&) = delete;
  NoGradient& operator=(const NoGradient&) = delete;

 private:
  bool previous_;
};

}  // namespace attend
