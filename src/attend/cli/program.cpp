#include "attend/cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <new>
#include <sstream>
#include <thread>

#include "attend/backend/instruction_sets.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/exit_status.h"
#include "attend/cli/output.h"
#include "attend/cli/standard_descriptors.h"
#include "attend/cli/stop_signal.h"
#include "attend/collective/launch.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tensor/out_of_memory.h"
#include "attend/version.h"

namespace attend {
namespace {

void run(CLI::App& app, int argc, const char* const* argv) {
  app.set_version_flag("--version",
                       [] { return fmt::format("attend {}\n{}", version(), build_information()); });
  app.footer(kExitStatusHelp);
  app.require_subcommand(1);
  add_commands(app);
  try {
    parse_command_line(app, argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    app.exit(success, text, text);
    answer("{}", text.str());
  }
  flush_answers();
}

// The last filter before the terminal: messages quote untrusted text, but their output is short and
// without control characters. The error tends to be at the beginning, the cause and advice at the
// end.
std::string shown_message(std::string_view message) {
  constexpr std::size_t kBeginning = 1200, kEnd = 400;
  if (message.size() <= kBeginning + kEnd) return printable(message, message.size());
  const auto is_continuation = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
  };
  std::string_view end = message.substr(message.size() - kEnd);
  while (!end.empty() && is_continuation(end.front())) end.remove_prefix(1);
  return fmt::format("{} {}", printable(message, kBeginning), printable(end, kEnd));
}

// An error that all processes of a launch meet is told by the first, whose end makes the launcher
// end the others.
void let_the_first_tell() {
  constexpr std::chrono::seconds kEnough{2};
  if (const auto launch = find_launch(); launch && launch->rank > 0)
    std::this_thread::sleep_for(kEnough);
}

// Flushes earlier answers before the error message.
int fail(std::string_view message, int status) {
  let_the_first_tell();
  try {
    flush_answers();
  } catch (const Error&) {  // one message is enough
  }
  tell("attend: {}\n", shown_message(message));
  return status;
}

}  // namespace

void add_commands(CLI::App& app) {
  add_demo_command(app);
  add_train_command(app);
  add_backtranslate_command(app);
  add_distill_command(app);
  add_tune_command(app);
  add_data_command(app);
  add_filter_command(app);
  add_prepare_command(app);
  add_translate_command(app);
  add_generate_command(app);
  add_classify_command(app);
  add_score_command(app);
  add_attention_command(app);
  add_page_command(app);
  add_explain_command(app);
  add_embed_command(app);
  add_serve_command(app);
  add_average_command(app);
  add_import_command(app);
  add_migrate_command(app);
  add_export_command(app);
  add_merge_command(app);
  add_quantize_command(app);
  add_optimize_command(app);
  add_shortlist_command(app);
  add_calibrate_command(app);
  add_glossary_command(app);
  add_info_command(app);
  add_evaluate_command(app);
  add_lab_command(app);
  add_help_command(app);
  add_completion_command(app);
  add_man_command(app);
}

int run_program(int argc, const char* const* argv) {
  try {
    fill_standard_descriptors();
    // An environment that names wrong ones is refused here: later, the model that is read at the
    // time would seem to be at fault.
    instruction_sets();
    CLI::App app("Trains and runs Transformers.", "attend");
    run(app, argc, argv);
    return kSuccess;
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const ConfigError& error) {
    return fail(message_of(error).on_command_line, kUsageError);
  } catch (const OutOfMemory& error) {
    return fail(error.what(), kFailure);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; try shorter lines, smaller batches or fewer threads", kFailure);
  } catch (const std::exception& error) {
    return fail(message_of(error).on_command_line, kFailure);
  }
}

}  // namespace attend
