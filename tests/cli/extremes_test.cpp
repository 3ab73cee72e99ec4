// Every number that the program takes, at both ends of its range, in a run of its command on a tiny
// model: the answer is a result or an error of one line, never a signal, and it comes at once. What
// is beyond the ends is refused before anything runs (numbers_test.cpp).
#include <set>
#include <sstream>

#include "cli/number_options.h"
#include "cli/started_program.h"

namespace attend {
namespace {

// A command line that the options of a command are added to. RUN/model.safetensors is a model of
// `needs`: mt, lm or cl.
struct ExtremeCase {
  std::string command;
  std::string flags;
  std::string needs;
};

const std::string kTiny =
    " --d-model 8 --n-heads 2 --d-ff 8 --vocab-size 90 --batch-tokens 400 --max-steps 2 "
    "--warmup-steps 1 --valid-every 1 --threads 1 "
    "--out made";
const std::string kScores =
    "--hypotheses valid.en --references valid.de --confidence --bootstrap-samples 20 --threads 1";

const std::vector<ExtremeCase> kCases{
    {"train translation",
     "--src-train few.en --tgt-train few.de --src-valid valid.en --tgt-valid valid.de "
     "--n-encoder-layers 1 --n-decoder-layers 1" +
         kTiny,
     ""},
    {"train lm",
     "--train few.en --valid valid.en --n-layers 1 --sequence-length 12 --output-sample 20" + kTiny,
     ""},
    {"train classification", "--train labeled.tsv --valid labeled.tsv --n-encoder-layers 1" + kTiny,
     ""},
    {"train embedding",
     "--train pairs.tsv --valid pairs.tsv --valid-scored scored.tsv --n-encoder-layers 1" + kTiny,
     ""},
    {"backtranslate",
     "--src-train few.en --tgt-train few.de --tgt-mono few.de --n-encoder-layers 1 "
     "--n-decoder-layers 1 --max-length-ratio 0 --mono-decoding sample" +
         kTiny,
     ""},
    {"backtranslate",
     "--src-train few.en --tgt-train few.de --tgt-mono few.de --n-encoder-layers 1 "
     "--n-decoder-layers 1 --max-length-ratio 0 --mono-decoding noised" +
         kTiny,
     ""},
    {"distill",
     "--src-train few.en --tgt-train few.de --teacher-runs 1 --n-encoder-layers 1 "
     "--n-decoder-layers 1" +
         kTiny,
     ""},
    {"distill classification", "--train labeled.tsv --teacher-runs 1 --n-encoder-layers 1" + kTiny,
     ""},
    {"distill embedding", "--train pairs.tsv --teacher-runs 1 --n-encoder-layers 1" + kTiny, ""},
    {"distill reranking",
     "--triples triples.tsv --train judged.tsv --problem-type regression --second-column 3 "
     "--teacher-runs 1 --n-encoder-layers 1" +
         kTiny,
     ""},
    {"tune translation",
     "--src-train few.en --tgt-train few.de --src-valid valid.en --tgt-valid valid.de "
     "--n-encoder-layers 1 --n-decoder-layers 1 --trials 2 --ranges dropout=0,0.1" +
         kTiny,
     ""},
    {"train tagging", "--train tagged.conll --valid tagged.conll --n-encoder-layers 1" + kTiny, ""},
    {"filter",
     "--src few.en --tgt few.de --out-src made.en --out-tgt made.de --src-lang en --threads 1", ""},
    {"filter",
     "--src valid.en --tgt valid.de --out-src made.en --out-tgt made.de --src-lang en --threads 1 "
     "--score-with run/model.safetensors",
     "mt"},
    {"data", "tatoeba --from deu.txt --out made", ""},
    {"prepare translation",
     "--src-train few.en --tgt-train few.de --vocab-size 90 --sample-lines 30 --out made --threads "
     "1",
     ""},
    {"prepare lm", "--train few.en --vocab-size 90 --sample-lines 30 --out made --threads 1", ""},
    {"translate", "run/model.safetensors --max-length 8 --threads 1 < valid.en", "mt"},
    {"translate", "run/model.safetensors --max-length 8 --threads 1 --sample < valid.en", "mt"},
    {"translate",
     "run/model.safetensors --max-length 8 --threads 1 --rerank " ATTEND_SOURCE_DIR
     "/tests/interchange/data/models/comet_kiwi < valid.en",
     "mt"},
    {"score", "run/model.safetensors --src valid.en --tgt valid.de --threads 1", "mt"},
    {"attention",
     "run/model.safetensors 'The man sleeps.' --out page.html --max-length 8 --threads 1", "mt"},
    {"page", "run/model.safetensors --out made --engine . --threads 1", "mt"},
    {"explain", "run/model.safetensors 'The man sleeps.' --target 'Der Mann' --threads 1", "mt"},
    {"embed", "run/model.safetensors --threads 1 < valid.en", "mt"},
    {"embed nearest", "run/model.safetensors --word man --corpus train.en --threads 1", "mt"},
    {"embed senses", "run/model.safetensors --uses uses.tsv --word dog --threads 1", "mt"},
    {"average", "run --out made.safetensors", "mt"},
    {"quantize",
     "run/model.safetensors --out made.safetensors --src valid.en --tgt valid.de --threads 1",
     "mt"},
    {"optimize", "run/model.safetensors --out made.safetensors --threads 1", "mt"},
    {"import",
     std::string(ATTEND_SOURCE_DIR) +
         "/tests/interchange/data/models/marian --out made.safetensors --threads 1",
     ""},
    {"export", "run/model.safetensors --out made --threads 1", "mt"},
    {"merge", "run/model.safetensors run --out made.safetensors --threads 1", "mt"},
    {"calibrate",
     "run/model.safetensors --src some.en --tgt some.de --out made.safetensors --threads 1", "mt"},
    {"shortlist",
     "run/model.safetensors --src valid.en --tgt valid.de --out made.safetensors --threads 1",
     "mt"},
    {"generate", "run/model.safetensors --prompt The --max-tokens 8 --cache-tokens 5 --threads 1",
     "lm"},
    {"generate", "run/model.safetensors --prompt The --max-tokens 8 --beam-size 2 --threads 1",
     "lm"},
    {"evaluate", "run/model.safetensors --text valid.en --cache-tokens 5 --threads 1", "lm"},
    {"classify", "run/model.safetensors --threads 1 < valid.en", "cl"},
    {"evaluate", "run/model.safetensors --labeled labeled.tsv --threads 1", "cl"},
    {"evaluate", kScores, ""},
    {"evaluate", kScores + " --smooth-method add-k", ""},
    {"evaluate", kScores + " --baseline valid.en --significance randomization", ""},
    {"lab", "permutation --quick --threads 1", ""},
};

// Upper ends that ask for as much work: hours of it are no fault.
bool asks_for_hours(const NumberOption& option, const FoundRange& range) {
  static const std::set<std::string> kWork{
      "max-steps",         "max-length",       "max-tokens",       "n-best",
      "min-length",        "accumulate",       "shards",           "n-layers",
      "bootstrap-samples", "n-encoder-layers", "n-decoder-layers", "teacher-runs",
      "target-samples",    "trials",           "target-beam-size", "mono-translations",
      "mono-beam-size"};
  return !range.open && range.most > 1000 && kWork.contains(option.name);
}

// Commands that train have the options of attend train, which are tried there.
bool is_tried_by_training(const NumberOption& option, const NumberOptions& numbers) {
  const std::string& command = option.command.front();
  if (command != "backtranslate" && command != "distill" && command != "tune") return false;
  if (command == "tune" && option.command.back() != "translation") return true;
  return std::any_of(numbers.list().begin(), numbers.list().end(), [&](const NumberOption& other) {
    return other.command.front() == "train" && other.name == option.name;
  });
}

class Extremes : public StartedProgramTest, public testing::WithParamInterface<ExtremeCase> {
 protected:
  void SetUp() override {
    for (const std::string language : {"en", "de"}) {
      write("few." + language, first_lines(read(path("train." + language)), 40));
      write("some." + language, first_lines(read(path("train." + language)), 220));
      write("valid." + language, first_lines(read(path("valid." + language)), 3));
    }
    write("uses.tsv",
          "one\tThe man sees the dog.\none\tThe dog sees the man.\ntwo\tA dog sleeps.\ntwo\tThe "
          "old dog sleeps.\n");
    write("tagged.conll", "good O\nfilm B-A\n\nbad O\nfilm B-A\nstory I-A\n\ngood O\nstory B-A\n");
    write_texts_of_tasks();
    write("deu.txt", "Good film.\tGuter Film.\tCC\nBad film.\tSchlechter Film.\tCC\n");
    write("scored.tsv", "good film\tgood story\t1\ngood film\tbad story\t0\n");
    for (const char* engine : {"attend.js", "attend.wasm"}) write(engine, "of a page\n");
    if (GetParam().needs == "mt") train("run");
    if (GetParam().needs == "lm") train_lm("run");
    if (GetParam().needs == "cl") train_classifier("run");
  }

  // Enough text for the vocabulary of kTiny.
  void write_texts_of_tasks() {
    std::istringstream english(read(path("few.en"))), german(read(path("few.de")));
    std::string labeled, pairs, judged, triples, text, other;
    int count = 0;
    while (std::getline(english, text) && std::getline(german, other)) {
      const bool even = count++ % 2 == 0;
      labeled += fmt::format("{}\t{}\n", even ? "pos" : "neg", text);
      pairs += fmt::format("{}\t{}\n", text, other);
      judged += fmt::format("{}\t{}\t{}\n", even ? 1 : 0, text, other);
      triples += fmt::format("{}\t{}\t{}\n", text, other, text);
    }
    write("labeled.tsv", labeled);
    write("pairs.tsv", pairs);
    write("judged.tsv", judged);
    write("triples.tsv", triples);
  }

  static std::string first_lines(const std::string& text, int count) {
    std::size_t end = 0;
    for (int line = 0; line < count; ++line) end = text.find('\n', end) + 1;
    return text.substr(0, end);
  }

  // The command with the option instead of what the case says of it, in bounded memory and time.
  std::string line_of(const NumberOption& option, const std::string& value) const {
    const std::string flag = "--" + option.name;
    std::string flags = " " + GetParam().flags + " ";
    if (const std::size_t at = flags.find(" " + flag + " "); at != std::string::npos)
      flags.erase(at, flags.find(' ', at + flag.size() + 2) - at);
    // A thread reserves addresses for its stack. Where they end while it registers a destructor,
    // the C library aborts.
    const int kilobytes = option.name == "threads" ? 16'000'000 : 1'000'000;
    return fmt::format(
        "rm -rf made made.safetensors; ulimit -v {}; ulimit -t 10; $attend {} {}={} {}", kilobytes,
        GetParam().command, flag, value, flags);
  }
};

TEST_P(Extremes, EndInAResultOrAnErrorOfOneLine) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(ATTEND_EMULATED)
  GTEST_SKIP() << "sanitizers and emulators need more addresses than the limit leaves";
#endif
  NumberOptions numbers;
  int runs = 0;
  for (const NumberOption& option : numbers.list()) {
    if (fmt::format("{}", fmt::join(option.command, " ")) != GetParam().command) continue;
    if (is_tried_by_training(option, numbers)) continue;
    const FoundRange range = numbers.range_of(option);
    std::vector<std::string> values{NumberOptions::least_of(option, range)};
    if (!asks_for_hours(option, range)) values.push_back(NumberOptions::most_of(option, range));
    for (const std::string& value : values) {
      const std::string line = line_of(option, value);
      SCOPED_TRACE(line);
      const int status = shell(line);
      ++runs;
      EXPECT_TRUE(status >= 0 && status <= 2) << "status " << status << "\n" << error_;
      if (status != 0) {
        EXPECT_TRUE(error_.starts_with("attend: ")) << error_;
        EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), 1) << error_;
      }
    }
  }
  EXPECT_GT(runs, 0) << "no number among the options of " << GetParam().command;
}

INSTANTIATE_TEST_SUITE_P(Of, Extremes, testing::ValuesIn(kCases), [](const auto& test) {
  std::string name = test.param.command + "_" + std::to_string(test.index);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

// A demo takes a minute and has no number but that of its threads; a server runs until it is
// stopped, and its numbers are bounds of what clients may do (tests/server).
TEST(ExtremeCases, HaveEveryCommandThatTakesANumber) {
  std::set<std::string> commands{"demo", "serve"};
  for (const ExtremeCase& one : kCases) commands.insert(one.command);
  const NumberOptions numbers;
  for (const NumberOption& option : numbers.list())
    EXPECT_TRUE(is_tried_by_training(option, numbers) ||
                commands.contains(fmt::format("{}", fmt::join(option.command, " "))))
        << option.text();
}

}  // namespace
}  // namespace attend
