#include "attend/train/log/tensorboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

#include "attend/error.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

// ---- a reader of event files, independent of the writer

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string version;
  int session_status = 0;
  std::map<std::string, float> scalars;
};

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw std::runtime_error("truncated");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::uint64_t fixed(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view taken = take(size);
    for (std::size_t i = 0; i < size; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(taken[i])} << (8 * i);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
  }

 private:
  std::string_view bytes_;
};

// Calls on_field(number, integer value, bytes value) for every field of a message.
template <class OnField>
void parse_message(std::string_view message, const OnField& on_field) {
  Bytes bytes(message);
  while (!bytes.done()) {
    const std::uint64_t key = bytes.varint();
    std::uint64_t integer = 0;
    std::string_view data;
    switch (key & 7) {
      case 0:
        integer = bytes.varint();
        break;
      case 1:
        integer = bytes.fixed(8);
        break;
      case 2:
        data = bytes.take(bytes.varint());
        break;
      case 5:
        integer = bytes.fixed(4);
        break;
      default:
        throw std::runtime_error("unknown wire type");
    }
    on_field(static_cast<int>(key >> 3), integer, data);
  }
}

void parse_value(std::string_view message, Event& event) {
  std::string tag;
  float number = 0;
  parse_message(message, [&](int field, std::uint64_t integer, std::string_view data) {
    if (field == 1) tag = data;
    if (field == 2) number = std::bit_cast<float>(static_cast<std::uint32_t>(integer));
  });
  event.scalars[tag] = number;
}

Event parse_event(std::string_view message) {
  Event event;
  parse_message(message, [&](int field, std::uint64_t integer, std::string_view data) {
    if (field == 1) event.wall_time = std::bit_cast<double>(integer);
    if (field == 2) event.step = static_cast<std::int64_t>(integer);
    if (field == 3) event.version = data;
    if (field == 5) {
      parse_message(data,
                    [&](int, std::uint64_t, std::string_view value) { parse_value(value, event); });
    }
    if (field == 7) {
      parse_message(data, [&](int inner, std::uint64_t status, std::string_view) {
        if (inner == 1) event.session_status = static_cast<int>(status);
      });
    }
  });
  return event;
}

// CRC-32C bit by bit, as the polynomial is written.
std::uint32_t slow_crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
  }
  return ~crc;
}
std::uint32_t slow_mask(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u; }

std::vector<Event> read_events(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  Bytes bytes(content);
  std::vector<Event> events;
  while (!bytes.done()) {
    const std::string_view length = bytes.take(8);
    if (bytes.fixed(4) != slow_mask(slow_crc32c(length)))
      throw std::runtime_error("wrong checksum of a length");
    const std::string_view data = bytes.take(Bytes(length).fixed(8));
    if (bytes.fixed(4) != slow_mask(slow_crc32c(data)))
      throw std::runtime_error("wrong checksum of a record");
    events.push_back(parse_event(data));
  }
  return events;
}

class TensorBoardTest : public FolderTest {
 protected:
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
  }
  TensorBoardOptions options(int every) {
    return {.every = every, .now = [this] { return clock_ += 0.25; }};
  }

  double clock_ = 1700000000;
};

TEST(Crc32c, EqualsTheKnownAnswers) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  std::string rising(32, '\0');
  for (std::size_t i = 0; i < 32; ++i) rising[i] = static_cast<char>(i);
  EXPECT_EQ(crc32c(rising), 0x46DD794Eu);
  EXPECT_EQ(crc32c(std::string(rising.rbegin(), rising.rend())), 0x113FDB5Cu);
}

TEST(Crc32c, IsMaskedByRotationAndAConstant) {
  EXPECT_EQ(masked_crc32c(""), 0xA282EAD8u);
  EXPECT_EQ(masked_crc32c("123456789"), slow_mask(0xE3069283u));
}

TEST_F(TensorBoardTest, WritesScalarsThatAReaderFinds) {
  TensorBoard board(folder_, options(1));
  board.on_start({});
  StepEvent step;
  step.step = 300;  // a varint of two bytes
  step.loss = 2.5;
  step.nll = 2.0;
  step.learning_rate = 1e-3;
  step.gradient_norm = 0.75;
  step.tokens_per_second = 12345;
  board.on_step(step);
  board.on_validation({300, 2, 1.5, 1.0, {{"bleu", 41.25}}, true, 10});

  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(files()[0].filename().string(), "events.out.tfevents.1700000000.000.attend");
  const std::vector<Event> events = read_events(files()[0]);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[0].wall_time, 1700000000.25);
  EXPECT_EQ(events[1].step, 300);
  EXPECT_EQ(events[1].wall_time, 1700000000.5);
  EXPECT_EQ(events[1].scalars,
            (std::map<std::string, float>{{"train/loss", 2.5f},
                                          {"train/perplexity", static_cast<float>(std::exp(2.0))},
                                          {"train/learning_rate", 1e-3f},
                                          {"train/gradient_norm", 0.75f},
                                          {"train/tokens_per_second", 12345.0f}}));
  EXPECT_EQ(events[2].step, 300);
  EXPECT_EQ(events[2].scalars,
            (std::map<std::string, float>{{"valid/loss", 1.5f},
                                          {"valid/perplexity", static_cast<float>(std::exp(1.0))},
                                          {"valid/bleu", 41.25f}}));
}

TEST_F(TensorBoardTest, DrawsEveryNthStep) {
  TensorBoard board(folder_, options(10));
  board.on_start({});
  for (int step = 1; step <= 30; ++step) {
    StepEvent event;
    event.step = step;
    board.on_step(event);
  }
  EXPECT_EQ(read_events(files()[0]).size(), 4u);  // version, 10, 20, 30
  EXPECT_THROW(TensorBoard(folder_, options(0)), ConfigError);
}

TEST_F(TensorBoardTest, GivesAResumedRunAFileOfItsOwnThatDropsLostSteps) {
  TensorBoardOptions frozen{.every = 1, .now = [] { return 1700000000.0; }};
  TensorBoard(folder_, frozen).on_start({});
  TrainingStart resumed;
  resumed.resumed_step = 500;
  TensorBoard(folder_, frozen).on_start(resumed);
  ASSERT_EQ(files().size(), 2u);
  EXPECT_EQ(read_events(files()[0]).size(), 1u);
  const std::vector<Event> events = read_events(files()[1]);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].session_status, 1);  // START
  EXPECT_EQ(events[1].step, 501);
}

TEST_F(TensorBoardTest, SaysWhereItCannotWrite) {
  const std::filesystem::path occupied = path("occupied");
  std::ofstream(occupied) << "a file, not a folder";
  try {
    TensorBoard(occupied, options(1)).on_start({});
    FAIL() << "expected IoError";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find(occupied.string()), std::string::npos);
  }
}

}  // namespace
}  // namespace attend
