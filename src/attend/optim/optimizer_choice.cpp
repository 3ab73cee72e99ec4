#include "attend/optim/optimizer_choice.h"

namespace attend {

std::unique_ptr<Optimizer> make_optimizer(ParameterSet& parameters, const OptimizerOptions& options,
                                          Precision products, const Shard& shard) {
  if (options.kind == OptimizerKind::muon)
    return std::make_unique<Muon>(parameters, options.muon, options.adam,
                                  MuonSetting{products, options.layer_decay, shard});
  const std::vector<ParameterGroup> groups = parameter_groups(parameters, options.layer_decay);
  if (options.kind == OptimizerKind::adam8bit)
    return std::make_unique<Adam8Bit>(parameters, options.adam, groups, shard);
  return std::make_unique<Adam>(parameters, options.adam, shard_of(groups, shard, kAdamUnit));
}

}  // namespace attend
