// Templates as models have them. What they write is what Jinja writes, with the settings of chat
// templates (trim_blocks, lstrip_blocks).
#include "attend/text/chat_template/chat_template.h"

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
  EXPECT_EQ(rendered("a\n  {% if true %}\n  b\n  {% endif %}\nc {{ 1 }}\nd\n"), "a\n  b\nc 1\nd");
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
           std::pair("'äöü'[0] ~ 'äöü'[-1] ~ 'äöü'[::2] ~ [1, 2, 3][2:0:-1]", "äüäü[3, 2]"),
           std::pair("[1, 2][5] is defined", "False"),
           std::pair("x is not defined and x is undefined and not x", "True"),
           std::pair("x | default('d') ~ ('' | default('e', true))", "de"),
           std::pair("'äö' | length + [1, 2] | length", "4"),
           std::pair("' a ' | trim | upper ~ 'B'.lower() ~ 'a b'.title()", "AbA B"),
           std::pair("('a,b,c'.split(',', 1) | last) ~ ('a  b'.split() | first)", "b,ca"),
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

TEST(ChatTemplate, ReadsDates) {
  std::tm now{};
  now.tm_year = 126;
  now.tm_mon = 10;
  now.tm_mday = 27;
  EXPECT_EQ(ChatTemplate("{{ strftime_now('%d %b %Y %f%z %%') }}").render(ChatJson::object(), now),
            "27 Nov 2026 000000 %");
  EXPECT_EQ(rendered("{{ strftime_now('%Y') | length }}"), "4") << "the clock of the machine";
}

TEST(ChatTemplate, WritesValuesAsPythonShowsThem) {
  EXPECT_EQ(rendered("{{ m }}", {{"m", {{"k", {1, 2.5, "it's", nullptr, true}}}}}),
            "{'k': [1, 2.5, \"it's\", None, True]}");
  EXPECT_EQ(rendered("{{ [1e16, 0.1, 'ä\\u200b', ()] }} {{ true == 1 }}"),
            "[1e+16, 0.1, 'ä\\u200b', ()] True");
}

TEST(ChatTemplate, ReadsLinesOfEveryKind) {
  EXPECT_EQ(rendered("a\r\nb\rc\n{% if true %}\r\nd{% endif %}\r\n"), "a\nb\nc\nd");
  EXPECT_EQ(rendered("{% raw %}{{ x }}{% endraw %}{% if true +%}\nb{% endif %}"), "{{ x }}\nb");
}

// Jinja decides where a variable lives when it reads a template.
TEST(ChatTemplate, KnowsWhereAVariableLives) {
  const ChatJson values{{"x", "outer"}};
  EXPECT_EQ(
      rendered("{% for i in [1, 2] %}{{ x }}{% set x = i %}{{ x }},{% endfor %}{{ x }}", values),
      "outer1,outer2,outer");
  EXPECT_EQ(rendered("{% for i in [1] %}{{ x is defined }}{% endfor %}{% set x = 1 %}", values),
            "False");
  EXPECT_EQ(rendered("{% macro m() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}", values), "1");
  EXPECT_EQ(rendered("{% if false %}{% set x = 1 %}{% endif %}{{ x }}", values), "outer");
  EXPECT_EQ(rendered("{% generation %}{% set x = 1 %}{{ x }}{% endgeneration %}{{ x }}", values),
            "1outer");
}

TEST(ChatTemplate, LeavesLoops) {
  EXPECT_EQ(rendered("{% for i in range(9) %}{% if i == 1 %}{% continue %}{% endif %}"
                     "{% if i == 4 %}{% break %}{% endif %}{{ i }}{% endfor %}"),
            "023");
  EXPECT_EQ(rendered("{% for x in [{'v': 1, 'in': [{'v': 2}]}] recursive %}{{ x.v }}:"
                     "{{ loop.depth }} {{ loop(x['in']) if x['in'] }}{% endfor %}"),
            "1:1 2:2 ");
}

TEST(ChatTemplate, GoesThroughAFilteredListOnce) {
  EXPECT_EQ(rendered("{% set u = messages | selectattr('role', 'equalto', 'user') %}"
                     "{{ 'true' if u }} {{ u | list | length }} {{ u | list | length }}",
                     conversation()),
            "true 2 0");
}

// vLLM asks the same of a template, and then leaves a list of parts a list.
TEST(ChatTemplate, SaysWhetherItReadsParts) {
  for (const char* source :
       {"{% for m in messages %}{% for c in m.content %}{{ c.text }}{% endfor %}{% endfor %}",
        "{% for m in messages %}{% for c in m['content'] | list %}{{ c }}{% endfor %}{% endfor %}",
        "{% for c in messages[0]['content'][1:] %}{{ c }}{% endfor %}",
        "{% set x = m.content if m else '' %}{% if x %}{% for c in x %}{% endfor %}{% endif %}",
        "{% macro show(content) %}{% for c in content %}{{ c }}{% endfor %}{% endmacro %}"})
    EXPECT_TRUE(ChatTemplate(source).reads_parts()) << source;
  for (const char* source :
       {"{% for m in messages %}{{ m.content }}{% endfor %}", "{% for c in content %}{% endfor %}",
        "{% for line in messages[0].content.split('x') %}{{ line }}{% endfor %}",
        "{% for c in m.contents %}{% endfor %}{% for c in m[content] %}{% endfor %}",
        "{% for m in content.messages %}{{ m.content }}{% endfor %}"})
    EXPECT_FALSE(ChatTemplate(source).reads_parts()) << source;
}

// What Jinja reads, and this does not, is refused when it is reached.
TEST(ChatTemplate, RefusesWhatItReaches) {
  for (const char* source :
       {"{{ x | wordwrap(3) }}", "{{ 'x'.encode() }}", "{{ lipsum() }}",
        "{% block b %}{% endblock %}", "{{ 99999999999999999999 }}", "{{ '\\N{DASH}' }}",
        "{{ 2 ** 99 }}", "{{ 1e400 }}", "{{ self }}", "{{ self.b() }}", "{{ [1] | select }}",
        "{% autoescape true %}{% endautoescape %}"}) {
    EXPECT_TRUE(refusal_of([&] { rendered(source); }).ends_with("is not supported")) << source;
    EXPECT_EQ(rendered("{% if x %}" + std::string(source) + "{% endif %}a"), "a") << source;
  }
  EXPECT_NE(refusal_of([] { rendered("{% include 'x' %}"); }).find("no other templates"),
            std::string::npos);
}

TEST(ChatTemplate, SaysWhereItCannotBeRead) {
  for (const auto& [source, reason] : {
           std::pair("{{ 1", "line 1: expected }}"),
           std::pair("\n\n{% if x %}", "line 3: expected endif"),
           std::pair("{% for x y %}", "line 1: expected in, got 'y'"),
           std::pair("{{ x | frobnicate }}", "there is no filter 'frobnicate'"),
           std::pair("{{ x is strange }}", "there is no test 'strange'"),
           std::pair("{{ 'a }}", "a string without end"),
           std::pair("{# a", "a comment without end"),
           std::pair("{% raw %}{{", "a raw block without end"),
           std::pair("{{ ! }}", "unexpected '!'"),
           std::pair("{{ (1] }}", "unexpected ']'"),
           std::pair("{{ }}", "expected a value"),
           std::pair("{{ '\\x4' }}", "expected 2 digits"),
           std::pair("{% endif %}", "the block 'endif' is not known"),
           std::pair("{% break %}", "break outside of a loop"),
           std::pair("{% for i in x %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
                     "break outside of a loop"),
           std::pair("{% set 1 = 2 %}", "expected a name to assign to"),
           std::pair("{{ f(a=1, 2) }}", "arguments by position come first"),
       })
    EXPECT_NE(refusal_of([&] { ChatTemplate{source}; }).find(reason), std::string::npos)
        << source << ": " << refusal_of([&] { ChatTemplate{source}; });
  EXPECT_EQ(rendered("{% if false %}{{ x | frobnicate }}{{ x is strange }}{% endif %}"), "");
  EXPECT_NE(refusal_of([] {
              ChatTemplate{"{{ " + std::string(1000, '(') + "1" + std::string(1000, ')') + "}}"};
            }).find("too deeply"),
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
  EXPECT_EQ(rendered("{{ 1" + repeated(" == 1", 9'999) + " }}"), "True");
  EXPECT_EQ(rendered("{{ 'a'" + repeated("|trim", 9'999) + " }}"), "a");
  EXPECT_EQ(rendered("{% if 0 %}" + repeated("{% elif 0 %}", 9'999) + "{% else %}b{% endif %}"),
            "b");
  EXPECT_NE(
      refusal_of([&] { rendered("{{ a" + repeated(".b", kMany) + " }}"); }).find("not defined"),
      std::string::npos);
  EXPECT_NE(
      refusal_of([&] { rendered("{{ a" + repeated("[0]", kMany) + " }}"); }).find("not defined"),
      std::string::npos);
  EXPECT_EQ(rendered("{{ x" + repeated("|list", kMany) + " }}"), "[]");
}

TEST(ChatTemplate, MakesNoValueWithoutEnd) {
  const auto refusal = [](const std::string& source) {
    return refusal_of([&] { rendered(source); });
  };
  const std::string large = "it makes a value of more than 8388608 bytes";
  EXPECT_EQ(refusal("{% set x = 'a' %}" + repeated("{% set x = x + x %}", 24)), large);
  for (const char* doubled : {"{% set x = [x, x] %}", "{% set x = {'b': x, 'c': x} %}"})
    for (const char* use : {"{{ x }}", "{{ x | tojson }}", "{{ x == y }}"})
      EXPECT_NE(refusal("{% set x = 'a' %}" + repeated(doubled, 30) + "{% set y = x %}" +
                        "{% set x = 'a' %}" + repeated(doubled, 30) + use),
                "nothing was refused")
          << "what is shared is one value until it is written";
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
  const std::string value = "{% set x = '" + std::string(400'000, 'a') + "' %}",
                    loop = "{% for i in range(999) %}", end = "{% endfor %}",
                    expected = "it takes too many steps";
  for (const char* body : {"{% set y = x ~ 'b' %}", "{% set y = x | upper %}",
                           "{% if x == x or x == 'c' %}{% endif %}", "{% if 'b' in x %}{% endif %}",
                           "{% set y %}{{ x }}{% endset %}", "{{ x | length }}",
                           "{{ x.isascii() }}", "{% set y = x[1:] %}", "{% set y = x[-1] %}"})
    EXPECT_EQ(refusal_of([&] { rendered(value + loop + body + end); }), expected) << body;
  const std::string part = "{% set a = 'a' * 4000000 %}{% set b = 'a' * 2000000 ~ 'b' %}";
  for (const char* body : {"{{ b in a }}", "{{ a.replace(b, '') }}", "{{ a.find(b) }}",
                           "{{ a.split(b) }}", "{{ a.count(b) }}", "{{ a.partition(b) }}"})
    EXPECT_EQ(refusal_of([&] { rendered(part + body); }), expected) << body;
  std::string many;
  for (int i = 0; i < 2'000; ++i) many += "{% set a" + std::to_string(i) + " = 1 %}";
  EXPECT_NE(refusal_of([&] {
              rendered(many + repeated("{% if 1 %}{% endif %}", 2'000));
            }).find("too many variables"),
            std::string::npos);
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
  EXPECT_EQ(refusal("{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}"),
            "it takes too many steps");
  EXPECT_NE(refusal("{% for i in range(999) %}{{ range(999) | join('xxxxxx') }}{% endfor %}")
                .find("writes more than"),
            std::string::npos);
  EXPECT_EQ(refusal("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
            "loops and macros are nested too deeply");
  EXPECT_EQ(refusal("{% set n = namespace() %}{% set n.n = n %}{{ n }}"),
            "loops and macros are nested too deeply");
  EXPECT_NE(refusal("{{ range(1000000000) }}").find("range: expected at most"), std::string::npos);
  EXPECT_NE(refusal(std::string(2'000'000, ' ')).find("expected at most"), std::string::npos);
  for (const char* source : {"{{ 1 + 'a' }}",
                             "{{ 1 < 'a' }}",
                             "{{ 1 / 0 }}",
                             "{{ x.y.z }}",
                             "{{ f(1) }}",
                             "{{ [1].upper() }}",
                             "{{ 1 in 2 }}",
                             "{% set x.y = 1 %}",
                             "{{ 1[1:] }}",
                             "{% for a, b in [1] %}{% endfor %}",
                             "{% for x in 5 %}{% endfor %}",
                             "{{ 'a'.split('') }}",
                             "{{ x | tojson }}",
                             "{{ [1][::0] }}",
                             "{{ [1, 'a'] | sort }}",
                             "{{ 1 | length }}",
                             "{{ [].append(1) }}",
                             "{{ '%d' % 'a' }}",
                             "{{ '{}'.format() }}",
                             "{{ range(9999999) }}",
                             "{% set n = namespace() %}{% set n._x = 1 %}",
                             "{{ f.g }}",
                             "{{ undefined_name.x }}"})
    EXPECT_NE(refusal(source), "nothing was refused") << source;
}

}  // namespace
}  // namespace attend
