#include "attend/autograd/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "attend/backend/backend.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {

// A vertex of the graph: collects a gradient and holds the function that propagates it. Holds no
// value.
struct GradientNode {
  GradientNode() = default;
  ~GradientNode();
  GradientNode(const GradientNode&) = delete;
  GradientNode& operator=(const GradientNode&) = delete;

  Shape shape;
  Tensor gradient;
  bool consumed = false;  // backward() has visited it; its inputs are released
  // The gradient may be written to: it is ours, or part of a flat buffer.
  bool owned = false;
  // Creation order; inputs are older than outputs.
  std::uint64_t order = 0;
  std::uint64_t visited = 0;      // the stamp of the last traversal
  std::int64_t pending_uses = 0;  // of a leaf in a traversal: uses whose gradients have not arrived
  std::vector<std::shared_ptr<GradientNode>> inputs;
  GradientFunction function;  // empty for leaves
};

namespace {

using Nodes = std::vector<std::shared_ptr<GradientNode>>;

thread_local Nodes* t_released = nullptr;  // inputs of nodes that this thread is destroying

thread_local NoGradient* t_guard = nullptr;  // the innermost; ops record without one
// The loss gradient, while a backward() that began with 1 is running.
thread_local const std::byte* t_unit = nullptr;

// Sets t_unit during its lifetime.
class UnitGradient {
 public:
  explicit UnitGradient(const std::byte* begin) : before_(std::exchange(t_unit, begin)) {}
  ~UnitGradient() { t_unit = before_; }
  UnitGradient(const UnitGradient&) = delete;
  UnitGradient& operator=(const UnitGradient&) = delete;

 private:
  const std::byte* before_;
};

std::uint64_t next_order() {
  static std::atomic<std::uint64_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

// The nodes from which `root` was computed, including root, newest first.
Nodes reachable(const std::shared_ptr<GradientNode>& root) {
  const std::uint64_t stamp = next_order();
  Nodes nodes{root};
  root->visited = stamp;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < nodes[i]->inputs.size(); ++j) {
      const auto& input = nodes[i]->inputs[j];
      if (input->visited == stamp) continue;
      input->visited = stamp;
      nodes.push_back(input);
    }
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a->order > b->order; });
  return nodes;
}

}  // namespace

// A chain of nodes may be longer than the stack is deep. The last owner of a node therefore does
// not destroy its inputs within it, but one after another. The function owns inputs, too.
GradientNode::~GradientNode() {
  if (t_released != nullptr) {
    t_released->insert(t_released->end(), std::make_move_iterator(inputs.begin()),
                       std::make_move_iterator(inputs.end()));
    function = nullptr;
    return;
  }
  if (inputs.empty()) return;
  Nodes released = std::move(inputs);
  t_released = &released;
  function = nullptr;
  while (!released.empty()) {
    const std::shared_ptr<GradientNode> next = std::move(released.back());
    released.pop_back();
  }
  t_released = nullptr;
}

void GradientSink::add(const Tensor& gradient) const {
  if (gradient.shape() != node_->shape)
    throw ShapeError(fmt::format("[backward] expected a gradient of shape {}, got {}",
                                 to_string(node_->shape), to_string(gradient.shape())));
  if (!node_->gradient.defined()) {
    node_->gradient = gradient;  // adopted; may be shared
  } else if (node_->owned) {
    backend()->add(node_->gradient, gradient, node_->gradient);
  } else {
    const Tensor sum = Tensor::empty(node_->shape);
    backend()->add(node_->gradient, gradient, sum);
    node_->gradient = sum;
    node_->owned = true;
  }
}

GradientSink::Target GradientSink::target() const {
  if (!node_->gradient.defined()) {
    node_->gradient = Tensor::empty(node_->shape);
    node_->owned = true;
    return {node_->gradient, 0.0f};
  }
  if (!node_->owned) {
    node_->gradient = node_->gradient.clone();
    node_->owned = true;
  }
  return {node_->gradient, 1.0f};
}

bool GradientSink::empty() const { return !node_->gradient.defined(); }

Variable::Variable(Tensor value, bool requires_gradient) : value_(std::move(value)) {
  if (!requires_gradient) return;
  node_ = std::make_shared<GradientNode>();
  node_->shape = value_.shape();
  node_->order = next_order();
}

Variable::Variable(Tensor value, Tensor gradient) : Variable(std::move(value), true) {
  node_->gradient = std::move(gradient);
  node_->owned = true;
}

Tensor Variable::gradient() const { return node_ == nullptr ? Tensor() : node_->gradient; }

Variable Variable::computed_again_by(std::function<Tensor()> again) const {
  Variable result = *this;
  if (requires_gradient())
    result.again_ = std::make_shared<const std::function<Tensor()>>(std::move(again));
  return result;
}

// Every op asks, and so long work is interrupted here.
bool will_record(std::span<const Variable* const> inputs) {
  look_for_interruption();
  const bool wanted = std::any_of(inputs.begin(), inputs.end(),
                                  [](const Variable* input) { return input->requires_gradient(); });
  if (wanted && t_guard != nullptr) t_guard->missed_ = true;
  return wanted && t_guard == nullptr;
}

Variable detail::recorded(Tensor value, std::span<const Variable* const> inputs,
                          GradientFunction function) {
  Variable output(std::move(value), true);
  for (const Variable* input : inputs) {
    if (input->requires_gradient()) output.node_->inputs.push_back(input->node_);
  }
  output.node_->function = std::move(function);
  return output;
}

Variable record(Tensor value, const std::vector<Variable>& inputs, GradientFunction function) {
  std::vector<const Variable*> pointers;
  for (const Variable& input : inputs) pointers.push_back(&input);
  return record(std::move(value), std::span<const Variable* const>(pointers), std::move(function));
}

namespace {

// Counts the uses of every leaf.
void count_users(const Nodes& nodes) {
  for (const auto& node : nodes) node->pending_uses = 0;
  for (const auto& node : nodes)
    for (const auto& input : node->inputs) ++input->pending_uses;
}

// After the gradient function of a node.
void report_leaves(const GradientNode& node, const LeafDone& done) {
  for (const auto& input : node.inputs)
    if (--input->pending_uses == 0 && !input->function && input->gradient.defined())
      done(input->gradient);
}

}  // namespace

void backward(const Variable& output, const Tensor& gradient, const LeafDone& done) {
  if (!output.requires_gradient())
    throw Error("[backward] the output depends on nothing that requires a gradient");
  if (!gradient.defined() && output.value().size() != 1)
    throw ShapeError(fmt::format("[backward] expected a loss of one element, got {}",
                                 to_string(output.shape())));
  auto nodes = reachable(output.node_);
  if (std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->consumed; }))
    throw Error(
        "[backward] expected a graph not used before, got one that an earlier backward has "
        "consumed: compute the output again");
  const Tensor first = gradient.defined() ? gradient : Tensor::full(output.shape(), 1.0f);
  const UnitGradient unit(gradient.defined() ? nullptr : first.bytes());
  output.sink().add(first);
  if (done) count_users(nodes);
  for (auto& node : nodes) {
    if (!node->function) continue;
    look_for_interruption();
    if (node->gradient.defined()) node->function(node->gradient);
    if (done) report_leaves(*node, done);
    node->function = nullptr;
    node->consumed = true;
    node->inputs.clear();
    node->gradient = Tensor();
    node.reset();
  }
}

bool is_unit_gradient(const Tensor& gradient) {
  return t_unit != nullptr && gradient.bytes() == t_unit;
}

NoGradient::NoGradient() : previous_(std::exchange(t_guard, this)) {}
NoGradient::~NoGradient() {
  t_guard = previous_;
  if (previous_ != nullptr && missed_) previous_->missed_ = true;
}

}  // namespace attend
