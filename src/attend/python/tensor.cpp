// Tensors with a gradient: NumPy and DLPack arrays in and out, without a copy.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include "attend/autograd/variable.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/python/tensors.h"

namespace nb = nanobind;

namespace attend {

Shape shape_of_extents(std::span<const std::int64_t> extents) {
  switch (extents.size()) {
    case 0:
      return {};
    case 1:
      return {extents[0]};
    case 2:
      return {extents[0], extents[1]};
    case 3:
      return {extents[0], extents[1], extents[2]};
    case 4:
      return {extents[0], extents[1], extents[2], extents[3]};
    default:
      throw ShapeError(
          fmt::format("expected at most {} dimensions, got {}", Shape::kMaxRank, extents.size()));
  }
}

nb::ndarray<nb::numpy, float> numpy_view(const Tensor& tensor) {
  auto* owned = new Tensor(tensor.to_host());
  const nb::capsule owner(owned, [](void* held) noexcept { delete static_cast<Tensor*>(held); });
  std::vector<std::size_t> extents;
  for (int axis = 0; axis < owned->shape().rank(); ++axis)
    extents.push_back(static_cast<std::size_t>(owned->dim(axis)));
  return {owned->data(), extents.size(), extents.data(), owner};
}

namespace {

using FloatArray = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

// Keeps the array; its last owner may be a thread without the GIL.
Variable wrapped(const FloatArray& array, bool requires_gradient) {
  const std::shared_ptr<void> owner(new FloatArray(array), [](void* held) {
    const nb::gil_scoped_acquire acquired;
    delete static_cast<FloatArray*>(held);
  });
  std::vector<std::int64_t> extents;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis)
    extents.push_back(static_cast<std::int64_t>(array.shape(axis)));
  return Variable(Tensor::wrap(owner, array.data(), shape_of_extents(extents), DType::f32),
                  requires_gradient);
}

std::vector<std::int64_t> extents_of(const Variable& x) {
  std::vector<std::int64_t> extents;
  for (int axis = 0; axis < x.shape().rank(); ++axis) extents.push_back(x.dim(axis));
  return extents;
}

void propagate(const Variable& output, const std::optional<Variable>& gradient) {
  const Released released;
  backward(output, gradient ? gradient->value() : Tensor());
}

std::optional<Variable> gradient_of(const Variable& x) {
  const Tensor gradient = x.gradient();
  if (!gradient.defined()) return std::nullopt;
  return Variable(gradient);
}

}  // namespace

void add_tensor(nb::module_& module) {
  using OneOp = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Variable>(module, "Tensor", "A float32 tensor that knows how it was computed.")
      .def(nb::new_(&wrapped), nb::arg("array"), nb::arg("requires_grad") = false,
           "Shares the memory of the array.")
      .def_prop_ro("shape", [](const Variable& x) { return nb::tuple(nb::cast(extents_of(x))); })
      .def_prop_ro("requires_grad", &Variable::requires_gradient)
      .def_prop_ro("grad", gradient_of, "The gradient of a leaf after backward(), or None.")
      .def(
          "numpy", [](const Variable& x) { return numpy_view(x.value()); },
          "An array that shares the memory.")
      .def(
          "__array__",
          [](const Variable& x, const nb::object& dtype, const nb::object& copy) {
            nb::object view = nb::cast(numpy_view(x.value()));
            if (!dtype.is_none()) view = view.attr("astype")(dtype);
            return nb::cast<bool>(nb::bool_(copy)) ? view.attr("copy")() : view;
          },
          nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none())
      .def("__dlpack__",
           [](const Variable& x, const nb::kwargs& options) {
             return nb::cast(numpy_view(x.value())).attr("__dlpack__")(**options);
           })
      .def("__dlpack_device__", [](const Variable&) { return nb::make_tuple(1, 0); })
      .def("item", [](const Variable& x) { return x.value().item(); })
      .def("backward", propagate, nb::arg("gradient").none() = nb::none(),
           "Adds gradients to the leaves this was computed from; consumes the graph.")
      .def("__add__", &add, nb::is_operator(), OneOp())
      .def("__mul__", &multiply, nb::is_operator(), OneOp())
      .def(
          "__mul__", [](const Variable& x, float factor) { return scale(x, factor); },
          nb::is_operator(), OneOp())
      .def(
          "__rmul__", [](const Variable& x, float factor) { return scale(x, factor); },
          nb::is_operator(), OneOp())
      .def(
          "__matmul__", [](const Variable& a, const Variable& b) { return matmul(a, b); },
          nb::is_operator(), OneOp())
      .def("__repr__", [](const Variable& x) {
        return fmt::format("attend.nn.Tensor(shape={}{})", to_string(x.shape()),
                           x.requires_gradient() ? ", requires_grad=True" : "");
      });
}

}  // namespace attend
