// Parameters in one flat buffer, and the optimizers that update them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <map>
#include <memory>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/optim/adam.h"
#include "attend/optim/muon.h"
#include "attend/python/keywords.h"
#include "attend/python/module.h"
#include "attend/python/tensors.h"

namespace nb = nanobind;

namespace attend {

namespace {

// Declared parameters with their handles, in order.
struct Declared {
  ParameterSet set;
  std::vector<Parameter> handles;
};

Init::Kind kind_of(const std::string& init) {
  using Kind = Init::Kind;
  static const std::map<std::string, Kind> kinds{{"zeros", Kind::zeros},
                                                 {"ones", Kind::ones},
                                                 {"xavier_uniform", Kind::xavier_uniform},
                                                 {"normal", Kind::normal}};
  const auto found = kinds.find(init);
  if (found == kinds.end())
    throw ConfigError("init: expected zeros, ones, xavier_uniform or normal, got " + quote(init));
  return found->second;
}

void declare(Declared& declared, const std::string& name, const std::vector<std::int64_t>& shape,
             const std::string& init, float scale) {
  const Init how{.kind = kind_of(init), .scale = scale};
  const Shape extents = shape_of_extents(shape);
  const bool matrix = extents.rank() == 2 && how.kind == Init::Kind::xavier_uniform;
  declared.handles.push_back(matrix ? declared.set.add_weights(name, extents, how)
                                    : declared.set.add(name, extents, how));
}

std::vector<Variable> allocate(Declared& declared, std::uint64_t seed) {
  declared.set.allocate(seed);
  std::vector<Variable> tensors;
  for (const Parameter& handle : declared.handles) tensors.push_back(*handle);
  return tensors;
}

// The optimizer, and the parameters that it refers to.
struct HeldOptimizer {
  std::shared_ptr<Declared> parameters;
  std::unique_ptr<Optimizer> optimizer;
};

HeldOptimizer adam(std::shared_ptr<Declared> parameters, const nb::dict& keywords) {
  AdamOptions options;
  set_keywords(option_fields(options), keywords);
  auto optimizer = std::make_unique<Adam>(parameters->set, options);
  return {std::move(parameters), std::move(optimizer)};
}

struct MuonKeywords {
  MuonOptions muon;
  AdamOptions rest;
};

template <class Visitor>
void fields(MuonKeywords& k, Visitor&& visit) {
  fields(k.muon, visit);
  fields(k.rest, visit);
}

HeldOptimizer muon(std::shared_ptr<Declared> parameters, const nb::dict& keywords) {
  MuonKeywords options;
  set_keywords(option_fields(options), keywords);
  auto optimizer = std::make_unique<Muon>(parameters->set, options.muon, options.rest);
  return {std::move(parameters), std::move(optimizer)};
}

}  // namespace

void add_optimizers(nb::module_& module) {
  nb::class_<Declared>(module, "Parameters")
      .def(nb::new_([] { return std::make_shared<Declared>(); }))
      .def("declare", declare, nb::arg("name"), nb::arg("shape"), nb::arg("init"), nb::arg("scale"))
      .def("allocate", allocate, nb::arg("seed"))
      .def("values", [](const Declared& d) { return numpy_view(d.set.values()); })
      .def("gradients", [](const Declared& d) { return numpy_view(d.set.gradients()); })
      .def("zero_gradients", [](const Declared& d) { d.set.gradients().zero(); });
  nb::class_<HeldOptimizer>(module, "Optimizer")
      .def(
          "step",
          [](HeldOptimizer& held, float learning_rate) {
            return std::sqrt(static_cast<double>(held.optimizer->step(learning_rate)));
          },
          nb::arg("learning_rate"), nb::call_guard<nb::gil_scoped_release>());
  module.def("adam", adam, nb::arg("parameters"), nb::arg("options"));
  module.def("muon", muon, nb::arg("parameters"), nb::arg("options"));
}

}  // namespace attend
