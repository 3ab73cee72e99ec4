// Files as their formats have them, with any content: for those that nobody honest would write.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/written_zip.h"

namespace attend {

// Parts of pickles of protocol 2.
inline std::string pickled(std::string_view text) {
  return "X" + bytes_of(static_cast<std::uint32_t>(text.size())) + std::string(text);
}
inline std::string pickled(std::int64_t number) { return "\x8a\x08" + bytes_of(number); }
inline std::string pickled_tuple(std::initializer_list<std::string> items) {
  std::string tuple = "(";
  for (const std::string& item : items) tuple += item;
  return tuple + "t";
}
inline std::string pickled_sizes(const std::vector<std::int64_t>& sizes) {
  std::string tuple = "(";
  for (const std::int64_t size : sizes) tuple += pickled(size);
  return tuple + "t";
}
inline std::string pickle_of(std::string_view instructions) {
  return "\x80\x02" + std::string(instructions) + ".";
}

struct WrittenTensor {
  std::string name = "w";
  std::string type = "FloatStorage";
  std::string key = "0";
  std::int64_t elements = 6, offset = 0;
  std::vector<std::int64_t> shape{2, 3}, strides{3, 1};
};

inline std::string pickled_tensor(const WrittenTensor& t) {
  const std::string storage = pickled_tuple({pickled("storage"), "ctorch\n" + t.type + "\n",
                                             pickled(t.key), pickled("cpu"), pickled(t.elements)}) +
                              "Q";
  return "ctorch._utils\n_rebuild_tensor_v2\n" +
         pickled_tuple({storage, pickled(t.offset), pickled_sizes(t.shape),
                        pickled_sizes(t.strides), "\x89", "ccollections\nOrderedDict\n)R"}) +
         "R";
}

// A dictionary with one tensor.
inline std::string pickled_state(const WrittenTensor& tensor) {
  return pickle_of("}" + pickled(tensor.name) + pickled_tensor(tensor) + "s");
}

// A checkpoint with these bytes as its storage "0".
inline std::string written_torch_zip(const std::string& pickle, const std::string& storage) {
  return written_zip({{"m/data.pkl", pickle}, {"m/data/0", storage}});
}

inline std::string written_torch_legacy(const std::string& pickle, const std::string& storage,
                                        std::int64_t count) {
  const std::string magic("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19");
  return pickle_of(magic) + pickle_of("M\xe9\x03") +
         pickle_of("}" + pickled("little_endian") + "\x88s") + pickle +
         pickle_of("]" + pickled("0") + "a") + bytes_of(count) + storage;
}

// An array of NumPy.
inline std::string written_npy(const std::string& header, const std::string& data) {
  return "\x93NUMPY" + std::string("\1\0", 2) +
         bytes_of(static_cast<std::uint16_t>(header.size())) + header + data;
}

inline std::string written_marian_shortlist(std::uint64_t always,
                                            const std::vector<std::uint64_t>& offsets,
                                            const std::vector<std::uint32_t>& ids) {
  std::string bytes = bytes_of(std::uint64_t{0xF11A48D5013417F5}) + bytes_of(std::uint64_t{1}) +
                      bytes_of(always) + bytes_of(std::uint64_t{10}) +
                      bytes_of(std::uint64_t{offsets.size()}) + bytes_of(std::uint64_t{ids.size()});
  for (const std::uint64_t offset : offsets) bytes += bytes_of(offset);
  for (const std::uint32_t id : ids) bytes += bytes_of(id);
  return bytes;
}

struct WrittenMarianItem {
  std::string name;
  std::uint64_t type = 0x404;
  std::vector<std::int32_t> shape = {};
  std::string data;
};

inline std::string written_marian(const std::vector<WrittenMarianItem>& items) {
  std::string headers, names, shapes, data;
  for (const WrittenMarianItem& item : items) {
    headers += bytes_of(std::uint64_t{item.name.size() + 1}) + bytes_of(item.type) +
               bytes_of(std::uint64_t{item.shape.size()}) +
               bytes_of(std::uint64_t{item.data.size()});
    names += item.name + std::string(1, '\0');
    for (const std::int32_t extent : item.shape) shapes += bytes_of(extent);
    data += item.data;
  }
  return bytes_of(std::uint64_t{1}) + bytes_of(std::uint64_t{items.size()}) + headers + names +
         shapes + bytes_of(std::uint64_t{0}) + data;
}

}  // namespace attend
