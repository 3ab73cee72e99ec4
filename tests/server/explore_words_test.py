"""Uses the views of the explorer that are about words, what was found, why, what may come next and what moves, and compares their numbers
with those of the routes: exploring.py.
"""

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsing import keys, wait
from exploring import (
    MODEL,
    TEXT,
    click,
    element,
    expect_answer,
    folder,
    open_view,
    panel,
    post,
    ready,
    run,
    shown_number,
    shown_translation,
    text_of,
    texts_of,
)


def forced_beginning(driver, size):
    """View 4, its prefix: click a word, write another, and the model goes on."""
    open_view(driver)
    click(driver, "#answer-words li:nth-child(2) button")
    prefix = element(driver, "#prefix")
    assert prefix.get_attribute("value") == " ".join(shown_translation(driver)[:2])
    keys(driver, "alte", Keys.ENTER)  # in place of the word, which is selected
    first = shown_translation(driver)[0]
    wait(driver, lambda d: "prefix" in d.current_url, "another beginning")
    ready(driver)
    answer = expect_answer(driver, prefix=f"{first} alte")
    assert answer["translation"].startswith(f"{first} alte"), answer["translation"]
    click(driver, "#free")
    ready(driver)
    expect_answer(driver)


def beam_tree(driver, size):
    """View 4: every step of the search, what a length penalty ranks, and a word to go on from."""
    open_view(driver)
    click(driver, "#beam summary")
    panel(driver, "beam")
    found = post("/attend/v1/beam", model=MODEL, text=TEXT)
    steps = found["steps"]
    assert len(driver.find_elements(By.CSS_SELECTOR, "#beam .tree li")) == len(steps)
    for fate in ("kept", "ended"):
        count = sum(c["fate"] == fate for step in steps for c in step["candidates"])
        assert len(driver.find_elements(By.CSS_SELECTOR, f"#beam .candidate.{fate}")) == count > 0, fate
    assert driver.find_elements(By.CSS_SELECTOR, "#beam .candidate.pruned")

    def ranking():
        return texts_of(driver, "#found tbody th")

    for penalty in (0, 2):
        driver.execute_script(
            "const s = document.getElementById('penalty'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", penalty
        )
        key = lambda t: t["log_probability"] / len(t["token_log_probabilities"]) ** penalty
        assert ranking() == [t["text"] or "(nothing)" for t in sorted(found["translations"], key=key, reverse=True)], penalty
    driver.save_screenshot(f"{folder}/explore-beam-{size}.png")

    # The second word that went on in the second step, with all that leads to it.
    kept = [[c for c in step["candidates"] if c["fate"] == "kept"] for step in steps]
    word = kept[1][1]
    begun = (kept[0][word["parent"]]["token"] + word["token"]).replace("▁", " ").strip()
    button = driver.find_elements(By.CSS_SELECTOR, "#beam .tree li:nth-child(2) .candidate.kept")[1]
    driver.execute_script("arguments[0].scrollIntoView({block: 'center', inline: 'center'}); arguments[0].focus()", button)
    assert len(driver.find_elements(By.CSS_SELECTOR, "#beam .candidate.path")) == 2
    keys(driver, Keys.ENTER)
    ready(driver)
    assert element(driver, "#prefix").get_attribute("value") == begun
    expect_answer(driver, prefix=begun)


def why_this_word(driver, size):
    """View 5: the parts of a difference of logits, the layers, and another word in its place."""
    open_view(driver, why="1")
    panel(driver, "why")
    answer = post("/explore", model=MODEL, text=TEXT)
    found = post("/explain", model=MODEL, text=TEXT, translation=answer["translation"], position=1)
    sentence = text_of(driver, "#why-sum")
    assert sentence.startswith(f"“{found['token']['token'].replace('▁', '')}”"), sentence
    assert f"differ by {found['difference']:+.2f}".replace("-", "−") in sentence, sentence
    shown = [shown_number(t) for t in texts_of(driver, "#why table:first-of-type td:nth-child(2)")[: min(len(found["parts"]), 13)]]
    assert abs(sum(shown) - found["difference"]) < 0.01 * len(shown), (shown, found["difference"])
    lens = texts_of(driver, "[aria-label='After each layer'] tbody tr")
    assert len(lens) == len(found["lens"])
    assert found["lens"][-1][0]["token"] in lens[-1]
    driver.save_screenshot(f"{folder}/explore-why-{size}.png")

    # Another word to compare with.
    shown = (found["token"]["token"], found["instead"]["token"], "▁")
    others = [t["token"] for t in found["lens"][-1] if t["token"] not in shown]
    other = others[0].replace("▁", "")
    element(driver, "#why-instead").send_keys(other, Keys.ENTER)
    compared = post("/explain", model=MODEL, text=TEXT, translation=answer["translation"], position=1, instead=other)
    name = compared["instead"]["token"].replace("▁", "")
    wait(driver, lambda d: f"“{name}”" in text_of(d, "#why-sum"), "another comparison")
    # And one to write.
    buttons = driver.find_elements(By.CSS_SELECTOR, "#why .line button")
    chosen = next(b for b in buttons if b.text.startswith(other))
    driver.execute_script("arguments[0].click()", chosen)
    ready(driver)
    begun = element(driver, "#prefix").get_attribute("value")
    assert begun == (found["tokens"][0] + others[0]).replace("▁", " ").strip(), begun
    expect_answer(driver, prefix=begun)


def the_end_is_no_beginning(driver, size):
    """View 5: the end of the sentence is listed among the words, but nothing can go on from it."""
    answer = post("/explore", model=MODEL, text=TEXT)
    pieces = answer["attention"]["axes"]["written"]["pieces"]
    end = pieces[-1]["text"]
    for position in range(len(pieces) - 1):
        found = post("/explain", model=MODEL, text=TEXT, translation=answer["translation"], position=position)
        if end in [t["token"] for t in found["lens"][-1]]:
            break
    else:
        raise AssertionError("the end is nowhere among the most probable tokens")
    open_view(driver, why=position)
    panel(driver, "why")
    assert any(t.startswith("the end ") for t in texts_of(driver, "#why .line li"))
    assert not any(t.startswith(end) for t in texts_of(driver, "#why .line button"))


def while_changed(driver, size):
    """Views 4 and 5 show the model as it is changed: with a head off, and softer attention."""
    changes = {"heads_off": "decoder.layers.0.cross_attn:0", "attention_beta": "0.5"}
    open_view(driver, why="1", beam="1", off=changes["heads_off"], beta=changes["attention_beta"])
    for name in ("why", "beam"):
        panel(driver, name)
    answer = post("/explore", model=MODEL, text=TEXT, **changes)
    found = post("/explain", model=MODEL, text=TEXT, translation=answer["translation"], position=1, **changes)
    assert f"differ by {found['difference']:+.2f}".replace("-", "−") in text_of(driver, "#why-sum"), text_of(driver, "#why-sum")
    translations = post("/attend/v1/beam", model=MODEL, text=TEXT, **changes)["translations"]
    assert sorted(texts_of(driver, "#found tbody th")) == sorted(t["text"] or "(nothing)" for t in translations)
    # Without the changes, both are asked again.
    before = text_of(driver, "#why-sum")
    click(driver, "#undo")
    ready(driver)
    panel(driver, "why")
    assert text_of(driver, "#why-sum") != before


def shown_shares(driver):
    """The tokens of the table, and their probabilities in percent."""
    cells = texts_of(driver, "#next-words tbody td:nth-child(2)")
    return dict(zip(texts_of(driver, "#next-words tbody th"), [float(cell.split()[0]) for cell in cells]))


def expect_shares(driver, tokens):
    shown = shown_shares(driver)
    assert len(shown) == len(tokens), (shown, tokens)
    for token in tokens:
        name = token["token"]
        assert abs(shown[name[1:] if name.startswith("▁") and len(name) > 1 else name] - 100 * token["probability"]) < 0.06, (shown, token)


def set_temperature(driver, value):
    driver.execute_script("const s = document.getElementById('temperature'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", value)
    panel(driver, "next")


def temperature(driver, size):
    """View 3: the most probable tokens at an output temperature."""
    open_view(driver, next="1,0.5")
    panel(driver, "next")
    answer = post("/explore", model=MODEL, text=TEXT)
    fields = {"model": MODEL, "text": TEXT, "translation": answer["translation"], "position": 1, "top": 10}
    expect_shares(driver, post("/explain", temperature=0.5, **fields)["lens"][-1])
    # softmax(logits / t): the ratio of two probabilities is that of the trained ones, to the power of 1 / t.
    trained = post("/explain", **fields)["lens"][-1]
    set_temperature(driver, 2)
    flat = post("/explain", temperature=2, **fields)["lens"][-1]
    expect_shares(driver, flat)
    for one, other in zip(flat, trained):
        expected = (other["probability"] / trained[0]["probability"]) ** (1 / 2)
        assert abs(one["probability"] / flat[0]["probability"] - expected) < 1e-3
    assert driver.current_url.endswith("next=1%2C2"), driver.current_url
    driver.execute_script("document.getElementById('next').scrollIntoView()")
    driver.save_screenshot(f"{folder}/explore-temperature-{size}.png")
    set_temperature(driver, 0)
    assert sorted(shown_shares(driver).values())[-2:] == [0, 100], shown_shares(driver)
    assert text_of(driver, "#temperature-value").startswith("0, greedy")
    # The slider keeps the focus while it is moved.
    driver.execute_script("document.getElementById('temperature').focus()")
    keys(driver, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    panel(driver, "next")
    keys(driver, Keys.ARROW_RIGHT)
    panel(driver, "next")
    assert element(driver, "#temperature").get_attribute("value") == "0.3"
    expect_shares(driver, post("/explain", temperature=0.3, **fields)["lens"][-1])


def drawn_texts(driver, size):
    """View 3: what is drawn at an output temperature, and how the page says it was."""

    def draw(how, **fields):
        count = len(texts_of(driver, "#drawn li"))
        click(driver, "#draw")
        wait(driver, lambda d: len(texts_of(d, "#drawn li")) == count + 1, "a drawn text")
        drawn = post("/explore/draw", **fields)
        shown = texts_of(driver, "#drawn li")[0]
        assert shown.startswith((drawn["text"].strip() or "(nothing)") + f" {how}, log-probability"), (shown, drawn)

    open_view(driver, next=",1.5")
    panel(driver, "next")
    fields = {"model": MODEL, "text": TEXT}
    draw("sampled at temperature 1.5, seed 1", temperature=1.5, seed=1, **fields)
    draw("sampled at temperature 1.5, seed 2", temperature=1.5, seed=2, **fields)
    set_temperature(driver, 0)
    draw("greedy", temperature=0, **fields)
    # A language model goes on with the text.
    fields = {"model": "lm", "text": "The old"}
    open_view(driver, next=",1", **fields)
    panel(driver, "next")
    assert text_of(driver, "#draw") == "Continue the text"
    expect_shares(driver, post("/explain", top=10, **fields)["lens"][-1])
    draw("sampled at temperature 1, seed 1", temperature=1, seed=1, **fields)
    set_temperature(driver, 0)
    draw("greedy", temperature=0, **fields)
    driver.execute_script("document.getElementById('next').scrollIntoView()")
    driver.save_screenshot(f"{folder}/explore-drawn-{size}.png")


run(forced_beginning, beam_tree, why_this_word, the_end_is_no_beginning, while_changed, temperature, drawn_texts)
print("the words were looked at")
