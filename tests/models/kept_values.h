// The values of a pass, by module and name.
#pragma once

#include <string>
#include <vector>

#include "attend/nn/pass.h"

namespace attend {

struct KeptValues final : PassValues {
  bool wants(const std::string&) override { return true; }
  void keep(PassValue value) override { all.push_back(std::move(value)); }

  // The value; undefined if there is none.
  Tensor operator()(const std::string& module, const std::string& name) const {
    for (const PassValue& one : all)
      if (one.module == module && one.name == name) return one.value;
    return {};
  }
  // The modules that have a value of this name, in order.
  std::vector<std::string> with(const std::string& name) const {
    std::vector<std::string> modules;
    for (const PassValue& one : all)
      if (one.name == name) modules.push_back(one.module);
    return modules;
  }

  std::vector<PassValue> all;
};

}  // namespace attend
