// Reverse-mode differentiation: a Variable is a tensor that records how it was computed.
//
// An op computes its value, then calls `record` with the inputs and a function that receives the
// gradient of the output and passes gradients on to the inputs. `backward` calls these functions,
// newest first. The graph holds only values that the functions captured, so activations that no
// gradient needs are freed when the forward code releases them. Gradients are freed after use.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {

class Variable;
struct GradientNode;
using GradientFunction = std::function<void(const Tensor& gradient)>;

namespace detail {
// Records `function`, and which of the inputs require a gradient; at least one does.
Variable recorded(Tensor value, std::span<const Variable* const> inputs, GradientFunction function);
}  // namespace detail

// Collects the gradient of one variable. Cheap to copy; captured by the gradient functions of ops.
class GradientSink {
 public:
  GradientSink() = default;

  // False if nobody needs this gradient: skip computing it.
  bool needed() const { return node_ != nullptr; }
  // Adds `gradient`. The first tensor is adopted, so it must not be written to afterwards.
  void add(const Tensor& gradient) const;
  // For kernels that accumulate (c = ... + beta c): the buffer to write to, and the beta.
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

// Called during backward() with the gradient of a leaf, once the graph adds nothing to it any more.
// A function of the graph that calls backward() itself (autograd/recompute.h) may still add to the
// leaves of its own graph.
using LeafDone = std::function<void(const Tensor& gradient)>;

// An input saved for the backward pass: stored, or recomputed (checkpointing).
class SavedTensor {
 public:
  SavedTensor() = default;
  explicit SavedTensor(Tensor value) : value_(std::move(value)) {}
  SavedTensor(Tensor value, std::shared_ptr<const std::function<Tensor()>> again)
      : value_(again != nullptr ? Tensor() : std::move(value)), again_(std::move(again)) {}

  bool is_computed_again() const { return again_ != nullptr; }
  Tensor value() const { return again_ != nullptr ? (*again_)() : value_; }

 private:
  Tensor value_;
  std::shared_ptr<const std::function<Tensor()>> again_;
};

class Variable {
 public:
  Variable() = default;
  explicit Variable(Tensor value) : value_(std::move(value)) {}  // a constant
  // A constant, or with requires_gradient a leaf whose gradient is available from gradient() after
  // backward().
  Variable(Tensor value, bool requires_gradient);
  // A leaf whose gradient is added to `gradient` (part of a flat buffer) of the same shape.
  Variable(Tensor value, Tensor gradient);

  bool defined() const { return value_.defined(); }
  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  std::int64_t dim(int axis) const { return value_.dim(axis); }
  bool requires_gradient() const { return node_ != nullptr; }

  // The gradient of a leaf after backward(); undefined if none arrived.
  Tensor gradient() const;
  GradientSink sink() const { return GradientSink(node_); }

  // For the gradient functions of ops that take it.
  SavedTensor kept() const { return {value_, again_}; }
  // The same, whose value is computed again, to the same bits, by each gradient function that needs
  // it, instead of kept until then: for a value that is cheap to compute from what is kept anyway.
  // Without an effect if it requires no gradient.
  Variable computed_again_by(std::function<Tensor()> again) const;

 private:
  friend Variable detail::recorded(Tensor value, std::span<const Variable* const> inputs,
                                   GradientFunction function);
  friend void backward(const Variable& output, const Tensor& gradient, const LeafDone& done);

  Tensor value_;
  std::shared_ptr<GradientNode> node_;
  std::shared_ptr<const std::function<Tensor()>> again_;  // null: value_ is kept
};

// Whether record() would keep the function; otherwise an op may skip saving data for its gradient.
bool will_record(std::span<const Variable* const> inputs);
inline bool will_record(std::initializer_list<const Variable*> inputs) {
  return will_record(std::span(inputs.begin(), inputs.size()));
}

// The result of an op. `function`, a GradientFunction, is dropped if no input requires a gradient,
// or under NoGradient. Undefined inputs are allowed.
template <class Function>
Variable record(Tensor value, std::span<const Variable* const> inputs, Function&& function) {
  if (!will_record(inputs)) return Variable(std::move(value));
  return detail::recorded(std::move(value), inputs, std::forward<Function>(function));
}
template <class Function>
Variable record(Tensor value, std::initializer_list<const Variable*> inputs, Function&& function) {
  return record(std::move(value), std::span(inputs.begin(), inputs.size()),
                std::forward<Function>(function));
}
// The same for any number of inputs.
Variable record(Tensor value, const std::vector<Variable>& inputs, GradientFunction function);

// Propagates `gradient` (default: ones, for a loss of one element) from `output` to every leaf.
// Consumes the graph: a second call that reaches any part of it throws Error. Throws ShapeError if
// the shapes of `gradient` and `output` differ.
void backward(const Variable& output, const Tensor& gradient = {}, const LeafDone& done = {});

// Whether this is the gradient 1 that backward() began with. If so, gradients that an op computed
// with its value can be passed on unscaled.
bool is_unit_gradient(const Tensor& gradient);

// During its lifetime, ops on this thread record nothing.
class NoGradient {
 public:
  NoGradient();
  ~NoGradient();
  NoGradient(const NoGradient&) = delete;
  NoGradient& operator=(const NoGradient&) = delete;

  // Whether an op since then had an input that requires a gradient.
  bool missed() const { return missed_; }

 private:
  friend bool will_record(std::span<const Variable* const> inputs);

  NoGradient* previous_;
  bool missed_ = false;
};

}  // namespace attend
