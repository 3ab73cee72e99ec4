"""Uses the views of the explorer that show the model and change it, and compares their numbers with those of the routes:
exploring.py.
"""

import base64
import math

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsing import focus_by_tab, keys, wait
from exploring import MODEL, TEXT, click, element, expect_answer, folder, open_view, pixels, post, ready, run, set_slider, shown_score, text_of, url


def maps_of_every_head(driver, size):
    """View 1: all layers and heads at once, and one of them enlarged."""
    driver.get(f"{url}/explore")
    wait(driver, lambda d: element(d, "body").get_attribute("data-state") == "ready", "the models")
    focus_by_tab(driver, "#model")
    keys(driver, MODEL)
    focus_by_tab(driver, "#text")
    keys(driver, TEXT, Keys.ENTER)
    wait(driver, lambda d: element(d, "#panel").is_displayed(), "maps")
    ready(driver)
    answer = expect_answer(driver)
    score = post("/score", model=MODEL, sources=TEXT, targets=answer["translation"])[0]
    assert abs(shown_score(driver) - score["log_probability"]) < 0.006
    kinds = [k.get_attribute("data-kind") for k in driver.find_elements(By.CSS_SELECTOR, "#overview section")]
    assert kinds == ["encoder", "decoder", "cross"], kinds
    # A layer of two heads, the mean of them, and the mean of all.
    assert len(driver.find_elements(By.CSS_SELECTOR, "#overview .map")) == 3 * 4
    driver.save_screenshot(f"{folder}/explore-{size}.png")

    click(driver, ".map[data-kind=cross][data-layer='0'][data-head='1']")
    assert text_of(driver, "#name") == "Cross-attention, layer 1, head 2", text_of(driver, "#name")
    assert "cross/words/1/2" in driver.current_url, driver.current_url
    # The weights of the enlarged map are those of the server.
    weights = answer["attention"]["maps"]["cross"]["words"][0][1]
    opacities = driver.execute_script(
        "const c = document.querySelector('#cells canvas');"
        "return [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].filter((_, i) => i % 4 === 3)"
    )
    expected = [255 * math.sqrt(byte / 255) for byte in base64.b64decode(weights)]
    assert len(opacities) == len(expected)
    assert all(abs(a - b) <= 1 for a, b in zip(opacities, expected))

    click(driver, "#units [value=pieces] + span")
    words = len(answer["attention"]["axes"]["written"]["words"])
    pieces = len(answer["attention"]["axes"]["written"]["pieces"])
    assert len(driver.find_elements(By.CSS_SELECTOR, "#row-words .label")) == pieces > words
    click(driver, "#units [value=words] + span")
    # A word that is kept is followed through all maps that have it.
    click(driver, "#row-words .label")
    beams = [k.get_attribute("data-kind") for k in driver.find_elements(By.CSS_SELECTOR, "#overview .has-row")]
    assert beams == ["decoder", "cross"], beams
    assert text_of(driver, "#reading").startswith("To write"), text_of(driver, "#reading")


def heads_off(driver, size):
    """View 2: switch off one head, a layer by key, and try every head."""
    open_view(driver, "cross/words/1/1")
    # `attend demo` names these buttons.
    named = [text_of(driver, button) for button in ("#ask button", "#importance", "#switch")]
    assert named == ["Show", "Importance of every head", "Switch this head off"], named
    before = shown_score(driver), pixels(driver, ".map[data-kind=cross] canvas")
    click(driver, "#switch")
    ready(driver)
    assert element(driver, "#switch").get_attribute("aria-pressed") == "true"
    head = "decoder.layers.0.cross_attn:0"
    expect_answer(driver, heads_off=head)
    assert "off" in element(driver, ".map[data-kind=cross][data-layer='0'][data-head='0']").get_attribute("class")
    assert shown_score(driver) != before[0]
    assert text_of(driver, "#unchanged").startswith("Unchanged: “"), text_of(driver, "#unchanged")
    click(driver, "#switch")
    ready(driver)
    assert shown_score(driver) == before[0]

    # The first map of the layer is the mean: its key switches off both heads.
    driver.execute_script("document.querySelector('.map[data-kind=encoder]').focus()")
    keys(driver, "x")
    ready(driver)
    expect_answer(driver, heads_off=["encoder.layers.0.self_attn"])
    driver.save_screenshot(f"{folder}/explore-off-{size}.png")
    # A link has the same heads off.
    link = driver.current_url
    assert link.endswith("off=encoder.layers.0.self_attn"), link
    driver.get("about:blank")
    driver.get(link)
    ready(driver)
    assert text_of(driver, "#changed") == "2 heads are off.", text_of(driver, "#changed")
    expect_answer(driver, heads_off=["encoder.layers.0.self_attn"])
    click(driver, "#undo")
    ready(driver)

    click(driver, "#importance")
    wait(driver, lambda d: element(d, "#ranking").is_displayed(), "the importance of heads")
    effect = text_of(driver, "#ranking button")
    name = element(driver, "#ranking button")
    driver.execute_script("arguments[0].click()", name)
    heads = driver.execute_script("return document.getElementById('name').textContent")
    assert effect.startswith(heads), (effect, heads)
    kind, layer, head = element(driver, ".map[aria-pressed=true]").get_attribute("data-kind"), 0, heads.split()[-1]
    module = {"encoder": "encoder.layers.0.self_attn", "decoder": "decoder.layers.0.self_attn", "cross": "decoder.layers.0.cross_attn"}[kind]
    translation = post("/explore", model=MODEL, text=TEXT)
    without = post("/explore", model=MODEL, text=TEXT, translation=translation["translation"], heads_off=f"{module}:{int(head) - 1}")
    change = without["log_probability"] - translation["log_probability"]
    shown = float(effect.split(": ")[1].split()[0].replace("−", "-"))
    assert abs(shown - change) < 0.006, (shown, change)
    assert element(driver, ".map[aria-pressed=true] .badge").is_displayed()
    driver.save_screenshot(f"{folder}/explore-importance-{size}.png")


def sharpness(driver, size):
    """View 3: from the mean over soft to hard attention, of all heads and of one."""
    open_view(driver, "cross/words/1/1")
    soft = pixels(driver, "#cells canvas")
    driver.execute_script("const s = document.getElementById('scope'); s.value = 'all'; s.dispatchEvent(new Event('change'))")
    set_slider(driver, 0)
    assert text_of(driver, "#beta-value") == "0, the mean of all"
    expect_answer(driver, attention_beta="0")
    mean = pixels(driver, "#cells canvas")
    set_slider(driver, 40)
    expect_answer(driver, attention_beta="1000")
    hard = pixels(driver, "#cells canvas")
    assert len({soft, mean, hard}) == 3
    driver.save_screenshot(f"{folder}/explore-hard-{size}.png")
    set_slider(driver, 20)
    assert pixels(driver, "#cells canvas") == soft
    driver.execute_script("const s = document.getElementById('scope'); s.value = 'shown'; s.dispatchEvent(new Event('change'))")
    set_slider(driver, 30)
    expect_answer(driver, attention_beta="decoder.layers.0.cross_attn:0=10")


def other_models(driver, size):
    """A language model and a classifier have the views that make sense."""
    open_view(driver, model="lm", text="The old dog sleeps.")
    assert [k.get_attribute("data-kind") for k in driver.find_elements(By.CSS_SELECTOR, "#overview section")] == ["decoder"]
    assert not element(driver, "#begin-toggle").is_displayed()
    score = post("/score", model="lm", targets="The old dog sleeps.")[0]["log_probability"]
    assert abs(shown_score(driver) - score) < 0.006
    open_view(driver, model="films", text="A good film.")
    label = post("/predict", model="films", inputs="A good film.")[0]["label"]
    assert text_of(driver, "#classes th") == label
    click(driver, "#switch")
    ready(driver)
    assert text_of(driver, "#unchanged").startswith(f"Unchanged: {label}")
    driver.save_screenshot(f"{folder}/explore-classes-{size}.png")


run(maps_of_every_head, heads_off, sharpness, other_models)
print("the maps were looked at and changed")
