"""Keeps every view of the explorer: its link, and its files, which are downloaded and hold what is shown: exploring.py.
"""

import base64
import json
import pathlib
import shutil
import struct
import xml.etree.ElementTree as xml
import zlib

from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from browsing import scheme, wait
from exploring import MODEL, TEXT, click, element, folder, keep, open_view, page, panel, post, ready, run, text_of, texts_of

OTHER = TEXT.replace("cat", "fish")
TEXTS = [TEXT, "A cat eats the fish.", "The cat sees a fish."]
CHANGES = {"heads_off": "decoder.layers.0.cross_attn:1"}
SVG = "{http://www.w3.org/2000/svg}"

# Of each view, what must be in its picture.
SHOWN = {
    "answer": ["#answer-words .label", "#score", "#unchanged"],
    "box": ["#box-numbers figcaption", "#box-numbers tbody th", "#box-numbers td"],
    "beside": ["#beside-words .label", "#beside-score", "#beside-change", "#beside-moves button", "#beside-map td"],
    "overview": ["#overview h2", "#overview .heading .wide"],
    "map": ["#name", "#row-labels .label", "#col-labels .label"],
    "importance": ["#ranking ol button", "#ranking tbody th", "#ranking td"],
    "why": ["#why-sum", "#why tbody th", "#why td", "#why .line li"],
    "next": ["#temperature-value", "#next-words tbody th", "#next-words td", "#drawn li"],
    "beam": ["#beam .candidate", "#found tbody th", "#found td"],
    "uses": ["#uses .use text", "#uses tbody td"],
}
PANELS = ("why", "next", "beam", "uses")


def everything(driver):
    """All views of one answer, in a state that a link has to restore."""
    open_view(
        driver,
        "cross/words/1/1",
        word="row2",
        off=CHANGES["heads_off"],
        importance="1",
        why="1",
        next="1,0.5,1.5:4",
        beam="3,0.4",
        uses="\n".join(["cat", "1", *TEXTS]),
        **{"with": OTHER},
    )
    all_ready(driver)


def all_ready(driver):
    ready(driver)
    for name in PANELS:
        panel(driver, name)
    wait(driver, lambda d: element(d, "#ranking").is_displayed(), "the importance of heads")


def downloads(driver):
    place = pathlib.Path(folder, "downloads").resolve()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(place)})
    return place


def saved(driver, place, view, kind):
    """The file that a button saves. Headless Chromium now and then drops a download, without a message; the button is pressed again then."""
    file = place / f"attend-{view}.{kind}"
    file.unlink(missing_ok=True)

    def is_there(_):
        return file.exists() and file.stat().st_size > 0 and not list(place.glob("*.crdownload"))

    for _ in range(4):
        keep(driver, view, kind)
        try:
            WebDriverWait(driver, 4, poll_frequency=0.05).until(is_there)
            return file.read_bytes()
        except TimeoutException:
            continue
    raise AssertionError(f"{view}: no file {kind} after four clicks")


def picture(content):
    root = xml.fromstring(content)
    assert root.tag == f"{SVG}svg", root.tag
    return root


def packed(text):
    """Without white space: a picture has one text for each line."""
    return "".join(text.split())


def colors_of_png(content):
    """The size, and how many different bytes the pixels have."""
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    pixels, at = b"", 8
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        if content[at + 4 : at + 8] == b"IDAT":
            pixels += content[at + 8 : at + 8 + length]
        at += length + 12
    return (width, height), len(set(zlib.decompress(pixels)))


def numbers(content, view):
    kept = json.loads(content)
    assert kept["view"] == view and kept["title"] and kept["address"].startswith("#"), kept
    return kept["data"]


def expect_files(driver, place, view, selectors):
    """All three; returns the numbers."""
    svg = picture(saved(driver, place, view, "svg"))
    texts = packed("".join("".join(text.itertext()) for text in svg.iter(f"{SVG}text")))
    for selector in selectors:
        shown = texts_of(driver, selector)
        assert shown, (view, selector)
        missing = [text for text in shown if packed(text) not in texts]
        assert not missing, (view, selector, missing, texts)
    size, colors = colors_of_png(saved(driver, place, view, "png"))
    expected = tuple(int(2 * float(svg.get(name))) for name in ("width", "height"))
    assert size == expected and colors > 20, (view, size, expected, colors)
    return numbers(saved(driver, place, view, "json"), view)


def expect_numbers(data):
    """What the files of numbers hold is what the routes answer."""
    fields = {"model": MODEL, "text": TEXT}
    answer = post("/explore", **fields, **CHANGES, reference=post("/explore", **fields)["translation"])
    translation = {"translation": answer["translation"]}
    assert data["overview"] == answer
    assert data["answer"]["answer"]["log_probability"] == answer["log_probability"]
    assert data["answer"]["answer"]["words"] == answer["attention"]["axes"]["written"]["words"]
    assert data["answer"]["unchanged"]["translation"] == post("/explore", **fields)["translation"]
    weights = base64.b64decode(answer["attention"]["maps"]["cross"]["words"][0][0])
    assert all(abs(a - b / 255) < 1e-4 for a, b in zip(sum(data["map"]["weights"], []), weights, strict=True))
    for head in data["importance"][:2]:
        off = [CHANGES["heads_off"], f"{head['module']}:{head['head']}"]
        change = post("/explore", **fields, **translation, heads_off=off)["log_probability"] - answer["log_probability"]
        assert abs(head["change"] - change) < 1e-4, (head, change)
    assert data["beside"]["there"]["translation"] == post("/explore", model=MODEL, text=OTHER, **CHANGES)["translation"]
    compared = data["beside"]["map"]
    assert len(compared["here"]) == len(compared["there"]) == len(compared["rows"])
    assert data["why"] == {**translation, **post("/explain", **fields, **CHANGES, **translation, position=1)}
    likeliest = post("/explain", **fields, **CHANGES, **translation, position=1, top=10, temperature=0.5)["lens"][-1]
    assert data["next"]["tokens"] == likeliest and data["next"]["temperature"] == 0.5
    drawn = post("/explore/draw", **fields, **CHANGES, temperature=1.5, seed=4)
    assert data["next"]["drawn"] == [{"temperature": 1.5, "seed": 4, **drawn}]
    found = post("/attend/v1/beam", **fields, **CHANGES, beam_size=3)
    assert data["beam"]["steps"] == found["steps"] and data["beam"]["length_penalty"] == 0.4
    scores = [one["log_probability"] / len(one["token_log_probabilities"]) ** 0.4 for one in data["beam"]["translations"]]
    assert scores == sorted(scores, reverse=True) and len(scores) == len(found["translations"])
    assert data["uses"]["uses"] == post("/explore/words", model=MODEL, texts=TEXTS, word="cat", layer=1, **CHANGES)["uses"]


def files_of_every_view(driver, size):
    """View 7: SVG, PNG and JSON of each view."""
    everything(driver)
    place = downloads(driver)
    bars = driver.execute_script("return [...document.querySelectorAll('.keep')].filter((bar) => bar.checkVisibility()).map((bar) => bar.dataset.view)")
    assert sorted(bars) == sorted(SHOWN), bars
    data = {view: expect_files(driver, place, view, selectors) for view, selectors in SHOWN.items()}
    expect_numbers(data)
    assert shown_changes(driver) == [f"{head['change']:+.2f}".replace("-", "−") for head in data["importance"]]
    for view in SHOWN:
        shutil.copy(place / f"attend-{view}.png", f"{folder}/export-{view}-{size}.png")
    # On paper, whatever the scheme of the page.
    light = saved(driver, place, "beside", "svg")
    scheme(driver, "dark")
    assert saved(driver, place, "beside", "svg") == light
    scheme(driver, "light")


def shown_changes(driver):
    """Of every head, in the order of the model."""
    return [text for text in texts_of(driver, "#ranking td") if text]


def links_to_every_view(driver, size):
    """View 7: a link shows the same again, and leads to the view that it was copied at."""
    everything(driver)
    words = {view: [texts_of(driver, selector) for selector in selectors] for view, selectors in SHOWN.items()}
    reading = text_of(driver, "#reading")
    assert reading.startswith("To write"), reading
    links = {}
    for view in SHOWN:
        driver.execute_script("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        keep(driver, view, "link")
        wait(driver, lambda d: text_of(d, f".keep[data-view={view}] [role=status]") == "Copied.", f"the link to {view}")
        links[view] = driver.execute_script("return window.copied")
    for view in ("answer", "importance", "beam"):
        driver.get("about:blank")
        driver.get(links[view])
        all_ready(driver)
        for name, selectors in SHOWN.items():
            assert [texts_of(driver, selector) for selector in selectors] == words[name], (view, name)
        assert text_of(driver, "#reading") == reading
        assert element(driver, "#penalty").get_attribute("value") == "0.4"
        target = "importance" if view == "importance" else view
        seen = "const box = document.getElementById(arguments[0]).getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight"
        wait(driver, lambda d: d.execute_script(seen, target), f"the view {view} in the window")
    # Where nothing can be copied, the address has it.
    driver.execute_script("navigator.clipboard.writeText = async () => { throw new Error(); }")
    keep(driver, "why", "link")
    wait(driver, lambda d: "address bar" in text_of(d, ".keep[data-view=why] [role=status]"), "a note")
    assert driver.current_url.endswith("at=why"), driver.current_url


def files_of_other_models(driver, size):
    """A language model, classifiers, one that embeds and an imported one: every view that they have."""
    views = {
        "lm": {"box", "overview", "map", "answer", "importance", "why", "next", "uses"},
        "chat": {"box", "overview", "map", "answer", "importance", "why", "next", "uses"},
        "films": {"box", "overview", "map", "answer", "importance", "why", "uses"},
        "vectors": {"box", "overview", "map", "answer", "uses"},
    }
    place = downloads(driver)
    for model, expected in views.items():
        text = {"films": "A good film.", "vectors": "The dog"}.get(model, "The old dog sleeps.")  # words that they know
        open_view(driver, model=model, text=text, why="0", next=",0.5", uses="1")
        for name in sorted(expected.intersection(PANELS)):
            panel(driver, name)
        if "importance" in expected:
            click(driver, "#importance")
            wait(driver, lambda d: element(d, "#ranking").is_displayed(), "the importance of heads")
        assert element(driver, "#importance").is_displayed() == ("importance" in expected), model
        bars = {bar.get_attribute("data-view") for bar in driver.find_elements(By.CSS_SELECTOR, ".keep") if bar.is_displayed()}
        assert bars == expected, (model, bars)
        for view in sorted(expected):
            expect_files(driver, place, view, [])
        driver.save_screenshot(f"{folder}/explore-{model}-{size}.png")


def why_this_class(driver, size):
    """View 5 of a classifier: what speaks for the class, part by part."""
    open_view(driver, model="films", text="A good film.", why="0")
    panel(driver, "why")
    found = post("/explain", model="films", text="A good film.")
    assert f"differ by {found['difference']:+.2f}".replace("-", "−") in text_of(driver, "#why-sum"), text_of(driver, "#why-sum")
    assert text_of(driver, "#why-sum").startswith(f"“{found['token']['token']}”")
    place = downloads(driver)
    assert expect_files(driver, place, "why", SHOWN["why"][:3]) == found


def files_of_a_file(driver, size):
    """The page that `attend attention` writes keeps its views, too."""
    driver.get(f"file://{page}#cross/words/1/2")
    wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "#overview .map"), "maps")
    place = downloads(driver)
    data = {view: expect_files(driver, place, view, SHOWN[view]) for view in ("overview", "map")}
    data["answer"] = expect_files(driver, place, "answer", SHOWN["answer"][:2])["answer"]
    assert data["overview"]["attention"]["maps"] and data["overview"]["translation"] == data["answer"]["translation"]
    assert len(data["map"]["weights"]) == len(data["map"]["rows"])


run(files_of_every_view, links_to_every_view, files_of_other_models, why_this_class, files_of_a_file)
print("every view was kept")
