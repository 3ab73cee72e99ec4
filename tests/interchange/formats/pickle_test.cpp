#include "attend/interchange/formats/pickle.h"

#include <gtest/gtest.h>

#include <array>

#include "attend/error.h"
#include "attend/interchange/formats/pickle_json.h"
#include "interchange/written_formats.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr std::array<std::string_view, 2> kAllowed = {"collections.OrderedDict", "module.function"};

Pickle unpickled(std::string_view bytes) {
  return {std::as_bytes(std::span(bytes)), kAllowed, "file"};
}

void expect_pickle_error(const std::string& instructions,
                         std::initializer_list<std::string_view> fragments) {
  const std::string bytes = pickle_of(instructions);
  expect_error<DataError>([&] { unpickled(bytes); }, fragments);
}

std::int64_t integer(std::string_view instructions) {
  const std::string bytes = pickle_of(instructions);
  const Pickle pickle = unpickled(bytes);
  EXPECT_TRUE(pickle.root().kind == PickleKind::integer);
  return pickle.root().integer;
}

TEST(Pickle, ReadsIntegersOfEverySize) {
  EXPECT_EQ(integer("K\xff"), 255);
  EXPECT_EQ(integer("M\xff\xff"), 65535);
  EXPECT_EQ(integer("J\xff\xff\xff\xff"), -1);
  EXPECT_EQ(integer(std::string("\x8a\0", 2)), 0);
  EXPECT_EQ(integer("\x8a\x01\x80"), -128);
  EXPECT_EQ(integer(std::string("\x8a\x02\x80\x00", 4)), 128);
  EXPECT_EQ(integer("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"), 9223372036854775807);
  const std::string big = pickle_of(
      "\x8a\x09"
      "123456789");
  EXPECT_TRUE(unpickled(big).root().kind == PickleKind::big);
  EXPECT_EQ(unpickled(big).root().text, "123456789");
}

TEST(Pickle, ReadsCollections) {
  const std::string bytes = pickle_of("}(" + pickled("list") + "](K\1K\2eK\3a" + pickled("tuples") +
                                      ")\x85K\1K\2\x86K\1K\2K\3\x87\x87" + pickled("none") + "N" +
                                      pickled("true") + "\x88u" + pickled("more") + "\x89s");
  const Pickle pickle = unpickled(bytes);
  const std::vector<PickleRef>& items = pickle.root().items;
  ASSERT_EQ(items.size(), 10u);
  EXPECT_EQ(pickle[items[0]].text, "list");
  EXPECT_EQ(pickle[items[1]].items.size(), 3u);
  EXPECT_EQ(pickle[pickle[items[1]].items[2]].integer, 3);
  const std::vector<PickleRef>& tuples = pickle[items[3]].items;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(pickle[tuples[i]].items.size(), i + 1);
  EXPECT_TRUE(pickle[items[5]].kind == PickleKind::none);
  EXPECT_EQ(pickle[items[7]].integer, 1);
  EXPECT_TRUE(pickle[items[9]].kind == PickleKind::boolean);
  EXPECT_EQ(pickle[items[9]].integer, 0);
}

TEST(Pickle, RecallsWhatItRemembers) {
  const std::string bytes = pickle_of("]q\5h\5ar\xff\xff\xff\xffj\xff\xff\xff\xff\x86");
  const Pickle pickle = unpickled(bytes);
  const std::vector<PickleRef>& pair = pickle.root().items;
  EXPECT_EQ(pair[0], pair[1]);
  EXPECT_EQ(pickle[pair[0]].items[0], pair[0]) << "a list that is in itself";
  expect_pickle_error("h\7", {"file: its pickle, at byte 2: it recalls value 7"});
  expect_pickle_error("j\xff\xff\xff\xff", {"it recalls value 4294967295"});
  expect_pickle_error("q\1", {"takes a value where there is none"});
}

TEST(Pickle, KeepsCallsAsData) {
  const std::string bytes = pickle_of("cmodule\nfunction\nK\7\x85R");
  const Pickle pickle = unpickled(bytes);
  ASSERT_TRUE(pickle.root().kind == PickleKind::call);
  EXPECT_EQ(pickle[pickle.root().items[0]].text, "module.function");
  EXPECT_EQ(pickle[pickle[pickle.root().items[1]].items[0]].integer, 7);
  const std::string ordered = pickle_of("ccollections\nOrderedDict\n)R" + pickled("a") + "K\1s}b");
  EXPECT_EQ(unpickled(ordered).root().items.size(), 2u);
  EXPECT_TRUE(unpickled(ordered).root().kind == PickleKind::dictionary);
}

TEST(Pickle, RefusesFunctionsThatItDoesNotKnow) {
  expect_pickle_error("cos\nsystem\n", {"it names 'os.system'"});
  expect_pickle_error("cmodule\nfunction2\n", {"it names 'module.function2'"});
  expect_pickle_error("cmodule.\nfunction\n", {"it names 'module..function'"});
  expect_pickle_error("c" + std::string(1000, 'x'), {"it names the function 'xxx"});
  expect_pickle_error("ccollections\nOrderedDict\nK\1\x85R", {"without arguments"});
  expect_pickle_error("K\1)R", {"expected a function and a tuple, found an integer and a tuple"});
  expect_pickle_error("cmodule\nfunction\nK\1R", {"found a function and an integer"});
}

TEST(Pickle, ReadsNumbers) {
  const std::string bytes = pickle_of(std::string("G\x40\x09\x21\xfb\x54\x44\x2d\x18", 9));
  EXPECT_EQ(unpickled(bytes).root().number, 3.141592653589793);
  EXPECT_TRUE(unpickled(bytes).root().kind == PickleKind::number);
}

// Of a class that is not on the list, with attributes, and with entries of its own.
TEST(Pickle, KeepsObjectsAsDataIfTheyMayBeThere) {
  const std::string bytes = pickle_of("cargparse\nNamespace\n)\x81}" + pickled("layers") + "K\6sb");
  expect_error<DataError>([&] { unpickled(bytes); }, {"it names 'argparse.Namespace'"});
  const Pickle pickle(std::as_bytes(std::span(bytes)), kAllowed, "file", OtherFunctions::opaque);
  ASSERT_TRUE(pickle.is_call(pickle.root(), "argparse\nNamespace"));
  ASSERT_EQ(pickle.root().items.size(), 3u);
  EXPECT_EQ(pickle.find(pickle[pickle.root().items[2]], "layers")->integer, 6);
  EXPECT_EQ(pickle.find(pickle[pickle.root().items[2]], "other"), nullptr);
  EXPECT_EQ(pickled_json(pickle, pickle.root()), nlohmann::json({{"layers", 6}}));
  const std::string counter = pickle_of("ccollections\nCounter\n)R" + pickled("a") + "K\1s");
  const Pickle counted(std::as_bytes(std::span(counter)), kAllowed, "file", OtherFunctions::opaque);
  EXPECT_EQ(pickled_json(counted, counted.root()), nlohmann::json({{"a", 1}}));
}

TEST(Pickle, BecomesSettings) {
  const std::string bytes = pickle_of("}(" + pickled("list") + "](K\1\x88Ne" + pickled("text") +
                                      pickled("x") + pickled("function") + "cos\nsystem\nu");
  const Pickle pickle(std::as_bytes(std::span(bytes)), kAllowed, "file", OtherFunctions::opaque);
  const nlohmann::json json = pickled_json(pickle, pickle.root());
  EXPECT_EQ(json["list"], nlohmann::json({1, true, nullptr}));
  EXPECT_EQ(json["text"], "x");
  EXPECT_TRUE(json["function"].is_array()) << "no setting of a model";
}

TEST(Pickle, BecomesNoSettingsWithoutEnd) {
  const auto refuse = [](const std::string& bytes) {
    const Pickle pickle(std::as_bytes(std::span(bytes)), kAllowed, "file", OtherFunctions::opaque);
    expect_error<DataError>([&] { pickled_json(pickle, pickle.root()); },
                            {"file: its settings", "contain themselves"});
  };
  refuse(pickle_of("]q\5h\5a"));
  // Each list holds the one before it eight times.
  std::string wide = "]";
  for (int i = 0; i < 9; ++i) wide += "q\1](h\1h\1h\1h\1h\1h\1h\1h\1e";
  refuse(pickle_of("](" + wide + "e"));
}

TEST(Pickle, RefusesInstructionsThatTensorsDoNotNeed) {
  for (const char instruction :
       {'i', 'o', '0', '1', '2',    'F',    'I',    'L',    'P',    'S',    'T',    'U', 'V',
        'd', 'g', 'l', 'p', '\x82', '\x8b', '\x8c', '\x92', '\x93', '\x94', '\x95', '\0'})
    expect_pickle_error(std::string(1, instruction) + "a\nb\n",
                        {"at byte 2: expected an instruction that tensors need, found 0x"});
}

TEST(Pickle, KeepsItsStackInOrder) {
  expect_pickle_error("", {"it ends with 0 values in place of one"});
  expect_pickle_error("K\1K\1", {"it ends with 2 values in place of one"});
  expect_pickle_error("K\1(", {"it ends with 1 values"});
  expect_pickle_error("t", {"it goes back to a mark that it has not made"});
  expect_pickle_error("](a", {"takes a value where there is none"});
  expect_pickle_error("](Q", {"takes a value where there is none"});
  expect_pickle_error("}(K\1u", {"expected as many values as keys"});
  expect_pickle_error("K\1K\2a", {"expected a list, found an integer"});
  expect_pickle_error("]K\1K\2s", {"expected a dictionary, found a list"});
  expect_pickle_error("K\1}b", {"expected a dictionary, found an integer"});
}

TEST(Pickle, BeginsWithItsProtocol) {
  const auto refuse = [](std::string_view bytes, std::string_view message) {
    expect_error<DataError>([&] { unpickled(bytes); }, {message});
  };
  refuse("", "expected 1 bytes at byte 0, found 0; truncated?");
  refuse("K\1.", "expected the mark of protocol 2, found 0x4b");
  refuse("\x80\x04K\1.", "expected protocol 2 at its beginning, found protocol 4");
  refuse("\x80\x02\x80\x02K\1.", "expected protocol 2 at its beginning");
  refuse("\x80\x02", "truncated?");
  refuse("\x80\x02X\xff\xff\xff\x7f", "expected 2147483647 bytes at byte 7, found 0");
  refuse(pickle_of("X" + bytes_of(std::uint32_t{2}) + "\xc3("), "expected text in UTF-8");
}

TEST(Pickle, EndsWhereItStops) {
  const std::string bytes = pickle_of("K\1") + "more";
  EXPECT_EQ(unpickled(bytes).size(), 5u);
}

TEST(Pickle, BoundsItsValues) {
  std::string many = "(";
  many += std::string(std::size_t{5} << 20, ')');
  expect_pickle_error(many + "t", {"expected at most 4194304 values, found more"});
}

TEST(Pickle, NestsAsDeepAsItLikes) {
  std::string deep = ")" + std::string(1'000'000, '\x85');
  EXPECT_EQ(unpickled(deep = pickle_of(deep)).root().items.size(), 1u);
}

}  // namespace
}  // namespace attend
