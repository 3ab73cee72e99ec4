#include <nanobind/stl/filesystem.h>

#include "attend/python/models/model_views.h"
#include "attend/python/module.h"
#include "attend/python/released.h"

namespace nb = nanobind;

namespace attend {

void add_base_model(nb::module_& module) {
  nb::class_<BaseModel>(module, "BaseModel")
      .def(nb::new_([](const std::filesystem::path& path, int threads) {
             return BaseModel::load(path, runtime_of(threads));
           }),
           nb::arg("path"), nb::arg("threads"), nb::call_guard<Released>());
}

}  // namespace attend
