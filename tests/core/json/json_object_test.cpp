#include "attend/core/json/json_object.h"

#include <gtest/gtest.h>

#include "attend/error.h"

namespace attend {
namespace {

using SortedJson = nlohmann::json;

const SortedJson kObject{{"flag", true},
                         {"number", 7},
                         {"text", "a"},
                         {"ids", {1, 2}},
                         {"texts", {"a", "b"}},
                         {"inner", {{"one", 1}}},
                         {"inners", {{{"one", 1}}, {{"one", 2}}}},
                         {"nothing", nullptr}};

template <class Read>
std::string complaint_of(const Read& read) {
  try {
    JsonObject object(kObject, "file");
    read(object);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonObject, GivesMembersOfTheTypeThatIsExpected) {
  JsonObject object(kObject, "file");
  EXPECT_TRUE(object.flag("flag"));
  EXPECT_TRUE(object.flag("missing", true));
  EXPECT_EQ(object.integer("number", 7, 7), 7);
  EXPECT_EQ(object.text("text"), "a");
  EXPECT_EQ(object.text("nothing", "b"), "b") << "null is nothing";
  EXPECT_EQ(object.ids("ids"), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(object.texts("texts"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(object.object("inner").integer("one", 0, 1), 1);
  std::vector<JsonObject> inners = object.objects("inners");
  EXPECT_EQ(inners.at(1).integer("one", 0, 9), 2);
  EXPECT_NO_THROW(object.finish());
}

TEST(JsonObject, SaysWhereSomethingElseIs) {
  EXPECT_EQ(complaint_of([](JsonObject& o) { o.flag("number"); }),
            "file: number: expected true or false, found '7'");
  EXPECT_EQ(complaint_of([](JsonObject& o) { o.integer("number", 8, 9); }),
            "file: number: expected a whole number from 8 to 9, found '7'");
  EXPECT_EQ(complaint_of([](JsonObject& o) { o.text("missing"); }),
            "file: expected an object with 'missing'");
  EXPECT_EQ(complaint_of([](JsonObject& o) { o.ids("texts"); }),
            "file: texts: expected a list of ids, found '[\"a\",\"b\"]'");
  EXPECT_EQ(complaint_of([](JsonObject& o) { o.texts("ids"); }),
            "file: ids: expected a list of texts, found '[1,2]'");
  EXPECT_EQ(complaint_of([](JsonObject& o) { o.object("text"); }),
            "file: text: expected an object");
  EXPECT_EQ(complaint_of([](JsonObject& o) { o.objects("inners").at(0).flag("one"); }),
            "file: inners 1: one: expected true or false, found '1'");
  EXPECT_EQ(complaint_of([](JsonObject& o) { o.finish(); }), "file: 'flag' is not known");
}

}  // namespace
}  // namespace attend
