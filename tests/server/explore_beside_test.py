"""Uses the views of the explorer that compare: two texts, two models, a word in several texts; and compares their numbers with those of
the routes: exploring.py.
"""

import base64
import math

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsing import focus_by_tab, keys, wait
from exploring import MODEL, TEXT, click, element, folder, open_view, panel, post, ready, run, shown_number, shown_translation, text_of, texts_of


def two_texts(driver, size):
    """View 6: another text beside this one, and what moves."""
    open_view(driver)
    click(driver, "#with-toggle")
    other = element(driver, "#with")
    assert other.get_attribute("value") == TEXT
    other.clear()
    other.send_keys(TEXT.replace("cat", "fish"), Keys.CONTROL + Keys.ENTER)
    wait(driver, lambda d: element(d, "#beside").is_displayed(), "another translation")
    ready(driver)
    shown = shown_translation(driver, "#beside-words")
    answer = post("/explore", model=MODEL, text=TEXT.replace("cat", "fish"))
    assert " ".join(shown) == answer["translation"], (shown, answer["translation"])
    assert "moved" in text_of(driver, "#beside-moves button")
    gone, new = [set(words) for words in (shown_translation(driver), shown)]
    change = text_of(driver, "#beside-change")
    assert all(f"“{word}”" in change for word in gone ^ new), (change, gone ^ new)
    # The words of both texts are on one axis, where the word that is another one has one place.
    assert len(driver.find_elements(By.CSS_SELECTOR, "#beside-map svg")) == 3
    for labels in (texts_of(driver, f"#beside-map .scroll:nth-child({k}) svg text") for k in (1, 2, 3)):
        assert "cat. → fish." in labels and "old" in labels, labels
    assert driver.find_elements(By.CSS_SELECTOR, "#beside-map .less")
    # Bars grow from a straight edge, whichever their sign.
    corners = "return [...document.querySelectorAll('.share, .badge')].map((bar) => getComputedStyle(bar)).map((s) => s.borderRadius + ' ' + s.padding)"
    assert driver.find_elements(By.CSS_SELECTOR, "#beside-map .share.minus") and set(driver.execute_script(corners)) == {"0px 0px"}
    driver.execute_script("document.getElementById('beside').scrollIntoView()")
    driver.save_screenshot(f"{folder}/explore-beside-{size}.png")
    link = driver.current_url
    driver.get("about:blank")
    driver.get(link)
    ready(driver)
    assert shown_translation(driver, "#beside-words") == shown


def two_models(driver, size):
    """View 6: the same sentence in another model, both maps on the same axes."""
    open_view(driver, "encoder/words/1/1")
    click(driver, "#with-toggle")
    focus_by_tab(driver, "#with-model")
    keys(driver, "other", Keys.CONTROL + Keys.ENTER)
    wait(driver, lambda d: element(d, "#beside").is_displayed(), "the other model")
    ready(driver)
    assert text_of(driver, "#beside-name") == "other, unchanged"
    answers = [post("/explore", model=model, text=TEXT) for model in (MODEL, "other")]
    assert " ".join(shown_translation(driver, "#beside-words")) == answers[1]["translation"]
    ours, theirs = [base64.b64decode(answer["attention"]["maps"]["encoder"]["words"][0][0]) for answer in answers]
    cells = texts_of(driver, "#beside-map tbody tr:first-child td")
    here, there = [int(cell.split()[0].replace("<1", "0")) for cell in cells[1:3]]
    largest = max(range(len(ours)), key=lambda i: abs(ours[i] - theirs[i]))
    assert abs(here - ours[largest] / 2.55) < 1 and abs(there - theirs[largest] / 2.55) < 1, (cells, ours[largest], theirs[largest])
    assert "with_model=other" in driver.current_url, driver.current_url
    driver.execute_script("document.getElementById('beside').scrollIntoView()")
    driver.save_screenshot(f"{folder}/explore-models-{size}.png")
    # The model beside itself as it was trained, while a head is off.
    open_view(driver, "encoder/words/1/1", with_model=MODEL, off="encoder.layers.0.self_attn:0")
    assert " ".join(shown_translation(driver, "#beside-words")) == answers[0]["translation"]
    assert text_of(driver, "#beside-name") == f"{MODEL}, unchanged"
    # The other one has a second layer in its decoder, this one has not.
    open_view(driver, "cross/words/2/1", model="other", with_model=MODEL)
    assert "no such map" in text_of(driver, "#beside-map"), text_of(driver, "#beside-map")


def word_in_texts(driver, size):
    """View 6: the vectors of a word in several texts as points, and as a table."""
    texts = [TEXT, "A cat eats the fish.", "The cat sees a fish."]
    open_view(driver, uses="1")
    panel(driver, "uses")
    word, area = element(driver, "#uses-word"), element(driver, "#uses-texts")
    assert word.get_attribute("value") == "sees" and area.get_attribute("value") == TEXT
    word.clear()
    word.send_keys("cat")
    area.clear()
    area.send_keys("\n".join(texts))
    click(driver, "#uses form button")
    wait(driver, lambda d: len(d.find_elements(By.CSS_SELECTOR, "#uses .use")) == 3, "three points")

    def expect_points(**fields):
        panel(driver, "uses")
        found = post("/explore/words", model=MODEL, texts=texts, word="cat", **fields)["uses"]
        rows = [texts_of(driver, f"#uses tbody td:nth-child({column})") for column in (2, 3, 4, 5)]
        assert rows[0] == texts, rows
        for i, use in enumerate(found):
            assert abs(shown_number(rows[1][i]) - use["x"]) < 0.006 and abs(shown_number(rows[2][i]) - use["y"]) < 0.006
            assert rows[3][i] == f"{use['nearest'] + 1} ({use['similarity']:.2f})".replace("-", "−"), rows[3]
        places = driver.execute_script("return [...document.querySelectorAll('#uses circle')].map((c) => [Number(c.getAttribute('cx')), -Number(c.getAttribute('cy'))])")
        own = [(use["x"], use["y"]) for use in found]
        scales = [math.dist(places[0], places[k]) / math.dist(own[0], own[k]) for k in (1, 2)]
        assert abs(scales[0] / scales[1] - 1) < 0.01, scales

    expect_points()
    edges = driver.execute_script("const box = document.querySelector('#uses svg').getBoundingClientRect(); return [box.left, box.right, innerWidth]")
    assert 0 <= edges[0] < edges[1] <= edges[2], edges
    letters = driver.execute_script("return [...document.querySelectorAll('#uses svg text')].map((t) => [t.getBoundingClientRect().left, t.getBoundingClientRect().right])")
    assert all(edges[0] <= left and right <= edges[1] for left, right in letters), (edges, letters)
    driver.execute_script("document.getElementById('uses').scrollIntoView()")
    driver.save_screenshot(f"{folder}/explore-uses-{size}.png")
    # The keyboard goes from point to point, and marks the row.
    driver.execute_script("document.querySelector('#uses .use').focus()")
    keys(driver, Keys.ARROW_RIGHT)
    assert driver.switch_to.active_element.get_attribute("data-at") == "1"
    assert "path" in element(driver, "#uses tbody tr:nth-child(2)").get_attribute("class")
    driver.execute_script("const s = document.getElementById('uses-layer'); s.value = 0; s.dispatchEvent(new Event('change'))")
    expect_points(layer=0)
    link = driver.current_url
    driver.get("about:blank")
    driver.get(link)
    ready(driver)
    expect_points(layer=0)


run(two_texts, two_models, word_in_texts)
print("texts, models and words were compared")
