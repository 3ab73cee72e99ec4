// The numbers and letters of another language: 0,1 for 0.1.
#pragma once

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace attend {

// Sets the locale of the process during its lifetime, to one that the machine has or can make.
class GermanLocale {
 public:
  static constexpr const char* kMissing = "no German locale, nor localedef with its sources";

  GermanLocale() : before_(std::setlocale(LC_ALL, nullptr)) {
    set_ = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr || make();
  }
  ~GermanLocale() {
    std::setlocale(LC_ALL, before_.c_str());
    if (!folder_.empty()) {
      ::unsetenv("LOCPATH");
      std::error_code ignored;
      std::filesystem::remove_all(folder_, ignored);
    }
  }
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;

  explicit operator bool() const { return set_; }

 private:
  bool make() {
    std::string name = (std::filesystem::temp_directory_path() / "locale_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    const std::string command =
        "localedef -i de_DE -f UTF-8 " + (folder_ / "de_DE.UTF-8").string() + " 2>/dev/null";
    if (std::system(command.c_str()) != 0) return false;
    ::setenv("LOCPATH", folder_.c_str(), 1);
    return std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  }

  std::string before_;
  std::filesystem::path folder_;
  bool set_ = false;
};

}  // namespace attend
