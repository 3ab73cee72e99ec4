// The training objective of taggers: texts with a tag per word, an encoder, and validation by
// entities, or by words where tags are none of entities.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/tasks/tagging/model.h"
#include "attend/train/objective.h"

namespace attend {

// The validation score that selects the best step.
enum class TaggingScore { by_tags, entity_f1, accuracy, macro_f1, loss };
inline std::span<const std::string_view> enum_names(TaggingScore) {
  static constexpr std::array<std::string_view, 5> kNames{"by_tags", "entity_f1", "accuracy",
                                                          "macro_f1", "loss"};
  return kNames;
}

// Held-out texts.
struct TaggingValidation {
  TaggedBatcher parts;                            // in the order of the texts: without a seed
  std::vector<std::vector<std::int32_t>> labels;  // of the words of each text
};

class TaggingObjective final : public Objective {
 public:
  TaggingObjective(TaggingModel model, TaggedBatcher batches, float label_smoothing,
                   std::optional<TaggingValidation> validation,
                   TaggingScore best_by = TaggingScore::by_tags);

  ParameterSet& parameters() override { return model_.network->parameters(); }
  std::int64_t batches(std::int64_t epoch) override { return batches_.batches(epoch); }
  void limit_batches(std::int64_t tokens) override { batches_.limit_batches(tokens); }
  // targets: words; sources: their tokens.
  BatchSize size(std::int64_t epoch, std::int64_t batch) override;
  std::string unit() const override { return "words"; }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override;
  bool can_validate() const override { return validation_.has_value(); }
  // score: by `best_by`; for the loss, its negative. Entities are those of whole texts, also of
  // texts in parts.
  Validation validate_together(Collective& processes) override;

 private:
  // found: the tags of all held-out words, in order. Reads the loss.
  void add_scores(std::span<const std::int32_t> found, Validation& result) const;

  TaggingModel model_;
  TaggedBatcher batches_;
  float label_smoothing_;
  std::optional<TaggingValidation> validation_;
  TaggingScore best_by_;
};

}  // namespace attend
