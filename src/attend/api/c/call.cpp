#include "attend/api/c/call.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <string_view>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {

namespace {

// Needs no memory, because its message is short. Never freed.
attend_error& error_without_memory() {
  static attend_error error{ATTEND_OUT_OF_MEMORY, "out of memory"};
  return error;
}

std::int32_t store(attend_error** error, std::int32_t code, const char* message) noexcept {
  if (error == nullptr) return code;
  try {
    *error = new attend_error{code, message};
    return code;
  } catch (...) {
  }
  *error = &error_without_memory();
  return ATTEND_OUT_OF_MEMORY;
}

}  // namespace

std::string required_text(const char* text, std::int64_t length, const char* name) {
  if (text == nullptr) throw ArgumentError(fmt::format("{}: expected a text, got NULL", name));
  if (length < -1)
    throw ArgumentError(fmt::format("{}: expected a length of -1 or more, got {}", name, length));
  std::string bytes =
      length == -1 ? std::string(text) : std::string(text, static_cast<std::size_t>(length));
  const std::size_t invalid = find_invalid_utf8(bytes);
  if (invalid != std::string::npos)
    throw DataError(fmt::format("{}: byte {} (0x{:02X}) is not valid UTF-8", name, invalid + 1,
                                static_cast<unsigned char>(bytes[invalid])));
  return bytes;
}

std::string required_text(const char* text, const char* name) {
  return required_text(text, -1, name);
}

std::int32_t store_exception(attend_error** error) noexcept {
  try {
    throw;
  } catch (const CallCancelled&) {
    return store(error, ATTEND_CANCELLED, "the call was cancelled");
  } catch (const ArgumentError& e) {
    return store(error, ATTEND_INVALID_ARGUMENT, e.what());
  } catch (const ConfigError& e) {
    return store(error, ATTEND_CONFIG_ERROR, e.what());
  } catch (const DataError& e) {
    return store(error, ATTEND_DATA_ERROR, e.what());
  } catch (const IoError& e) {
    return store(error, ATTEND_IO_ERROR, e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    return store(error, ATTEND_IO_ERROR, e.what());
  } catch (const DivergedError& e) {
    return store(error, ATTEND_DIVERGED, e.what());
  } catch (const std::bad_alloc& e) {
    // What tensors throw says how much was asked for.
    const bool says = std::string_view(e.what()).starts_with("out of memory");
    return store(error, ATTEND_OUT_OF_MEMORY, says ? e.what() : "out of memory");
  } catch (const std::exception& e) {
    return store(error, ATTEND_OTHER_ERROR, e.what());
  } catch (...) {
    return store(error, ATTEND_OTHER_ERROR, "an exception of another library");
  }
}

}  // namespace attend

std::int32_t attend_error_code(const attend_error* error) {
  return error == nullptr ? ATTEND_OK : error->code;
}

const char* attend_error_message(const attend_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}

void attend_error_free(attend_error* error) {
  if (error != &attend::error_without_memory()) delete error;
}
