// A fixture that runs a test on each backend.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "attend/backend/backend.h"

namespace attend {

class EachBackend : public ::testing::TestWithParam<Backend& (*)()> {
 protected:
  Backend& kernels() const { return GetParam()(); }
};

inline std::string backend_name(const ::testing::TestParamInfo<Backend& (*)()>& suite) {
  return suite.param == &reference_backend ? "Reference" : "Fast";
}

}  // namespace attend
