#include "attend/interchange/weights/name_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "attend/core/strings/ascii.h"
#include "attend/error.h"

namespace attend {

namespace {

// A logit that has no share in a sum of exponentials, and no infinity.
constexpr float kNeverChosen = -1e9f;

// The parts of a name that fits a pattern.
struct Match {
  std::vector<std::string> numbers;  // of a layer, and of an expert in it
  std::string word, rest;
};

// The beginning of `name` that is of one kind of characters, which is removed from it.
template <class IsOfKind>
std::string take(std::string_view& name, const IsOfKind& is_of_kind) {
  const auto end = std::find_if_not(name.begin(), name.end(), is_of_kind);
  std::string taken(name.begin(), end);
  name.remove_prefix(taken.size());
  return taken;
}

std::optional<Match> match(std::string_view pattern, std::string_view name) {
  Match found;
  while (!pattern.empty()) {
    if (pattern == "*") {
      found.rest = name;
      return found;
    }
    if (pattern.front() == '*') {
      found.numbers.push_back(take(name, is_ascii_digit));
      if (found.numbers.back().empty()) return std::nullopt;
    } else if (pattern.front() == '#') {
      found.word = take(name, is_ascii_letter);
      if (found.word.empty()) return std::nullopt;
    } else if (name.empty() || name.front() != pattern.front()) {
      return std::nullopt;
    } else {
      name.remove_prefix(1);
    }
    pattern.remove_prefix(1);
  }
  if (!name.empty()) return std::nullopt;
  return found;
}

std::string filled(std::string_view pattern, const Match& match) {
  std::string name;
  auto number = match.numbers.begin();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '#') {
      name += match.word;
    } else if (pattern[i] != '*') {
      name += pattern[i];
    } else if (i + 1 == pattern.size()) {
      name += match.rest;
    } else if (number != match.numbers.end()) {
      name += *number++;
    }
  }
  return name;
}

Tensor transposed(const Tensor& x) {
  const Tensor y = Tensor::empty_on_host({x.cols(), x.rows()});
  for (std::int64_t r = 0; r < x.rows(); ++r)
    for (std::int64_t c = 0; c < x.cols(); ++c) y.row(c)[r] = x.row(r)[c];
  return y;
}

}  // namespace

void NameMap::add(std::span<const NameRule> rules, std::string_view prefix) {
  for (const NameRule& rule : rules)
    rules_.push_back(
        {std::string(rule.ours),
         {fmt::format("{}{}", prefix, rule.theirs), rule.layout, rule.part, rule.heads}});
}

void NameMap::rename_ours(std::string_view from, std::string_view to) {
  for (OwnedRule& rule : rules_)
    if (rule.ours.starts_with(from)) rule.ours.replace(0, from.size(), to);
}

std::optional<ForeignName> NameMap::find(std::string_view ours) const {
  for (const OwnedRule& rule : rules_) {
    if (auto found = match(rule.ours, ours)) {
      if (!found->numbers.empty())
        found->numbers[0] = std::to_string(std::stoi(found->numbers[0]) + first_layer_);
      return ForeignName{filled(rule.theirs.name, *found), rule.theirs.layout, rule.theirs.part,
                         rule.theirs.heads};
    }
  }
  return std::nullopt;
}

ForeignName NameMap::theirs(std::string_view ours) const {
  if (std::optional<ForeignName> found = find(ours)) return *std::move(found);
  throw Error(fmt::format("no rule says where the parameter {} comes from", ours));
}

namespace {

Tensor first_rows(TensorTable& weights, const std::string& name, const Shape& shape) {
  const ForeignTensor* const found = weights.find(name);
  const bool has_more = found != nullptr && found->shape.size() == 2 &&
                        found->shape[0] > shape[0] && found->shape[1] == shape[1];
  if (!has_more) return weights.read(name, shape);
  return weights.read(name).slice_rows(0, shape[0]);
}

// The table with one more row, of a value.
Tensor with_row(const Tensor& table, float value) {
  const Tensor result = Tensor::empty_on_host({table.rows() + 1, table.cols()});
  std::fill(std::copy(table.span().begin(), table.span().end(), result.span().begin()),
            result.span().end(), value);
  return result;
}

Tensor with_added(const Tensor& x, float value) {
  std::vector<float> sums(x.span().begin(), x.span().end());
  for (float& sum : sums) sum += value;
  const Tensor result = Tensor::empty_on_host(x.shape());
  std::copy(sums.begin(), sums.end(), result.span().begin());
  return result;
}

Tensor rows_behind(std::int64_t rows, TensorTable& weights, const std::string& name,
                   const Shape& shape) {
  return weights.read(name, {rows + shape[0], shape[1]}).slice_rows(rows, rows + shape[0]);
}

Tensor read_whole(TensorTable& weights, const ForeignName& name, const Shape& shape) {
  switch (name.layout) {
    case ForeignLayout::same:
      return weights.read(name.name, shape);
    case ForeignLayout::transposed:
      return transposed(weights.read(name.name, {shape[1], shape[0]}));
    case ForeignLayout::one_row:
      return weights.read(name.name, {1, shape[0]}).reshape(shape);
    case ForeignLayout::behind_one:
      return rows_behind(1, weights, name.name, shape);
    case ForeignLayout::behind_two:
      return rows_behind(2, weights, name.name, shape);
    case ForeignLayout::first_rows:
      return first_rows(weights, name.name, shape);
    case ForeignLayout::less_one:
      return with_added(weights.read(name.name, shape), 1.0f);
    case ForeignLayout::but_one:
      return with_row(weights.read(name.name, {shape[0] - 1, shape[1]}), 0.0f);
    case ForeignLayout::but_one_transposed:
      return with_row(transposed(weights.read(name.name, {shape[1], shape[0] - 1})), 0.0f);
    case ForeignLayout::but_one_row:
      return with_row(weights.read(name.name, {1, shape[0] - 1}).reshape({shape[0] - 1, 1}),
                      kNeverChosen)
          .reshape(shape);
    case ForeignLayout::but_one_entry:
      return with_row(weights.read(name.name, {shape[0] - 1}).reshape({shape[0] - 1, 1}),
                      kNeverChosen)
          .reshape(shape);
  }
  throw Error("unknown layout");
}

// The shape of all parts together.
Shape whole_shape(const Shape& shape, const ForeignPart& part) {
  const std::int64_t rows = shape[0] / part.size * part.count;
  return shape.rank() == 1 ? Shape{rows} : Shape{rows, shape[1]};
}

// Calls use(rows, row) with the rows of `whole` that are each group of a part of `rows` rows, which
// begins at its row `row`.
template <class Use>
void for_each_group(const Tensor& whole, const ForeignPart& part, std::int64_t rows,
                    const Use& use) {
  if (rows % (std::int64_t{part.groups} * part.size) != 0)
    throw DataError(
        fmt::format("{} rows are not {} groups of {} shares", rows, part.groups, part.size));
  const std::int64_t size = rows / part.groups, share = size / part.size;
  for (std::int64_t group = 0; group < part.groups; ++group) {
    const std::int64_t begin = (group * part.count + part.index) * share;
    use(whole.slice_rows(begin, begin + size), group * size);
  }
}

// The row of a head of `width` rows that another program has in place of our row.
std::int64_t their_row(std::int64_t row, std::int64_t width, const ForeignHeads& heads) {
  const std::int64_t half = width / 2, pairs = heads.rotated / 2, i = row % half;
  const bool second = row >= half;
  if (i >= pairs) return heads.rotated + (second ? half - pairs : 0) + i - pairs;
  if (heads.adjacent) return 2 * i + (second ? 1 : 0);
  return i + (second ? pairs : 0);
}

// Calls use(ours, theirs) with the numbers of each row in both orders.
template <class Use>
void for_each_row(const Tensor& part, const ForeignHeads& heads, const Use& use) {
  const std::int64_t rows = part.dim(0);
  if (rows % (2 * std::int64_t{heads.heads}) != 0 || heads.rotated % 2 != 0 ||
      heads.rotated > rows / heads.heads)
    throw DataError(fmt::format("{} rows are not {} heads with {} rotated rows in each", rows,
                                heads.heads, heads.rotated));
  const std::int64_t width = rows / heads.heads;
  for (std::int64_t row = 0; row < rows; ++row)
    use(row, row - row % width + their_row(row % width, width, heads));
}

void copy_row(const Tensor& from, std::int64_t source, const Tensor& to, std::int64_t target) {
  const std::int64_t columns = from.size() / from.dim(0);
  std::copy_n(from.span().data() + source * columns, columns, to.span().data() + target * columns);
}

Tensor in_our_order(const Tensor& part, const ForeignHeads& heads) {
  if (heads.heads == 0) return part;
  const Tensor result = Tensor::empty_on_host(part.shape());
  for_each_row(part, heads,
               [&](std::int64_t row, std::int64_t theirs) { copy_row(part, theirs, result, row); });
  return result;
}

}  // namespace

Tensor in_their_order(const Tensor& part, const ForeignHeads& heads) {
  if (heads.heads == 0) return part;
  const Tensor result = Tensor::empty_on_host(part.shape());
  for_each_row(part, heads,
               [&](std::int64_t row, std::int64_t theirs) { copy_row(part, row, result, theirs); });
  return result;
}

Tensor rows_of_part(const Tensor& whole, const ForeignName& name) {
  const ForeignPart& part = name.part;
  if (part.count == 1) return in_our_order(whole, name.heads);
  if (whole.dim(0) % part.count != 0)
    throw DataError(
        fmt::format("{}: {} rows are not {} shares", name.name, whole.dim(0), part.count));
  const std::int64_t rows = whole.dim(0) / part.count * part.size;
  const Shape shape = whole.shape().rank() == 1 ? Shape{rows} : Shape{rows, whole.dim(1)};
  const Tensor result = Tensor::empty_on_host(shape);
  for_each_group(whole, part, rows, [&](const Tensor& from, std::int64_t row) {
    result.slice_rows(row, row + from.dim(0)).copy_from(from);
  });
  return in_our_order(result, name.heads);
}

Tensor read_parameter(TensorTable& weights, const ForeignName& name, const Shape& shape) {
  return rows_of_part(read_whole(weights, name, whole_shape(shape, name.part)), name);
}

namespace {

// [R, C] below `rows` rows of zeros.
Tensor below(std::int64_t rows, const Tensor& table) {
  const Tensor whole = Tensor::empty_on_host({rows + table.dim(0), table.dim(1)});
  std::fill_n(whole.data(), rows * table.dim(1), 0.0f);
  whole.slice_rows(rows, whole.dim(0)).copy_from(table);
  return whole;
}

Tensor joined(std::span<const std::pair<ForeignPart, Tensor>> parts) {
  const auto& [first, tensor] = parts.front();
  if (first.count == 1) return tensor;
  const Tensor whole = Tensor::empty_on_host(whole_shape(tensor.shape(), first));
  for (const auto& [part, parameter] : parts)
    for_each_group(whole, part, parameter.dim(0), [&](const Tensor& to, std::int64_t row) {
      to.copy_from(parameter.slice_rows(row, row + to.dim(0)));
    });
  return whole;
}

Tensor laid_out(const Tensor& whole, ForeignLayout layout) {
  switch (layout) {
    case ForeignLayout::same:
      return whole;
    case ForeignLayout::transposed:
      return transposed(whole);
    case ForeignLayout::one_row:
      return whole.reshape({1, whole.size()});
    case ForeignLayout::behind_one:
      return below(1, whole);
    case ForeignLayout::behind_two:
      return below(2, whole);
    case ForeignLayout::first_rows:
      return whole;
    case ForeignLayout::less_one:
      return with_added(whole, -1.0f);
    case ForeignLayout::but_one:
    case ForeignLayout::but_one_transposed:
    case ForeignLayout::but_one_row:
    case ForeignLayout::but_one_entry:
      break;  // of a family that is only read
  }
  throw Error("a layout that is only read");
}

}  // namespace

void ForeignTensors::add(const ForeignName& name, const Tensor& parameter) {
  const auto [found, is_new] = index_.emplace(name.name, wholes_.size());
  if (is_new) wholes_.push_back({name, {}});
  auto& parts = wholes_[found->second].parts;
  // A parameter that two names share comes again.
  const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
    return part.first.index == name.part.index;
  });
  if (same != parts.end()) parts.erase(same);
  parts.emplace_back(name.part, in_their_order(parameter, name.heads));
}

std::vector<NamedTensor> ForeignTensors::finish() const {
  std::vector<NamedTensor> tensors;
  for (const Whole& whole : wholes_) {
    int shares = 0;
    for (const auto& [part, tensor] : whole.parts) shares += part.size;
    if (shares != whole.name.part.count)
      throw Error(fmt::format("no parameter says what a part of {} is", whole.name.name));
    tensors.push_back({whole.name.name, laid_out(joined(whole.parts), whole.name.layout)});
  }
  return tensors;
}

}  // namespace attend
