#include "attend/optim/muon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/core/random/random.h"
#include "attend/error.h"
#include "attend/optim/optimizer_choice.h"
#include "backend/precision_count.h"
#include "backend/scoped_backend.h"
#include "collective/thread_processes.h"
#include "core/scoped_threads.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr Init kNormal{Init::Kind::normal, 1.0f};

// Matrices of products among what Adam moves.
void declare_matrices(ParameterSet& parameters, std::uint64_t seed) {
  parameters.add_output_weights("table", {9, 8}, kNormal);
  parameters.add_weights("square", {8, 8}, kNormal);
  parameters.add_weights("wide", {5, 24}, kNormal);
  parameters.add("bias", {5}, kNormal);
  parameters.add("gain", {3}, kNormal);
  parameters.add_weights("tall", {20, 7}, kNormal);
  parameters.add_table("lookup", {4, 6}, kNormal);
  parameters.allocate(seed);
}

// Another gradient at every step, of another size for every parameter.
void draw_gradients(const ParameterSet& parameters, std::uint64_t step) {
  float size = 1e-4f;
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    Random random({step, static_cast<std::uint64_t>(entry.offset)});
    for (float& g :
         parameters.gradients().slice_rows(entry.offset, entry.offset + entry.shape.size()).span())
      g = size * random.normal();
    size *= 10;
  }
}

std::vector<float> values_of(const ParameterSet& parameters, const std::string& name) {
  for (const ParameterSet::Entry& entry : parameters.entries())
    if (entry.name == name) return parameters.value(entry).to_vector();
  return {};
}

using Matrix = std::vector<std::vector<double>>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[0].size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

Matrix transpose(const Matrix& a) {
  Matrix t(a[0].size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j) t[j][i] = a[i][j];
  return t;
}

// The five steps as they are published, in double precision: X <- a X + (b A + c A A) X, A = X X^T.
Matrix plainly_orthogonal(Matrix x) {
  double squares = 0;
  for (const auto& row : x)
    for (const double v : row) squares += v * v;
  for (auto& row : x)
    for (double& v : row) v /= std::sqrt(squares);
  const bool tall = x.size() > x[0].size();
  if (tall) x = transpose(x);
  for (int step = 0; step < 5; ++step) {
    Matrix a = product(x, transpose(x));
    const Matrix aa = product(a, a);
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < a.size(); ++j) a[i][j] = -4.7750 * a[i][j] + 2.0315 * aa[i][j];
    const Matrix ax = product(a, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x[0].size(); ++j) x[i][j] = 3.4445 * x[i][j] + ax[i][j];
  }
  return tall ? transpose(x) : x;
}

Matrix to_matrix(const std::vector<float>& values, std::int64_t rows) {
  Matrix m(static_cast<std::size_t>(rows));
  const std::size_t width = values.size() / m.size();
  for (std::size_t i = 0; i < m.size(); ++i)
    m[i].assign(values.begin() + static_cast<std::ptrdiff_t>(i * width),
                values.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
  return m;
}

class MuonTest : public testing::TestWithParam<const char*> {
 protected:
  MuonTest() : backend_(std::string(GetParam()) == "fast" ? fast_backend() : reference_backend()) {
    declare_matrices(parameters_, 1);
  }

  // Five steps of both for one matrix.
  void expect_plain_steps(const std::string& name, const AdamOptions& rest,
                          double gradient_scale(double norm)) {
    Muon muon(parameters_, {}, rest);
    const ParameterSet::Entry* entry = nullptr;
    for (const ParameterSet::Entry& e : parameters_.entries())
      if (e.name == name) entry = &e;
    ASSERT_NE(entry, nullptr);
    const std::int64_t rows = entry->shape[0], columns = entry->shape[1];
    Matrix w = to_matrix(values_of(parameters_, name), rows),
           m(w.size(), std::vector<double>(w[0].size()));
    for (std::uint64_t step = 1; step <= 5; ++step) {
      const double rate = 0.02 / static_cast<double>(step);
      draw_gradients(parameters_, step);
      const Matrix g = to_matrix(parameters_.gradients()
                                     .slice_rows(entry->offset, entry->offset + entry->shape.size())
                                     .to_vector(),
                                 rows);
      const double scale = gradient_scale(std::sqrt(muon.step(static_cast<float>(rate))));
      Matrix ahead = m;
      for (std::size_t i = 0; i < m.size(); ++i)
        for (std::size_t j = 0; j < m[0].size(); ++j) {
          m[i][j] = 0.95 * m[i][j] + 0.05 * scale * g[i][j];
          ahead[i][j] = 0.95 * m[i][j] + 0.05 * scale * g[i][j];
        }
      const Matrix direction = plainly_orthogonal(ahead);
      for (std::size_t i = 0; i < w.size(); ++i)
        for (std::size_t j = 0; j < w[0].size(); ++j) {
          w[i][j] *= 1 - rate * static_cast<double>(rest.weight_decay);
          w[i][j] -= rate * 0.2 * std::sqrt(static_cast<double>(std::max(rows, columns))) *
                     direction[i][j];
        }
    }
    const Matrix moved = to_matrix(values_of(parameters_, name), rows);
    for (std::size_t i = 0; i < w.size(); ++i)
      for (std::size_t j = 0; j < w[0].size(); ++j)
        EXPECT_NEAR(moved[i][j], w[i][j], 1e-5) << name << " " << i << ", " << j;
  }

  ParameterSet parameters_;

 private:
  ScopedBackend backend_;
};

double not_scaled(double) { return 1; }
double scaled_to_a_half(double norm) { return 0.5 / norm; }

TEST(MuonProducts, HaveTheirPrecision) {
  ParameterSet parameters;
  declare_matrices(parameters, 1);
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    PrecisionCount recording;
    const ScopedBackend scope(recording);
    OptimizerOptions options;
    options.kind = OptimizerKind::muon;
    const auto muon = make_optimizer(parameters, options, precision);
    draw_gradients(parameters, 1);
    muon->step(0.01f);
    EXPECT_GT(precision == Precision::f32 ? recording.in_f32() : recording.in_bf16(), 0);
    EXPECT_EQ(precision == Precision::f32 ? recording.in_bf16() : recording.in_f32(), 0)
        << "products of the other precision";
  }
}

TEST_P(MuonTest, MovesSquareMatricesAsPublished) { expect_plain_steps("square", {}, not_scaled); }
TEST_P(MuonTest, MovesWideMatricesAsPublished) { expect_plain_steps("wide", {}, not_scaled); }
TEST_P(MuonTest, MovesTallMatricesAsPublished) { expect_plain_steps("tall", {}, not_scaled); }

TEST_P(MuonTest, DecaysWeightsApartFromTheGradient) {
  AdamOptions rest;
  rest.weight_decay = 0.5f;
  expect_plain_steps("wide", rest, not_scaled);
}

// Momenta are means of clipped gradients: of those of very different lengths the longest does not
// decide alone.
TEST_P(MuonTest, ClipsByTheNormOfTheWholeGradient) {
  AdamOptions rest;
  rest.clip_norm = 0.5f;
  expect_plain_steps("tall", rest, scaled_to_a_half);
}

// With whatever Adam is asked to do: each of its options matters to what is left to it, and to
// nothing that it is not.
TEST_P(MuonTest, LeavesTheRestToAdam) {
  std::vector<AdamOptions> settings(6);
  settings[1].clip_norm = 0.5f;
  settings[2].weight_decay = 0.5f;
  settings[3].beta1 = 0.5f;
  settings[4].beta2 = 0.9f;
  settings[5].epsilon = 1e-3f;
  std::vector<std::vector<float>> tables;
  for (const AdamOptions& rest : settings) {
    ParameterSet mine, others;
    declare_matrices(mine, 1);
    declare_matrices(others, 1);
    Muon muon(mine, {}, rest);
    Adam adam(others, rest);
    for (std::uint64_t step = 1; step <= 5; ++step) {
      draw_gradients(mine, step);
      draw_gradients(others, step);
      EXPECT_EQ(muon.step(0.01f), adam.step(0.01f));
    }
    for (const char* name : {"table", "bias", "gain", "lookup"})
      EXPECT_EQ(values_of(mine, name), values_of(others, name)) << name;
    for (const char* name : {"square", "wide", "tall"})
      EXPECT_NE(values_of(mine, name), values_of(others, name)) << name;
    tables.push_back(values_of(mine, "table"));
  }
  for (std::size_t i = 1; i < tables.size(); ++i)
    EXPECT_NE(tables[i], tables[0]) << "setting " << i << " made no difference";
}

TEST_P(MuonTest, ADirectionHasSingularValuesNearOne) {
  for (const Shape& shape :
       {Shape{40, 40}, Shape{16, 64}, Shape{64, 16}, Shape{1, 30}, Shape{30, 1}, Shape{1, 1}}) {
    Tensor x = Tensor::empty(shape);
    Random random({3, static_cast<std::uint64_t>(shape[0])});
    for (float& v : x.span()) v = 1e-3f * random.normal();
    Matrix direction = to_matrix(newton_schulz(x).to_vector(), shape[0]);
    if (shape[0] > shape[1]) direction = transpose(direction);
    const Matrix square = product(
        direction, transpose(direction));  // the squares of singular values are its eigenvalues
    double trace = 0, largest_row = 0;
    for (std::size_t i = 0; i < square.size(); ++i) {
      trace += square[i][i];
      double row = 0;
      for (std::size_t j = 0; j < square.size(); ++j) row += square[i][j] * square[i][j];
      largest_row = std::max(largest_row, std::sqrt(row));
    }
    EXPECT_NEAR(trace / static_cast<double>(square.size()), 0.8, 0.4) << to_string(shape);
    EXPECT_LT(largest_row, 1.3 * 1.3) << to_string(shape);
  }
}

TEST_P(MuonTest, AGradientOfZerosMovesNothing) {
  const std::vector<float> before = parameters_.values().to_vector();
  parameters_.gradients().zero();
  Muon muon(parameters_, {}, {});
  EXPECT_EQ(muon.step(0.1f), 0.0);
  EXPECT_EQ(parameters_.values().to_vector(), before);
}

TEST_P(MuonTest, DoesNotDependOnTheNumberOfThreads) {
  ParameterSet others;
  declare_matrices(others, 1);
  const auto run = [](ParameterSet& parameters, int threads) {
    const ScopedThreads scoped(threads);
    Muon muon(parameters, {}, {});
    for (std::uint64_t step = 1; step <= 3; ++step) {
      draw_gradients(parameters, step);
      muon.step(0.01f);
    }
    return parameters.values().to_vector();
  };
  EXPECT_EQ(run(parameters_, 1), run(others, 3));
}

TEST_P(MuonTest, GoesOnFromASavedState) {
  Muon whole(parameters_, {}, {});
  for (std::uint64_t step = 1; step <= 3; ++step) {
    draw_gradients(parameters_, step);
    whole.step(0.01f);
  }
  ParameterSet other;
  declare_matrices(other, 99);
  other.values().copy_from(parameters_.values());
  Muon resumed(other, {}, {});
  const auto from = whole.state(), to = resumed.state();
  ASSERT_EQ(from.size(), 3u);
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(from[i].first, to[i].first);
    to[i].second.copy_from(from[i].second);
  }
  resumed.set_steps(whole.steps());
  for (std::uint64_t step = 4; step <= 6; ++step) {
    draw_gradients(parameters_, step);
    draw_gradients(other, step);
    whole.step(0.01f);
    resumed.step(0.01f);
  }
  EXPECT_EQ(other.values().to_vector(), parameters_.values().to_vector());
}

TEST_P(MuonTest, RemembersOneNumberForEachElementOfAMatrix) {
  const std::int64_t matrices = 8 * 8 + 5 * 24 + 20 * 7;
  for (const auto& [name, values] : Muon(parameters_, {}, {}).state())
    EXPECT_EQ(values.size(), name == "muon.momentum" ? matrices : parameters_.size() - matrices)
        << name;
}

TEST_P(MuonTest, RefusesWhatMakesNoSense) {
  expect_error<ConfigError>([&] { Muon(parameters_, {.momentum = 1.0f}, {}); },
                            {"muon_momentum", "from 0 to below 1", "1"});
  expect_error<ConfigError>(
      [&] { Muon(parameters_, {.momentum = std::numeric_limits<float>::quiet_NaN()}, {}); },
      {"muon_momentum", "nan"});
  expect_error<ConfigError>([&] { Muon(parameters_, {}, {.beta2 = 1.0f}); }, {"adam_beta2"});
}

INSTANTIATE_TEST_SUITE_P(Backends, MuonTest, testing::Values("fast", "reference"));

// The values and the state after three steps of `processes`, on every one of them.
std::vector<std::vector<float>> after_steps_of(int processes) {
  std::vector<std::vector<float>> results(static_cast<std::size_t>(processes));
  in_processes(processes, [&](const auto& process) {
    ParameterSet parameters;
    declare_matrices(parameters, 3);
    Muon muon(parameters, {}, {.weight_decay = 0.1f, .clip_norm = 1.0f});
    if (processes > 1) muon.share_steps(*process);
    for (std::uint64_t step = 1; step <= 3; ++step) {
      draw_gradients(parameters, step);
      muon.step(0.01f);
    }
    std::vector<float>& result = results[static_cast<std::size_t>(process->rank())];
    result = parameters.values().to_vector();
    for (const auto& [name, values] : muon.state()) {
      const std::vector<float> state = values.to_vector();
      result.insert(result.end(), state.begin(), state.end());
    }
  });
  return results;
}

// Of three matrices, some of eight processes have none.
TEST(Muon, StepsOfSeveralProcessesHaveTheBitsOfOne) {
  const std::vector<float> alone = after_steps_of(1).front();
  for (const int processes : {2, 4, 8})
    for (const std::vector<float>& result : after_steps_of(processes))
      EXPECT_EQ(result, alone) << processes << " processes";
}

TEST(Muon, SharesItsWorkOut) {
  std::vector<std::size_t> sent(2);
  in_processes(2, [&](const auto& process) {
    ParameterSet parameters;
    for (const char* name : {"a", "b", "c", "d"}) parameters.add_weights(name, {8, 8}, kNormal);
    parameters.allocate(1);
    Muon muon(parameters, {}, {});
    muon.share_steps(*process);
    parameters.gradients().zero();
    muon.step(0.01f);
    sent[static_cast<std::size_t>(process->rank())] = process->bytes_sent;
  });
  EXPECT_EQ(sent, (std::vector<std::size_t>(2, 2 * 8 * 8 * sizeof(float)))) << "two matrices each";
}

}  // namespace
}  // namespace attend
