#include "attend/tasks/quality/scorer.h"

#include <numeric>

#include "attend/core/threads/entered_runtime.h"
#include "attend/error.h"

namespace attend {

QualityScorer QualityScorer::load(const std::filesystem::path& path,
                                  std::shared_ptr<Runtime> runtime) {
  return QualityScorer(std::make_shared<const Impl>(*LoadedModel::load(path, std::move(runtime))));
}

bool QualityScorer::reads_source() const { return impl_->engine.model().reads_source(); }

bool QualityScorer::reads_reference() const { return impl_->engine.model().reads_reference(); }

bool QualityScorer::needs_reference() const { return impl_->engine.model().needs_reference(); }

QualityScores QualityScorer::score(std::span<const std::string> translations,
                                   const QualityContext& context) const {
  if (translations.empty()) throw ConfigError("expected at least one translation to score");
  const EnteredRuntime entered(impl_->runtime);
  QualityScores result{impl_->engine.score(translations, context), 0};
  result.system_score = std::accumulate(result.scores.begin(), result.scores.end(), 0.0) /
                        static_cast<double>(result.scores.size());
  return result;
}

}  // namespace attend
