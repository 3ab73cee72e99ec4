#include "attend/generator.h"

#include <utility>

#include "attend/api/views.h"
#include "attend/core/threads/entered_runtime.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/language/scoring.h"

namespace attend {

Generator Generator::load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime) {
  return Generator(std::make_shared<const Impl>(*LoadedModel::load(path, std::move(runtime))));
}

GenerationOptions Generator::default_options() const { return impl_->engine.default_options(); }

const Tokenizer& Generator::tokenizer() const { return impl_->engine.model().tokenizer; }

int Generator::context() const { return impl_->engine.model().context_for(0); }

Generation Generator::generate(std::string_view prompt, const GenerationOptions& options,
                               const std::function<void(std::string_view)>& accept,
                               std::uint64_t sample) const {
  const EnteredRuntime entered(impl_->runtime);
  return impl_->engine.generate(prompt, options, accept, sample);
}

std::vector<Generation> Generator::generate_best(std::string_view prompt,
                                                 const GenerationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return impl_->engine.generate_best(prompt, options);
}

std::vector<std::int32_t> Generator::prompt_ids(std::string_view prompt,
                                                const GenerationOptions& options) const {
  return impl_->engine.prompt_ids(prompt, options);
}

std::vector<GeneratedToken> Generator::score_tokens(std::span<const std::int32_t> ids,
                                                    int likeliest) const {
  const EnteredRuntime entered(impl_->runtime);
  return attend::score_tokens(impl_->engine.model(),
                              impl_->engine.ids_to_score({ids.begin(), ids.end()}, likeliest),
                              likeliest);
}

std::vector<SequenceScore> Generator::score(std::span<const std::string> lines,
                                            const ScoringOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return score_lines(impl_->engine.model(), lines, options);
}

Perplexity Generator::perplexity(std::span<const std::string> lines) const {
  const EnteredRuntime entered(impl_->runtime);
  return perplexity_of(lines, impl_->engine.model());
}

OutputExplanation Generator::explain(const std::string& text,
                                     const ExplanationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return attend::explain(impl_->engine.model(), text, options);
}

}  // namespace attend
