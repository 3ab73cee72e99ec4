#include <fmt/format.h>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/text/template_expression.h"

namespace attend::detail {
namespace {

constexpr std::size_t kStep = 1024;          // a step counts as so much work
constexpr std::size_t kMostWork = 1u << 27;  // about a second
constexpr std::size_t kMostScopes = 64;
constexpr int kMostLevels = 100;

}  // namespace

TemplateRun::TemplateRun(TemplateValue globals) {
  scopes_.push_back(std::move(globals));
  outputs_.emplace_back();
}

const TemplateValue& TemplateRun::find(const std::string& name) {
  static const TemplateValue undefined = undefined_value();
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    count_work(scope->size());
    if (const auto found = scope->find(name); found != scope->end()) return *found;
  }
  return undefined;
}

void TemplateRun::set(const std::string& name, TemplateValue value) {
  if (scopes_.size() > kMostScopes) throw DataError("loops and macros are nested too deeply");
  count_work(scopes_.back().size());
  scopes_.back()[name] = std::move(value);
}

void TemplateRun::set_member(const std::string& name, const std::string& member,
                             TemplateValue value) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found == scope->end()) continue;
    if (!found->is_object()) break;
    count_work(found->size());
    (*found)[member] = std::move(value);
    return;
  }
  throw DataError(fmt::format("set {}.{}: expected a namespace", name, member));
}

void TemplateRun::write(std::string_view text) {
  count_work(text.size());
  held_ += text.size();
  if (held_ > kLargestValue)
    throw DataError(fmt::format("it writes more than {} bytes", kLargestValue));
  outputs_.back() += text;
}

std::string TemplateRun::end_capture() {
  std::string text = std::move(outputs_.back());
  outputs_.pop_back();
  held_ -= text.size();
  if (outputs_.empty()) outputs_.emplace_back();
  return text;
}

void TemplateRun::count_work(std::size_t amount) {
  work_ += amount;
  if (work_ > kMostWork) throw DataError("it takes too many steps");
}

void TemplateRun::count_step() {
  count_work(kStep);
  if (scopes_.size() > kMostScopes) throw DataError("loops and macros are nested too deeply");
}

const TemplateToken& TemplateReader::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

TemplateToken TemplateReader::next() {
  TemplateToken token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

// A string is never a word of the language.
bool TemplateReader::is(std::string_view text, std::size_t ahead) const {
  const TemplateToken& token = peek(ahead);
  return (token.type == TemplateTokenType::symbol || token.type == TemplateTokenType::name) &&
         token.text == text;
}

bool TemplateReader::accept(std::string_view text) {
  if (!is(text)) return false;
  next();
  return true;
}

void TemplateReader::expect(std::string_view text) {
  if (!accept(text))
    refuse(fmt::format("expected {}, got {}", text,
                       peek().type == TemplateTokenType::end ? "the end" : quote(peek().text)));
}

std::string TemplateReader::expect_name() {
  if (peek().type != TemplateTokenType::name)
    refuse(fmt::format("expected a name, got {}", quote(peek().text)));
  return next().text;
}

void TemplateReader::refuse(std::string_view reason) const { refuse_template(peek().line, reason); }

TemplateReader::Level::Level(TemplateReader& reader) : reader_(reader) {
  if (++reader.levels_ > kMostLevels) reader.refuse("it is nested too deeply");
}

}  // namespace attend::detail
