#include "attend/core/json/json_search.h"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace attend {
namespace {

// Reads JSON up to the member, which is a string in the outermost object, and keeps nothing else.
class MemberSearch final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit MemberSearch(std::string_view name) : name_(name) {}
  const std::string& found() const { return found_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t& text) override {
    if (is_wanted_) found_ = text;
    return value() && found_.empty();
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(); }
  bool key(string_t& name) override {
    is_wanted_ = depth_ == 1 && name == name_;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return depth_ > 0 && open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool value() {
    is_wanted_ = false;
    return true;
  }
  bool open() {
    ++depth_;
    return value();
  }
  bool close() {
    --depth_;
    return true;
  }

  const std::string_view name_;
  std::string found_;
  std::size_t depth_ = 0;
  bool is_wanted_ = false;
};

}  // namespace

std::string text_member_of_json(std::string_view text, std::string_view name) {
  MemberSearch search(name);
  nlohmann::json::sax_parse(text, &search);
  return search.found();
}

}  // namespace attend
