#include "attend/text/chat_template/chat_template.h"

#include <fmt/format.h>

#include "attend/error.h"
#include "attend/text/chat_template/evaluation.h"
#include "attend/text/chat_template/parsing/content_loops.h"
#include "attend/text/chat_template/parsing/syntax.h"
#include "attend/text/chat_template/run.h"

namespace attend {
namespace {

constexpr std::size_t kLongestSource = 1 << 20;

}  // namespace

struct ChatTemplate::Program {
  chat_template::Statements statements;
  chat_template::Scope scope;
};

ChatTemplate::ChatTemplate(std::string_view source) {
  if (source.size() > kLongestSource)
    throw DataError(
        fmt::format("expected at most {} bytes, got {}", kLongestSource, source.size()));
  Program program{chat_template::read_template(source), {}};
  program.scope = chat_template::place_names(program.statements);
  program_ = std::make_shared<const Program>(std::move(program));
}

bool ChatTemplate::reads_parts() const {
  return chat_template::loops_over_content(program_->statements);
}

std::string ChatTemplate::render(const nlohmann::ordered_json& values,
                                 std::optional<std::tm> now) const {
  chat_template::Run run(values, now);
  run.enter(program_->scope);
  chat_template::run_all(run, program_->statements);
  return run.end_capture();
}

}  // namespace attend
