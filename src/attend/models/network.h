// What every network has: a configuration, and parameters.
#pragma once

#include "attend/nn/parameters/parameters.h"

namespace attend {

// A network derives from it and has two constructors. Network(config) is for inference: parameters
// without gradients, for load_parameters() to allocate and fill. Network(config, seed) is for
// training: parameters with gradients, initialized from the seed. Both throw the ConfigError of
// validate(config).
template <class Config>
class Network {
 public:
  const Config& config() const { return config_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

 protected:
  explicit Network(const Config& config) : config_(config) { validate(config); }

  Config config_;
  ParameterSet parameters_;
};

}  // namespace attend
