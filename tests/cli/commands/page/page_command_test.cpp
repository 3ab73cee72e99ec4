#include <fmt/format.h>

#include "attend/checkpoint/checkpoint.h"
#include "attend/cli/commands/page/page.h"
#include "cli/program_test.h"
#include "core/gzip.h"
#include "core/page_text.h"
#include "tasks/small_model.h"
#include "tasks/small_tagger.h"

namespace attend {
namespace {

// Pages with an engine that is none.
class PageCommand : public ProgramTest {
 protected:
  PageCommand() {
    save_checkpoint(path("small.safetensors"), checkpoint_of(small_model()));
    std::filesystem::create_directories(path("engine"));
    write("engine/attend.js", "attend = '</script><!--';\n");
    write("engine/attend.wasm", "\1wasm");
  }

  int page(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"page", path("small.safetensors"), "--out", path("page.html")});
    return run(arguments);
  }
  int page_with_engine(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--engine", path("engine")});
    return page(arguments);
  }

  // What the element of the page with this id holds.
  std::string element(const std::string& id) const {
    const std::string text = read(path("page.html"));
    const std::string begin = fmt::format("id=\"{}\">", id);
    const std::size_t at = text.find(begin);
    EXPECT_NE(at, std::string::npos) << id;
    return text.substr(at + begin.size(), text.find("</script>", at) - at - begin.size());
  }
  std::string unpacked(const std::string& id) const {
    return gunzipped(from_page_text(element(id)));
  }

  void expect_error(const std::vector<std::string>& parts) const {
    for (const std::string& part : parts)
      EXPECT_NE(error_.find(part), std::string::npos) << part << " is not in: " << error_;
    EXPECT_EQ(error_.find('\n'), error_.size() - 1) << error_;
    EXPECT_FALSE(std::filesystem::exists(path("page.html")));
  }
};

TEST_F(PageCommand, PutsTheEngineAndTheModelIntoThePage) {
  ASSERT_EQ(page_with_engine({"--text", "the </script> dog", "a cat", "--bits", "32"}), 0)
      << error_;
  EXPECT_EQ(unpacked("attend-engine"), read(path("engine/attend.wasm")));
  EXPECT_EQ(unpacked("attend-model"), read(path("small.safetensors")));
  EXPECT_EQ(element("attend-page"),
            R"({"name":"small","texts":["the \u003c/script\u003e dog","a cat"]})");
  const std::string text = read(path("page.html"));
  EXPECT_NE(text.find("attend = '<\\/script><\\!--';"), std::string::npos);
  EXPECT_EQ(text.find("/explore.js"), std::string::npos);
  EXPECT_EQ(text.find("fetch("), std::string::npos) << "it asks no server";
  for (const char* part :
       {"default-src 'none'", "worker-src blob:", "id=\"open-model\"", "<style>"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST_F(PageCommand, MakesTheModelSmaller) {
  ASSERT_EQ(page_with_engine({}), 0) << error_;
  EXPECT_NE(out_.find("page: " + path("page.html") + " ("), std::string::npos) << out_;
  ASSERT_EQ(run({"quantize", path("small.safetensors"), "--out", path("8.safetensors")}), 0);
  EXPECT_EQ(unpacked("attend-model"), read(path("8.safetensors")));
  ASSERT_EQ(page_with_engine({"--bits", "16", "--format", "json"}), 0) << error_;
  EXPECT_NE(out_.find(fmt::format("\"model_bytes\":{}", unpacked("attend-model").size())),
            std::string::npos)
      << out_;
  ASSERT_EQ(
      run({"quantize", path("small.safetensors"), "--out", path("16.safetensors"), "--bits", "16"}),
      0);
  EXPECT_EQ(unpacked("attend-model"), read(path("16.safetensors")));
  // One that has fewer bits stays as it is.
  ASSERT_EQ(run({"page", path("8.safetensors"), "--bits", "16", "--out", path("page.html"),
                 "--engine", path("engine")}),
            0)
      << error_;
  EXPECT_EQ(unpacked("attend-model"), read(path("8.safetensors")));
  EXPECT_FALSE(std::filesystem::exists(path("page.html.model")));
}

TEST_F(PageCommand, NamesTheModel) {
  ASSERT_EQ(run({"info", path("small.safetensors"), "--set", "name=en-de"}), 0) << error_;
  ASSERT_EQ(page_with_engine({}), 0) << error_;
  EXPECT_EQ(element("attend-page"), R"({"name":"en-de","texts":[]})");
}

TEST_F(PageCommand, SaysHowTheEngineIsMade) {
  EXPECT_FALSE(has_page_engine(""));
  EXPECT_TRUE(has_page_engine(path("engine")));
  EXPECT_EQ(page({}), 2);
  expect_error({"attend.js", "attend.wasm", "share/attend/browser", "make wasm", "--engine"});
  std::filesystem::remove(path("engine/attend.wasm"));
  EXPECT_EQ(page_with_engine({}), 2);
  expect_error({path("engine"), "make wasm"});
}

TEST_F(PageCommand, RefusesWhatItCannotShow) {
  EXPECT_EQ(page_with_engine({"--bits", "7"}), 2);
  expect_error({"--bits", "4, 8, 16 or 32", "7"});
  save_checkpoint(path("small.safetensors"), checkpoint_of(small_tagger()));
  EXPECT_NE(page_with_engine({}), 0);
  expect_error(
      {"small.safetensors", "translation, classification, embedding or language modeling"});
  write("small.safetensors", "no model");
  EXPECT_NE(page_with_engine({}), 0);
  expect_error({"small.safetensors"});
  EXPECT_NE(run({"page", path("small.safetensors"), "--out", path("none/page.html"), "--engine",
                 path("engine")}),
            0);
  expect_error({"none"});
}

}  // namespace
}  // namespace attend
