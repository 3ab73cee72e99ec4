// The values that a search may give an option.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/cli/commands/train/run_variant.h"
#include "attend/core/random/random.h"

namespace attend {

class SettingRange {
 public:
  // "dropout=0.1,0.2,0.3" is a choice, "learning-rate=1e-4..1e-2" an interval: of logarithms if its
  // ends are positive and at least ten times apart. Throws ConfigError for another text, an option
  // that is none of `fields` or that no search may change, and a value that the option does not
  // take.
  SettingRange(const std::string& text, std::span<const OptionField> fields);

  const std::string& option() const { return option_; }
  std::string draw(Random& random) const;

 private:
  std::string option_;
  std::vector<std::string> choices_;  // empty: an interval
  double low_ = 0, high_ = 0;
  bool logarithmic_ = false, whole_ = false;
};

}  // namespace attend
