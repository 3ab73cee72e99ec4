#include "attend/optim/optimizer_choice.h"

namespace attend {

std::unique_ptr<Optimizer> make_optimizer(ParameterSet& parameters, const OptimizerOptions& options,
                                          Precision products) {
  if (options.kind == OptimizerKind::muon)
    return std::make_unique<Muon>(parameters, options.muon, options.adam, products);
  return std::make_unique<Adam>(parameters, options.adam);
}

}  // namespace attend
