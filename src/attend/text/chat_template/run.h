// What a template knows and has written while it is rendered. Private to text/.
#pragma once

#include <cstddef>
#include <ctime>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/text/chat_template/iteration.h"
#include "attend/text/chat_template/parsing/syntax.h"
#include "attend/text/chat_template/value.h"

namespace attend::chat_template {

// A text weighs its bytes, a list or an object kWeightOfValue for each of its values.
inline constexpr std::size_t kLargestValue = 8 << 20, kWeightOfValue = 32;

// The variables of a scope.
struct Frame {
  Values slots;
  Frame* outer = nullptr;
};

struct Space {
  std::vector<std::pair<std::string, Value>> members;
};

struct Macro {
  const Statement* statement;
  Frame* frame;  // where it was defined
};

// What the name "loop" stands for.
struct Loop {
  Value all;
  Iteration iteration;
  std::int64_t index0 = -1, depth0 = 0, length = -1;
  Value current = Value::of_kind(Kind::missing), before = current, after = current;
  Value last_changed = current;
  const Statement* recursive = nullptr;
  Frame* frame = nullptr;  // around a recursive one

  // Whether there is another item, which becomes the current one.
  bool advance(Run& run);
  // The next item; missing at the end.
  const Value& peek(Run& run);
  std::int64_t length_of_all(Run& run);
};

// The arguments of a call.
struct Given {
  Values by_position = {};
  std::vector<std::pair<std::string, Value>> by_name = {};
};

class Run {
 public:
  // now: what strftime_now() says; the time of the machine without.
  Run(const nlohmann::ordered_json& values, std::optional<std::tm> now);

  // New values. Throw DataError for one that is too large or too deep, and for a template that
  // makes values without end.
  Value text(std::string bytes, bool is_markup = false);
  Value list(Values items);
  Value tuple(Values items);
  Value dict(Items items);
  Space& make_space();
  const Macro& make_macro(const Statement& statement);
  Loop& make_loop(const Value& all);

  // Called for everything that is evaluated, and for what is copied and searched: bytes of text,
  // members. They throw DataError for a template without end.
  void count_step();
  void count_work(std::size_t amount);
  // Counts looking for a part in a text.
  void count_search(std::size_t text, std::size_t part);
  // Throws DataError for a value of more than kLargestValue bytes.
  static void require_size(std::size_t bytes);

  void write(std::string_view text);
  // What is written until end_capture() is returned by it.
  void begin_capture() { outputs_.emplace_back(); }
  std::string end_capture();

  Value& at(Place place) const;
  // The values of its variables are looked up again by reset().
  Frame& enter(const Scope& scope) { return enter(scope, frame_); }
  Frame& enter(const Scope& scope, Frame* outer);
  void reset(const Scope& scope);
  void leave(const Scope& scope);
  Frame* frame() const { return frame_; }
  // Goes on in another frame, and returns the one before.
  Frame* move_to(Frame* frame) { return std::exchange(frame_, frame); }

  // Levels of calls and blocks.
  class Level {
   public:
    explicit Level(Run& run);
    ~Level() { --run_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Run& run_;
  };

  const std::optional<std::tm> now;

 private:
  Value look_up(const std::string& name);
  void count_new(std::size_t bytes);

  const nlohmann::ordered_json& values_;
  std::vector<std::pair<std::string, Value>> looked_up_;
  Frame* frame_ = nullptr;
  std::vector<std::unique_ptr<Frame>> frames_, kept_;
  std::vector<Frame*> within_;  // the frames that are to be continued
  std::deque<Space> spaces_;
  std::deque<Macro> macros_;
  std::deque<Loop> loops_;
  std::vector<std::string> outputs_;
  std::size_t held_ = 0;  // bytes of all outputs
  std::size_t work_ = 0;
  int levels_ = 0;
};

}  // namespace attend::chat_template
