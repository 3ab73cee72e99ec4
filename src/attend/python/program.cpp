#include "attend/cli/program.h"

#include <nanobind/stl/vector.h>

#include "attend/python/module.h"

namespace nb = nanobind;

namespace attend {

void add_program(nb::module_& module) {
  module.def(
      "run_program",
      [](const std::vector<nb::bytes>& arguments) {
        std::vector<const char*> argv;
        for (const nb::bytes& argument : arguments) argv.push_back(argument.c_str());
        const nb::gil_scoped_release released;
        return run_program(static_cast<int>(argv.size()), argv.data());
      },
      nb::arg("arguments"),
      "Runs the program `attend` with these arguments as the system has them, its name first; "
      "returns the exit status.");
}

}  // namespace attend
