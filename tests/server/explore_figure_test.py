"""The model at work: the figure, its boxes with their numbers, and the ten stations of the tour, by pointer and by keyboard: exploring.py."""

import base64
import json
import math
import os
import struct

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsing import focus_by_tab, keys, wait
from exploring import MODEL, TEXT, click, element, folder, open_view, page, post, ready, run, set_slider, text_of, texts_of


def inside(**fields):
    return post("/explore/inside", **{"model": MODEL, "text": TEXT, **fields})


def values_of(answer, module, name):
    """The rows of a matrix."""
    (found,) = [value for value in answer["values"] if value["module"] == module and value["name"] == name]
    rows, cols = found["shape"]
    numbers = struct.unpack(f"<{rows * cols}f", base64.b64decode(found["data"]))
    return [numbers[row * cols : (row + 1) * cols] for row in range(rows)]


def open_box(driver, box):
    click(driver, f"#figure-boxes [data-id={box}]")


def cell(driver, caption, row, col):
    """The number that the pointer reads in a matrix of the open box."""
    return driver.execute_script(
        """
        const [caption, row, col] = arguments;
        const figure = [...document.querySelectorAll("#box-numbers figure")].find((one) => one.querySelector("b").textContent === caption);
        const canvas = figure.querySelector("canvas");
        const box = canvas.getBoundingClientRect();
        const at = { clientX: box.left + (box.width * (col + 0.5)) / canvas.width, clientY: box.top + (box.height * (row + 0.5)) / canvas.height };
        canvas.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, ...at }));
        return figure.querySelector("output").textContent;
        """,
        caption,
        row,
        col,
    )


def shown(driver, caption, row, col):
    text = cell(driver, caption, row, col).split(": ")[1]
    return -math.inf if text.startswith("−∞") else float(text.replace("−", "-"))


def numbers_of_every_box(driver, size):
    """What the pointer reads in a box is what the model computed."""
    open_view(driver)
    answer = inside()
    attention = {"Q": "queries", "K": "keys", "V": "values"}
    for box, module in {"encoder-self": "encoder.layers.0.self_attn", "decoder-cross": "decoder.layers.0.cross_attn", "decoder-self": "decoder.layers.0.self_attn"}.items():
        open_box(driver, box)
        click(driver, "#box-numbers .pills button:nth-of-type(2)")
        width = len(values_of(answer, module, "queries")[0]) // answer["heads"]
        for caption, name in attention.items():
            expected = values_of(answer, module, name)[1][width + 1]
            assert abs(shown(driver, caption, 1, 1) - expected) < 1e-4, (box, caption)
        rows = len(values_of(answer, module, "queries"))
        for row, col in ((0, 0), (1, 0), (0, 1)):
            for caption, name in {"QKᵀ/√d": "scores", "softmax": "weights"}.items():
                expected = values_of(answer, module, name)[rows + row][col]
                found = shown(driver, caption, row, col)
                assert found == expected or abs(found - expected) < 1e-4, (box, caption, row, col, found, expected)
    open_box(driver, "encoder-ffn")
    assert abs(shown(driver, "FFN", 2, 3) - values_of(answer, "encoder.layers.0.feed_forward", "output")[2][3]) < 1e-4
    open_box(driver, "encoder-self-norm")
    assert abs(shown(driver, "LayerNorm", 2, 3) - values_of(answer, "encoder.layers.0.self_attn", "norm")[2][3]) < 1e-4
    open_box(driver, "encoder-embedding")
    assert abs(shown(driver, "x", 2, 3) - values_of(answer, "encoder", "tokens")[2][3]) < 1e-4
    open_box(driver, "encoder-position")
    assert abs(shown(driver, "PE", 2, 3) - values_of(answer, "encoder", "positions")[2][3]) < 1e-4
    open_box(driver, "softmax")
    tokens = [token["token"].lstrip("▁") or token["token"] for token in answer["next"][0]]
    assert texts_of(driver, "#box-numbers tbody th") == tokens
    driver.save_screenshot(f"{folder}/figure-{size}.png")


def a_run_of_the_figure(driver, size):
    """Step by step, with the keys, and played to its end; the last moment shows everything."""
    open_view(driver)
    steps = int(text_of(driver, "#figure-steps").split("/")[1])
    assert len(driver.find_elements(By.CSS_SELECTOR, "#figure-boxes .done")) == len(driver.find_elements(By.CSS_SELECTOR, "#figure-boxes .box"))
    focus_by_tab(driver, "#figure-at")
    keys(driver, Keys.HOME)
    assert text_of(driver, "#figure-title") == "Encoder: input embedding"
    assert [box.get_attribute("data-id") for box in driver.find_elements(By.CSS_SELECTOR, "#figure-boxes .done")] == ["encoder-embedding"]
    titles = [text_of(driver, "#figure-title")]
    for _ in range(steps - 1):
        click(driver, "#figure-next-step")
        titles.append(text_of(driver, "#figure-title"))
    assert titles[2] == "Encoder, layer 1: multi-head attention", titles
    assert text_of(driver, "#figure-steps") == f"{steps} / {steps}"
    click(driver, "#figure-back")
    assert text_of(driver, "#figure-steps") == f"{steps - 1} / {steps}"
    choose_mode(driver, "once")
    assert int(text_of(driver, "#figure-steps").split("/")[1]) < steps
    keys_of_boxes(driver)
    choose_mode(driver, "steps")  # long enough for slow machines
    driver.execute_script("document.getElementById('figure-at').value = 0; document.getElementById('figure-at').dispatchEvent(new Event('input', {bubbles: true}))")
    click(driver, "#figure-play")
    driver.set_script_timeout(60)
    gaps = driver.execute_async_script(
        """
        const done = arguments[0], gaps = [];
        const begin = performance.now();
        let last = begin;
        const frame = (time) => { gaps.push(time - last); last = time; gaps.length < 120 && time < begin + 5000 ? requestAnimationFrame(frame) : done(gaps); };
        requestAnimationFrame(frame);
        """
    )
    print(f"{size}: playing, {1000 / sorted(gaps)[len(gaps) // 2]:.0f} frames per second in the median, the longest gap {max(gaps):.0f} ms")
    assert text_of(driver, "#figure-play") == "Pause"
    click(driver, "#figure-play")
    assert text_of(driver, "#figure-play") == "Play"


def choose_mode(driver, mode):
    driver.execute_script("const mode = document.getElementById('figure-mode'); mode.value = arguments[0]; mode.dispatchEvent(new Event('change', {bubbles: true}))", mode)


def parameters(model):
    """The matrices of a model file, by name: rows of numbers."""
    with open(os.path.join(os.path.dirname(page), model, "model.safetensors"), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        begin = file.tell()
        found = {}
        for name in ("head.weight", "head.bias", "output.weight", "output.bias"):
            if name not in header:
                continue
            first, last = header[name]["data_offsets"]
            assert header[name]["dtype"] == "F32", header[name]
            file.seek(begin + first)
            numbers = struct.unpack(f"<{(last - first) // 4}f", file.read(last - first))
            cols = header[name]["shape"][-1]
            found[name] = [numbers[at : at + cols] for at in range(0, len(numbers), cols)]
        return found


def mapped(vector, weight, bias):
    """W v + b."""
    return [sum(w * v for w, v in zip(row, vector, strict=True)) + b for row, b in zip(weight, bias[0], strict=True)]


def figure_of_a_classifier(driver, size):
    """Behind the encoder: the pooling, the layer of the head, the logits and the probabilities, computed again from the parameters in the file."""
    for model, layers, pooled in (("films", 1, lambda columns: [max(one) for one in columns]), ("tones", 2, lambda columns: [sum(one) / len(one) for one in columns])):
        open_view(driver, model=model, text="A good film.")
        answer = inside(model=model, text="A good film.")
        own = parameters(model)
        encoded = values_of(answer, f"encoder.layers.{layers - 1}.feed_forward", "norm")
        vector = pooled(list(zip(*encoded)))
        open_box(driver, "pooling")
        for col in (0, 3, 7):
            assert abs(shown(driver, "x", 1, col) - encoded[1][col]) < 1e-4
            assert abs(shown(driver, "v", 0, col) - vector[col]) < 1e-4, (model, col)
        assert bool(driver.find_elements(By.CSS_SELECTOR, "#figure-boxes [data-id=head]")) == ("head.weight" in own)
        if "head.weight" in own:
            vector = [math.tanh(one) for one in mapped(vector, own["head.weight"], own["head.bias"])]
            open_box(driver, "head")
            assert text_of(driver, "#box-name") == "Linear & tanh"
            assert abs(shown(driver, "y", 0, 5) - vector[5]) < 1e-4
        logits = mapped(vector, own["output.weight"], own["output.bias"])
        shares = [math.exp(one) / sum(math.exp(other) for other in logits) for one in logits]
        open_box(driver, "class-shares")
        for col, logit in enumerate(logits):
            assert abs(shown(driver, "z", 0, col) - logit) < 1e-4, (model, col)
        expected = sorted(zip(shares, answer["labels"], strict=True), reverse=True)
        assert texts_of(driver, "#box-numbers tbody th") == [label for _, label in expected]
        assert texts_of(driver, "#box-numbers td:nth-child(3)") == [f"{100 * share:.1f} %" for share, _ in expected]
        # As the answer and the table beside the text say.
        assert all(abs(share - one["probability"]) < 1e-5 for (share, _), one in zip(expected, answer["classes"], strict=True))
        assert texts_of(driver, "#figure-next .word") == texts_of(driver, "#classes th")
        driver.save_screenshot(f"{folder}/figure-{model}-{size}.png")
        driver.execute_script("document.getElementById('figure-at').value = 0; document.getElementById('figure-at').dispatchEvent(new Event('input', {bubbles: true}))")
        assert not texts_of(driver, "#figure-next .word"), "classes before the first step"


def figure_of_an_embedding_model(driver, size):
    """It ends with the vector that the model gives."""
    open_view(driver, model="vectors", text="The dog")
    (vector,) = post("/embed", model="vectors", inputs="The dog")
    box = [one.get_attribute("data-id") for one in driver.find_elements(By.CSS_SELECTOR, "#figure-boxes .box")][-1]
    open_box(driver, box)
    for col in (0, 1, 5):
        assert abs(shown(driver, "v" if box == "pooling" else "y", 0, col) - vector[col]) < 1e-4, (box, col)
    driver.save_screenshot(f"{folder}/figure-vectors-{size}.png")


def keys_of_boxes(driver):
    """Up and down a tower, and across."""
    open_box(driver, "encoder-self")
    for key, box in ((Keys.ARROW_UP, "encoder-self-norm"), (Keys.ARROW_DOWN, "encoder-self"), (Keys.ARROW_RIGHT, "decoder-self")):
        keys(driver, key)
        assert driver.switch_to.active_element.get_attribute("data-id") == box, (key, box)
    keys(driver, Keys.ENTER)
    assert text_of(driver, "#box-name") == "Masked multi-head attention"


# ---- one vector


POINT = """
const [selector, share, type] = arguments;
const target = document.querySelector(selector);
const box = target.getBoundingClientRect();
target.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: "mouse", clientX: box.left + share * box.width, clientY: box.top + box.height / 2 }));
"""
PLACES = """
return [...document.querySelectorAll("#figure-boxes .box, .texts .token, #figure-play, #box, #panel")].map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.top, box.width, box.height]);
"""
STRIPS = "return Object.fromEntries([...document.querySelectorAll('#figure-boxes .box')].map((box) => [box.dataset.id, [box.lastChild.style.maskImage, box.className.includes('aside')]]))"


def mean_weights(answer, module):
    rows = values_of(answer, module, "weights")
    count = len(rows) // answer["heads"]
    return [[sum(rows[head * count + row][col] for head in range(answer["heads"])) / answer["heads"] for col in range(len(rows[0]))] for row in range(count)]


def followed(driver):
    root = element(driver, "#running")
    stack = root.get_attribute("data-follow")
    return (stack, int(driver.execute_script("return arguments[0].style.getPropertyValue('--follow')", root))) if stack else None


def one_vector(driver, size):
    """What the pointer is on is marked in every box of its side, with what it looks at; nothing moves."""
    open_view(driver)
    answer = inside()
    places = driver.execute_script(PLACES)
    token, count = 2, len(answer["tokens"]["read"])
    driver.execute_script(POINT, "[data-id=decoder-ffn] canvas", (token + 0.5) / count, "pointermove")
    assert followed(driver) == ("decoder", token)
    assert driver.execute_script(PLACES) == places
    looks = {name: mean_weights(answer, f"decoder.layers.0.{name}_attn")[token] for name in ("self", "cross")}
    links = sum(weight >= 0.01 for weights in looks.values() for weight in weights)
    assert len(driver.find_elements(By.CSS_SELECTOR, "#figure-links path")) == links, looks
    strips = driver.execute_script(STRIPS)
    (mask,) = {mask for box, (mask, _) in strips.items() if box.startswith("decoder")}
    assert mask.count("rgb(0, 0, 0)") == 2 and f"rgb(0, 0, 0) {100 * token / count:.6g}%" in mask, mask
    assert {box for box, (_, aside) in strips.items() if aside} == {box for box in strips if box.startswith("encoder") and box != "encoder-ffn-norm"}
    best = max(range(len(looks["cross"])), key=looks["cross"].__getitem__)
    word = answer["tokens"]["source"][best]["text"].lstrip("▁")
    assert f"In the source it looks at “{word}” {100 * looks['cross'][best]:.0f}" in text_of(driver, "#figure-says"), text_of(driver, "#figure-says")
    assert element(driver, "#figure-caption").get_attribute("aria-live") == "polite"
    driver.save_screenshot(f"{folder}/vector-{size}.png")
    driver.execute_script(POINT, "#running", 0, "pointerleave")
    assert followed(driver) is None and not driver.find_elements(By.CSS_SELECTOR, "#figure-links path, .aside, .followed")
    # A matrix of the open box, and a token of the encoder: who looks at it.
    driver.execute_script(POINT, "#box-numbers .tokens li:nth-child(2)", 0.5, "pointermove")
    assert followed(driver) == ("encoder", 1)
    assert not dict(driver.execute_script(STRIPS))["decoder-cross"][1]
    # A click on a vector chooses it.
    driver.execute_script(POINT.replace("new PointerEvent(type, {", "new PointerEvent(type, { detail: 1,"), "[data-id=decoder-self] canvas", (token + 0.5) / count, "click")
    assert text_of(driver, "#box-where").endswith(f"“{answer['tokens']['read'][token]['text'].lstrip('▁')}”"), text_of(driver, "#box-where")
    driver.execute_script(POINT, "#running", 0, "pointerleave")
    vector_by_keyboard(driver)
    vector_by_finger(driver)


def vector_by_keyboard(driver):
    open_view(driver)
    focus_by_tab(driver, "#figure-read button")
    keys(driver, Keys.ARROW_RIGHT)
    assert followed(driver) == ("decoder", 1)
    title = text_of(driver, "#figure-title")
    assert title.endswith("token 2 of the decoder"), title
    keys(driver, Keys.ESCAPE)
    assert followed(driver) is None
    keys(driver, Keys.ARROW_RIGHT)
    assert followed(driver) == ("decoder", 2)
    focus_by_tab(driver, "#tour-stations [aria-current]")
    assert followed(driver) is None


def vector_by_finger(driver):
    open_view(driver)
    for selector, expected in (("#figure-source button[data-index='1']", ("encoder", 1)), ("h1", None)):
        found = element(driver, selector)
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        place = driver.execute_script("const box = arguments[0].getBoundingClientRect(); return {x: box.left + box.width / 2, y: box.top + box.height / 2}", found)
        for kind, points in (("touchStart", [place]), ("touchEnd", [])):
            driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        assert followed(driver) == expected, (selector, followed(driver))


# ---- one query


def go_to_term(driver, at):
    driver.execute_script("const s = document.getElementById('sum-at'); s.value = arguments[0]; s.dispatchEvent(new Event('input', {bubbles: true}))", at)
    return text_of(driver, "#sum-line")


def rounded(value):
    return f"{value:.2f}".replace("-", "−")


def sum_of_one_query(driver, size):
    """Equation 1 term by term, with the numbers of the model; what is not computed yet is not shown."""
    open_view(driver)
    answer = inside()
    open_box(driver, "decoder-self")
    click(driver, "#figure-read button[data-index='1']")
    module = "decoder.layers.0.self_attn"
    queries, keys_of, values, scores, weights = [values_of(answer, module, name) for name in ("queries", "keys", "values", "scores", "weights")]
    width, count = len(queries[0]) // answer["heads"], len(queries)
    assert text_of(driver, "#sum-steps") == f"{count + 4} / {count + 4}"  # the softmax, two values that the query sees, and the sum
    output = [sum(weights[1][key] * values[key][i] for key in range(count)) for i in range(3)]
    assert ", ".join(map(rounded, output)) in text_of(driver, "#sum-line"), (output, text_of(driver, "#sum-line"))
    assert not driver.find_elements(By.CSS_SELECTOR, "#box-numbers .pending")
    focus_by_tab(driver, "#sum-at")
    keys(driver, Keys.HOME)
    for key in range(count):
        line = text_of(driver, "#sum-line")
        product = sum(queries[1][i] * keys_of[key][i] for i in range(width))
        assert line.startswith(f"q · k = {rounded(queries[1][0])} · {rounded(keys_of[key][0])} + "), line
        assert f"{rounded(product)} / √{width} = {rounded(product / math.sqrt(width))}" in line, (line, product)
        assert ("masked: −∞" in line) == (scores[1][key] == -math.inf) == (key > 1), line
        hidden = driver.find_elements(By.CSS_SELECTOR, "#box-numbers tbody tr td:nth-child(2).pending")
        assert len(hidden) == count - 1 - key
        keys(driver, Keys.ARROW_RIGHT)
    assert "softmax" in text_of(driver, "#sum-line") and f"{100 * max(weights[1]):.1f} %" in text_of(driver, "#sum-line"), text_of(driver, "#sum-line")
    click(driver, "#sum-next-step")
    assert text_of(driver, "#sum-line").startswith(f"{100 * weights[1][0]:.1f} %"), text_of(driver, "#sum-line")
    assert text_of(driver, "#box-numbers .term th") == answer["tokens"]["read"][0]["text"].lstrip("▁")
    go_to_term(driver, 1)
    driver.save_screenshot(f"{folder}/sum-{size}.png")
    assert len([mark for mark in driver.find_elements(By.CSS_SELECTOR, "#box-numbers .cells .mark") if mark.is_displayed()]) == 3  # q, k, and the score
    # One player at a time.
    click(driver, "#sum-play")
    assert text_of(driver, "#sum-play") == "Pause"
    click(driver, "#figure-play")
    assert (text_of(driver, "#sum-play"), text_of(driver, "#figure-play")) == ("Play", "Pause")
    click(driver, "#figure-play")


# ---- the tour


def station(driver, number):
    click(driver, f"#tour-stations li:nth-child({number}) button")
    assert text_of(driver, "#tour-name").startswith(f"{number}. ")


def is_done(driver):
    return "done" in element(driver, "#tour-answer").get_attribute("class")


def expect_done(driver):
    assert is_done(driver), (text_of(driver, "#tour-name"), text_of(driver, "#tour-answer"))


def show_text(driver, text):
    field = element(driver, "#text")
    field.clear()
    field.send_keys(text, Keys.CONTROL, Keys.ENTER)
    ready(driver)


def change(driver, selector):
    click(driver, selector)
    ready(driver)


def choose_until_done(driver, selector):
    for index in range(len(driver.find_elements(By.CSS_SELECTOR, selector))):
        driver.execute_script("document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, index)
        if is_done(driver):
            return
    expect_done(driver)


LAYER = """
const select = document.querySelector(".layer[data-stack=decoder]");
if (select) select.value = arguments[0];
select?.dispatchEvent(new Event("change", { bubbles: true }));
"""


def every_station(driver, size):
    """Each is done by doing what it asks for, and by nothing else."""
    open_view(driver)
    station(driver, 1)
    assert not is_done(driver)
    choose_until_done(driver, "#figure-source button")
    station(driver, 2)
    assert not is_done(driver)
    element(driver, "#scope").find_element(By.CSS_SELECTOR, "[value=all]").click()
    set_slider(driver, 40)
    expect_done(driver)
    station(driver, 3)
    click(driver, "#undo")
    ready(driver)
    assert not is_done(driver)
    answer = inside()
    width = len(values_of(answer, "encoder.layers.0.self_attn", "queries")[0]) / answer["heads"]
    set_slider(driver, round(10 * math.log10(math.sqrt(width)) + 20))
    expect_done(driver)
    click(driver, "#undo")
    ready(driver)
    station(driver, 4)
    assert not is_done(driver)
    for kind in ("encoder", "decoder", "cross"):  # more and more of them
        driver.execute_script("[...document.querySelectorAll('#overview .map[data-kind=' + arguments[0] + ']')].at(-1).click()", kind)
        click(driver, "#switch")
        ready(driver)
        if is_done(driver):
            break
    expect_done(driver)
    click(driver, "#undo")
    ready(driver)
    station(driver, 5)
    show_text(driver, "The old dog sees the cat.")
    station(driver, 5)
    show_text(driver, "the cat sees the cat.")
    expect_done(driver)
    station(driver, 6)
    assert not is_done(driver)
    click(driver, "#tour-there")
    element(driver, "#prefix").send_keys("die", Keys.ENTER)
    ready(driver)
    if not is_done(driver):
        click(driver, "#free")
        ready(driver)
        element(driver, "#prefix").send_keys("das", Keys.ENTER)
        ready(driver)
    expect_done(driver)
    click(driver, "#free")
    ready(driver)
    station(driver, 7)
    assert not is_done(driver)
    change(driver, "#no-mask")
    expect_done(driver)
    change(driver, "#no-mask")
    show_text(driver, "The old dog sees the cat.")
    station(driver, 8)
    assert not is_done(driver)
    show_text(driver, "The old cat sees the dog.")
    assert not is_done(driver) and "With positions" in text_of(driver, "#tour-answer"), text_of(driver, "#tour-answer")
    change(driver, "#no-positions")
    assert not is_done(driver)
    show_text(driver, "The old dog sees the cat.")
    expect_done(driver)
    change(driver, "#no-positions")
    station(driver, 9)
    places = [(box, layer) for box in ("decoder-self", "decoder-cross", "decoder-ffn") for layer in range(answer["layers"]["decoder"])]
    for box, layer in places:
        if is_done(driver):
            break
        driver.execute_script(LAYER, layer)
        open_box(driver, box)
    expect_done(driver)
    station(driver, 10)
    assert not is_done(driver)
    show_text(driver, " ".join([TEXT] * 4))
    expect_done(driver)
    assert len(driver.find_elements(By.CSS_SELECTOR, "#tour-stations .done")) == 10
    driver.save_screenshot(f"{folder}/tour-{size}.png")


def tour_by_keyboard(driver, size):
    """A station is reached, and its first question answered, without a pointer."""
    open_view(driver)
    focus_by_tab(driver, "#figure-source button")
    keys(driver, Keys.END)
    for _ in range(20):
        keys(driver, Keys.ENTER)
        if is_done(driver):
            break
        keys(driver, Keys.ARROW_LEFT)
    expect_done(driver)
    focus_by_tab(driver, "#tour-stations [aria-current]")
    keys(driver, Keys.ARROW_RIGHT, Keys.ENTER)
    assert text_of(driver, "#tour-name").startswith("2. ")
    focus_by_tab(driver, "#tour-next")
    keys(driver, Keys.ENTER)
    assert text_of(driver, "#tour-name").startswith("3. ")
    address = driver.current_url
    driver.get("about:blank")
    driver.get(address)
    ready(driver)
    wait(driver, lambda d: text_of(d, "#tour-name").startswith("3. "), "the station of the address")


run(numbers_of_every_box, figure_of_a_classifier, figure_of_an_embedding_model, a_run_of_the_figure, one_vector, sum_of_one_query, every_station, tour_by_keyboard)
