#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/text_input.h"
#include "attend/error.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/retrieval.h"

namespace attend {
namespace {

// The vectors of texts, window after window, so that progress can be shown.
class EvaluatedTexts {
 public:
  explicit EvaluatedTexts(const EmbeddingModel& model) : embedder_(model), input_(model) {}

  // [T, D]
  Tensor vectors(std::span<const std::string> texts) {
    constexpr std::size_t kWindow = 1024;
    for (const std::string& text : texts) input_.look_at(text);
    ProgressLine progress = ProgressLine::counting("texts", std::ssize(texts));
    std::vector<float> values;
    const std::int64_t count = std::ssize(texts);
    while (!texts.empty()) {
      const auto next = texts.first(std::min(kWindow, texts.size()));
      texts = texts.subspan(next.size());
      for (const TextEmbedding& one : embedder_.embed(next, {})) {
        const std::span<const float> row = one.vectors.span();
        values.insert(values.end(), row.begin(), row.end());
      }
      progress.add(std::ssize(next));
    }
    return Tensor::from(values, {count, std::ssize(values) / count});
  }
  void tell_warning() const { input_.tell_warning(); }

 private:
  EmbeddingEngine embedder_;
  TextInput input_;
};

RelatedOptions table_options(const EmbeddingEvaluation& o, const ClassifierEvaluation& labels) {
  RelatedOptions options;
  options.relation = labels.labeled.empty() ? TextRelation::pairs : TextRelation::labeled;
  options.pair = o.columns;
  options.label_column = labels.columns.label_column;
  options.text_column = labels.columns.text_column;
  options.header = labels.columns.header;
  options.table = labels.columns.table;
  return options;
}

nlohmann::ordered_json retrieval_json(const RetrievalScores& scores) {
  return {{"queries", scores.queries()},
          {"recall_at_1", scores.recall_at(1)},
          {"recall_at_5", scores.recall_at(5)},
          {"recall_at_10", scores.recall_at(10)},
          {"mrr", scores.mrr()},
          {"ndcg_at_10", scores.ndcg()}};
}

}  // namespace

void evaluate_embeddings(const EmbeddingModel& model, const EmbeddingEvaluation& o,
                         const ClassifierEvaluation& labels, const EvaluationOutput& output) {
  if (!o.pairs.empty() && !labels.labeled.empty())
    throw ConfigError("--pairs: expected either pairs or --labeled texts, got both");
  const RelatedOptions options = table_options(o, labels);
  const std::vector<std::string>& related_files = o.pairs.empty() ? labels.labeled : o.pairs;
  if (related_files.empty() && o.scored.empty())
    throw ConfigError(
        "--pairs: expected a file to measure the embedding model on, or one of --labeled texts or "
        "--scored pairs, got none");
  RelatedTexts related;
  ScoredTexts scored;
  if (!related_files.empty()) related = read_related(related_files, options);
  if (!o.scored.empty()) scored = read_scored(o.scored, options);
  EvaluatedTexts texts(model);
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::string table;
  if (!related_files.empty()) {
    const RetrievalScores scores =
        retrieval_scores(texts.vectors(related.texts), retrieval_of(related), model.similarity);
    json = retrieval_json(scores);
    table = scores.table();
  }
  if (!o.scored.empty()) {
    const double spearman =
        similarity_spearman(texts.vectors(scored.texts), scored, model.similarity);
    json["scored_pairs"] = scored.pairs.size();
    json["spearman"] = spearman;
    table += fmt::format("pairs      {}\nSpearman   {:.4f}\n", scored.pairs.size(), spearman);
  }
  answer("{}", output.format == OutputFormat::json ? json_text(json, 1) + "\n" : table);
  texts.tell_warning();
}

}  // namespace attend
