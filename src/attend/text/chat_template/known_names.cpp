#include "attend/text/chat_template/known_names.h"

#include <algorithm>
#include <array>
#include <span>

namespace attend::chat_template {
namespace {

using Names = std::span<const std::string_view>;

constexpr auto kFilterNames = std::to_array<std::string_view>(
    {"abs",    "attr",       "batch",       "capitalize", "center",   "count",
     "d",      "default",    "dictsort",    "e",          "escape",   "filesizeformat",
     "first",  "float",      "forceescape", "format",     "groupby",  "indent",
     "int",    "items",      "join",        "last",       "length",   "list",
     "lower",  "map",        "max",         "min",        "pprint",   "random",
     "reject", "rejectattr", "replace",     "reverse",    "round",    "safe",
     "select", "selectattr", "slice",       "sort",       "string",   "striptags",
     "sum",    "title",      "tojson",      "trim",       "truncate", "unique",
     "upper",  "urlencode",  "urlize",      "wordcount",  "wordwrap", "xmlattr"});

constexpr auto kTestNames = std::to_array<std::string_view>(
    {"!=",       "<",        "<=",          "==",       ">",           ">=",       "boolean",
     "callable", "defined",  "divisibleby", "eq",       "equalto",     "escaped",  "even",
     "false",    "filter",   "float",       "ge",       "greaterthan", "gt",       "in",
     "integer",  "iterable", "le",          "lessthan", "lower",       "lt",       "mapping",
     "ne",       "none",     "number",      "odd",      "sameas",      "sequence", "string",
     "test",     "true",     "undefined",   "upper"});

constexpr auto kTextNames = std::to_array<std::string_view>(
    {"capitalize",   "casefold",    "center",    "count",      "encode",       "endswith",
     "expandtabs",   "find",        "format",    "format_map", "index",        "isalnum",
     "isalpha",      "isascii",     "isdecimal", "isdigit",    "isidentifier", "islower",
     "isnumeric",    "isprintable", "isspace",   "istitle",    "isupper",      "join",
     "ljust",        "lower",       "lstrip",    "maketrans",  "partition",    "removeprefix",
     "removesuffix", "replace",     "rfind",     "rindex",     "rjust",        "rpartition",
     "rsplit",       "rstrip",      "split",     "splitlines", "startswith",   "strip",
     "swapcase",     "title",       "translate", "upper",      "zfill"});
constexpr auto kMarkupNames = std::to_array<std::string_view>({"escape", "striptags", "unescape"});
constexpr auto kListNames =
    std::to_array<std::string_view>({"append", "clear", "copy", "count", "extend", "index",
                                     "insert", "pop", "remove", "reverse", "sort"});
constexpr auto kDictNames =
    std::to_array<std::string_view>({"clear", "copy", "fromkeys", "get", "items", "keys", "pop",
                                     "popitem", "setdefault", "update", "values"});
constexpr auto kTupleNames = std::to_array<std::string_view>({"count", "index"});
constexpr auto kRangeNames =
    std::to_array<std::string_view>({"count", "index", "start", "step", "stop"});
constexpr auto kWholeNames = std::to_array<std::string_view>(
    {"as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator", "from_bytes",
     "imag", "numerator", "real", "to_bytes"});
constexpr auto kRealNames = std::to_array<std::string_view>(
    {"as_integer_ratio", "conjugate", "fromhex", "hex", "imag", "is_integer", "real"});
constexpr auto kViewNames = std::to_array<std::string_view>({"isdisjoint", "mapping"});
constexpr auto kIteratorNames =
    std::to_array<std::string_view>({"close", "gi_code", "gi_frame", "gi_running", "gi_suspended",
                                     "gi_yieldfrom", "send", "throw"});
constexpr auto kMacroNames = std::to_array<std::string_view>(
    {"arguments", "caller", "catch_kwargs", "catch_varargs", "explicit_caller", "name"});
constexpr auto kLoopNames = std::to_array<std::string_view>(
    {"changed", "cycle", "depth", "depth0", "first", "index", "index0", "last", "length",
     "nextitem", "previtem", "revindex", "revindex0"});

Names names_of(const Value& value) {
  switch (value.kind()) {
    case Kind::text:
      return kTextNames;
    case Kind::list:
      return kListNames;
    case Kind::dict:
      return kDictNames;
    case Kind::tuple:
      return kTupleNames;
    case Kind::range:
      return kRangeNames;
    case Kind::integer:
    case Kind::boolean:
      return kWholeNames;
    case Kind::real:
      return kRealNames;
    case Kind::view:
      return kViewNames;
    case Kind::iterator:
      return kIteratorNames;
    case Kind::macro:
      return kMacroNames;
    case Kind::loop:
      return kLoopNames;
    default:
      return {};
  }
}

std::string_view found_in(Names names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::string_view() : *found;
}

}  // namespace

bool is_filter_name(std::string_view name) { return !found_in(kFilterNames, name).empty(); }
bool is_test_name(std::string_view name) { return !found_in(kTestNames, name).empty(); }

std::string_view attribute_name(const Value& value, std::string_view name) {
  const std::string_view found = found_in(names_of(value), name);
  return found.empty() && value.is_markup() ? found_in(kMarkupNames, name) : found;
}

bool is_changing(const Value& value, std::string_view name) {
  if (value.is(Kind::list)) return name != "copy" && name != "count" && name != "index";
  constexpr auto kChanging =
      std::to_array<std::string_view>({"clear", "pop", "popitem", "setdefault", "update"});
  return value.is(Kind::dict) && !found_in(kChanging, name).empty();
}

}  // namespace attend::chat_template
