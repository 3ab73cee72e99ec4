#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/server/serving.h"

namespace attend {
namespace {

struct ServeArguments {
  std::vector<std::string> models;
  ServingOptions serving;
  bool access_log = true;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ServeArguments& a, Visitor&& visit) {
  fields(a.serving, visit);
  visit("access-log", a.access_log,
        "print a line of JSON for every request, without the texts of requests");
  fields(a.threads, visit);
}

// The signals of a server, which no thread gets that starts while this lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR2}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  const sigset_t& all() const { return signals_; }

 private:
  sigset_t signals_{}, before_{};
};

// Waits for them on a thread of its own, as long as it lives: SIGTERM and SIGINT stop, SIGHUP
// reloads. A second SIGTERM or SIGINT ends the process at once.
class SignalWatch {
 public:
  SignalWatch(const BlockedSignals& signals, std::function<void()> stop,
              std::function<void()> reload)
      : watched_(signals.all()), stop_(std::move(stop)), reload_(std::move(reload)) {
    thread_ = std::thread([this] { watch(); });
  }
  ~SignalWatch() {
    pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void watch() {
    for (int signal = 0; sigwait(&watched_, &signal) == 0 && signal != SIGUSR2;) {
      if (signal == SIGHUP) {
        reload_();
        continue;
      }
      sigset_t ends;
      sigemptyset(&ends);
      sigaddset(&ends, SIGTERM);
      sigaddset(&ends, SIGINT);
      pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
      sigdelset(&watched_, SIGTERM);
      sigdelset(&watched_, SIGINT);
      stop_();
    }
  }

  sigset_t watched_;
  std::function<void()> stop_, reload_;
  std::thread thread_;
};

std::string in_mebibytes(std::uint64_t bytes) {
  return fmt::format("{} MiB", (bytes + (1 << 20) - 1) >> 20);
}

void tell_start(Server& server) {
  std::uint64_t bytes = 0;
  for (const ServedModelPointer& model : server.models()) {
    bytes += model->state.bytes;
    const std::string languages = model->sources.empty()
                                      ? ""
                                      : fmt::format(" ({} to {})", fmt::join(model->sources, ", "),
                                                    fmt::join(model->targets, ", "));
    tell("attend: {}: {}{}\n", printable(model->name), model->task, printable(languages));
  }
  const std::uint64_t explored = server.explorer_memory();
  tell("attend: memory: models {}{}, requests at most {}\n", in_mebibytes(bytes),
       explored == 0 ? "" : fmt::format(", explored models at most {}", in_mebibytes(explored)),
       in_mebibytes(server.request_memory()));
  tell("attend: listening on {}\n", server.url());
}

void tell_reload(Server& server) {
  for (const std::string& failure : server.reload()) tell("attend: {}\n", printable(failure, 1000));
  tell("attend: models reloaded\n");
}

// An import has the name of what was imported.
void take_import(ModelPlace& place) {
  const std::string path = model_path(place.path);
  if (path == place.path) return;
  if (place.name.empty()) place.name = std::filesystem::path(place.path).stem().string();
  place.path = path;
}

void run_serve(const ServeArguments& arguments) {
  std::vector<ModelPlace> places;
  for (const std::string& model : arguments.models) places.push_back(parse_model_place(model));
  const BlockedSignals signals;
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  for (ModelPlace& place : places) take_import(place);
  const auto log = [](const std::string& line) { remark("{}\n", line); };
  Server server(arguments.serving, std::move(places), Runtime::current().shared_from_this(),
                arguments.access_log ? log : std::function<void(const std::string&)>());
  tell_start(server);
  const SignalWatch watch(  // ends before the server does
      signals, [&] { server.stop(); }, [&] { tell_reload(server); });
  server.run();
}

}  // namespace

void add_serve_command(CLI::App& app) {
  CLI::App& command = add_command(app, "serve", "Serve models over HTTP");
  const auto arguments = std::make_shared<ServeArguments>();
  add_argument(
      command, arguments->models,
      {"models", "MODEL",
       "model files, folders of runs, or what `attend import` reads; each may be followed by "
       ",name=small ,adapter=FILE and, for translators, ,src=en ,tgt=de",
       false});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_serve(*arguments); });
}

}  // namespace attend
