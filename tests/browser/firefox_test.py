"""The page of `attend page` in headless Firefox, from disk: the answer of the program, the figure, and a station of the tour. By page_test.sh.

    firefox_test.py FOLDER [SCREENSHOTS]
"""

import base64
import json
import pathlib
import struct
import sys

from firefox import Firefox

folder = pathlib.Path(sys.argv[1]).resolve()
screenshots = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None


def as_float(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def check(firefox):
    expected = json.loads((folder / "attention.json").read_text(encoding="utf-8"))
    firefox("WebDriver:Navigate", url=f"file://{folder}/page.html")
    firefox.until("document.body.dataset.state === 'ready' && !document.getElementById('answer').hidden", "answer")
    firefox.evaluate(
        "void (window.kept = [], window.faults = [], URL.createObjectURL = (blob) => (blob.text().then((text) => kept.push(text)), ''), "
        "window.addEventListener('error', ({message}) => faults.push(message)))"
    )
    firefox.click(".keep[data-view=answer] [value=json]")
    firefox.until("window.kept.length", "numbers")
    kept = json.loads(firefox.evaluate("window.kept[0]"))["data"]["answer"]
    assert kept["translation"] == expected["translation"], kept
    assert as_float(kept["log_probability"]) == as_float(expected["log_probability"]), kept
    steps = int(firefox.text("#figure-steps").split("/")[1])
    assert steps > 20, steps
    firefox.evaluate("void (document.getElementById('figure-at').value = 0, document.getElementById('figure-at').dispatchEvent(new Event('input', {bubbles: true})))")
    for _ in range(steps - 1):
        firefox.click("#figure-next-step")
    assert firefox.text("#figure-steps") == f"{steps} / {steps}"
    for box in ("encoder-self", "decoder-cross", "encoder-ffn", "encoder-self-norm", "softmax"):
        firefox.click(f"#figure-boxes [data-id={box}]")
        assert firefox.text("#box-numbers"), box
    firefox.click("#figure-boxes [data-id=decoder-cross]")
    assert firefox.evaluate("document.querySelectorAll('#box-numbers canvas').length") >= 8
    for index in range(firefox.evaluate("document.querySelectorAll('#figure-source button').length")):
        firefox.click(f"#figure-source button[data-index='{index}']")
        if firefox.evaluate("document.getElementById('tour-answer').classList.contains('done')"):
            break
    assert firefox.text("#tour-answer").startswith("Yes"), firefox.text("#tour-answer")
    assert firefox.evaluate("window.faults.length") == 0
    if screenshots:
        (screenshots / "page-firefox.png").write_bytes(base64.b64decode(firefox("WebDriver:TakeScreenshot", full=False)["value"]))


with Firefox(folder) as browser:
    check(browser)
print("Firefox shows the page")
