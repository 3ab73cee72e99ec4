"""``attend evaluate --breakdown`` beside the same figures computed in Python."""

from __future__ import annotations

import json
import pathlib
import random
import re
from collections import Counter

import attend
import pytest
from conftest import attend as program

LENGTHS = [(0, 10), (11, 20), (21, 30), (31, 40), (41, 60), (61, 10**9)]
TIMES = {"0": (0, 0), "1-9": (1, 9), "10-99": (10, 99), "100-999": (100, 999), "1000+": (1000, 10**9)}


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", text)


def lower(text: str) -> list[str]:
    return words(text.lower())


def made_up() -> dict[str, list[str]]:
    """A text in which words are lost, translated or copied, and two systems that translate it."""
    draw = random.Random(5)
    vocabulary = {f"wort{i}": f"word{i}" for i in range(60)} | {"nicht": "not", "Anna": "Anna", "und": "and"}
    weights = [1 / (i + 1) for i in range(len(vocabulary))]
    texts: dict[str, list[str]] = {name: [] for name in ("source", "reference", "first", "second")}
    for _ in range(120):
        line = draw.choices(list(vocabulary), weights, k=draw.choice([3, 9, 10, 11, 25, 45, 70]))
        line = [one if draw.random() < 0.9 else draw.choice(["1984", "Berlin", "12-3"]) for one in line]
        texts["source"].append(" ".join(line) + ".")
        texts["reference"].append(" ".join(vocabulary.get(one, one) for one in line) + ".")
        for name, rate in ("first", 0.2), ("second", 0.5):
            given = [
                draw.choice(list(vocabulary.values()) + ["", "new"]) if draw.random() < rate else
                vocabulary.get(one, one) for one in line
            ]  # fmt: skip
            texts[name].append(" ".join(one for one in given if one) + ".")
    texts["training"] = [
        " ".join(draw.choices(list(vocabulary.values())[:50], [1 / (i + 1) for i in range(50)], k=12))
        for _ in range(40)
    ]
    return texts


def scores_of(lines: list[int], given: list[str], expected: list[str]) -> dict[str, float]:
    some = [given[i] for i in lines], [expected[i] for i in lines]
    return {"BLEU": attend.metrics.bleu(*some).score, "chrF2": attend.metrics.chrf(*some).score}


def evaluate(folder: pathlib.Path, texts: dict[str, list[str]], *more: object) -> dict:
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return json.loads(program(
        "evaluate", "--hypotheses", folder / "second", "--references", folder / "reference",
        "--sources", folder / "source", "--format", "json", *more,
    ))  # fmt: skip


def test_a_breakdown_has_the_figures_of_python(tmp_path: pathlib.Path) -> None:
    texts = made_up()
    source, reference = texts["source"], texts["reference"]
    found = evaluate(
        tmp_path, texts, "--breakdown", "--baseline", tmp_path / "first", "--bootstrap-samples", 10,
        "--training-text", tmp_path / "training", "--src-lang", "de", "--tgt-lang", "en",
    )["breakdown"]  # fmt: skip
    assert [pathlib.Path(one["system"]).name for one in found] == ["first", "second"]
    seen = Counter(word for line in texts["training"] for word in lower(line))
    for name, breakdown in zip(("first", "second"), found, strict=True):
        given = texts[name]
        expected = []
        for low, high in LENGTHS:
            lines = [i for i, line in enumerate(source) if low <= len(words(line)) <= high]
            if lines:
                group = f"{low}-{high}" if high < 10**9 else f"{low}+"
                expected.append({"words": group, "lines": len(lines)} | scores_of(lines, given, reference))
        assert breakdown["source_lengths"] == [pytest.approx(one) for one in expected]
        assert len(expected) > 3

        expected = []
        for times, (low, high) in TIMES.items():
            lines = [i for i, line in enumerate(reference) if low <= min(seen[w] for w in lower(line)) <= high]
            if lines:
                expected.append({"times": times, "lines": len(lines)} | scores_of(lines, given, reference))
        assert breakdown["rarest_words"] == [pytest.approx(one) for one in expected]
        assert len(expected) > 2

        pairs = [(Counter(lower(a)), Counter(lower(b))) for a, b in zip(reference, given, strict=True)]
        assert breakdown["word_frequencies"] == [
            {
                "times": times,
                "reference": sum(n for a, _ in pairs for w, n in a.items() if low <= seen[w] <= high),
                "translation": sum(n for _, b in pairs for w, n in b.items() if low <= seen[w] <= high),
                "both": sum(n for a, b in pairs for w, n in (a & b).items() if low <= seen[w] <= high),
            }
            for times, (low, high) in TIMES.items()
        ]

        copied = {kind: Counter() for kind in ("numbers", "names", "other words")}
        for texts_of_line in zip(source, reference, given, strict=True):
            a, b, c = (Counter(words(text)) for text in texts_of_line)
            for word in a:
                kind = "numbers" if re.search(r"\d", word) else "names" if word[0].isupper() else "other words"
                copied[kind]["reference"] += (a & b)[word]
                copied[kind]["translation"] += (a & c)[word]
                copied[kind]["both"] += min((a & b)[word], (a & c)[word])
        assert breakdown["copied"] == [
            {"words": kind, **{key: counts[key] for key in ("reference", "translation", "both")}}
            for kind, counts in copied.items()
        ]

        negated = [i for i, line in enumerate(source) if "nicht" in lower(line)]
        lost = [i + 1 for i in negated if "not" not in lower(given[i])]
        added = [
            i + 1 for i, line in enumerate(given) if "not" in lower(line) and i not in negated
        ]  # fmt: skip
        assert breakdown["negation"] == {
            "negated": len(negated), "lost": lost,
            "not_negated": len(source) - len(negated), "added": added,
        }  # fmt: skip
    assert found[1]["negation"]["added"]


def test_python_gets_the_breakdown_of_the_command_line(tmp_path: pathlib.Path) -> None:
    texts = made_up()
    (printed,) = evaluate(
        tmp_path, texts, "--breakdown", "--training-text", tmp_path / "training", "--src-lang", "de",
        "--tgt-lang", "en",
    )["breakdown"]  # fmt: skip
    del printed["system"]
    lines = texts["source"], texts["second"], texts["reference"]
    ours = attend.metrics.breakdown(
        *lines, training_text=iter(texts["training"]), src_lang="de", tgt_lang="en"
    )
    assert ours == printed
    short = attend.metrics.breakdown(*lines)
    assert short["negation"] is None and "rarest_words" not in short
    with pytest.raises(attend.DataError):
        attend.metrics.breakdown(["a"], ["a", "b"], ["a", "b"])


def test_the_worst_lines_have_the_lowest_chrf(tmp_path: pathlib.Path) -> None:
    texts = made_up()
    (worst,) = evaluate(tmp_path, texts, "--worst", 5)["worst"]
    scores = [
        attend.metrics.chrf([given], [expected]).score
        for given, expected in zip(texts["second"], texts["reference"], strict=True)
    ]
    order = sorted(range(len(scores)), key=scores.__getitem__)[:5]
    assert [one["line"] for one in worst["lines"]] == [i + 1 for i in order]
    for one, i in zip(worst["lines"], order, strict=True):
        assert one["chrf"] == pytest.approx(scores[i])
        assert one["source"] == texts["source"][i] and one["translation"] == texts["second"][i]
        assert one["references"] == [texts["reference"][i]]
