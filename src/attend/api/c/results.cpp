// Reading results. A place that does not exist is empty.
#include "attend/api/c/handles.h"

namespace attend {
namespace {

template <class Element>
const Element* element_of(const std::vector<Element>& list, std::int64_t index) {
  if (index < 0 || index >= std::ssize(list)) return nullptr;
  return &list[static_cast<std::size_t>(index)];
}

const ResultItem& item_of(const attend_result* result, std::int64_t item) {
  static const ResultItem none;
  const ResultItem* found = result == nullptr ? nullptr : element_of(result->items, item);
  return found == nullptr ? none : *found;
}

const ResultChoice* choice_of(const attend_result* result, std::int64_t item, std::int64_t choice) {
  return element_of(item_of(result, item).choices, choice);
}

// The elements of a list in rows; NULL if it is empty or there is none.
template <class Element>
const Element* rows_of(const std::vector<Element>* list, std::int64_t row_width,
                       std::int64_t* count) {
  const bool is_empty = list == nullptr || list->empty();
  if (count != nullptr) *count = is_empty ? 0 : std::ssize(*list) / row_width;
  return is_empty ? nullptr : list->data();
}

}  // namespace
}  // namespace attend

using attend::choice_of;
using attend::element_of;
using attend::item_of;
using attend::ResultChoice;
using attend::ResultItem;
using attend::rows_of;

std::int64_t attend_result_count(const attend_result* result) {
  return result == nullptr ? 0 : std::ssize(result->items);
}

std::int64_t attend_result_choices(const attend_result* result, std::int64_t item) {
  return std::ssize(item_of(result, item).choices);
}

const char* attend_result_text(const attend_result* result, std::int64_t item, std::int64_t choice,
                               std::int64_t* length) {
  const ResultChoice* found = choice_of(result, item, choice);
  if (length != nullptr) *length = found == nullptr ? 0 : std::ssize(found->text);
  return found == nullptr ? nullptr : found->text.c_str();
}

float attend_result_score(const attend_result* result, std::int64_t item, std::int64_t choice) {
  const ResultChoice* found = choice_of(result, item, choice);
  return found == nullptr ? ResultChoice().score : found->score;
}

std::int64_t attend_result_index(const attend_result* result, std::int64_t item,
                                 std::int64_t choice) {
  const ResultChoice* found = choice_of(result, item, choice);
  return found == nullptr ? -1 : found->index;
}

const char* attend_result_label(const attend_result* result, std::int64_t item,
                                std::int64_t choice) {
  const ResultChoice* found = choice_of(result, item, choice);
  return found == nullptr ? nullptr : found->label.c_str();
}

std::int32_t attend_result_span(const attend_result* result, std::int64_t item, std::int64_t choice,
                                std::int64_t* begin, std::int64_t* end) {
  const ResultChoice* found = choice_of(result, item, choice);
  if (begin != nullptr) *begin = found == nullptr ? -1 : found->begin;
  if (end != nullptr) *end = found == nullptr ? -1 : found->end;
  return found != nullptr && found->begin >= 0 ? 1 : 0;
}

std::int32_t attend_result_complete(const attend_result* result, std::int64_t item,
                                    std::int64_t choice) {
  const ResultChoice* found = choice_of(result, item, choice);
  return found != nullptr && found->complete ? 1 : 0;
}

std::int64_t attend_result_token_count(const attend_result* result, std::int64_t item,
                                       std::int64_t choice) {
  const ResultChoice* found = choice_of(result, item, choice);
  return found == nullptr ? 0 : std::ssize(found->tokens);
}

const char* attend_result_token(const attend_result* result, std::int64_t item, std::int64_t choice,
                                std::int64_t token) {
  const ResultChoice* found = choice_of(result, item, choice);
  const std::string* piece = found == nullptr ? nullptr : element_of(found->tokens, token);
  return piece == nullptr ? nullptr : piece->c_str();
}

const float* attend_result_token_scores(const attend_result* result, std::int64_t item,
                                        std::int64_t choice, std::int64_t* count) {
  const ResultChoice* found = choice_of(result, item, choice);
  return rows_of(found == nullptr ? nullptr : &found->token_scores, 1, count);
}

const std::int32_t* attend_result_alignment(const attend_result* result, std::int64_t item,
                                            std::int64_t choice, std::int64_t* count) {
  const ResultChoice* found = choice_of(result, item, choice);
  return rows_of(found == nullptr ? nullptr : &found->alignment, 2, count);
}

const float* attend_result_vectors(const attend_result* result, std::int64_t item,
                                   std::int64_t* rows, std::int64_t* width) {
  const ResultItem& found = item_of(result, item);
  if (rows != nullptr) *rows = found.rows;
  if (width != nullptr) *width = found.width;
  return found.vectors.empty() ? nullptr : found.vectors.data();
}

void attend_result_free(attend_result* result) { delete result; }
