#include "attend/server/models/model_weights.h"

#include <utility>

namespace attend {

ModelWeights::ModelWeights(ModelInMemory loaded, Load load)
    : load_(std::move(load)),
      loaded_(std::move(loaded)),
      last_use_(Clock::now().time_since_epoch().count()) {}

const ModelInMemory& ModelWeights::get() {
  touch();
  const std::lock_guard lock(mutex_);
  if (loaded_) return *loaded_;
  is_loaded_ = true;
  try {
    if (prepare_) prepare_();
    loaded_ = load_();
  } catch (...) {
    is_loaded_ = false;
    throw;
  }
  return *loaded_;
}

void ModelWeights::unload() {
  const std::lock_guard lock(mutex_);
  loaded_.reset();
  is_loaded_ = false;
}

}  // namespace attend
