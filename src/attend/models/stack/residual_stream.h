// The residual stream of a stack taken apart: what the embedding, each head, each feed-forward
// network and each bias add to a number that is linear in the output.
//
// A normalization of the stream, g (x - mean(x)) / s + b, or g x / s without mean and b, is linear
// in x once its denominator s is taken as it is. A number w y of the output y is then the sum of
// w' p over all parts p, with w' = w through the normalizations behind the part, and of w' b over
// all shifts b. Computed from the output backwards, in f64.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/explanation.h"
#include "attend/nn/residual_step.h"

namespace attend {

class ResidualStream {
 public:
  // Takes the stack at path `stack` ("encoder", "decoder") from all steps of a pass. `steps` must
  // have some of it.
  ResidualStream(std::span<const ResidualStep> steps, std::string stack);

  std::int64_t rows() const { return steps_.front().added.rows(); }
  std::int64_t width() const { return steps_.front().added.cols(); }

  // What each part adds to direction [D] times the output of a row.
  std::vector<LogitPart> parts(std::int64_t row, std::span<const double> direction) const;
  // What is added to the stream of a row.
  std::vector<ResidualAddition> additions(std::int64_t row) const;
  // The stream of a row behind the embedding and behind each layer, each as if it were the last:
  // through the last normalization [layers + 1, D].
  Tensor outputs(std::int64_t row) const;

  // A direction of the output of a normalization of x as one of x: the denominator is taken as it
  // is.
  static std::vector<double> before_norm(const LayerNormParameters& norm,
                                         std::vector<double> direction,
                                         const std::vector<float>& x);

 private:
  using Vector = std::vector<double>;
  // g (x - mean(x)) / s + b, or without `shift` g x / s.
  struct Normalization {
    Vector gain, shift;
    double epsilon = 0;

    static Normalization of(const LayerNormParameters& norm);
    bool defined() const { return !gain.empty(); }
    bool is_centered() const { return !shift.empty(); }
    bool is_shifted() const;  // not by zeros alone, as without a bias
    double denominator(const Vector& x) const;
    Vector output_for(Vector x) const;
    // direction times the output is result times x, and a constant.
    Vector pull_back(Vector direction, const Vector& x) const;
  };
  // A step, on the host.
  struct Step {
    std::string module;
    Tensor added;  // [N, D], or undefined
    int n_heads = 0;
    Tensor head_values;         // [N, H*d_value]
    Tensor projection;          // [D, H*d_value]
    Vector bias;                // of the projection [D], or empty
    bool rounds = false;        // the weights of the projection are in 8 bits
    Normalization branch_norm;  // of what is added
    std::string branch_norm_module;
    double branch_factor = 1;
    Normalization norm;  // of the sum
    double factor = 1;

    static Step of(const ResidualStep& step, std::string_view stack);
    // What is added to the stream of a row.
    Vector addition(std::int64_t row) const;
    Vector output_for(Vector x, std::int64_t row) const;
    // direction times the step is result times what was before it, and a constant.
    Vector pull_back(Vector direction, const Vector& x) const;
    void add_parts(std::int64_t row, const Vector& direction, std::vector<LogitPart>& parts) const;
  };

  // The stream of a row before each step, and behind the last one.
  std::vector<Vector> states(std::int64_t row) const;
  bool ends_layer(std::size_t step) const;

  std::string stack_;
  std::vector<Step> steps_;
};

}  // namespace attend
