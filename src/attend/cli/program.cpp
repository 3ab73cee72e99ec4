#include "attend/cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "attend/cli/commands.h"
#include "attend/cli/options_binding.h"
#include "attend/cli/stop_signal.h"
#include "attend/core/error.h"
#include "attend/core/version.h"

namespace attend {
namespace {

void run(CLI::App& app, int argc, const char* const* argv) {
  app.set_version_flag("--version", fmt::format("attend {}", kVersion));
  app.require_subcommand(1);
  add_demo_command(app);
  add_train_command(app);
  add_translate_command(app);
  add_generate_command(app);
  add_classify_command(app);
  add_score_command(app);
  add_attention_command(app);
  add_embed_command(app);
  add_average_command(app);
  add_quantize_command(app);
  add_shortlist_command(app);
  add_info_command(app);
  add_evaluate_command(app);
  add_lab_command(app);
  parse_command_line(app, argc, argv);
  // A full disk shows only now that the last bytes leave.
  if (std::fflush(stdout) != 0) throw IoError("cannot write the output; is there space left where it goes?");
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  CLI::App app("Trains and runs Transformers.", "attend");
  try {
    run(app, argc, argv);
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "attend: {}\n", error.what());
    return 1;
  }
}

}  // namespace attend
