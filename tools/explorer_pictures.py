#!/usr/bin/env python3
"""Takes the pictures of docs/explorer.md and the moving one of README, in which one attention head of the demo's translator is switched off.

    attend demo --out demo
    attend serve demo/run &
    tools/explorer_pictures.py http://127.0.0.1:8080 docs [NAME ...]

Needs chromium and chromium-driver of Debian, and `pip install selenium pillow`.
"""
import io
import os
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/server"))
from PIL import Image  # noqa: E402

from browsing import browser, scheme, wait  # noqa: E402

TEXT = "She wants to buy the old house."
HEAD = "decoder.layers.1.cross_attn:3"
USES = ["the", "-1", *(f"He sees the {noun}." for noun in "woman flower church man dog tree child house book".split())]
MARGIN = 16  # pixels around what is shown

# Of each picture the width of the window, the view with its fields, the parts of the page that are shown, one below the other, or the height
# of the window; and what is done before, as a script.
POINT = "document.querySelector(\"#figure-read button[data-index='3']\").dispatchEvent(new PointerEvent('pointermove', {bubbles: true, pointerType: 'mouse'})); scrollTo(0, 0)"
STEP = "const at = document.getElementById('sum-at'); at.value = 2; at.dispatchEvent(new Event('input'))"
PICTURES = {
    "explorer": (1260, "cross/words/2/4", {"importance": "1"}, ["header", "#tools", "#overview", "#map"]),
    "explorer-figure": (1280, "cross/words/2/4", {"tour": "4", "box": "decoder-cross,2,4,4"}, 1000, POINT),
    "explorer-off": (1260, "cross/words/2/4", {"off": HEAD, "word": "row3"}, ["header", "#tools", "#overview", "#map"]),
    "explorer-beside": (1100, "cross/words/2/4", {"with": "She wants to buy the old dog."}, ["#beside"]),
    "explorer-uses": (760, "encoder/words/2", {"uses": "\n".join(USES)}, ["#uses"]),
    "explorer-why": (900, "cross/words/2/4", {"why": "2,den"}, ["#why"]),
    "explorer-sum": (900, "cross/words/2/4", {"box": "decoder-self,1,2,5"}, ["#box"], STEP),
}
LARGEST = 1180  # pixels of a picture's height

THUMBNAIL = ".map[data-kind=cross][data-layer='1'][data-head='3']"
MOVING = "explorer-off.webp"
WIDTH = 1000  # pixels of it
# What is pointed at, what is clicked afterwards, the caption, and how long it is shown.
SCENES = [
    (None, None, "A translator, live in your browser. Each small map is one of its 24 attention heads.", 3.0),
    (THUMBNAIL, THUMBNAIL, "Click one to enlarge it: to write das, this head looks at house.", 3.5),
    ("#switch", "#switch", "Switch this head off ...", 1.8),
    ("#answer-words .label", None, "... and the gender is wrong: das alte becomes den alten. The words are still right.", 4.5),
    ("#switch", "#switch", "Switch it on again.", 1.8),
]
_DECORATE = """
for (const old of document.querySelectorAll(".drawn")) old.remove();
const [selector, text] = arguments;
const caption = document.createElement("p");
caption.className = "drawn";
caption.textContent = text;
caption.style = "margin: 0; padding: 0.9rem 1.2rem; background: #1f2a44; color: #fff; font-size: 1.7rem";
document.body.append(caption);
if (selector) {
  const boxes = [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect());
  const edge = (side, pick) => pick(...boxes.map((box) => box[side]));
  const left = edge("left", Math.min) - 8, top = edge("top", Math.min) - 8;
  const ring = document.createElement("div");
  ring.className = "drawn";
  ring.style = `position: fixed; left: ${left}px; top: ${top}px; width: ${edge("right", Math.max) - left + 8}px; height: ${edge("bottom", Math.max) - top + 8}px;
    border: 4px solid #e0531f; border-radius: 10px; box-sizing: border-box; z-index: 8; pointer-events: none`;
  document.body.append(ring);
}
"""


def ready(driver):
    for name in ("state", "why", "uses"):
        wait(driver, lambda d: d.find_element("css selector", "body").get_attribute(f"data-{name}") in ("ready", None), name)
    wait(driver, lambda d: not d.find_elements("css selector", "#importance-progress:not([hidden])"), "the importance of heads")
    time.sleep(0.5)


def resize(driver, width, height):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    time.sleep(0.3)


def open_view(driver, url, width, view, fields):
    resize(driver, width, 900)
    driver.get("about:blank")
    driver.get(f"{url}/explore#{view}?{urllib.parse.urlencode({'text': TEXT, **fields})}")
    ready(driver)


def screenshot(driver):
    return Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")


def whole_page(driver, width):
    resize(driver, width, driver.execute_script("return document.documentElement.scrollHeight"))
    return screenshot(driver)


def parts_of(driver, page, parts):
    """Cuts parts out of a picture of the whole page, and puts them one below the other; a part above another one's end is cut there."""
    cuts, end = [], 0
    for part in parts:
        top, bottom = driver.execute_script("const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.top, box.bottom]", part)
        begin = max(end, int(top) - MARGIN)
        end = min(page.height, int(bottom) + MARGIN)
        cuts.append(page.crop((0, begin, page.width, end)))
    whole = Image.new("RGB", (page.width, sum(cut.height for cut in cuts)))
    at = 0
    for cut in cuts:
        whole.paste(cut, (0, at))
        at += cut.height
    return whole


def picture(driver, url, width, view, fields, shown, script=""):
    open_view(driver, url, width, view, fields)
    if isinstance(shown, int):
        resize(driver, width, shown)
        driver.execute_script(script)
        time.sleep(0.5)
        return screenshot(driver)
    driver.execute_script(script)
    found = parts_of(driver, whole_page(driver, width), shown)
    return found.crop((0, 0, width, min(found.height, LARGEST)))


def frames(driver, url):
    width = PICTURES["explorer"][0]
    open_view(driver, url, width, "cross/words", {})
    for pointed, clicked, caption, seconds in SCENES:
        if clicked == THUMBNAIL:  # enlarged already while it is pointed at
            driver.execute_script("document.querySelector(arguments[0]).click()", clicked)
            ready(driver)
        driver.execute_script(_DECORATE, "", caption)
        whole_page(driver, width)
        driver.execute_script(_DECORATE, pointed, caption)
        shown = parts_of(driver, screenshot(driver), ["header", "#tools", "#overview", "#map", "p.drawn"])
        yield shown, round(1000 * seconds)
        if clicked and clicked != THUMBNAIL:
            driver.execute_script("document.querySelector(arguments[0]).click()", clicked)
            ready(driver)


def moving_picture(driver, url, path):
    pictures, times = zip(*frames(driver, url))
    height = min(shown.height for shown in pictures)
    pictures = [shown.crop((0, shown.height - height, shown.width, shown.height)).resize((WIDTH, WIDTH * height // shown.width), Image.Resampling.LANCZOS) for shown in pictures]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=times, loop=0, quality=70, method=6)


def main():
    url, folder, *names = sys.argv[1:]
    driver = browser(1280, 900)
    try:
        driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        scheme(driver, "light")
        for name in names or [*PICTURES, MOVING]:
            path = f"{folder}/{name}" if name == MOVING else f"{folder}/{name}.png"
            if name != MOVING:
                picture(driver, url, *PICTURES[name]).quantize(96).save(path, optimize=True)
            else:
                moving_picture(driver, url, path)
            print(f"{path}: {os.path.getsize(path)} bytes")
    finally:
        driver.quit()


main()
