#include "attend/interchange/formats/gguf/gguf_types.h"

#include <gtest/gtest.h>

#include <vector>

#include "attend/error.h"

namespace attend {
namespace {

struct KnownBlock {
  std::string_view type;
  std::vector<std::size_t> places;
  std::vector<float> values;  // at these places
  double sum;                 // of (place + 1) * value
};

// What gguf-py 0.19 makes of the bytes of written_block().
const std::vector<KnownBlock> kKnownBlocks{
    {"Q4_0",
     {0, 1, 15, 16, 17, 31},
     {-0.2109375f, 0.140625f, -0.5625f, -0.2109375f, -0.0703125f, 0.0f},
     -36.421875},
    {"Q4_1",
     {0, 1, 15, 16, 17, 31},
     {1.1523438f, 0.37890625f, 0.80078125f, 0.73046875f, 0.94140625f, 0.94140625f},
     331.6171875},
    {"Q5_0",
     {0, 1, 15, 16, 17, 31},
     {0.6328125f, -0.140625f, -0.84375f, 0.984375f, 0.0f, 0.0703125f},
     7.875},
    {"Q5_1",
     {0, 1, 15, 16, 17, 31},
     {1.4335938f, 1.7851562f, 2.2070312f, 1.4335938f, 0.44921875f, 0.44921875f},
     607.1015625},
    {"Q8_0",
     {0, 1, 15, 16, 17, 31},
     {5.9765625f, 8.578125f, -9.0f, -6.3984375f, -3.796875f, -3.375f},
     -568.125},
    {"Q4_K",
     {0, 1, 31, 32, 63, 64, 100, 127, 128, 160, 200, 255},
     {18.996094f, -4.9804688f, 8.097656f, -0.9375f, 1.3125f, 25.753906f, 4.5546875f, 3.5703125f,
      28.992188f, 35.039062f, 8.675781f, 1.2226562f},
     473001.3125},
    {"Q5_K",
     {0, 1, 31, 32, 63, 64, 100, 127, 128, 160, 200, 255},
     {53.871094f, -4.9804688f, 8.097656f, 6.375f, 4.125f, 25.753906f, 14.3984375f, -2.3359375f,
      72.86719f, 9.7265625f, 8.675781f, 5.4414062f},
     1067465.9375},
    {"Q6_K",
     {0, 1, 31, 32, 63, 64, 100, 127, 128, 160, 200, 255},
     {-100.61719f, 119.25f, -6.75f, 16.242188f, -40.78125f, -213.75f, 177.39844f, 105.46875f,
      -24.679688f, 47.179688f, 76.57031f, -4.21875f},
     55154.53125}};

// Some bytes, with a factor and, where there is one, an offset.
std::vector<std::byte> written_block(const GgufType& type) {
  std::vector<std::byte> bytes(type.bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i + 11);
  const auto put = [&](std::size_t at, unsigned half) {
    bytes[at] = static_cast<std::byte>(half);
    bytes[at + 1] = static_cast<std::byte>(half >> 8);
  };
  put(type.name == "Q6_K" ? 208 : 0, 0x2c80);
  for (const std::string_view shifted : {"Q4_1", "Q5_1", "Q4_K", "Q5_K"})
    if (type.name == shifted) put(2, 0x2e40);
  return bytes;
}

TEST(GgufTypes, BecomeTheFloatsOfTheOriginal) {
  for (const KnownBlock& known : kKnownBlocks) {
    SCOPED_TRACE(known.type);
    const GgufType& type = gguf_type(known.type);
    std::vector<std::byte> two = written_block(type);
    const std::vector<std::byte> again = two;
    two.insert(two.end(), again.begin(), again.end());
    std::vector<float> floats(2 * type.block);
    dequantize_blocks(type, two, floats);
    double sum = 0;
    for (std::size_t i = 0; i < type.block; ++i) {
      EXPECT_EQ(floats[i], floats[type.block + i]) << i;
      sum += static_cast<double>(i + 1) * floats[i];
    }
    EXPECT_EQ(sum, known.sum);
    for (std::size_t i = 0; i < known.places.size(); ++i)
      EXPECT_EQ(floats[known.places[i]], known.values[i]) << known.places[i];
  }
}

TEST(GgufTypes, HaveNamesAndCodes) {
  EXPECT_EQ(gguf_type(14)->name, "Q6_K");
  EXPECT_EQ(gguf_type(10)->bytes, 0u);  // known, but not supported
  EXPECT_EQ(gguf_type(4), nullptr);
  EXPECT_EQ(gguf_type("BF16").code, 30u);
  EXPECT_THROW(gguf_type("Q9"), Error);
}

}  // namespace
}  // namespace attend
