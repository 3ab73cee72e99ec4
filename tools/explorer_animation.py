#!/usr/bin/env python3
"""Makes the moving picture of README: in the explorer, one attention head of the demo's translator is switched off.

    attend demo --out demo
    attend serve demo/run &
    tools/explorer_animation.py http://127.0.0.1:8080 docs/explorer-off.webp

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
HEAD = ".map[data-kind=cross][data-layer='1'][data-head='3']"
SIZE = (1260, 1240)
WIDTH = 1000  # of the picture
# What is pointed at, what is clicked afterwards, the caption, and how long it is shown.
SCENES = [
    (None, None, "A translator, live in your browser. Each small map is one of its 24 attention heads.", 3.0),
    (HEAD, HEAD, "Click one to enlarge it: to write das, this head looks at house.", 3.5),
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
caption.style = "position: fixed; inset: auto 0 0 0; margin: 0; padding: 0.9rem 1.2rem; background: #1f2a44; color: #fff; font-size: 1.7rem; z-index: 9";
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
    wait(driver, lambda d: d.find_element("css selector", "body").get_attribute("data-state") == "ready", "an answer")
    time.sleep(0.3)


def frames(url):
    driver = browser(*SIZE)
    try:
        metrics = {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        scheme(driver, "light")
        driver.get(f"{url}/explore#cross/words?{urllib.parse.urlencode({'text': TEXT})}")
        ready(driver)
        for pointed, clicked, caption, seconds in SCENES:
            if clicked == HEAD:  # enlarged already while it is pointed at
                driver.execute_script("document.querySelector(arguments[0]).click()", clicked)
                ready(driver)
            driver.execute_script(_DECORATE, pointed, caption)
            shot = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
            yield shot.resize((WIDTH, WIDTH * SIZE[1] // SIZE[0]), Image.Resampling.LANCZOS), round(1000 * seconds)
            if clicked and clicked != HEAD:
                driver.execute_script("document.querySelector(arguments[0]).click()", clicked)
                ready(driver)
    finally:
        driver.quit()


def main():
    url, out = sys.argv[1:]
    pictures, times = zip(*frames(url))
    pictures[0].save(out, save_all=True, append_images=pictures[1:], duration=times, loop=0, quality=70, method=6)
    print(f"{out}: {os.path.getsize(out)} bytes")


main()
