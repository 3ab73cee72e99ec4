// The comparison of classifiers and of models that turn texts into vectors. Private to
// interchange/.
#pragma once

#include "attend/interchange/golden_record.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"

namespace attend::detail {

// Both throw DataError for a record of another model.
GoldenComparison compare_classification(const ClassificationModel& model,
                                        const GoldenRecord& record);
GoldenComparison compare_embedding(const EmbeddingModel& model, const GoldenRecord& record);

}  // namespace attend::detail
