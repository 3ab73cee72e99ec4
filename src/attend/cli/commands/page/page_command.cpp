#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/page/page.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/options/options.h"
#include "attend/error.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

struct PageArguments {
  std::string model;
  std::string out = "page.html";
  std::vector<std::string> texts;
  int bits = 8;
  std::string engine;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(PageArguments& a, Visitor&& visit) {
  visit("out", a.out, "HTML page to write");
  visit("text", a.texts,
        "texts that the page offers as examples; the first is the one that a reader sees");
  visit("bits", a.bits, between(4, 32),
        "most bits per weight in the page: 8, 4, 16, or 32, which leaves weights unchanged");
  visit("engine", a.engine,
        "folder with attend.js and attend.wasm of `make wasm`; default: as installed, or that of "
        "the build tree");
  visit("format", a.format, "output: text for people, json for programs");
  fields(a.threads, visit);
}

void run_page(const PageArguments& a) {
  if (a.bits != 4 && a.bits != 8 && a.bits != 16 && a.bits != 32)
    throw ConfigError(fmt::format("--bits: expected 4, 8, 16 or 32, got {}", a.bits));
  const RuntimeScope runtime = enter_runtime(a.threads);
  const PageEngine engine = page_engine(a.engine);
  // Checks that it can be written before the model is made smaller.
  AtomicFile file(a.out);
  PageModel model = page_model(model_path(a.model), a.bits, a.out);
  model.texts = a.texts;
  const std::string page = explorer_page(engine, model);
  file.write(page);
  file.commit();
  if (a.format == OutputFormat::json)
    return answer(
        "{}\n", json_text(nlohmann::ordered_json{
                    {"page", a.out}, {"bytes", page.size()}, {"model_bytes", model.file.size()}}));
  answer("page: {} ({} bytes, {} of them the model)\n", shown_path(a.out),
         readable_count(std::ssize(page)), readable_count(std::ssize(model.file)));
}

}  // namespace

void add_page_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "page", "Write the explorer with a model in one file, for browsers without a server");
  const auto arguments = std::make_shared<PageArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [arguments] { run_page(*arguments); });
}

}  // namespace attend
