#include "attend/text/chat_template/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/error.h"
#include "attend/text/chat_template/functions/functions.h"

namespace attend::chat_template {
namespace {

constexpr std::size_t kStep = 64;            // a step counts as so much work
constexpr std::size_t kMostWork = 1u << 28;  // about a second
constexpr std::size_t kKeptObject = 1024;    // as does what lives until the end
constexpr int kMostLevels = 500;

Value value_of_json(Run& run, const nlohmann::ordered_json& json) {
  if (json.is_string()) return run.text(json.get<std::string>());
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number_float()) return Value::real(json.get<double>());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > (std::uint64_t{1} << 63) - 1)
    refuse("a whole number beyond 64 bits");
  if (json.is_number()) return Value::integer(json.get<std::int64_t>());
  if (json.is_array()) {
    Values items;
    for (const auto& one : json) items.push_back(value_of_json(run, one));
    return run.list(std::move(items));
  }
  if (!json.is_object()) return Value::none();
  Items items;
  for (const auto& [name, one] : json.items())
    items.emplace_back(run.text(name), value_of_json(run, one));
  return run.dict(std::move(items));
}

}  // namespace

Run::Run(const nlohmann::ordered_json& values, std::optional<std::tm> now_given)
    : now(now_given), values_(values) {
  outputs_.emplace_back();
}

void Run::require_size(std::size_t bytes) {
  if (bytes > kLargestValue)
    throw DataError(fmt::format("it makes a value of more than {} bytes", kLargestValue));
}

void Run::count_new(std::size_t bytes) {
  require_size(bytes);
  count_work(bytes);
}

Value Run::text(std::string bytes, bool is_markup) {
  count_new(bytes.size() + kWeightOfValue);
  return Value::text(std::move(bytes), is_markup);
}

Value Run::list(Values items) {
  count_new((items.size() + 1) * kWeightOfValue);
  return Value::list(std::move(items));
}

Value Run::tuple(Values items) {
  count_new((items.size() + 1) * kWeightOfValue);
  return Value::tuple(std::move(items));
}

Value Run::dict(Items items) {
  count_new((items.size() * 2 + 1) * kWeightOfValue);
  return Value::dict(std::move(items));
}

Space& Run::make_space() {
  count_work(kKeptObject);
  return spaces_.emplace_back();
}

const Macro& Run::make_macro(const Statement& statement) {
  count_work(kKeptObject);
  return macros_.emplace_back(Macro{&statement, frame_});
}

Loop& Run::make_loop(const Value& all) {
  count_work(kKeptObject);
  return loops_.emplace_back(Loop{all, Iteration(all)});
}

void Run::count_step() { count_work(kStep); }

void Run::count_work(std::size_t amount) {
  work_ += amount;
  if (work_ > kMostWork) throw DataError("it takes too many steps");
}

// At worst, the part is compared at every place of the text.
void Run::count_search(std::size_t text, std::size_t part) {
  count_work(text + (text > part ? (text - part) * (part / 64) : 0));
}

void Run::write(std::string_view text) {
  count_work(text.size());
  held_ += text.size();
  if (held_ > kLargestValue)
    throw DataError(fmt::format("it writes more than {} bytes", kLargestValue));
  outputs_.back() += text;
}

std::string Run::end_capture() {
  std::string text = std::move(outputs_.back());
  outputs_.pop_back();
  held_ -= text.size();
  return text;
}

Value& Run::at(Place place) const {
  Frame* frame = frame_;
  for (std::size_t i = 0; i < place.levels; ++i) frame = frame->outer;
  return frame->slots[place.slot];
}

Frame& Run::enter(const Scope& scope, Frame* outer) {
  count_work(scope.is_kept ? kKeptObject : kStep);
  count_work(scope.loads.size() * kWeightOfValue);
  frames_.push_back(std::make_unique<Frame>());
  within_.push_back(frame_);
  frame_ = frames_.back().get();
  frame_->outer = outer;
  frame_->slots.assign(scope.loads.size(), Value::of_kind(Kind::missing));
  reset(scope);
  return *frame_;
}

void Run::reset(const Scope& scope) {
  count_work(scope.loads.size() * 8);
  for (std::size_t i = 0; i < scope.loads.size(); ++i) {
    const Load& load = scope.loads[i];
    Value& slot = frame_->slots[i];
    if (load.type == Load::Type::looked_up) slot = look_up(load.name);
    if (load.type == Load::Type::copied) slot = at(load.from);
    if (load.type == Load::Type::none) slot = Value::of_kind(Kind::missing);
  }
}

void Run::leave(const Scope& scope) {
  if (scope.is_kept) kept_.push_back(std::move(frames_.back()));
  frames_.pop_back();
  frame_ = within_.back();
  within_.pop_back();
}

Value Run::look_up(const std::string& name) {
  count_work(looked_up_.size());
  for (const auto& [known, value] : looked_up_)
    if (known == name) return value;
  const auto found = values_.find(name);
  Value value = found == values_.end() ? global_function(name) : value_of_json(*this, *found);
  looked_up_.emplace_back(name, value);
  return value;
}

Run::Level::Level(Run& run) : run_(run) {
  if (++run.levels_ > kMostLevels) {
    --run.levels_;
    throw DataError("loops and macros are nested too deeply");
  }
}

bool Loop::advance(Run& run) {
  Value item = std::move(after);
  after = Value::of_kind(Kind::missing);
  if (item.is_missing() && !iteration.next(run, item)) return false;
  ++index0;
  before = std::move(current);
  current = std::move(item);
  return true;
}

const Value& Loop::peek(Run& run) {
  if (after.is_missing()) {
    Value item;
    if (iteration.next(run, item)) after = std::move(item);
  }
  return after;
}

std::int64_t Loop::length_of_all(Run& run) {
  if (length >= 0) return length;
  length = all.is(Kind::iterator) ? -1 : chat_template::length_of(run, all);
  if (length >= 0) return length;
  Values rest;
  for (Value item; iteration.next(run, item);) rest.push_back(item);
  length = static_cast<std::int64_t>(rest.size()) + index0 + 1 + (after.is_missing() ? 0 : 1);
  iteration = Iteration(run.list(std::move(rest)));
  return length;
}

}  // namespace attend::chat_template
