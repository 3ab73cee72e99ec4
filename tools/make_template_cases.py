#!/usr/bin/env python3
"""Writes random chat templates, and what Jinja makes of them, for tests/text/chat_template/chat_template_cases_test.cpp.

    pip install transformers==5.24.0 jinja2==3.1.6
    python tools/make_template_cases.py --out tests/text/data/template_cases.jsonl
    python tools/make_template_cases.py --seed 7 --count 20000 --out /tmp/cases.jsonl
    python tools/make_template_cases.py --folder TEMPLATES --out /tmp/cases.jsonl   # *.jinja files, with several conversations
    ATTEND_TEMPLATE_CASES=/tmp/cases.jsonl build/release/tests/test_text --gtest_filter='ChatTemplateCases.*'

One JSON object a line: "template", "values" (what it sees), and "output", or "error" where Jinja raises one. The environment is that of
transformers; the clock stands still at 2026-11-27 21:05:09.
"""

import argparse
import glob
import json
import os
import random
import warnings
from datetime import datetime

import transformers.utils.chat_template_utils as chat_template_utils

warnings.filterwarnings("ignore")


class Clock:
    @staticmethod
    def now():
        return datetime(2026, 11, 27, 21, 5, 9)


chat_template_utils.datetime = Clock

TEXTS = ["", "a", "Hello, World!", " padded  text ", "two\nlines", "ÄÖÜ straße", "日本語 テキスト", "naïve café", "\t\u00a0x\u3000", "a,b,,c", "42", "-7",
         "3.5", "1_000", " 12 ", "0x1F", "İstanbul", "ΑΣ ΑΣ.", "ﬁne ǆ", "it's", 'say "hi"', "it's \"both\"", "<b>&amp;</b>", "a\\b", "\u200b\u0007\x1f",
         "😀 smile", "é́", "one  two\u2028three\r\nfour", "%s and %d", "{} and {0}", "x" * 30, "snake_case-word", "ALLCAPS", "<|im_start|>user", "[INST]",
         "l'été", "½ cup", "٣", "mIxEd cAsE (words) here"]
NUMBERS = ["0", "1", "2", "3", "7", "10", "-1", "-3", "100", "1.5", "0.1", "2.0", "-0.5", "1e3", "1e20", "3.14159", "1_000", "0x1f", "255", "12345678"]
NAMES = ["x", "y", "messages", "text", "num", "items", "obj", "tools", "flag", "nothing", "missing", "words", "nested", "real", "loop", "mixed"]
MEMBERS = ["role", "content", "name", "a", "b", "items", "keys", "upper", "missing", "tool_calls", "0", "function", "length", "_x", "count", "first"]
TEXT_FILTERS = ["upper", "lower", "title", "capitalize", "trim", "length", "string", "list", "first", "last", "reverse", "int", "float", "wordcount", "escape",
                "e", "urlencode", "tojson", "count", "safe", "center(12)", "replace('a', 'b')", "replace('a', 'bb', 1)", "replace('', '-')", "trim('a ')",
                "trim(chars='x')", "indent", "indent(2)", "indent(2, true)", "indent(width='> ', first=true, blank=true)", "truncate(9)", "truncate(5, true, '')",
                "truncate(8, false, '..', 0)", "default('d')", "default('d', true)", "d", "int(5)", "int(0, 16)", "int(base=0)", "float(1)", "join('|')", "format(1, 2)",
                "unique|list", "sort", "sort|join", "sort(reverse=true)|join", "list|tojson", "batch(2)|list", "slice(2)|list", "max", "min", "forceescape",
                "map('upper')|join", "select('in', 'abc')|list", "string|length", "attr('upper')", "abs", "round", "sum", "items|list"]
LIST_FILTERS = ["length", "first", "last", "join", "join(', ')", "join('-', attribute='role')", "join(d='/')", "list", "reverse|list", "sort", "sort(reverse=true)",
                "sort(attribute='role')", "sort(attribute='a')", "sort(case_sensitive=true)", "unique|list", "unique(attribute='role')|list", "tojson",
                "tojson(indent=2)", "tojson(ensure_ascii=true)", "tojson(separators=(',', ':'))", "tojson(indent=1, sort_keys=true)", "string", "sum", "max", "min",
                "sum(attribute='a')", "max(attribute='a')", "map(attribute='role')|list", "map(attribute='content', default='?')|list", "map('upper')|list",
                "map('string')|map('length')|list", "map('default', 'x')|join(',')", "select|list", "reject|list", "select('string')|list",
                "reject('none')|list", "select('defined')|list", "select('equalto', 1)|list", "select('>', 1)|list", "selectattr('role')|list",
                "selectattr('role', 'equalto', 'user')|list", "selectattr('role', '==', 'user')|map(attribute='content')|list",
                "rejectattr('role', 'eq', 'system')|list|length", "rejectattr('role', 'in', ['user'])|list", "selectattr('a', 'defined')|list",
                "groupby('role')", "groupby('role')|map('first')|list", "batch(2)|list", "batch(3, 'x')|list", "slice(2)|list", "slice(3, '-')|list", "count",
                "select('odd')|list", "select('divisibleby', 3)|list", "dictsort", "items|list", "default([])", "map('tojson')|join", "list|last", "map(attribute=0)|list",
                "map(attribute='a.b')|list", "select('mapping')|list|length", "first|default('none')", "map('join', '+')|list"]
TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "mapping", "iterable", "sequence", "boolean", "true", "false", "odd", "even",
         "divisibleby 3", "divisibleby(2)", "in [1, 2, 'a']", "in 'abc'", "eq 1", "ne('a')", "lt 3", "gt(2)", "le 2", "ge 2", "lower", "upper", "callable", "sameas true",
         "sameas none", "equalto 'a'", "escaped", "filter", "test", "lessthan 3", "greaterthan 1"]
METHODS = ["upper()", "lower()", "title()", "capitalize()", "strip()", "lstrip()", "rstrip()", "strip('a ')", "lstrip('xH')", "rstrip('!d')", "split()", "split(',')",
           "split(',', 1)", "split(maxsplit=1)", "split(None, 2)", "rsplit(',', 1)", "rsplit(None, 1)", "splitlines()", "splitlines(true)", "startswith('a')",
           "startswith(('a', 'H'))", "endswith('!')", "endswith(('c', ' '))", "find('l')", "find('a', 1)", "rfind('l')", "replace('a', 'o')", "replace('l', 'L', 1)",
           "isdigit()", "isalpha()", "isalnum()", "isspace()", "isupper()", "islower()", "istitle()", "isdecimal()", "isascii()", "isprintable()", "casefold()",
           "swapcase()", "count('l')", "count('')", "join(['1', '2'])", "zfill(6)", "ljust(8)", "rjust(8, '*')", "center(9, '.')", "partition(',')", "rpartition(' ')",
           "removeprefix('a')", "removesuffix('c')", "expandtabs()", "expandtabs(3)", "format(1, a=2)", "index('a')", "items()", "items()|list", "keys()", "keys()|list", "values()", "values()|list",
           "get('a')", "get('zz')", "get('zz', 'd')", "get('role')", "copy()", "append(1)", "pop()", "update({})", "count(1)", "index(1)", "isidentifier()", "startswith('a', 1)"]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", ">", "<=", ">=", "and", "or", "in", "not in"]
LITERALS = [r"'a\nb'", r"'\t'", r"'\x41'", r"'\u00e9'", r"'\q'", r"'\é'", r"'\101'", r"'it\'s'", r'"say \"x\""', r"'a' 'b'", r"'\\n'", "''", "'日本'", r"'\N{DASH}'", r"'\ud83d'",
            "true", "false", "none", "True", "None", "[]", "{}", "()", "(1,)", "[1, 2, 3]", "{'a': 1, 'b': [2]}", "('x', 'y')", "{1: 'one', 'k': none}", "[1, 'a', none, 2.5]",
            "{'b': 1, 'a': 2}", "[['x', 1], ['y', 2]]", "['b', 'A', 'c', 'a']", "[3, 1, 2]", "{'role': 'user'}", "range(4)", "range(1, 9, 3)", "range(5, 0, -2)", "dict(a=1, b='x')"]
FORMATS = ["'%s-%s' % (1, 'b')", "'%d|%5d|%-5d|%05d' % (1, 2, 3, 4)", "'%.2f %e %g' % (3.14159, 1234.5, 0.0001)", "'%s' % {0}", "'%(a)s' % {{'a': 1}}", "'%x %X %o' % (255, 255, 8)",
           "'%5s|%-5s|%.2s' % ('a', 'b', 'cde')", "'%%' % ()", "'%r' % ('x',)", "'{{}} {{}}'.format(1, 'x')", "'{{0}}{{1}}{{0}}'.format('a', 'b')", "'{{x}}'.format(x=5)",
           "'{{:>6}}|{{:<6}}|{{:^6}}|'.format('a', 'b', 'c')", "'{{:05d}} {{:+d}} {{:,}}'.format(42, 7, 1234567)", "'{{:.3f}} {{:.2%}} {{:e}}'.format(1.5, 0.25, 12345.678)",
           "'{{0.a}} {{0[b]}}'.format({{'a': 1, 'b': 2}})", "'{{!r}} {{!s}}'.format('x', 'y')", "'{{{{}}}}'.format()", "'%s' % ({0}, 1)", "'{{}}'.format({0})", "'%d' % {0}", "'{{:>{{}}}}'.format('a', 5)",
           "'%s %s'|format('a', {0})", "'%(x)s'|format(x={0})", "'{{:x}} {{:#b}} {{:_}}'.format(255, 5, 1000000)", "'{{:*^9}}'.format({0})", "'{{:g}} {{:.3g}}'.format(0.5, 1234.5)"]


RARE = ["striptags", "wordwrap(5)", "pprint", "filesizeformat", "xmlattr"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, options):
        return self.random.choice(options)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def text(self):
        return "'" + self.pick(TEXTS).replace("\\", "\\\\").replace("'", "\\'") + "'"

    ATOMS = {
        "text": ["text", "text", "words[0]", "words[-1]", "messages[0].role", "messages[-1]['content']", "bos_token", "(x|string)", "'a' 'b'", "'it\\'s'", "(num ~ 'x')"],
        "list": ["messages", "items", "words", "mixed", "tools", "[1, 2, 3]", "['b', 'A', 'c', 'a']", "[3, 1, 2]", "('x', 'y')", "[['x', 1], ['y', 2]]", "range(4)", "range(5, 0, -2)",
                 "items[1:]", "messages[1:]", "nested.list", "words[::-1]", "text.split()", "(text|list)", "[1, 'a', none, 2.5, true]", "obj.keys()", "obj.items()", "obj"],
        "number": ["num", "real", "(words|length)", "items|length", "messages|length", "true", "false"],
        "dict": ["obj", "obj", "{'a': 1, 'b': [2]}", "{'b': 1, 'a': 2}", "{1: 'one', 'k': none}", "dict(a=1, b='x')", "messages[0]", "tools[0]", "nested", "{'role': 'user'}"],
    }

    def atom(self, kind="any"):
        if kind == "any":
            kind = self.pick(["text", "list", "number", "dict", "name", "literal", "text"])
        if kind == "name":
            return self.pick(NAMES)
        if kind == "literal":
            return self.pick(LITERALS)
        if kind == "text" and self.chance(40):
            return self.text()
        if kind == "number" and self.chance(60):
            return self.pick(NUMBERS)
        return self.pick(self.ATOMS[kind])

    def subscript(self):
        kind = self.random.randrange(6)
        if kind == 0:
            return "[" + self.pick(["0", "-1", "1", "'a'", "'role'", "x", "100", "none", "1.0", "true"]) + "]"
        if kind == 1:
            return "." + self.pick(MEMBERS)
        bounds = [self.pick(["", "0", "1", "-1", "2", "-2", "5", "none", "-9"]) for _ in range(2)]
        step = self.pick(["", "", "", ":", ":1", ":2", ":-1", ":-2"])
        return "[" + ":".join(bounds) + step + "]"

    # Mostly of values that the operation is for.
    def expression(self, depth=3, kind="any"):
        if self.chance(6):
            kind = "any"
        if depth <= 0 or self.chance(20):
            return self.atom(kind)
        inner = lambda own="any": self.expression(depth - 1, own)
        way = self.random.randrange(20)
        if way == 0 and self.chance(5):
            return inner("text") + " | " + self.pick(RARE)
        if way < 4:
            return inner("text") + " | " + self.pick(TEXT_FILTERS)
        if way < 7:
            return inner("list") + " | " + self.pick(LIST_FILTERS)
        if way < 10:
            method = self.pick(METHODS)
            is_of_dict = method.split("(")[0] in ("items", "keys", "values", "get", "copy", "pop", "update")
            return self.closed(inner("dict" if is_of_dict else "text")) + "." + method
        if way == 10:
            if self.chance(10):
                return self.closed(inner("number")) + " ** " + self.pick(["0", "2", "3", "-1", "0.5", "2 ** 2"])
            return inner("number") + " " + self.pick(BINARY[:6] + BINARY[8:14]) + " " + inner("number")
        if way == 11:
            symbol = self.pick(["+", "~", "==", "!=", "<", ">=", "and", "or", "in", "not in", "*", "%"])
            return inner("text") + " " + symbol + " " + (self.pick(["0", "1", "3", "-1", "true"]) if symbol == "*" else inner("text"))
        if way == 12:
            return inner() + " " + self.pick(["and", "or", "==", "!=", "~", "in", "not in"]) + " " + inner(self.pick(["any", "list"]))
        if way == 13:
            return inner() + " is " + self.pick(["", "", "not "]) + self.pick(TESTS)
        if way == 14:
            return self.closed(inner(self.pick(["text", "list", "dict"]))) + self.subscript()
        if way == 15:
            return self.pick(["not ", "-", "+", "not not "]) + inner("number")
        if way == 16:
            return inner(kind) + " if " + inner() + self.pick(["", " else " + inner(kind)])
        if way == 17:
            return self.pick(FORMATS).format(self.atom(self.pick(["number", "text"])))
        if way == 18:
            return "(" + inner(kind) + ")"
        return self.pick(["[{}, {}]", "({}, {})", "{{'k': {}, 'l': {}}}", "{} ~ {}", "[{}] + [{}]"]).format(inner(), inner())

    def closed(self, expression):
        return expression if expression.isidentifier() or self.chance(10) else "(" + expression + ")"

    def mark(self, opening, content, closing):
        left, right = self.pick(["", "", "", "-", "+"]), self.pick(["", "", "", "-"])
        if closing == "%}" and self.chance(5):
            right = "+"
        return opening + left + " " + content + " " + right + closing

    def block(self, content):
        return self.mark("{%", content, "%}")

    def gap(self):
        return self.pick(["", "", " ", "\n", "\n  ", "  \n", "\r\n", "text\n", "a ", "\t", "\n\n", " é\n"])

    def body(self, depth, in_loop):
        return "".join(self.gap() + self.statement(depth, in_loop) for _ in range(self.random.randint(1, 3))) + self.gap()

    def statement(self, depth, in_loop=False):
        kind = self.random.randrange(30) if depth > 0 else self.random.randrange(12)
        one = lambda: self.expression(2)
        if kind < 11:
            return self.mark("{{", self.expression(), "}}")
        if kind == 11:
            return self.pick(["{# comment #}", "{#- c -#}", "{% raw %} {{ x }}\n{% endraw %}", "{%- raw -%} {% y %} {%- endraw -%}", "plain\n", "{{ strftime_now('%d %b %Y %H:%M') }}"])
        if kind < 15:
            return self.block("set " + self.pick(["x", "y", "text", "num", "x, y"]) + " = " + self.pick([one(), one() + ", " + one()]))
        if kind < 19:
            parts = [self.block("if " + one()), self.body(depth - 1, in_loop)]
            if self.chance(30):
                parts += [self.block("elif " + one()), self.body(depth - 1, in_loop)]
            if self.chance(50):
                parts += [self.block("else"), self.body(depth - 1, in_loop)]
            return "".join(parts) + self.block("endif")
        if kind < 24:
            return self.loop(depth)
        if kind == 24:
            return self.block("set " + self.pick(["x", "y"]) + self.pick(["", " | upper", " | trim | length", " | replace('a', 'b')"])) + self.body(depth - 1, in_loop) + self.block("endset")
        if kind == 25:
            return self.macro(depth)
        if kind == 26:
            name = self.pick(["ns.v", "ns.n", "ns.w"])
            return self.block("set ns = namespace(v=0, w='')") + self.loop(depth, self.block("set " + name + " = " + self.pick(["ns.v + 1", "loop.index", "ns.v", "text", "ns.w ~ x"]))) + "{{ ns.v }}{{ ns.n }}{{ ns.w }}"
        if kind == 27:
            return self.block("with " + self.pick(["x=1", "x=text, y=x", "y=" + one()])) + self.body(depth - 1, in_loop) + self.block("endwith")
        if kind == 28:
            return self.block("filter " + self.pick(["upper", "trim", "indent(2)", "replace('a', 'o')", "length", "upper | trim"])) + self.body(depth - 1, in_loop) + self.block("endfilter")
        if in_loop and self.chance(60):
            return self.block("if " + one()) + self.block(self.pick(["break", "continue"])) + self.block("endif")
        return self.pick(["{% generation %}", "{%- generation -%}"]) + self.body(depth - 1, False) + "{% endgeneration %}"

    def loop(self, depth, extra=""):
        source = self.pick(["messages", "items", "words", "range(3)", "obj", "obj.items()", "obj|items", "text", "obj|dictsort", "[1, 2, 3]", "missing", "messages[1:]", "tools", "nested.list",
                            "messages|selectattr('role', 'equalto', 'user')", "words|map('upper')", "words|batch(2)", "mixed", self.expression(2, "list")])
        target = "k, v" if "items" in source.replace("items[", "").replace("items ", "") and source != "items" or "dictsort" in source else self.pick(["x", "x", "m", "y", "i"])
        test = self.pick(["", "", "", " if " + self.pick(["x", "m", "loop", "x is string", "y", "i != 2", "x.role != 'system'", self.expression(1)])])
        recursive = " recursive" if self.chance(6) else ""
        use = self.pick(["", "", "{{ loop.index }}", "{{ loop.first }}{{ loop.last }}", "{{ loop.revindex }}/{{ loop.length }}", "{{ loop.index0 ~ loop.revindex0 }}", "{{ loop.previtem }}|{{ loop.nextitem }}",
                         "{{ loop.cycle('o', 'e') }}", "{{ loop.changed(x) }}", "{{ loop.depth }}{{ loop.depth0 }}", "{{ ', ' if not loop.last }}", "{{ loop }}", "{{ loop.nextitem is defined }}"])
        if recursive and self.chance(70):
            use += "{{ loop(x.list) if x is mapping and x.list else '' }}"
        parts = [self.block("for " + target + " in " + source + test + recursive), use, extra, "{{ " + self.pick([target.split(",")[0], "v", "x", "m.role", "x | string", "m['content']"]) + " }}", self.body(depth - 1, True)]
        if self.chance(20):
            parts += [self.block("else"), self.body(depth - 1, False)]
        return "".join(parts) + self.block("endfor")

    def macro(self, depth):
        name = self.pick(["f", "g"])
        parameters = self.pick(["", "a", "a, b", "a, b='d'", "a='x', b=a", "x=1", "a, caller=none"])
        use = self.pick(["", "{{ a }}", "{{ b }}", "{{ varargs }}", "{{ kwargs }}", "{{ caller() }}", "{{ caller('p') }}", "{{ a is defined }}", "{{ caller is defined }}", "{{ x }}"])
        call = self.pick(["{{ %s() }}", "{{ %s(1) }}", "{{ %s('a', 2) }}", "{{ %s(b=3) }}", "{{ %s(1, 2, 3) }}", "{{ %s(1, c=4) }}", "{%% call %s(1) %%}in{{ x }}{%% endcall %%}",
                          "{%% call(p) %s('z') %%}<{{ p }}>{%% endcall %%}", "{{ %s.name }}", "{{ %s(*[1, 2]) }}", "{{ %s(**{'a': 5}) }}", "{{ %s(text) | upper }}"]) % name
        return self.block("macro " + name + "(" + parameters + ")") + use + self.body(depth - 1, False) + self.block("endmacro") + call + self.pick(["", call])

    def value(self, depth=2):
        kind = self.random.randrange(9 if depth > 0 else 6)
        if kind < 3:
            return self.pick(TEXTS)
        if kind == 3:
            return self.pick([0, 1, 2, -5, 42, 1000000, 1.5, -0.25, 2.0, 1e16, 1e-7])
        if kind == 4:
            return self.pick([True, False, None])
        if kind == 5:
            return self.random.randrange(100)
        if kind < 8:
            return [self.value(depth - 1) for _ in range(self.random.randrange(4))]
        return {self.pick(["a", "b", "c", "role", "content", "name", "é", "list", "items"]): self.value(depth - 1) for _ in range(self.random.randrange(4))}

    def values(self):
        roles = self.pick([["system", "user", "assistant"], ["user"], ["user", "assistant", "user"], []])
        messages = [{"role": role, "content": self.pick(TEXTS)} for role in roles]
        for message in messages:
            if self.chance(15):
                message["a"] = self.pick([1, 2, "z"])
        context = {"messages": messages, "text": self.pick(TEXTS), "num": self.pick([0, 1, 3, -2, 10, 2.5]), "items": [self.pick([1, 2, 3, "a", "b"]) for _ in range(self.random.randrange(5))],
                   "obj": {"b": 2, "a": self.pick([1, "one", None]), "C": 3}, "flag": self.pick([True, False]), "nothing": None, "words": self.random.sample(TEXTS, 3), "real": self.pick([0.5, 1e20, -1.25]),
                   "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}], "nested": {"a": {"b": self.value()}, "list": [{"list": [{"v": 1}], "v": 2}]},
                   "mixed": [self.value() for _ in range(3)], "x": self.value(), "bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": self.pick([True, False])}
        return context

    def template(self):
        return "".join(self.gap() + self.statement(2) for _ in range(self.random.randint(1, 3))) + self.gap()


CALLS = [{"id": "call00001", "type": "function", "function": {"name": "weather", "arguments": {"city": "Zürich", "days": 2}}}]
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "The weather.", "parameters": {"type": "object", "properties": {"city": {"type": "string", "description": "A city"},
         "days": {"type": "integer"}}, "required": ["city"]}}}]
CONVERSATIONS = [
    [{"role": "user", "content": "Hello!"}],
    [{"role": "system", "content": " Be short. "}, {"role": "user", "content": " Hi\n"}],
    [{"role": "user", "content": "a"}, {"role": "assistant", "content": " b "}, {"role": "user", "content": "c"}],
    [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}, {"role": "assistant", "content": "<think>\nhm\n</think>\n\nb"}, {"role": "user", "content": "ü 日本 \"q\""}, {"role": "assistant", "content": "d"}],
    [{"role": "user", "content": "w?"}, {"role": "assistant", "content": "", "tool_calls": CALLS}, {"role": "tool", "name": "weather", "tool_call_id": "call00001", "content": "{\"t\": 3}"}],
    [{"role": "user", "content": "w?"}, {"role": "assistant", "tool_calls": CALLS}, {"role": "tool", "name": "weather", "tool_call_id": "call00001", "content": "rain"}, {"role": "assistant", "content": "Rain."}, {"role": "user", "content": "ok"}],
    [{"role": "user", "content": [{"type": "text", "text": "parts"}]}],
    [{"role": "assistant", "content": "first"}, {"role": "user", "content": "x"}],
    [{"role": "user", "content": "x"}, {"role": "user", "content": "y"}],
    [],
    [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y", "reasoning_content": "why"}, {"role": "user", "content": "z"}],
    [{"role": "developer", "content": "rules"}, {"role": "user", "content": ""}],
]


def rendered(template, values):
    try:
        compiled = chat_template_utils._cached_compile_jinja_template(template)
        output = compiled.render(**values)
        output.encode("utf-8")
        if " at 0x" in output:
            return {"error": "an address"}
        return {"output": output}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:80]}


# Half of them are one expression. Of those that Jinja refuses, one in five is kept.
def random_cases(seed, count):
    made = tried = 0
    while made < count:
        tried += 1
        generator = Generator(seed * 1_000_003 + tried)
        template = "{{ " + generator.expression() + " }}" if generator.chance(50) else generator.template()
        values = {name: value for name, value in generator.values().items() if name in template}
        result = rendered(template, values)
        if "error" in result and not generator.chance(20):
            continue
        yield {"template": template, "values": values, **result}
        made += 1


def folder_cases(folder):
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.jinja*"), recursive=True)):
        with open(path, encoding="utf-8", newline="") as file:
            template = file.read()
        for messages in CONVERSATIONS:
            for more in [{}, {"tools": TOOLS}, {"documents": [{"title": "T", "text": "D"}], "enable_thinking": False}]:
                for prompt in [True, False]:
                    values = {"messages": messages, "tools": None, "documents": None, **more, "add_generation_prompt": prompt, "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
                    yield {"file": os.path.basename(path), "template": template, "values": values, **rendered(template, values)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--folder")
    options = parser.parse_args()
    cases = folder_cases(options.folder) if options.folder else random_cases(options.seed, options.count)
    with open(options.out, "w", encoding="utf-8") as file:
        for case in cases:
            file.write(json.dumps(case, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
