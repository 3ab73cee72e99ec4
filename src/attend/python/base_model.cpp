#include <nanobind/stl/filesystem.h>

#include "attend/python/held_model.h"
#include "attend/python/module.h"
#include "attend/python/released.h"

namespace nb = nanobind;

namespace attend {

void add_base_model(nb::module_& module) {
  nb::class_<HeldBase>(module, "BaseModel")
      .def(nb::new_(&HeldBase::load), nb::arg("path"), nb::arg("threads"),
           nb::call_guard<Released>());
}

}  // namespace attend
