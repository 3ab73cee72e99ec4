// Implements attend/quality.h, for code that holds the model itself.
#pragma once

#include <memory>
#include <utility>

#include "attend/quality.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/quality/engine.h"

namespace attend {

struct QualityScorer::Impl : ModelView<QualityEngine> {
  using ModelView::ModelView;
};

// For code that looks into the model of a public object, or makes one.
struct QualityAccess {
  static const ModelView<QualityEngine>& view(const QualityScorer& scorer) { return *scorer.impl_; }
  // A null runtime: the current one.
  static QualityScorer scorer(QualityEngine engine, std::shared_ptr<Runtime> runtime = nullptr) {
    return QualityScorer(
        std::make_shared<const QualityScorer::Impl>(std::move(engine), std::move(runtime)));
  }
};

}  // namespace attend
