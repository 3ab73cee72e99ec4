"""Uses every view of the explorer in headless Chromium, compares its numbers with those of the routes, and takes screenshots.

    explore_test.py URL FOLDER PAGE

PAGE is a file that `attend attention` wrote, with the same model.
"""

import json
import math
import sys
import time
import urllib.request
from urllib.parse import urlencode

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsing import browser, focus_by_tab, keys, phone, scheme, wait

url, folder, page = sys.argv[1:]
TEXT = "The old dog sees the cat."
MODEL = "en-de"


def post(path, **fields):
    request = urllib.request.Request(url + path, json.dumps(fields).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def element(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def text_of(driver, selector):
    return element(driver, selector).get_attribute("textContent").strip()


def ready(driver):
    wait(driver, lambda d: element(d, "body").get_attribute("data-state") == "ready", "an answer")
    message = text_of(driver, "#message")
    assert not message, message


def open_view(driver, view="", **fields):
    driver.get("about:blank")
    driver.get(f"{url}/explore#{view}?{urlencode({'model': MODEL, 'text': TEXT, **fields})}")
    ready(driver)


def texts_of(driver, selector):
    """At one moment: the page may draw them again."""
    return driver.execute_script("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)


def shown_translation(driver, words="#answer-words"):
    """The words, without the end of the sentence."""
    return texts_of(driver, f"{words} .label:not(.mark-token)")


def shown_score(driver):
    return float(text_of(driver, "#score").split()[1].rstrip(",").replace("−", "-"))


def click(driver, selector):
    found = element(driver, selector)
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
    found.click()


def pixels(driver, selector):
    return driver.execute_script("return document.querySelector(arguments[0]).toDataURL()", selector)


def set_slider(driver, place):
    driver.execute_script(
        "const s = document.getElementById('beta'); s.value = arguments[0]; s.dispatchEvent(new Event('input', {bubbles: true}))", place
    )
    ready(driver)


def expect_answer(driver, **fields):
    """The page shows what the route answers, and `attend score` agrees."""
    answer = post("/explore", model=MODEL, text=TEXT, **fields)
    words = [w["text"] for w in answer["attention"]["axes"]["written"]["words"] if "marks" not in w]
    assert shown_translation(driver) == words, (shown_translation(driver), words)
    assert abs(shown_score(driver) - answer["log_probability"]) < 0.006, (shown_score(driver), answer["log_probability"])
    return answer


def maps_of_every_head(driver, size):
    """View 1: all layers and heads at once, and one of them enlarged."""
    driver.get(f"{url}/explore")
    wait(driver, lambda d: element(d, "body").get_attribute("data-state") == "ready", "the models")
    focus_by_tab(driver, "#model")
    keys(driver, MODEL)
    focus_by_tab(driver, "#text")
    keys(driver, TEXT, Keys.CONTROL + Keys.ENTER)
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
    import base64

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


def shown_number(text):
    return float(text.replace("−", "-"))


def panel(driver, name):
    wait(driver, lambda d: element(d, "body").get_attribute(f"data-{name}") == "ready", name)
    assert not driver.find_elements(By.CSS_SELECTOR, f"#{name} .fault"), text_of(driver, f"#{name} .fault")


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


def two_texts(driver, size):
    """View 6: another text beside this one, and what moves."""
    open_view(driver)
    click(driver, "#with-toggle")
    other = element(driver, "#with")
    assert other.get_attribute("value") == TEXT
    other.clear()
    other.send_keys(TEXT.replace("old", "small"), Keys.CONTROL + Keys.ENTER)
    wait(driver, lambda d: element(d, "#beside").is_displayed(), "another translation")
    ready(driver)
    shown = shown_translation(driver, "#beside-words")
    answer = post("/explore", model=MODEL, text=TEXT.replace("old", "small"))
    assert " ".join(shown) == answer["translation"], (shown, answer["translation"])
    assert driver.find_elements(By.CSS_SELECTOR, "#beside-map svg .weight")
    assert "moved" in text_of(driver, "#beside-moves button")
    driver.save_screenshot(f"{folder}/explore-beside-{size}.png")


def exports(driver, size):
    """View 7: the files."""
    open_view(driver, "cross/words/1/1")
    # What would be saved, in place of saving it.
    driver.execute_script("HTMLAnchorElement.prototype.click = function () { window.saved = {name: this.download, url: this.href}; }")
    for kind in ("svg", "png", "json"):
        driver.execute_script("delete window.saved")
        click(driver, f"#exports [value={kind}]")
        wait(driver, lambda d: d.execute_script("return window.saved"), kind)
        saved = driver.execute_script("return window.saved")
        assert saved["name"] == f"attention.{kind}", saved["name"]
        with urllib.request.urlopen(saved["url"]) as content:
            content = content.read()
        if kind == "svg":
            assert content.startswith(b"<svg") and b"Cross-attention, layer 1, head 1" in content and b">dog<" in content.replace(b"Hund", b"dog")
        elif kind == "png":
            assert content.startswith(b"\x89PNG") and len(content) > 2000
        else:
            assert json.loads(content)["attention"] == post("/explore", model=MODEL, text=TEXT)["attention"]


def other_models(driver, size):
    """A language model and a classifier have the views that make sense."""
    open_view(driver, model="lm", text="The old dog sleeps.")
    assert [k.get_attribute("data-kind") for k in driver.find_elements(By.CSS_SELECTOR, "#overview section")] == ["decoder"]
    assert not element(driver, "#begin").is_displayed()
    score = post("/score", model="lm", targets="The old dog sleeps.")[0]["log_probability"]
    assert abs(shown_score(driver) - score) < 0.006
    open_view(driver, model="films", text="A good film.")
    label = post("/predict", model="films", inputs="A good film.")[0]["label"]
    assert text_of(driver, "#classes th") == label
    click(driver, "#switch")
    ready(driver)
    assert text_of(driver, "#unchanged").startswith(f"Unchanged: {label}")
    driver.save_screenshot(f"{folder}/explore-classes-{size}.png")


CHECK = """
const problems = [];
const channels = (text) => text.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
// What is behind an element, its own background included; layers that let others through are mixed.
const behind = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
  let color = matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
  for (const [r, g, b, a = 1] of layers.reverse()) color = color.map((c, i) => c * (1 - a) + [r, g, b][i] * a);
  return color;
};
for (const element of document.querySelectorAll("body *")) {
  if (!element.checkVisibility() || element.closest("svg, .hidden, noscript, :disabled")) continue;
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own) continue;
  const [front, back] = [channels(getComputedStyle(element).color), behind(element)].map(luminance);
  const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  const style = getComputedStyle(element);
  if (ratio < 4.5 && style.opacity === "1") problems.push(`contrast ${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 120)}`);
}
for (const element of document.querySelectorAll("button, input, select, textarea, [role=group], section")) {
  if (!element.checkVisibility()) continue;
  const name = element.ariaLabel || element.textContent.trim() || element.labels?.[0]?.textContent.trim() ||
    element.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id).textContent).join(" ");
  if (!name) problems.push(`no name: ${element.outerHTML.slice(0, 120)}`);
}
const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
if (new Set(ids).size !== ids.length) problems.push("an id twice");
return problems;
"""


def accessible(driver, size):
    """Contrast and names in both schemes, and the way of the keyboard through everything."""
    for theme in ("light", "dark"):
        scheme(driver, theme)
        open_view(driver, "cross/words/1/1", off="decoder.layers.0.cross_attn:1")
        problems = driver.execute_script(CHECK)
        assert not problems, f"{theme}: " + "\n".join(problems)
        driver.save_screenshot(f"{folder}/explore-{theme}-{size}.png")
    driver.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
    order = ["#text", "#answer-words button", "#prefix", ".map[data-kind=encoder]", "#switch", "#beta", "#importance", "#row-words button"]
    for selector in order:
        focus_by_tab(driver, selector)
    keys(driver, Keys.ARROW_RIGHT)
    second = driver.find_elements(By.CSS_SELECTOR, "#row-words button")[1]
    assert driver.switch_to.active_element == second
    assert second.text in text_of(driver, "#reading"), text_of(driver, "#reading")
    keys(driver, Keys.ENTER)
    assert second.get_attribute("aria-pressed") == "true"
    keys(driver, Keys.ESCAPE)
    assert second.get_attribute("aria-pressed") == "false"


# The time of a word being pointed at, with the layout and style that it causes.
HOVER = """
const words = [...document.querySelectorAll("#row-words .label")];
const times = [];
for (let i = 0; i < 40; ++i) {
  const word = words[Math.floor((i * 97) % words.length)];
  const begin = performance.now();
  word.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" }));
  document.body.getBoundingClientRect();
  for (const map of document.querySelectorAll(".map")) map.getBoundingClientRect();
  times.push(performance.now() - begin);
}
return { rows: words.length, cols: document.querySelectorAll("#col-words .label").length, worst: Math.max(...times), mean: times.reduce((a, b) => a + b) / times.length };
"""


def long_sentences(driver, size):
    """Nearly 256 by 256 tokens: less than 100 ms from one word to the next."""

    def pieces(axis, **fields):
        return len(post("/explore", model=MODEL, **fields)["attention"]["axes"][axis]["pieces"])

    def longest(axis, sentence, fields):
        count = 240 // pieces(axis, **fields(sentence))
        return " ".join([sentence] * count)

    text = longest("source", TEXT, lambda t: {"text": t})
    prefix = longest("written", "Der alte Hund sieht die Katze.", lambda t: {"text": TEXT, "translation": t})
    open_view(driver, "cross/pieces/1/1", text=text, prefix=prefix)
    found = driver.execute_script(HOVER)
    print(f"{size}: {found['rows']} x {found['cols']} tokens, {found['mean']:.1f} ms a word, at worst {found['worst']:.1f} ms")
    assert found["rows"] > 200 and found["cols"] > 200, found
    assert found["worst"] < 100, found
    driver.save_screenshot(f"{folder}/explore-long-{size}.png")


def page_of_a_file(driver, size):
    """The page that `attend attention` writes: the same maps, and no server."""
    driver.get(f"file://{page}")
    wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "#overview .map"), "maps")
    assert len(driver.find_elements(By.CSS_SELECTOR, "#overview .map")) == 3 * 4
    assert not driver.find_elements(By.CSS_SELECTOR, "#switch, #ask")
    click(driver, ".map[data-kind=encoder][data-head='1']")
    assert text_of(driver, "#name") == "Encoder self-attention, layer 1, head 2"
    click(driver, "#row-words .label")
    assert "looks at" in text_of(driver, "#reading"), text_of(driver, "#reading")
    address = driver.current_url
    assert address.endswith("#encoder/words/1/2"), address
    driver.get("about:blank")
    driver.get(address)
    wait(driver, lambda d: text_of(d, "#name") == "Encoder self-attention, layer 1, head 2", "the map of the address")
    for theme in ("light", "dark"):
        scheme(driver, theme)
        problems = driver.execute_script(CHECK)
        assert not problems, f"{theme}: " + "\n".join(problems)
    driver.save_screenshot(f"{folder}/attention-{size}.png")


VIEWS = (maps_of_every_head, heads_off, sharpness, forced_beginning, beam_tree, why_this_word, the_end_is_no_beginning, two_texts, exports, other_models, accessible, long_sentences, page_of_a_file)
for size, window in {"desktop": (1280, 900), "phone": (390, 844)}.items():
    driver = browser(*window)
    try:
        if size == "phone":
            phone(driver)
        for view in VIEWS:
            begin = time.time()
            view(driver, size)
            width = driver.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert width <= 0, f"{view.__name__}, {size}: the page is {width} pixels too wide"
            log = driver.get_log("browser")
            assert not log, f"{view.__name__}, {size}: {log}"
            print(f"{view.__name__}, {size}: {time.time() - begin:.1f} s")
    finally:
        driver.quit()
print("every view of the explorer was used")
