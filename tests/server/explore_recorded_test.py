"""The pages that `attend attention` writes, one for each kind of model: they say what the program printed, have the figure or the reason why there
is none, and no button without an answer: exploring.py.
"""

import json
import math
import os

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsing import scheme, wait
from exploring import TEXT, click, element, folder, open_view, page, run, shown_number, text_of, texts_of, url

made = os.path.dirname(page)
NO_FIGURE = "expected a Transformer, found a recurrent network"


def open_page(driver, name):
    """Returns what the program printed."""
    driver.get("about:blank")
    driver.get(f"file://{made}/{name}.html")
    wait(driver, lambda d: element(d, "body").get_attribute("data-state") == "ready" and element(d, "#panel").is_displayed(), f"the page {name}")
    assert text_of(driver, "#message") == ""
    # What can be done with a page needs no other answer.
    assert not driver.find_elements(By.CSS_SELECTOR, "form, textarea, #controls, #more, #tour-stations"), name
    with open(f"{made}/{name}.json", encoding="utf-8") as file:
        return json.load(file)


def scored_pieces(driver):
    recorded = json.loads(element(driver, "#recorded").get_attribute("textContent"))
    pieces = recorded["answers"]["/explore"]["attention"]["axes"]["written"]["pieces"]
    return sum("log_probability" in piece for piece in pieces)


def expect_score(driver, log_probability, tokens):
    shown = text_of(driver, "#score").split()
    assert abs(shown_number(shown[1].rstrip(",")) - log_probability) < 0.006, (shown, log_probability)
    per_token = 100 * math.exp(log_probability / tokens)
    assert abs(float(shown[2]) - per_token) < 0.06, (shown, per_token)


def expect_translation(driver, printed):
    words = [word for word in texts_of(driver, "#answer-words .label") if word != "</s>"]
    assert " ".join(words) == printed["translation"], (words, printed)
    assert (text_of(driver, "#asked-name"), text_of(driver, "#asked-text")) == ("Source", TEXT)
    pieces = scored_pieces(driver)
    expect_score(driver, printed["log_probability"], pieces)
    return pieces


def translations(driver, size):
    """Of the model, a given one, and one that was cut, whose end has no probability."""
    for name in ("attention", "given", "cut"):
        pieces = expect_translation(driver, open_page(driver, name))
        assert element(driver, "#running").is_displayed() and not element(driver, "#no-figure").is_displayed(), name
        assert name != "cut" or pieces == 3, pieces
        click(driver, "#figure-boxes [data-id=decoder-cross]")
        assert text_of(driver, "#box-name") == "Multi-head attention"
        assert driver.find_elements(By.CSS_SELECTOR, "#box-numbers figure"), name
        driver.save_screenshot(f"{folder}/recorded-{name}-{size}.png")
    # Another text in the address is not asked.
    driver.get("about:blank")
    driver.get(f"file://{page}#cross/words?text=Another+text.&off=decoder.layers.0.cross_attn")
    wait(driver, lambda d: element(d, "#panel").is_displayed(), "the page")
    assert text_of(driver, "#asked-text") == TEXT
    assert "text=" not in driver.current_url and "off=" not in driver.current_url, driver.current_url


def no_figure(driver, size):
    """Where there is none, a page says why: one that was written, and one of the server."""
    expect_translation(driver, open_page(driver, "recurrent"))
    for show in (lambda: None, lambda: open_view(driver, model="recurrent")):
        show()
        assert not element(driver, "#running").is_displayed()
        assert NO_FIGURE in element(driver, "#no-figure").text, element(driver, "#no-figure").text
    driver.save_screenshot(f"{folder}/recorded-none-{size}.png")
    log = driver.get_log("browser")  # begins anew
    assert len(log) == 1 and "/explore/inside" in log[0]["message"] and "400" in log[0]["message"], log
    open_view(driver)
    assert element(driver, "#running").is_displayed() and not element(driver, "#no-figure").is_displayed()


def a_language_model(driver, size):
    printed = open_page(driver, "lm")
    assert text_of(driver, "#asked-text") == "The old dog sleeps."
    expect_score(driver, printed["log_probability"], scored_pieces(driver))
    assert [k.get_attribute("data-kind") for k in driver.find_elements(By.CSS_SELECTOR, "#overview section")] == ["decoder"]
    assert element(driver, "#running").is_displayed()


def from_right_to_left(driver, size):
    """Words stand as their script is read, and the arrow keys go with them."""
    open_page(driver, "right")
    for words in ("#answer-words .label", "#row-words .label", "#figure-read .token"):
        places = [word.location["x"] for word in driver.find_elements(By.CSS_SELECTOR, words)]
        assert len(places) >= 3 and places == sorted(places, reverse=True), (words, places)
    words = driver.find_elements(By.CSS_SELECTOR, "#row-words .label")
    words[0].send_keys(Keys.ARROW_LEFT)
    assert driver.switch_to.active_element == words[1]
    words[1].send_keys(Keys.ARROW_RIGHT)
    assert driver.switch_to.active_element == words[0]
    driver.save_screenshot(f"{folder}/recorded-right-{size}.png")


def why_a_class(driver, size):
    """Every word with what changes without it, the classes, and how even the attention is."""
    for theme in ("light", "dark"):
        scheme(driver, theme)
        printed = open_page(driver, "why")
        shown = driver.find_elements(By.CSS_SELECTOR, "#asked-text span")
        assert [one.text for one in shown] == [word["word"] for word in printed["words"]] == ["A", "<good>", "film."]
        for one, word in zip(shown, printed["words"], strict=True):
            assert one.get_attribute("class") == ("for" if word["change"] <= 0 else "against")
            points = f"{100 * word['change']:+.1f}".replace("-", "−")
            expected = f"without it: {100 * word['probability_without']:.1f} % ({points} points)"
            assert one.get_attribute("title").replace("+0.0", "−0.0") == expected.replace("+0.0", "−0.0"), (one.get_attribute("title"), expected)
            shade = float(one.get_attribute("style").split(":")[1].strip(" ;"))
            assert abs(shade - abs(word["change"]) ** 0.5) < 0.001
        assert f"speak for “{printed['label']}”" in text_of(driver, "#asked-note")
        rows = [row.text.split() for row in driver.find_elements(By.CSS_SELECTOR, "#classes tr")]
        expected = sorted(printed["probabilities"].items(), key=lambda one: -one[1])
        assert [(row[0], row[1]) for row in rows] == [(label, f"{100 * share:.1f}") for label, share in expected], (rows, expected)
        assert f"{100 * printed['attention']['entropy']:.0f} % of the maximum" in text_of(driver, "#entropy")
        driver.save_screenshot(f"{folder}/recorded-why-{theme}-{size}.png")
    scheme(driver, "light")


def what_heads_do(driver, size):
    """As the explorer shows it when it is asked: the largest, all in a table, bars below the maps, and numbers to save."""
    printed = open_page(driver, "given")["heads"]
    shown = [shown_number(text) for text in texts_of(driver, "#ranking td span")]
    assert len(shown) == len(printed) and sum(abs(one["change"]) > 0.005 for one in printed) > 3, printed
    # A row for each layer: the kinds come as the page has them.
    assert sorted(shown) == sorted(round(one["change"], 2) + 0.0 for one in printed), (shown, printed)
    largest = max(printed, key=lambda one: abs(one["change"]))
    first = text_of(driver, "#ranking li button")
    assert f"head {largest['head'] + 1}: " in first and shown_number(first.split(": ")[1].split()[0]) == round(largest["change"], 2), (first, largest)
    click(driver, "#ranking li button")
    assert text_of(driver, "#name") == first.split(":")[0]
    badge = "#overview .map[aria-pressed=true]"
    assert first.split(": ")[1] in element(driver, badge).get_attribute("title")
    assert driver.execute_script(f"return document.querySelector('{badge} .badge').style.getPropertyValue('--share')") == "1.000"
    driver.save_screenshot(f"{folder}/recorded-heads-{size}.png")
    open_page(driver, "attention")
    assert not element(driver, "#ranking").is_displayed()


def without_scripts(driver, size):
    """The text and the answer in words, and nothing that would do nothing."""
    printed = open_page(driver, "attention")
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver.get(f"file://{made}/attention.html")
        said = element(driver, "body").text
        for part in (TEXT, printed["translation"], f"{printed['log_probability']:.2f}".replace("-", "−"), "It needs JavaScript"):
            assert part in said, (part, said)
        driver.get(f"file://{made}/why.html")
        assert "A <good> film." in element(driver, "body").text
        driver.get(f"{url}/explore")
        assert "It needs JavaScript" in element(driver, "body").text
        for one in driver.find_elements(By.CSS_SELECTOR, "button, textarea, select, input"):
            assert not one.is_displayed(), one.get_attribute("outerHTML")
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def vectors(driver, size):
    printed = open_page(driver, "vectors")
    assert text_of(driver, "#asked-text") == "The dog" and text_of(driver, "#score") == ""
    assert f"{100 * printed['attention']['entropy']:.0f} % of the maximum" in text_of(driver, "#entropy")
    assert element(driver, "#figure-boxes [data-id=pooling]").is_displayed()
    driver.save_screenshot(f"{folder}/recorded-vectors-{size}.png")


run(translations, no_figure, a_language_model, from_right_to_left, why_a_class, what_heads_do, without_scripts, vectors)
print("pages with recorded answers were read")
