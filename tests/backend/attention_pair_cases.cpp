// Attention in parts, on the patterns of whole attention.
#include <functional>

#include "backend/attention_pattern.h"
#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;
using RunPairs = std::function<Results(Backend&, Operands&, const AttentionProblem&)>;

// Sums of up to 64 products of size 1, or 300 of weights and values: some roundings of partial sums
// up to 50.
constexpr Tolerance kSums{2e-5, 3e-6};
constexpr Tolerance kWeights{1e-6, 3e-6};
constexpr Tolerance kSame{0.0, 0.0};
// Up to 64 times a tanh that is off by 2e-7; backward up to 300 of them.
constexpr Tolerance kTanhSums{2e-5, 3e-6};
constexpr Tolerance kTanhGradients{1e-4, 1e-5};

Results run_products(Backend& b, Operands& o, const AttentionProblem& p) {
  const Tensor pairs = o.output_vector(p.weights_size());
  b.attention_scores(p.q, p.k, p.layout, pairs);
  return {pairs};
}

Results run_sums(Backend& b, Operands& o, const AttentionProblem& p) {
  const Tensor pairs = o.normal_vector(p.weights_size());
  const Tensor by_query = o.output(p.queries(), p.k.cols()),
               by_key = o.output(p.keys(), p.k.cols());
  const Tensor added = o.normal(p.queries(), p.k.cols()),
               key_added = o.normal(p.keys(), p.k.cols());
  b.apply_attention(pairs, p.k, p.layout, 0.0f, by_query);
  b.apply_attention(pairs, p.k, p.layout, 1.0f, added);
  b.apply_attention_transposed(pairs, p.q, p.layout, 0.0f, by_key);  // rows of no sequence stay NaN
  b.apply_attention_transposed(pairs, p.q, p.layout, 1.0f, key_added);
  return {by_query, by_key, added, key_added};
}

Results run_softmax(Backend& b, Operands& o, const AttentionProblem& p) {
  const Tensor scores = o.normal_vector(p.weights_size(), 3.0f),
               dweights = o.normal_vector(p.weights_size());
  const Tensor weights = o.output_vector(p.weights_size()),
               dscores = o.output_vector(p.weights_size());
  b.pair_softmax(scores, p.layout, weights);
  b.pair_softmax_backward(weights, dweights, p.layout, dscores);
  return {weights, dscores};
}

// With many ties.
Results run_arg_max(Backend& b, Operands& o, const AttentionProblem& p) {
  const Tensor scores = o.with_ties(1, p.weights_size()).clone().reshape({p.weights_size()});
  const Tensor weights = o.output_vector(p.weights_size());
  b.attention_argmax(scores, p.layout, weights);
  return {weights};
}

Results run_additive(Backend& b, Operands& o, const AttentionProblem& p) {
  const Tensor v = o.normal_vector(p.q.cols()), scores = o.output_vector(p.weights_size());
  b.additive_scores(p.q, p.k, v, p.layout, scores);
  return {scores};
}

Results run_additive_backward(Backend& b, Operands& o, const AttentionProblem& p) {
  const Tensor v = o.normal_vector(p.q.cols()), dscores = o.normal_vector(p.weights_size());
  const Tensor dq = o.output(p.queries(), p.q.cols()), dv = o.output(p.queries(), p.q.cols());
  const Tensor dk = o.output(p.keys(), p.q.cols()), added = o.normal(p.keys(), p.q.cols());
  b.additive_scores_backward(p.q, p.k, v, p.layout, dscores, dq, dv, 0.0f, dk);
  b.additive_scores_backward(p.q, p.k, v, p.layout, dscores, dq, dv, 1.0f, added);
  return {dq, dv, dk, added};
}

}  // namespace

std::vector<KernelCase> attention_pair_cases() {
  struct Family {
    const char* name;
    Tolerance tolerance;
    RunPairs run;
  };
  const std::vector<Family> families{
      {"attention_scores", kSums, run_products},
      {"apply_attention", kSums, run_sums},
      {"pair_softmax", kWeights, run_softmax},
      {"attention_argmax", kSame, run_arg_max},
      {"additive_scores", kTanhSums, run_additive},
      {"additive_scores_backward", kTanhGradients, run_additive_backward}};
  std::vector<AttentionPattern> patterns = small_attention_patterns();
  for (AttentionPattern& pattern : large_attention_patterns())
    patterns.push_back(std::move(pattern));
  std::vector<KernelCase> cases;
  for (const AttentionPattern& pattern : patterns) {
    for (const Family& family : families) {
      const auto run = [pattern, part = family.run](Backend& backend, Operands& o,
                                                    const Shape&) -> Results {
        return part(backend, o, AttentionProblem(pattern, o));
      };
      cases.push_back(
          {std::string(family.name) + "_" + pattern.name, {Shape{}}, family.tolerance, run});
    }
  }
  return cases;
}

}  // namespace attend
