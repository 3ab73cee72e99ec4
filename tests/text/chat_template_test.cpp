// Templates as models have them. What they write is what Jinja writes, with the settings of chat
// templates (trim_blocks, lstrip_blocks).
#include "attend/text/chat_template.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/error.h"

namespace attend {
namespace {

using ChatJson = nlohmann::ordered_json;

std::string rendered(std::string_view source, const ChatJson& values = ChatJson::object()) {
  return ChatTemplate(source).render(values);
}

ChatJson conversation() {
  return {{"messages",
           {{{"role", "system"}, {"content", "Be short."}},
            {{"role", "user"}, {"content", " Hi! "}},
            {{"role", "assistant"}, {"content", "Hello."}},
            {{"role", "user"}, {"content", "Who?"}}}},
          {"add_generation_prompt", true},
          {"bos_token", "<s>"},
          {"eos_token", "</s>"}};
}

std::string refusal_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const DataError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(ChatTemplate, WritesChatMarkup) {
  EXPECT_EQ(rendered("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + "
                     "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
                     "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
                     conversation()),
            "<|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\n Hi! <|im_end|>\n"
            "<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n"
            "<|im_start|>assistant\n");
}

TEST(ChatTemplate, WritesAConversationOfLlama2) {
  constexpr std::string_view kSource = R"(
{%- if messages[0]['role'] == 'system' -%}
  {%- set system = '<<SYS>>\n' + messages[0]['content'] + '\n<</SYS>>\n\n' -%}
  {%- set rest = messages[1:] -%}
{%- else -%}
  {%- set system = '' %}{%- set rest = messages -%}
{%- endif -%}
{%- for message in rest -%}
  {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
    {{ raise_exception('roles must alternate') }}
  {%- endif -%}
  {%- set content = system + message['content'] if loop.index0 == 0 else message['content'] -%}
  {%- if message.role == 'user' -%}
    {{ bos_token + '[INST] ' + content | trim + ' [/INST]' }}
  {%- elif message.role == 'assistant' -%}
    {{ ' ' ~ content | trim ~ ' ' ~ eos_token }}
  {%- endif -%}
{%- endfor -%}
)";
  EXPECT_EQ(rendered(kSource, conversation()),
            "<s>[INST] <<SYS>>\nBe short.\n<</SYS>>\n\n Hi! [/INST] Hello. </s><s>[INST] Who? "
            "[/INST]");
  ChatJson wrong = conversation();
  wrong["messages"].erase(2);
  EXPECT_EQ(refusal_of([&] { rendered(kSource, wrong); }), "roles must alternate");
}

TEST(ChatTemplate, StripsLinesOfBlocksOnly) {
  EXPECT_EQ(rendered("a\n  {% if true %}\n  b\n  {% endif %}\nc {{ 1 }}\nd\n"), "a\n  b\nc 1\nd\n");
  EXPECT_EQ(rendered("a \n {{- 1 -}} \n b{#- gone -#} c"), "a1bc");
  EXPECT_EQ(rendered("x {%+ if true %}\ny{% endif %}\n"), "x y");
}

TEST(ChatTemplate, Calculates) {
  for (const auto& [expression, value] : {
           std::pair("1 + 2 * 3 - 4", "3"),
           std::pair("7 // 2 ~ '|' ~ 7 % 3 ~ '|' ~ 7 / 2", "3|1|3.5"),
           std::pair("-1 % 3", "2"),
           std::pair("(1 + 2) * 3", "9"),
           std::pair("1 < 2 and not 2 <= 1", "True"),
           std::pair("'a' == \"a\" and 'a' != 'b' and 'a' < 'b'", "True"),
           std::pair("'b' in 'abc' and 2 not in [1, 3] and 'k' in {'k': 1}", "True"),
           std::pair("none or 'x'", "x"),
           std::pair("'' and 'x'", ""),
           std::pair("'yes' if 0 else 'no'", "no"),
           std::pair("'yes' if 0", ""),
           std::pair("[1, 'a', none, true] | tojson", "[1, \"a\", null, true]"),
           std::pair("{'a': [1, 2]} | tojson(indent=1)", "{\n \"a\": [\n  1,\n  2\n ]\n}"),
           std::pair("'äöü'[1:] ~ 'abc'[-2:] ~ [1, 2, 3][::-1] | join('-')", "öübc3-2-1"),
           std::pair("[1, 2][5] is defined", "False"),
           std::pair("x is not defined and x is undefined and not x", "True"),
           std::pair("x | default('d') ~ ('' | default('e', true))", "de"),
           std::pair("'äö' | length + [1, 2] | length", "4"),
           std::pair("' a ' | trim | upper ~ 'B'.lower() ~ 'a b'.title()", "AbA B"),
           std::pair("'a,b,c'.split(',', 1) | last ~ 'a  b'.split() | first", "b,ca"),
           std::pair("'  x '.strip() ~ 'xxy'.lstrip('x') ~ 'y.'.rstrip('.')", "xyy"),
           std::pair("'abc'.startswith('ab') and 'abc'.endswith('bc')", "True"),
           std::pair("'a-b'.replace('-', '+') ~ {'k': 5}.get('k') ~ {'k': 5}.get('j', 6)", "a+b56"),
           std::pair("range(2, 8, 3) | list | tojson", "[2, 5]"),
           std::pair("1 is number and 's' is string and {} is mapping and none is none", "True"),
           std::pair("3 is odd and 4 is even and [] is iterable and true is true", "True"),
       })
    EXPECT_EQ(rendered("{{ " + std::string(expression) + " }}"), value) << expression;
}

TEST(ChatTemplate, KeepsStateInNamespacesOnly) {
  EXPECT_EQ(rendered("{% set n = namespace(last='none') %}{% set x = 1 %}"
                     "{% for i in [5, 6] %}{% set n.last = i %}{% set x = i %}{% endfor %}"
                     "{{ n.last }} {{ x }}"),
            "6 1");
  EXPECT_EQ(rendered("{% set text %}a{{ 1 }}{% endset %}{{ text + '!' }}"), "a1!");
}

TEST(ChatTemplate, Loops) {
  EXPECT_EQ(rendered("{% for k, v in {'a': 1, 'b': 2}.items() %}{{ loop.index }}{{ k }}{{ v }}"
                     "{{ ',' if not loop.last }}{% endfor %}"),
            "1a1,2b2");
  EXPECT_EQ(rendered("{% for i in range(6) if i % 2 %}{{ i }}{{ loop.first }}{% endfor %}"),
            "1True3False5False");
  EXPECT_EQ(rendered("{% for i in [] %}x{% else %}none{% endfor %}"), "none");
  EXPECT_EQ(
      rendered("{% for k in {'a': 1} %}{{ k }}{% endfor %}{% for x in missing %}x{% endfor %}"),
      "a");
}

TEST(ChatTemplate, CallsMacros) {
  EXPECT_EQ(rendered("{% macro tag(name, end='!') %}<{{ name }}{{ end }}>{% endmacro %}"
                     "{{ tag('a') }}{{ tag('b', end='?') }}{{ tag('c', '') }}"),
            "<a!><b?><c>");
}

TEST(ChatTemplate, SaysWhereItCannotBeRead) {
  for (const auto& [source, reason] : {
           std::pair("{{ 1", "line 1: expected }}"),
           std::pair("\n\n{% if x %}", "line 3: expected endif"),
           std::pair("{% for x y %}", "line 1: expected in, got 'y'"),
           std::pair("{{ x | frobnicate }}", "the filter 'frobnicate' is not supported"),
           std::pair("{{ x is strange }}", "the test 'strange' is not supported"),
           std::pair("{{ x.dance() }}", "the method 'dance' is not supported"),
           std::pair("{% include 'x' %}", "the block 'include' is not supported"),
           std::pair("{{ 'a }}", "a string without end"),
           std::pair("{# a", "a comment without end"),
           std::pair("{{ ! }}", "unexpected '!'"),
           std::pair("{{ }}", "expected a name"),
           std::pair("{{ 99999999999999999999 }}", "too large"),
           std::pair("{% endif %}", "the block 'endif' is not supported"),
       })
    EXPECT_NE(refusal_of([&] { ChatTemplate{source}; }).find(reason), std::string::npos)
        << source << ": " << refusal_of([&] { ChatTemplate{source}; });
  EXPECT_NE(
      refusal_of([] { ChatTemplate{"{{ " + std::string(1000, '(') + "}}"}; }).find("too deeply"),
      std::string::npos);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ChatTemplate, ReadsRowsOfAnyLength) {
  constexpr int kMany = 50'000;
  EXPECT_EQ(rendered("{{ 1" + repeated(" + 1", 9'999) + " }}"), "10000");
  EXPECT_EQ(rendered("{{ true" + repeated(" and true", 9'999) + " }}"), "True");
  EXPECT_EQ(rendered("{{ false" + repeated(" or false", 9'999) + " }}"), "False");
  EXPECT_EQ(rendered("{{ 1" + repeated(" is number", 9'999) + " }}"), "False") << "True is none";
  EXPECT_EQ(rendered("{{ 'a'" + repeated("|trim", 9'999) + " }}"), "a");
  EXPECT_EQ(rendered("{% if 0 %}" + repeated("{% elif 0 %}", 9'999) + "{% else %}b{% endif %}"),
            "b");
  EXPECT_NE(
      refusal_of([&] { rendered("{{ a" + repeated(".b", kMany) + " }}"); }).find("not defined"),
      std::string::npos);
  EXPECT_NE(
      refusal_of([&] { rendered("{{ a" + repeated("[0]", kMany) + " }}"); }).find("not defined"),
      std::string::npos);
  EXPECT_EQ(refusal_of([&] { rendered("{{ 'a'" + repeated("|trim", 3 * kMany) + " }}"); }),
            "it takes too many steps");
}

TEST(ChatTemplate, MakesNoValueWithoutEnd) {
  const auto refusal = [](const std::string& source) {
    return refusal_of([&] { rendered(source); });
  };
  const std::string large = "it makes a value of more than 8388608 bytes";
  EXPECT_EQ(refusal("{% set x = 'a' %}" + repeated("{% set x = x + x %}", 24)), large);
  EXPECT_EQ(refusal("{% set x = 'a' %}" + repeated("{% set x = [x, x] %}", 18)), large);
  EXPECT_EQ(refusal("{% set x = {'a': 1} %}" + repeated("{% set x = {'b': x, 'c': x} %}", 18)),
            large);
  const std::string long_text = "{% set x = '" + std::string(300'000, 'a') + "' %}";
  EXPECT_EQ(refusal(long_text + "{{ (x" + repeated(" ~ x", 30) + ") | length }}"), large);
  EXPECT_EQ(refusal(long_text + "{{ x.replace('a', '" + std::string(50, 'b') + "') | length }}"),
            large);
  EXPECT_EQ(refusal(long_text + "{{ x.split('a') | length }}"), large);
  EXPECT_EQ(refusal(long_text + "{{ range(50) | join(x) | length }}"), large);
  EXPECT_EQ(refusal("{% set n = namespace(x=1) %}{% for i in range(99) %}{% set n.x = [n.x] %}"
                    "{% endfor %}"),
            "it makes a value that is nested too deeply");
}

TEST(ChatTemplate, CountsWhatItCopiesAndSearches) {
  const std::string value = "{% set x = '" + std::string(100'000, 'a') + "' %}",
                    loop = "{% for i in range(999) %}", end = "{% endfor %}",
                    expected = "it takes too many steps";
  for (const char* body : {"{% set y = x %}{% set y = x %}", "{% set y = x | upper %}",
                           "{% if x == 'b' or x == 'c' %}{% endif %}",
                           "{% set y %}{{ x }}{% endset %}", "{{ x | length }}{{ x | length }}"})
    EXPECT_EQ(refusal_of([&] { rendered(value + loop + body + end); }), expected) << body;
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "{% set a" + std::to_string(i) + " = 1 %}";
  EXPECT_EQ(refusal_of([&] { rendered(many); }), expected) << "variables are searched";
}

// A long conversation is looked into, not copied, wherever a template names it.
TEST(ChatTemplate, ReadsALongConversation) {
  ChatJson values = conversation();
  for (int i = 0; i < 1000; ++i) {
    values["messages"].push_back({{"role", "user"}, {"content", std::string(1000, 'q')}});
    values["messages"].push_back({{"role", "assistant"}, {"content", "A."}});
  }
  const std::string text = rendered(
      "{% for m in messages %}{% if messages[loop.index0]['role'] == 'user' and "
      "messages | length > 2 %}{{ messages[loop.index0].content[0] | default('') }}"
      "{{ m.content | trim }}\n{% endif %}{% endfor %}",
      values);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1002);
}

TEST(ChatTemplate, EndsWhateverItSays) {
  const auto refusal = [](std::string_view source) {
    return refusal_of([&] { rendered(source); });
  };
  EXPECT_EQ(refusal("{% for i in range(999) %}{% for j in range(999) %}{% endfor %}{% endfor %}"),
            "it takes too many steps");
  EXPECT_NE(refusal("{% for i in range(999) %}{{ range(999) | join('xxxxxx') }}{% endfor %}")
                .find("writes more than"),
            std::string::npos);
  EXPECT_EQ(refusal("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
            "loops and macros are nested too deeply");
  EXPECT_NE(refusal("{{ range(1000000000) }}").find("range: expected at most"), std::string::npos);
  EXPECT_NE(refusal(std::string(2'000'000, ' ')).find("expected at most"), std::string::npos);
  for (const char* source :
       {"{{ 1 + 'a' }}", "{{ 1 < 'a' }}", "{{ 1 / 0 }}", "{{ x.y.z }}", "{{ f(1) }}",
        "{{ [1] | upper }}", "{{ 1 in 2 }}", "{% set x.y = 1 %}", "{{ 1[1:] }}",
        "{% for a, b in [1] %}{% endfor %}", "{% for x in 5 %}{% endfor %}", "{{ 'a'.split('') }}",
        "{{ x | tojson }}", "{{ [1][::2] }}"})
    EXPECT_NE(refusal(source), "nothing was refused") << source;
}

}  // namespace
}  // namespace attend
