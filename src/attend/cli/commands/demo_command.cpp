#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "attend/checkpoint/run_lock.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/training_session.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/core/atomic_file.h"
#include "attend/core/counted.h"
#include "attend/core/parallel.h"
#include "attend/demo/corpus.h"
#include "attend/error.h"
#include "attend/inspect/attention_page.h"
#include "attend/metrics/bleu.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training.h"

namespace attend {
namespace {

constexpr std::size_t kShownTranslations = 5;

struct DemoArguments {
  std::string out = "attend-demo";
  std::uint64_t seed = 1;
  ThreadOptions threads;
};

template <class Visitor>
void fields(DemoArguments& a, Visitor&& visit) {
  visit("out", a.out, "folder for the corpus, the model and the attention page");
  visit("seed", a.seed, any_seed(), "random seed of the corpus and of the training");
  fields(a.threads, visit);
}

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

// A small model and a schedule that trains it in a minute.
TranslationTraining demo_training(const std::filesystem::path& corpus, std::uint64_t seed) {
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
  training.trainer.seed = seed;
  training.trainer.max_steps = 560;
  training.trainer.valid_every = 280;
  training.trainer.save_every = 0;
  training.trainer.schedule.kind = ScheduleKind::cosine;
  training.trainer.schedule.learning_rate = 3e-3f;
  training.trainer.schedule.warmup_steps = 150;
  return training;
}

void print_results(const TranslationEngine& translator, const DemoCorpus& corpus) {
  ProgressLine progress = ProgressLine::timing("translating the test sentences");
  std::vector<std::string> translations;
  for (const Translation& translation : translator.translate(corpus.test_src))
    translations.push_back(translation.text());
  progress.end();
  answer("\nBLEU on {} sentences that do not occur in training: {:.1f}\n\n", corpus.test_src.size(),
         corpus_bleu(translations, {corpus.test_tgt}).score);
  for (std::size_t i = 0; i < std::min(kShownTranslations, translations.size()); ++i)
    answer("  {}\n  {}\n\n", corpus.test_src[i], translations[i]);
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

void run_demo(const DemoArguments& arguments) {
  const std::filesystem::path out = arguments.out, page = out / "attention.html";
  SessionOptions session;
  session.run.out = (out / "run").string();
  create_folder(out);
  const RunLock lock(out);
  if (std::filesystem::exists(session.run.out))
    throw ConfigError(fmt::format(
        "{} holds a demo already; remove it, or choose another folder with --out", arguments.out));

  const RuntimeScope runtime = enter_runtime(arguments.threads);
  remark("{}\nwriting English sentences and their German translations to {} ...\n",
         counted(threads(), "thread"), shown_path(out / "corpus"));
  const DemoCorpus corpus = make_demo_corpus({.seed = arguments.seed});
  write_corpus(corpus, out / "corpus");
  TranslationTraining training = demo_training(out / "corpus", arguments.seed);
  ProgressLine preparing = ProgressLine::timing("learning the vocabulary");
  TrainingTask task = prepare_training(training, nullptr);
  preparing.end();
  for (const std::string& note : task.notes) remark("{}\n", note);
  train_and_report(task, session, training.trainer,
                   resolved_configuration(session.run, option_groups(training)));

  const std::filesystem::path model = RunFolder(session.run.out).model_file();
  const TranslationEngine translator = TranslationEngine::load(model);
  print_results(translator, corpus);
  const ScoredPair pair = translated_pair(translator, sentence_to_show(corpus), {});
  write_file_atomically(page, attention_page(translator.model(), pair));
  answer("its attention: open {} in a browser\n", shown_path(page));
  answer("your own sentences: echo \"{}\" | attend translate {}\n", corpus.test_src.back(),
         shown_path(model));
}

}  // namespace

void add_demo_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "demo", "Train a small translator on a generated corpus and show its attention");
  const auto arguments = std::make_shared<DemoArguments>();
  OptionBinding(command, /*with_config_file=*/false).add(*arguments);
  on_command(command, [arguments] { run_demo(*arguments); });
}

}  // namespace attend
