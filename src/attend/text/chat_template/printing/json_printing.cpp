#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/strings/utf8.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

std::string quoted_json(std::string_view text, bool is_ascii) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const auto code = static_cast<unsigned>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += static_cast<char>(c);
    } else if (c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\b') {
      result += '\\';
      result += c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : c == '\f' ? 'f' : 'b';
    } else if (c < 0x20 || (is_ascii && c >= 0x7f && c < 0x10000)) {
      result += fmt::format("\\u{:04x}", code);
    } else if (is_ascii && c >= 0x10000) {
      result += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((code - 0x10000) >> 10),
                            0xdc00 + ((code - 0x10000) & 0x3ff));
    } else {
      result += text.substr(begin, at - begin);
    }
  }
  return result + '"';
}

std::string json_number(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  return shown_number(number);
}

class JsonWriter {
 public:
  JsonWriter(Run& run, const JsonStyle& style) : run_(run), style_(style) {}

  std::string written(const Value& value) {
    write(value, 0);
    return std::move(text_);
  }

 private:
  void write(const Value& value, int levels) {
    run_.count_step();
    switch (value.kind()) {
      case Kind::none:
        return add("null");
      case Kind::boolean:
        return add(value.whole() != 0 ? "true" : "false");
      case Kind::integer:
        return add(fmt::format("{}", value.whole()));
      case Kind::real:
        return add(json_number(value.real()));
      case Kind::text:
        return add(quoted_json(value.bytes(), style_.is_ascii));
      case Kind::list:
      case Kind::tuple:
        return write_row(value.items(), levels);
      case Kind::dict:
        return write_members(value.members(), levels);
      default:
        fail(fmt::format("tojson: expected a value of JSON, got {}", kind_name(value)));
    }
  }

  void add(std::string_view part) {
    run_.count_work(part.size());
    text_ += part;
    Run::require_size(text_.size());
  }

  void add_line(int levels) {
    if (!style_.indent) return;
    add("\n");
    for (int i = 0; i < levels; ++i) add(*style_.indent);
  }

  void write_row(const Values& items, int levels) {
    if (items.empty()) return add("[]");
    add("[");
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) add(style_.between_items);
      add_line(levels + 1);
      write(items[i], levels + 1);
    }
    add_line(levels);
    add("]");
  }

  std::string name_of(const Value& key) {
    if (key.is_text()) return quoted_json(key.bytes(), style_.is_ascii);
    if (!key.is_number() && !key.is_none())
      fail(fmt::format("tojson: expected names that are strings, got {}", kind_name(key)));
    JsonStyle plain;
    return "\"" + JsonWriter(run_, plain).written(key) + "\"";
  }

  void write_members(const Items& members, int levels) {
    if (members.empty()) return add("{}");
    add("{");
    std::vector<const std::pair<Value, Value>*> order;
    for (const auto& member : members) order.push_back(&member);
    if (style_.sorts_names)
      std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
        return is_less(run_, a->first, b->first);
      });
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0) add(style_.between_items);
      add_line(levels + 1);
      add(name_of(order[i]->first));
      add(style_.after_name);
      write(order[i]->second, levels + 1);
    }
    add_line(levels);
    add("}");
  }

  Run& run_;
  const JsonStyle& style_;
  std::string text_;
};

}  // namespace

std::string json_of(Run& run, const Value& value, const JsonStyle& style) {
  return JsonWriter(run, style).written(value);
}

}  // namespace attend::chat_template
