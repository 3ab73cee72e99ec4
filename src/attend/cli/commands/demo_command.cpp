#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "attend/checkpoint/run_lock.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/demo.h"
#include "attend/cli/commands/page/page.h"
#include "attend/cli/commands/train/training_session.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/strings/counted.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "attend/inspect/attention_page.h"
#include "attend/metrics/bleu.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {

template <class Visitor>
void fields(DemoArguments& a, Visitor&& visit) {
  visit("out", a.out, "folder for the corpus, the model and its pages");
  visit("seed", a.seed, any_seed(), "random seed of the corpus and of the training");
  visit("format", a.format,
        "text for people, json for programs: BLEU, translations and the files written");
  fields(a.threads, visit);
}

namespace {

constexpr std::size_t kShownTranslations = 5;

// What to look at first in the explorer: a sentence whose article needs a noun that comes later.
constexpr std::string_view kExplored = "She wants to buy the old house.";
// Others: a subject after the verb, a relative clause, and a question.
constexpr std::array<std::string_view, 4> kExamples{
    kExplored, "Tomorrow the queen will arrive in this church.",
    "The sister who drinks coffee follows the horses.", "Did the boy never work with a mother?"};
constexpr std::string_view kServed = R"(
change it while you watch: attend serve {}
Open http://127.0.0.1:8080/explore, type "{}" and press "Show".
(`make wasm` makes the engine with which `attend page` writes this as one file, without a server.)
)";
constexpr std::string_view kInFile = R"(
change it while you watch: open {} in a browser; it needs no server
)";
constexpr std::string_view kExplorer =
    R"(Each small map is an attention head, and its rows show what a word looks at; click one to enlarge it.
"Importance of every head" finds the heads that matter: choose one in its list, press
"Switch this head off", and see which words of the translation change.
)";

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

// Writes the corpus as files, like a user's own.
void write_corpus(const DemoCorpus& corpus, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_file_atomically(folder / "train.en", joined(corpus.train_src));
  write_file_atomically(folder / "train.de", joined(corpus.train_tgt));
  write_file_atomically(folder / "valid.en", joined(corpus.valid_src));
  write_file_atomically(folder / "valid.de", joined(corpus.valid_tgt));
  write_file_atomically(folder / "test.en", joined(corpus.test_src));
  write_file_atomically(folder / "test.de", joined(corpus.test_tgt));
}

// A small model, and a schedule for it.
TranslationTraining demo_training(const std::filesystem::path& corpus,
                                  const DemoArguments& arguments) {
  TranslationTraining training;
  training.data.data = corpus.string();
  training.data.src_train = {"train.en"};
  training.data.tgt_train = {"train.de"};
  training.data.src_valid = {"valid.en"};
  training.data.tgt_valid = {"valid.de"};
  training.data.batch.batch_tokens = 2048;
  training.vocabulary.tokenizer.vocab_size = 1200;
  training.model.transformer.d_model = 128;
  training.model.transformer.n_heads = 4;
  training.model.transformer.d_ff = 512;
  training.model.transformer.n_encoder_layers = 2;
  training.model.transformer.n_decoder_layers = 2;
  training.model.transformer.dropout = 0;
  training.trainer.seed = arguments.seed;
  training.trainer.max_steps = arguments.steps;
  training.trainer.valid_every = arguments.steps / 2;
  training.trainer.save_every = 0;
  training.trainer.schedule.kind = ScheduleKind::cosine;
  training.trainer.schedule.learning_rate = 3e-3f;
  training.trainer.schedule.warmup_steps = arguments.steps * 15 / 56;
  return training;
}

struct DemoResult {
  double bleu = 0;                        // on the test sentences
  std::vector<std::string> translations;  // of the test sentences
  std::filesystem::path model, page;
  std::filesystem::path explorer;  // empty without the engine of pages
};

DemoResult evaluate_demo(const TranslationEngine& translator, const DemoCorpus& corpus) {
  const ProgressLine progress = ProgressLine::timing("translating the test sentences");
  DemoResult result;
  for (const Translation& translation : translator.translate(corpus.test_src))
    result.translations.push_back(translation.text());
  result.bleu = corpus_bleu(result.translations, {corpus.test_tgt}).score;
  return result;
}

void print_result(const DemoResult& result, const DemoCorpus& corpus) {
  answer("\nBLEU on {} sentences that do not occur in training: {:.1f}\n\n", corpus.test_src.size(),
         result.bleu);
  for (std::size_t i = 0; i < std::min(kShownTranslations, result.translations.size()); ++i)
    answer("  {}\n  {}\n\n", corpus.test_src[i], result.translations[i]);
  answer("its attention: open {} in a browser\n", shown_path(result.page));
  answer("your own sentences: echo \"{}\" | attend translate {}\n", corpus.test_src.back(),
         shown_path(result.model));
  if (result.explorer.empty())
    answer(kServed, shown_path(result.model.parent_path()), kExplored);
  else
    answer(kInFile, shown_path(result.explorer));
  answer(kExplorer);
}

std::string to_json(const DemoResult& result, const DemoCorpus& corpus) {
  nlohmann::ordered_json json{{"bleu", result.bleu},
                              {"test_sentences", corpus.test_src.size()},
                              {"model", result.model.string()},
                              {"page", result.page.string()},
                              {"translations", nlohmann::ordered_json::array()}};
  if (!result.explorer.empty()) json["explorer"] = result.explorer.string();
  for (std::size_t i = 0; i < result.translations.size(); ++i)
    json["translations"].push_back({{"source", corpus.test_src[i]},
                                    {"translation", result.translations[i]},
                                    {"reference", corpus.test_tgt[i]}});
  return json_text(json, 1);
}

// The sentence for the page: the longest test sentence with a subordinate clause, where verbs
// change places.
std::string sentence_to_show(const DemoCorpus& corpus) {
  std::string shown = corpus.test_src.front();
  for (const std::string& sentence : corpus.test_src) {
    if (sentence.find(" because ") != std::string::npos && sentence.size() > shown.size())
      shown = sentence;
  }
  return shown;
}

void create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw IoError(
        fmt::format("{}: cannot create the folder: {}", folder.string(), error.message()));
}

}  // namespace

void run_demo(const DemoArguments& arguments) {
  const std::filesystem::path out = arguments.out;
  SessionOptions session;
  session.run.out = (out / "run").string();
  session.format = arguments.format;
  create_folder(out);
  const RunLock lock(out);
  if (std::filesystem::exists(session.run.out))
    throw ConfigError(fmt::format(
        "{} holds a demo already; remove it, or choose another folder with --out", arguments.out));

  const RuntimeScope runtime = enter_runtime(arguments.threads);
  report(arguments.format,
         "{}\nwriting English sentences and their German translations to {} ...\n",
         counted(threads(), "thread"), shown_path(out / "corpus"));
  DemoCorpusOptions sizes = arguments.corpus;
  sizes.seed = arguments.seed;
  const DemoCorpus corpus = make_demo_corpus(sizes);
  write_corpus(corpus, out / "corpus");
  TranslationTraining training = demo_training(out / "corpus", arguments);
  ProgressLine preparing = ProgressLine::timing("learning the vocabulary");
  TrainingTask task = prepare_training(training, nullptr);
  preparing.end();
  for (const std::string& note : task.notes) report(arguments.format, "{}\n", note);
  train_and_report(task, session, training.trainer,
                   resolved_configuration(session.run, option_groups(training)));

  const std::filesystem::path model = RunFolder(session.run.out).model_file();
  const TranslationEngine translator = TranslationEngine::load(model);
  DemoResult result = evaluate_demo(translator, corpus);
  result.model = model;
  result.page = out / "attention.html";
  const ScoredPair pair = translated_pair(translator, sentence_to_show(corpus), {});
  write_file_atomically(result.page, attention_page(translator.model(), pair));
  if (has_page_engine(arguments.engine)) {
    result.explorer = out / "explore.html";
    PageModel shown = page_model(model, 8, result.explorer);
    shown.name = "demo";
    shown.texts = {kExamples.begin(), kExamples.end()};
    write_file_atomically(result.explorer, explorer_page(page_engine(arguments.engine), shown));
  }
  if (arguments.format == OutputFormat::json)
    answer("{}\n", to_json(result, corpus));
  else
    print_result(result, corpus);
}

void add_demo_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "demo", "Train a small translator on a generated corpus and show its attention");
  const auto arguments = std::make_shared<DemoArguments>();
  OptionBinding(command, /*with_config_file=*/false).add(*arguments);
  on_command(command, [arguments] { run_demo(*arguments); });
}

}  // namespace attend
