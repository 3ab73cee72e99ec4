#include "attend/tasks/classification/margins.h"

#include "attend/tasks/classification/training.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class Margins : public FolderTest {
 protected:
  static ClassificationTeachers teachers(const ClassificationModel& model) {
    return ClassificationTeachers({std::make_shared<const Checkpoint>(checkpoint_of(model))});
  }
  // Two triples with the margins 3 and -1.
  void write_scores() {
    write_taught_texts(
        std::vector<std::string>{"a film\tgood\tbad", "the cat\tso good\tfine"}, passage_scores(),
        [](std::span<const std::string>) {
          return std::vector<float>{2, -1, 0.5f, 1.5f};
        },
        "", path("scores"), [](std::int64_t) {});
  }
};

TEST_F(Margins, AreReadFromTablesOfTriples) {
  write(path("plain.tsv"), "a film\tgood\tbad\n");
  write(path("named.csv"), "negative,query,positive\nbad,a\tcat,good\n");
  const std::vector<std::string> files{path("plain.tsv").string(), path("named.csv").string()};
  EXPECT_EQ(read_triples(files),
            (std::vector<std::string>{"a film\tgood\tbad", "a cat\tgood\tbad"}));
  write(path("empty.tsv"), "a film\t \tbad\n");
  const std::vector<std::string> empty{path("empty.tsv").string()};
  expect_error<DataError>([&] { read_triples(empty); }, {"empty.tsv:1: expected a query and two"});
}

TEST_F(Margins, ComeFromTheOutputsOfTeachers) {
  ClassificationModel model = small_classifier_for(ProblemType::regression, true);
  model.cross_encoder_function = OutputFunction::sigmoid;
  const std::vector<std::string> triples{"a film\tgood\tbad"}, pairs{"a film\tgood", "a film\tbad"};
  const std::vector<float> scores = passage_scores(teachers(model), triples);
  const auto outputs =
      ClassificationEngine(model).classify(pairs, {.function_to_apply = OutputFunction::none});
  EXPECT_EQ(scores, (std::vector<float>{outputs[0].value, outputs[1].value}));
  expect_error<DataError>([&] { passage_scores(teachers(small_classifier()), triples); },
                          {"expected rerankers as teachers"});
}

TEST_F(Margins, AreTargetsOfTwoPairsTogether) {
  write_scores();
  const LabeledText text = read_margins(path("scores"));
  EXPECT_EQ(text.texts, (std::vector<std::string>{"a film\tgood", "a film\tbad", "the cat\tso good",
                                                  "the cat\tfine"}));
  EXPECT_EQ(text.targets, (std::vector<float>{3, -1}));
  EXPECT_EQ(text.together, 2);
  write_taught_texts(
      std::vector<std::string>{"a"}, {"vectors", {}},
      [](std::span<const std::string>) {
        return std::vector<float>{1, 2};
      },
      "", path("vectors"), [](std::int64_t) {});
  expect_error<DataError>([&] { read_margins(path("vectors")); },
                          {"expected the scores of passages, found vectors"});
}

TEST_F(Margins, AreLearnedAsDifferencesOfNumbers) {
  write_scores();
  ClassificationTraining o;
  o.data.margins = path("scores").string();
  o.data.columns.second_column = "3";
  o.model.problem_type = ProblemType::regression;
  o.tokenizer.type = TokenizerType::chars;
  o.tokenizer.vocab_size = 20;
  o.model.d_model = o.model.d_ff = 16;
  o.model.n_heads = 2;
  o.model.dropout = 0;
  const TrainingTask task = prepare_training(o, nullptr);
  EXPECT_EQ(task.objective->unit(), "triples");
  ASSERT_EQ(task.objective->batches(0), 1);
  EXPECT_EQ(task.objective->size(0, 0).targets, 2);
  EXPECT_EQ(task.objective->largest_error(), 9);
  const auto& model = dynamic_cast<const ClassificationModel&>(*task.model);
  std::int64_t tokens = 0;
  std::vector<double> numbers;
  for (const std::string& pair : read_margins(path("scores")).texts) {
    tokens += std::ssize(model.ids(pair));
    numbers.push_back(ClassificationEngine(model).classify(std::vector{pair}).front().value);
  }
  EXPECT_EQ(task.objective->size(0, 0).sources, tokens);
  const auto squared = [](double x) { return x * x; };
  const double expected =
      squared(numbers[0] - numbers[1] - 3) + squared(numbers[2] - numbers[3] + 1);
  Pass pass = Pass::inference();
  EXPECT_NEAR(task.objective->loss(0, 0, 2.0, pass).loss_sum, expected, 1e-4);
}

}  // namespace
}  // namespace attend
