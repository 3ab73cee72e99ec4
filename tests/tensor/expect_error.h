// Expects an exception of one type whose message holds every one of some fragments.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace attend {

template <class Error>
void expect_error(const std::function<void()>& action,
                  std::initializer_list<std::string_view> fragments) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    for (const std::string_view fragment : fragments)
      EXPECT_NE(message.find(fragment), std::string::npos)
          << '"' << message << "\" lacks \"" << fragment << '"';
    return;
  }
  ADD_FAILURE() << "expected an exception";
}

}  // namespace attend
