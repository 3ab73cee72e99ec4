// The comparison of classifiers, of taggers and of models that turn texts into vectors. Private to
// interchange/.
#pragma once

#include "attend/interchange/golden/golden_record.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/tagging/model.h"

namespace attend::detail {

// They throw DataError for a record of another model.
GoldenComparison compare_classification(const ClassificationModel& model,
                                        const GoldenRecord& record);
GoldenComparison compare_tagging(const TaggingModel& model, const GoldenRecord& record);
GoldenComparison compare_embedding(const EmbeddingModel& model, const GoldenRecord& record);

}  // namespace attend::detail
