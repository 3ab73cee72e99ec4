// Trains low-rank adapters on the model of another objective, which stays as it is.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "attend/nn/low_rank.h"
#include "attend/train/objective.h"

namespace attend {

class LowRankObjective final : public Objective {
 public:
  // `whole`: parameters of the model that are trained as they are. Throws ConfigError like
  // LowRankAdapters.
  LowRankObjective(std::unique_ptr<Objective> of_model, const LowRankOptions& options,
                   const std::set<std::string>& whole, std::uint64_t seed)
      : of_model_(std::move(of_model)), adapters_(of_model_->parameters(), options, whole, seed) {}

  ParameterSet& parameters() override { return adapters_.parameters(); }
  std::int64_t batches(std::int64_t epoch) override { return of_model_->batches(epoch); }
  BatchSize size(std::int64_t epoch, std::int64_t batch) override {
    return of_model_->size(epoch, batch);
  }
  void limit_batches(std::int64_t tokens) override { of_model_->limit_batches(tokens); }
  std::vector<std::int64_t> phases() const override { return of_model_->phases(); }
  double largest_error() const override { return of_model_->largest_error(); }
  std::string unit() const override { return of_model_->unit(); }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override {
    adapters_.apply();
    return of_model_->loss(epoch, batch, normalizer, pass);
  }
  bool can_validate() const override { return of_model_->can_validate(); }
  Validation validate() override {
    const NoGradient guard;
    adapters_.apply();
    return of_model_->validate();
  }
  Validation validate_together(Collective& processes) override {
    const NoGradient guard;
    adapters_.apply();
    return of_model_->validate_together(processes);
  }

 private:
  std::unique_ptr<Objective> of_model_;
  LowRankAdapters adapters_;
};

}  // namespace attend
