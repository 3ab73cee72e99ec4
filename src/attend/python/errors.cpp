#include <exception>

#include "attend/error.h"
#include "attend/python/module.h"
#include "attend/python/released.h"

namespace nb = nanobind;

namespace attend {

namespace {

// The classes of attend/_errors.py, which give Python's own base classes. Imported when needed:
// an error is rare, an import of the package is not.
void raise(const char* name, const char* message) {
  const nb::object type = nb::module_::import_("attend._errors").attr(name);
  PyErr_SetString(type.ptr(), message);
}

void raise_in_python(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (PythonInterruption& interruption) {
    interruption.error.restore();
  } catch (const WorkEnded&) {
    PyErr_SetNone(PyExc_GeneratorExit);
  } catch (const LineError& error) {
    raise("LineError", error.what());
  } catch (const DataError& error) {
    raise("DataError", error.what());
  } catch (const ConfigError& error) {
    raise("ConfigError", error.what());
  } catch (const IoError& error) {
    raise("IoError", error.what());
  } catch (const ShapeError& error) {
    raise("ShapeError", error.what());
  } catch (const DivergedError& error) {
    raise("DivergedError", error.what());
  } catch (const Error& error) {
    raise("Error", error.what());
  }
}

}  // namespace

void add_errors(nb::module_&) { nb::register_exception_translator(raise_in_python); }

}  // namespace attend
