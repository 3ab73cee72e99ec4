#include "attend/autograd/variable.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "attend/error.h"
#include "attend/tensor/allocator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

Tensor numbers(std::vector<float> values) {
  return Tensor::from(values, {static_cast<std::int64_t>(values.size())});
}

using Values = std::vector<float>;

// factor * x; writes `name` to `log` when its gradient passes.
Variable times(float factor, const Variable& x, std::string name = "",
               std::vector<std::string>* log = nullptr) {
  const auto multiplied = [](float by, const Tensor& t) {
    const Tensor y = t.clone();
    for (float& value : y.span()) value *= by;
    return y;
  };
  return record(multiplied(factor, x.value()), {&x}, [=, dx = x.sink()](const Tensor& dy) {
    if (log != nullptr) log->push_back(name);
    dx.add(multiplied(factor, dy));
  });
}

// a + b; hands one gradient to both, as ops::add does.
Variable plus(const Variable& a, const Variable& b, std::string name = "",
              std::vector<std::string>* log = nullptr) {
  const Tensor y = a.value().clone();
  for (std::int64_t i = 0; i < y.size(); ++i) y.data()[i] += b.value().data()[i];
  return record(y, {&a, &b}, [=, da = a.sink(), db = b.sink()](const Tensor& dy) {
    if (log != nullptr) log->push_back(name);
    if (da.needed()) da.add(dy);
    if (db.needed()) db.add(dy);
  });
}

TEST(Variable, IsAConstantUnlessAGradientIsAskedFor) {
  const Variable undefined, constant(numbers({1, 2})), leaf(numbers({1, 2}), true);
  EXPECT_FALSE(undefined.defined());
  EXPECT_FALSE(undefined.requires_gradient());
  EXPECT_FALSE(constant.requires_gradient());
  EXPECT_FALSE(constant.sink().needed());
  EXPECT_FALSE(constant.gradient().defined());
  EXPECT_TRUE(leaf.requires_gradient());
  EXPECT_TRUE(leaf.sink().needed());
  EXPECT_TRUE(leaf.sink().empty());
  EXPECT_FALSE(leaf.gradient().defined()) << "none has arrived";
}

TEST(Backward, LeavesTheGradientInTheLeaf) {
  const Variable x(numbers({1, 2}), true);
  backward(times(2.0f, times(5.0f, x)), numbers({1, 3}));
  EXPECT_EQ(x.gradient().to_vector(), (Values{10, 30}));
}

TEST(Backward, BeginsWithOneForALoss) {
  const Variable x(numbers({7}), true);
  backward(times(3.0f, x));
  EXPECT_EQ(x.gradient().item(), 3.0f);
}

TEST(Backward, OfALeafIsItsOwnGradient) {
  const Variable x(numbers({7}), true);
  backward(x);
  backward(x);
  EXPECT_EQ(x.gradient().item(), 2.0f);
}

TEST(Backward, KeepsNoGradientOfWhatIsBetween) {
  const Variable x(numbers({7}), true);
  const Variable between = times(2.0f, x), y = times(3.0f, between);
  backward(y);
  EXPECT_FALSE(between.gradient().defined());
  EXPECT_FALSE(y.gradient().defined());
}

// A diamond: the function of `shared` may run only when both branches have sent their part, the
// longer one too.
TEST(Backward, VisitsANodeAfterAllThatUseItAndOnce) {
  std::vector<std::string> log;
  const Variable x(numbers({1}), true);
  const Variable shared = times(2.0f, x, "shared", &log);
  const Variable longer = times(5.0f, times(3.0f, shared, "long 1", &log), "long 2", &log);
  const Variable shorter = times(7.0f, shared, "short", &log);
  backward(plus(shorter, longer, "sum", &log));
  EXPECT_EQ(log, (std::vector<std::string>{"sum", "short", "long 2", "long 1", "shared"}));
  EXPECT_EQ(x.gradient().item(), 2.0f * (3.0f * 5.0f + 7.0f));
}

TEST(Backward, PassesByWhatTheOutputDoesNotDependOn) {
  std::vector<std::string> log;
  const Variable x(numbers({1}), true);
  const Variable shared = times(2.0f, x);
  const Variable aside = times(3.0f, shared, "aside", &log);
  backward(times(4.0f, shared));
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(x.gradient().item(), 8.0f);
}

TEST(Backward, AddsUpTheGradientsOfSeveralGraphs) {
  const Variable x(numbers({1, 1}), true);
  backward(times(2.0f, x), numbers({1, 10}));
  backward(plus(x, times(3.0f, x)), numbers({1, 10}));
  EXPECT_EQ(x.gradient().to_vector(), (Values{6, 60}));
}

TEST(Backward, WritesIntoThePartOfAFlatBufferThatALeafWasGiven) {
  const Tensor flat = numbers({100, 100, 100, 100});
  const Variable x(numbers({1, 2}), flat.slice_rows(1, 3));
  backward(times(2.0f, x), numbers({1, 2}));
  backward(plus(x, x), numbers({10, 20}));
  EXPECT_EQ(flat.to_vector(), (Values{100, 122, 144, 100}));
  EXPECT_EQ(x.gradient().data(), flat.data() + 1);
}

TEST(Backward, LeavesTheGradientItWasGivenAlone) {
  const Tensor dy = numbers({1, 2});
  const Variable x(numbers({1, 2}), true);
  backward(plus(plus(x, x), x), dy);
  EXPECT_EQ(x.gradient().to_vector(), (Values{3, 6}));
  EXPECT_EQ(dy.to_vector(), (Values{1, 2})) << "one tensor went to four sinks";
}

TEST(Backward, FreesValuesAndGradientsOnTheWay) {
  const std::int64_t before = memory_statistics().bytes_in_use;
  {
    const Variable x(Tensor::zeros({1000}), true);
    const std::int64_t of_leaf = memory_statistics().bytes_in_use;
    Variable y = times(2.0f, x);
    for (int i = 0; i < 10; ++i)
      y = record(y.value().clone(), {&y},
                 [saved = y.value(), dy = y.sink()](const Tensor& g) { dy.add(g); });
    const Tensor dy = Tensor::zeros({1000});
    reset_peak_memory();
    const std::int64_t of_graph = memory_statistics().bytes_in_use;
    backward(y, dy);
    EXPECT_LE(memory_statistics().peak_bytes, of_graph + (of_leaf - before));
    y = Variable();
    EXPECT_EQ(memory_statistics().bytes_in_use, before + 3 * (of_leaf - before))
        << "x, its gradient, dy";
  }
  EXPECT_EQ(memory_statistics().bytes_in_use, before);
}

TEST(Backward, GoesThroughALongChain) {
  const Variable x(numbers({1}), true);
  Variable y = x;
  for (int i = 0; i < 20000; ++i) y = times(1.0f, y);
  backward(y);
  EXPECT_EQ(x.gradient().item(), 1.0f);
}

TEST(Backward, RefusesAnOutputThatDependsOnNothing) {
  const Variable constant(numbers({1}));
  expect_error<Error>([&] { backward(constant); },
                      {"[backward]", "nothing that requires a gradient"});
  expect_error<Error>([&] { backward(times(2.0f, constant)); }, {"[backward]"});
  expect_error<Error>([&] { backward(Variable()); }, {"[backward]"});
}

TEST(Backward, RefusesGradientsOfAnotherShape) {
  const Variable x(numbers({1, 2}), true);
  expect_error<ShapeError>([&] { backward(times(1.0f, x)); }, {"[backward]", "one element", "[2]"});
  expect_error<ShapeError>(
      [&] {
        backward(times(1.0f, x), numbers({1, 2, 3}));
      },
      {"[backward]", "[2]", "[3]"});
  const Variable wrong =
      record(numbers({5}), {&x}, [dx = x.sink()](const Tensor& dy) { dx.add(dy); });
  expect_error<ShapeError>([&] { backward(wrong); }, {"[backward]", "[2]", "[1]"});
}

TEST(Backward, RefusesAGraphThatWasConsumed) {
  const Variable x(numbers({1}), true);
  const Variable shared = times(2.0f, x);
  const Variable first = times(3.0f, shared), second = times(5.0f, shared);
  backward(first);
  expect_error<Error>([&] { backward(first); }, {"[backward]", "consumed", "again"});
  expect_error<Error>([&] { backward(second); },
                      {"[backward]", "consumed"});  // its way to x is gone
  expect_error<Error>([&] { backward(times(1.0f, shared)); }, {"[backward]", "consumed"});
  EXPECT_EQ(x.gradient().item(), 6.0f) << "a refused call leaves no trace";
}

TEST(Variable, GivesItsValueOrHowToComputeItAgain) {
  const Variable x(numbers({1, 2}), true);
  EXPECT_EQ(x.kept().value().bytes(), x.value().bytes());
  EXPECT_FALSE(x.kept().is_computed_again());
  int calls = 0;
  const auto again = [&] { return ++calls, numbers({1, 2}); };
  SavedTensor kept;
  {
    const Variable y = times(1, x).computed_again_by(again);
    EXPECT_EQ(y.value().to_vector(), (Values{1, 2}));
    kept = y.kept();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(kept.value().to_vector(), (Values{1, 2}));
  EXPECT_EQ(calls, 1);
  const Variable constant = Variable(numbers({1, 2})).computed_again_by(again);
  EXPECT_FALSE(constant.kept().is_computed_again()) << "nobody will need its gradient";
}

TEST(GradientSink, AdoptsTheFirstGradientAndCopiesBeforeItAdds) {
  const Variable x(numbers({0, 0}), true);
  const Tensor first = numbers({1, 2});
  x.sink().add(first);
  EXPECT_EQ(x.gradient().data(), first.data());
  x.sink().add(numbers({10, 20}));
  EXPECT_EQ(x.gradient().to_vector(), (Values{11, 22}));
  EXPECT_EQ(first.to_vector(), (Values{1, 2}));
  const float* own = x.gradient().data();
  x.sink().add(numbers({100, 200}));
  EXPECT_EQ(x.gradient().data(), own) << "from now on in place";
  EXPECT_EQ(x.gradient().to_vector(), (Values{111, 222}));
}

TEST(GradientSink, GivesKernelsABufferToOverwriteOrToAddTo) {
  const Variable x(numbers({0, 0}), true);
  const GradientSink::Target fresh = x.sink().target();
  EXPECT_EQ(fresh.beta, 0.0f);
  EXPECT_EQ(fresh.buffer.shape(), x.shape());
  fresh.buffer.copy_from(numbers({1, 2}));
  const GradientSink::Target again = x.sink().target();
  EXPECT_EQ(again.beta, 1.0f);
  EXPECT_EQ(again.buffer.data(), fresh.buffer.data());
}

TEST(GradientSink, LetsNoKernelWriteToAnAdoptedGradient) {
  const Variable x(numbers({0, 0}), true);
  const Tensor adopted = numbers({1, 2});
  x.sink().add(adopted);
  const GradientSink::Target target = x.sink().target();
  EXPECT_EQ(target.beta, 1.0f);
  EXPECT_NE(target.buffer.data(), adopted.data());
  EXPECT_EQ(target.buffer.to_vector(), (Values{1, 2}));
}

TEST(GradientSink, IsEqualForOneVariableOnly) {
  const Variable x(numbers({0}), true), y(numbers({0}), true), copy = x;
  EXPECT_EQ(x.sink(), copy.sink());
  EXPECT_NE(x.sink(), y.sink());
  EXPECT_FALSE(x.sink() == GradientSink());
}

TEST(Record, DropsTheFunctionWhenNoInputWantsAGradient) {
  const Variable constant(numbers({1})), undefined, leaf(numbers({1}), true);
  EXPECT_FALSE(times(2.0f, constant).requires_gradient());
  EXPECT_FALSE(will_record({&constant, &undefined}));
  EXPECT_TRUE(will_record({&constant, &undefined, &leaf}));
  const auto captured = std::make_shared<int>(1);
  const Variable y = record(numbers({1}), {&constant}, [captured](const Tensor&) {});
  EXPECT_EQ(captured.use_count(), 1);
}

TEST(NoGradient, RecordsNothingWhileAlive) {
  const Variable x(numbers({1}), true);
  {
    const NoGradient guard;
    EXPECT_FALSE(times(2.0f, x).requires_gradient());
    {
      const NoGradient nested;
      EXPECT_FALSE(will_record({&x}));
    }
    EXPECT_FALSE(will_record({&x})) << "the outer one goes on";
  }
  EXPECT_TRUE(times(2.0f, x).requires_gradient());
}

TEST(UnitGradient, IsTheOneThatBackwardBeganWith) {
  const Variable x(numbers({1}), true);
  std::vector<bool> unit;
  const auto looking = [&](const Variable& input) {
    return record(input.value().clone(), {&input}, [&unit, dx = input.sink()](const Tensor& dy) {
      unit.push_back(is_unit_gradient(dy));
      dx.add(dy);
    });
  };
  backward(looking(looking(x)));
  EXPECT_EQ(unit, (std::vector<bool>{true, true})) << "passed on as it is";
  unit.clear();
  backward(looking(times(2.0f, looking(x))));
  EXPECT_EQ(unit, (std::vector<bool>{true, false}));
  unit.clear();
  backward(looking(x), Tensor::full({1}, 1.0f));
  EXPECT_EQ(unit, std::vector<bool>{false}) << "a given one is not looked into";
  EXPECT_FALSE(is_unit_gradient(Tensor::full({1}, 1.0f))) << "outside of backward";
}

TEST(NoGradient, EndsWithAnException) {
  const Variable x(numbers({1}), true);
  try {
    const NoGradient guard;
    throw Error("stop");
  } catch (const Error&) {
  }
  EXPECT_TRUE(will_record({&x}));
}

TEST(NoGradient, HoldsForItsThreadOnly) {
  const Variable x(numbers({1}), true);
  const NoGradient guard;
  bool elsewhere = false;
  std::thread([&] { elsewhere = will_record({&x}); }).join();
  EXPECT_TRUE(elsewhere);
  EXPECT_FALSE(will_record({&x}));
}

// A parameter in a flat buffer, and what backward() reports of it.
struct FlatLeaf {
  Tensor gradient = Tensor::zeros({2});
  Variable variable{numbers({1, 2}), gradient};
};

TEST(LeafDone, IsCalledOnceNothingIsAddedAnyMore) {
  const FlatLeaf early, tied, unused;
  std::vector<std::string> log;
  // early is used first, tied at the end and at the beginning.
  const Variable first = times(2, tied.variable, "first use of tied", &log);
  const Variable a = plus(first, times(3, early.variable, "use of early", &log));
  const Variable b = plus(a, times(5, tied.variable, "last use of tied", &log));
  const std::vector<std::pair<const FlatLeaf*, std::string>> names{
      {&early, "early"}, {&tied, "tied"}, {&unused, "unused"}};
  backward(b, numbers({1, 1}), [&](const Tensor& gradient) {
    for (const auto& [leaf, name] : names)
      if (leaf->gradient.bytes() == gradient.bytes())
        log.push_back(name + " is " + std::to_string(gradient.data()[0]).substr(0, 1));
  });
  EXPECT_EQ(log, (std::vector<std::string>{"last use of tied", "use of early", "early is 3",
                                           "first use of tied", "tied is 7"}));
}

TEST(LeafDone, CountsTheUsesOfOneOpAndOfEveryGraphAnew) {
  const FlatLeaf leaf;
  int reports = 0;
  for (int graph = 1; graph <= 2; ++graph) {
    backward(plus(leaf.variable, leaf.variable), numbers({1, 1}), [&](const Tensor& gradient) {
      ++reports;
      EXPECT_EQ(gradient.to_vector(), Values(2, 2.0f * static_cast<float>(graph)));
    });
    EXPECT_EQ(reports, graph);
  }
}

// Nested destructors would need a stack of some hundred megabytes.
TEST(Backward, IsNotNeededToFreeALongGraph) {
  Variable x(numbers({1.0f}), true);
  for (int i = 0; i < 1'000'000; ++i) {
    x = record(x.value(), {&x}, [dx = x.sink()](const Tensor& dy) { dx.add(dy); });
  }
  x = {};
}

TEST(Backward, IsNotNeededToFreeAGraphWithManyWays) {
  const std::int64_t before = memory_statistics().bytes_in_use;
  {
    const Variable leaf(numbers({1.0f}), true);
    Variable a = times(1.0f, leaf), b = times(2.0f, leaf);
    for (int i = 0; i < 100'000; ++i) {
      const Variable sum = plus(a, b);
      a = record(sum.value(), {&sum, &a},
                 [kept = sum.value(), to = sum.sink()](const Tensor& dy) { to.add(dy); });
      b = plus(sum, sum);
    }
    const Variable middle = a;
    a = {};
    b = {};
    backward(middle);
    EXPECT_TRUE(leaf.gradient().defined());
  }
  EXPECT_EQ(memory_statistics().bytes_in_use, before);
}

}  // namespace
}  // namespace attend
