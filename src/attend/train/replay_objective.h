// Old data mixed into training, against forgetting: batches of a second objective of the same model
// between those of the first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attend/train/objective.h"

namespace attend {

class ReplayObjective final : public Objective {
 public:
  // Both train the same parameters. `weight`: old batches per new one (0: `of_old` only validates),
  // spread evenly over an epoch, which is one of `of_new`. Every epoch has as many old batches as
  // the first, and goes on where the one before ended; after the last old batch all are taken
  // again, in another order.
  ReplayObjective(std::unique_ptr<Objective> of_new, std::unique_ptr<Objective> of_old,
                  double weight)
      : new_(std::move(of_new)), old_(std::move(of_old)), weight_(weight) {}

  ParameterSet& parameters() override { return new_->parameters(); }
  std::int64_t batches(std::int64_t epoch) override {
    return new_->batches(epoch) + counts().of_epoch;
  }
  BatchSize size(std::int64_t epoch, std::int64_t batch) override {
    const Place at = place(epoch, batch);
    return at.objective->size(at.epoch, at.batch);
  }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override {
    const Place at = place(epoch, batch);
    return at.objective->loss(at.epoch, at.batch, normalizer, pass);
  }
  void limit_batches(std::int64_t tokens) override {
    new_->limit_batches(tokens);
    old_->limit_batches(tokens);
    counts_.reset();
  }
  std::vector<std::int64_t> phases() const override { return new_->phases(); }
  double largest_error() const override {
    return std::max(new_->largest_error(), old_->largest_error());
  }
  std::string unit() const override { return new_->unit(); }
  bool can_validate() const override { return new_->can_validate(); }
  // Validates `of_new`; the metrics of `of_old` follow with "old_" before their names, if it
  // validates.
  Validation validate() override;
  Validation validate_together(Collective& processes) override;

 private:
  static void add_old(const Validation& old, Validation& result);
  struct Place {
    Objective* objective = nullptr;
    std::int64_t epoch = 0, batch = 0;
  };
  Place place(std::int64_t epoch, std::int64_t batch);
  // Counts the old batches in each epoch, and in a pass over all. The numbers are those of the
  // first epoch of both objectives, and are kept, because these make plans of one epoch at a time.
  struct Counts {
    std::int64_t of_epoch, of_pass;
  };
  const Counts& counts();

  std::unique_ptr<Objective> new_, old_;
  double weight_;
  std::optional<Counts> counts_;
};

}  // namespace attend
