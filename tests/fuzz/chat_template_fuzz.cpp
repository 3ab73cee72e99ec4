// Chat templates against hostile bytes: each is refused, or rendered soon.
#include "attend/error.h"
#include "attend/text/chat_template/chat_template.h"
#include "fuzz/fuzz_target.h"

namespace attend::chat_template_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {
      "{% for m in messages %}{{ '<|' + m['role'] + '|>' + m.content | trim + eos_token }}"
      "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}",
      "{%- set n = namespace(i=0) -%}{% for k, v in {'a': [1, 2]}.items() if v %}"
      "{% set n.i = n.i + loop.index0 %}{{ n.i ~ k }}{% else %}none{% endfor %}",
      "{% macro f(a, b='c') %}{{ a[1:] | upper ~ b.split(',') | join }}{% endmacro %}"
      "{{ f('xyz', b='1,2') if messages is defined and not 1 > 2.5 else raise_exception('no') }}",
      "{% for m in messages | selectattr('role', 'equalto', 'user') recursive %}{{ loop.cycle(1, "
      "2) }}"
      "{% if loop.last %}{% break %}{% endif %}{% endfor %}{% call(x) f(*[1], **{'b': 2}) %}{{ x }}"
      "{% endcall %}{% filter indent(2) %}{{ '%5d|{:>4}' % 3 }}{% endfilter %}",
      "{% with a=1 %}{{ ('%s' ~ a).format(a, b=2) * 3 }}{{ [3, 1] | sort | map('string') | join }}"
      "{% endwith %}{{ messages | groupby('role') | tojson(indent=1) }}{% raw %}{{ x }}{% endraw "
      "%}",
      "{# c #}{% set t %}{{ range(3) | list | tojson }}{% endset %}{{- t | length -}} {{ t[-1] }}"};
}

std::vector<std::string> dictionary() {
  return {"{{",        "}}",       "{%",          "%}",        "{#",         "#}",       "-",
          "if ",       "elif ",    "else",        "endif",     "for ",       " in ",     "endfor",
          "set ",      "endset",   "macro ",      "(",         ")",          "[",        "]",
          "{",         "}",        "messages",    ".",         ",",          ":",        "|",
          "~",         "+",        "//",          "%",         "==",         " is ",     " not ",
          " and ",     " or ",     "defined",     "loop",      "range(9)",   "'a'",      "\"b\"",
          "0",         "1.5",      "namespace",   "endmacro",  "trim",       "tojson",   "m()",
          "-1",        ".items()", ".strip()",    ".get('a')", "default(1)", "\xff",     "\n",
          "map(",      "select(",  "selectattr(", "sort(",     "unique",     "batch(2)", "format(",
          "indent(",   "replace(", "**",          "~",         "*",          "9999",     "[::-1]",
          "recursive", "break",    "continue",    "call ",     "raw ",       "filter ",  "with ",
          "center(",   "range(",   "namespace(",  "'%s'",      "'{}'",       "dictsort"};
}

void use(std::string_view input) {
  const nlohmann::ordered_json values{
      {"messages",
       {{{"role", "user"}, {"content", "A text."}}, {{"role", "assistant"}, {"content", ""}}}},
      {"add_generation_prompt", true},
      {"bos_token", "<s>"},
      {"eos_token", "</s>"}};
  try {
    ChatTemplate(input).render(values);
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"chat_template", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::chat_template_fuzz
