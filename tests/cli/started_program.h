// A test that starts the program as a process of its own, from a shell: for what depends on
// descriptors, signals and terminals.
#pragma once

#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <map>

#include "cli/small_run.h"

namespace attend {

// Signals as a terminal leaves them: those that the parent of the tests ignores (nohup does so)
// would be ignored by the program too.
class DefaultSignals {
 public:
  DefaultSignals() {
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE})
      before_[number] = ::signal(number, SIG_DFL);
  }
  ~DefaultSignals() {
    for (const auto& [number, handler] : before_) ::signal(number, handler);
  }
  DefaultSignals(const DefaultSignals&) = delete;
  DefaultSignals& operator=(const DefaultSignals&) = delete;

 private:
  std::map<int, void (*)(int)> before_;
};

class StartedProgramTest : public SmallRunTest {
 protected:
  // Runs `script` in sh, in the folder of the test, where $attend is the program; returns its exit
  // status, 128 + the signal that ended it. error_ is what it wrote to standard error, out_ what to
  // standard output.
  int shell(const std::string& script) {
    write("script.sh", "cd '" + folder_ + "'\nattend='" ATTEND_PROGRAM "'\n" + script + "\n");
    const std::string command =
        "sh " + path("script.sh") + " > " + path("script.out") + " 2> " + path("script.err");
    const int status = std::system(command.c_str());
    out_ = read(path("script.out"));
    error_ = read(path("script.err"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // The beginning of a command whose STDIN or STDOUT does not block.
  static std::string without_blocking(const std::string& which) {
    return "perl -MFcntl -e 'fcntl(" + which + ", F_SETFL, fcntl(" + which +
           ", F_GETFL, 0) | O_NONBLOCK); exec @ARGV' ";
  }

  void train(const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = training(name, {"--max-steps", "1", "--valid-every", "0"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    ASSERT_EQ(run(arguments), 0) << error_;
  }
  // A step of another training, in RUN.
  void train_tiny(const std::string& flags, const std::string& name) {
    std::istringstream words("train " + flags +
                             " --d-model 16 --n-heads 2 --d-ff 16 --max-steps 1 --valid-every 0");
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    arguments.insert(arguments.end(), {"--data", folder_, "--out", path(name)});
    ASSERT_EQ(run(arguments), 0) << error_;
  }
  void train_lm(const std::string& name) {
    train_tiny(
        "lm --train train.en --valid valid.en --n-layers 1 --vocab-size 300 --sequence-length 16 "
        "--batch-tokens 256",
        name);
  }
  void train_classifier(const std::string& name) {
    std::string lines;
    for (int i = 0; i < 20; ++i) lines += i % 2 == 0 ? "pos\tgood film\n" : "neg\tbad film\n";
    write("labeled.tsv", lines);
    train_tiny(
        "classification --train labeled.tsv --valid labeled.tsv --n-encoder-layers 1 --tokenizer "
        "word --vocab-size 7 --batch-tokens 200",
        name);
  }
  void train_embedder(const std::string& name) {
    write("pairs.tsv", "good film\tgood story\nbad film\tbad story\nthe dog\ta dog\n");
    train_tiny(
        "embedding --train pairs.tsv --n-encoder-layers 1 --tokenizer chars --vocab-size 40 "
        "--batch-tokens 200",
        name);
  }
  void train_tagger(const std::string& name) {
    write("tagged.conll", "good O\nfilm B-A\n\nbad O\nfilm B-A\nstory I-A\n\ngood O\nstory B-A\n");
    train_tiny(
        "tagging --train tagged.conll --n-encoder-layers 1 --tokenizer word --vocab-size 8 "
        "--batch-tokens 200",
        name);
  }
  // The training of a translator as a line for the shell.
  std::string training_line(const std::string& name,
                            const std::vector<std::string>& more = {}) const {
    return fmt::format("$attend {}", fmt::join(training(name, more), " "));
  }

 private:
  DefaultSignals signals_;
};

}  // namespace attend
