#include "attend/text/chat_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/text/template_expression.h"

namespace attend {
namespace {

using detail::TemplateExpression;
using detail::TemplateReader;
using detail::TemplateRun;
using detail::TemplateStatement;
using detail::TemplateTokenType;
using detail::TemplateValue;
using detail::TemplateValues;
using Statements = std::vector<TemplateStatement>;
using Names = std::vector<std::string>;

constexpr std::size_t kLongestSource = 1 << 20;

void run_all(const Statements& statements, TemplateRun& run) {
  for (const TemplateStatement& statement : statements) {
    run.count_step();
    statement(run);
  }
}

class StatementReader {
 public:
  explicit StatementReader(TemplateReader& reader) : reader_(reader) {}

  // Up to one of the words, which is not read; to the end of the template if there are none.
  Statements read(std::initializer_list<std::string_view> words) {
    const TemplateReader::Level level(reader_);
    Statements all;
    for (;;) {
      if (reader_.peek().type == TemplateTokenType::end) {
        if (words.size() > 0) reader_.refuse(fmt::format("expected {}", *(words.end() - 1)));
        return all;
      }
      if (reader_.peek().type == TemplateTokenType::text) {
        all.push_back([text = reader_.next().text](TemplateRun& run) { run.write(text); });
      } else if (reader_.accept("{{")) {
        all.push_back([value = detail::read_expression(reader_)](TemplateRun& run) {
          run.write(detail::text_of_value(value(run)));
        });
        reader_.expect("}}");
      } else {
        reader_.expect("{%");
        const auto ends = [&](std::string_view word) { return reader_.is(word); };
        if (std::any_of(words.begin(), words.end(), ends)) return all;
        all.push_back(read_block());
      }
    }
  }

 private:
  void end_block(std::string_view word = {}) {
    if (!word.empty()) reader_.expect(word);
    reader_.expect("%}");
  }

  TemplateStatement read_block() {
    if (reader_.accept("if")) return read_if();
    if (reader_.accept("for")) return read_for();
    if (reader_.accept("set")) return read_set();
    if (reader_.accept("macro")) return read_macro();
    if (reader_.accept("generation")) {  // marks what a model is trained on
      end_block();
      const Statements body = read({"endgeneration"});
      end_block("endgeneration");
      return [body](TemplateRun& run) { run_all(body, run); };
    }
    reader_.refuse(fmt::format("the block {} is not supported", quote(reader_.peek().text)));
  }

  TemplateStatement read_if() {
    std::vector<std::pair<TemplateExpression, Statements>> branches;
    do {
      TemplateExpression condition = detail::read_expression(reader_);
      end_block();
      branches.emplace_back(std::move(condition), read({"elif", "else", "endif"}));
    } while (reader_.accept("elif"));
    Statements otherwise;
    if (reader_.accept("else")) {
      end_block();
      otherwise = read({"endif"});
    }
    end_block("endif");
    return [branches, otherwise](TemplateRun& run) {
      for (const auto& [condition, body] : branches)
        if (detail::is_true(condition(run))) return run_all(body, run);
      run_all(otherwise, run);
    };
  }

  TemplateStatement read_for() {
    Names names{reader_.expect_name()};
    while (reader_.accept(",")) names.push_back(reader_.expect_name());
    reader_.expect("in");
    const TemplateExpression list = detail::read_choice_free(reader_);
    TemplateExpression filter;
    if (reader_.accept("if")) filter = detail::read_expression(reader_);
    end_block();
    const Statements body = read({"else", "endfor"});
    Statements otherwise;
    if (reader_.accept("else")) {
      end_block();
      otherwise = read({"endfor"});
    }
    end_block("endfor");
    return [names, list, filter, body, otherwise](TemplateRun& run) {
      const TemplateValue items = chosen_items(run, names, list(run), filter);
      for (std::size_t i = 0; i < items.size(); ++i) {
        run.count_step();
        run.enter_scope();
        set_names(run, names, items[i]);
        run.set("loop", loop_at(items, i));
        run_all(body, run);
        run.leave_scope();
      }
      if (items.empty()) run_all(otherwise, run);
    };
  }

  static void set_names(TemplateRun& run, const Names& names, const TemplateValue& item) {
    if (names.size() == 1) return run.set(names[0], item);
    if (!item.is_array() || item.size() != names.size())
      throw DataError(fmt::format("for: expected lists of {} values", names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) run.set(names[i], item[i]);
  }

  // The names of an object, as in Python; those that the filter accepts.
  static TemplateValue chosen_items(TemplateRun& run, const Names& names, const TemplateValue& all,
                                    const TemplateExpression& filter) {
    if (all.is_discarded()) return TemplateValue::array();
    const TemplateValue list = detail::filtered("list", all, {});
    if (!filter) return list;
    TemplateValue chosen = TemplateValue::array();
    for (const TemplateValue& item : list) {
      run.count_step();
      run.enter_scope();
      set_names(run, names, item);
      if (detail::is_true(filter(run))) chosen.push_back(item);
      run.leave_scope();
    }
    return chosen;
  }

  static TemplateValue loop_at(const TemplateValue& items, std::size_t i) {
    TemplateValue loop{{"index", i + 1},         {"index0", i},
                       {"first", i == 0},        {"last", i + 1 == items.size()},
                       {"length", items.size()}, {"revindex", items.size() - i}};
    if (i > 0) loop["previtem"] = items[i - 1];
    if (i + 1 < items.size()) loop["nextitem"] = items[i + 1];
    return loop;
  }

  // {% set x = value %}, {% set space.x = value %}, {% set x %}text{% endset %}
  TemplateStatement read_set() {
    const std::string name = reader_.expect_name();
    const std::string member = reader_.accept(".") ? reader_.expect_name() : "";
    if (!reader_.accept("=")) {
      end_block();
      const Statements body = read({"endset"});
      end_block("endset");
      return [name, body](TemplateRun& run) {
        run.begin_capture();
        run_all(body, run);
        run.set(name, run.end_capture());
      };
    }
    const TemplateExpression value = detail::read_expression(reader_);
    end_block();
    return [name, member, value](TemplateRun& run) {
      member.empty() ? run.set(name, value(run)) : run.set_member(name, member, value(run));
    };
  }

  struct Macro {
    Names names = {};
    std::vector<TemplateExpression> defaults = {};
    Statements body = {};

    TemplateValue call(TemplateRun& run, const TemplateValues& values, const auto& named) const {
      run.enter_scope();
      run.count_step();
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = named.find(names[i]);
        run.set(names[i], i < values.size()      ? values[i]
                          : found != named.end() ? found->second
                                                 : defaults[i](run));
      }
      run.begin_capture();
      run_all(body, run);
      run.leave_scope();
      return run.end_capture();
    }
  };

  TemplateStatement read_macro() {
    const std::string name = reader_.expect_name();
    Macro macro;
    reader_.expect("(");
    while (!reader_.accept(")")) {
      macro.names.push_back(reader_.expect_name());
      macro.defaults.push_back(reader_.accept("=") ? detail::read_expression(reader_)
                                                   : detail::undefined_expression());
      if (!reader_.is(")")) reader_.expect(",");
    }
    end_block();
    macro.body = read({"endmacro"});
    end_block("endmacro");
    return [name, shared = std::make_shared<const Macro>(std::move(macro))](TemplateRun& run) {
      run.macros[name] = [shared](TemplateRun& within, const TemplateValues& values,
                                  const auto& named) {
        return shared->call(within, values, named);
      };
    };
  }

  TemplateReader& reader_;
};

}  // namespace

ChatTemplate::ChatTemplate(std::string_view source) {
  if (source.size() > kLongestSource)
    throw DataError(
        fmt::format("expected at most {} bytes, got {}", kLongestSource, source.size()));
  TemplateReader reader(detail::template_tokens(source));
  statements_ = StatementReader(reader).read({});
}

std::string ChatTemplate::render(const nlohmann::ordered_json& values) const {
  TemplateRun run(values);
  run_all(statements_, run);
  return run.end_capture();
}

}  // namespace attend
