// Templates as models have them. What they write is what Jinja writes, with the settings of chat
// templates (trim_blocks, lstrip_blocks).
#include "attend/text/chat_template.h"

#include <gtest/gtest.h>

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
  for (const char* source :
       {"{{ 1 + 'a' }}", "{{ 1 < 'a' }}", "{{ 1 / 0 }}", "{{ x.y.z }}", "{{ f(1) }}",
        "{{ [1] | upper }}", "{{ 1 in 2 }}", "{% set x.y = 1 %}", "{{ 1[1:] }}",
        "{% for a, b in [1] %}{% endfor %}", "{% for x in 5 %}{% endfor %}", "{{ 'a'.split('') }}",
        "{{ x | tojson }}", "{{ [1][::2] }}"})
    EXPECT_NE(refusal(source), "nothing was refused") << source;
}

}  // namespace
}  // namespace attend
