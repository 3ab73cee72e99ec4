"""Does every job once on the page of a server, with the keyboard only, in headless Chromium; and takes screenshots.

    page_test.py URL FOLDER
"""

import os
import sys

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsing import browser, focus_by_tab, keys, phone, wait

url, folder = sys.argv[1:]


def answer(driver, selector, what):
    wait(driver, lambda d: d.find_element(By.CSS_SELECTOR, selector).text.strip(), what)
    wait(driver, lambda d: d.find_element(By.ID, "message").text != "Working …", what)
    return driver.find_element(By.CSS_SELECTOR, selector).text


# Answers of the server, as a calibrated model would have them.
ANSWER = """
const call = window.fetch;
window.fetch = (path, options) => path !== "/translate" ? call(path, options) : Promise.resolve(new Response(JSON.stringify({
  translatedText: "Es war <1948>. Gut. Schlecht.",
  sentences: [
    { source: "a", translation: "Es war <1948>.", confidence: 0.9, flags: [{ name: "numbers", reason: "1984 is missing" }] },
    { source: "b", translation: "Gut.", confidence: 0.8, flags: [] },
    { source: "c", translation: "Schlecht.", confidence: 0.1, flags: [] },
  ],
})));
window.restore = () => { window.fetch = call; };
"""


def doubts(driver):
    """Sentences that may be wrong are marked, with the reason."""
    driver.find_element(By.CSS_SELECTOR, "#translate [name=trust]").click()
    focus_by_tab(driver, "#translate textarea")
    keys(driver, "In 1984.", Keys.CONTROL + Keys.ENTER)
    wait(driver, lambda d: "Doubtful sentences" in d.find_element(By.ID, "message").text, "doubts of the model")
    driver.execute_script(ANSWER)
    keys(driver, Keys.CONTROL + Keys.ENTER)
    wait(driver, lambda d: "2 of 3" in d.find_element(By.ID, "message").text, "doubts")
    marks = [(one.text, one.get_attribute("title")) for one in driver.find_elements(By.CSS_SELECTOR, "#translate mark")]
    assert marks == [("Es war <1948>.", "numbers: 1984 is missing"), ("Schlecht.", "low confidence: 0.10")], marks
    assert driver.find_element(By.CSS_SELECTOR, "#translate output").text == "Es war <1948>. Gut. Schlecht."
    reasons = driver.find_element(By.CSS_SELECTOR, "#translate .doubts").text
    assert "1984 is missing" in reasons and "Gut" not in reasons, reasons
    driver.save_screenshot(f"{folder}/doubts-{driver.get_window_size()['width']}.png")
    driver.execute_script("restore()")


def words(driver):
    """A word lists what may stand in its place; a choice changes its sentence alone."""
    output = driver.find_element(By.CSS_SELECTOR, "#translate output")
    before = output.text
    focus_by_tab(driver, "#translate output .word")
    keys(driver, Keys.ENTER)
    wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "#translate .others button"), "other words")
    assert "In place of" in driver.find_element(By.ID, "message").text
    others = [one.text for one in driver.find_elements(By.CSS_SELECTOR, "#translate .others button")]
    assert len(set(others)) == len(others) and not any(before.startswith(one) for one in others), (before, others)
    driver.save_screenshot(f"{folder}/words-{driver.get_window_size()['width']}.png")
    keys(driver, Keys.ENTER)  # the focus is on the first of them
    wait(driver, lambda d: output.text != before, "another translation")
    assert output.text.startswith(others[0]), (others, output.text)
    assert not driver.find_elements(By.CSS_SELECTOR, "#translate .others button")
    focus_by_tab(driver, "#translate output .word")
    keys(driver, Keys.ARROW_RIGHT)
    assert driver.switch_to.active_element.get_attribute("data-place") != "0"


LANGUAGES = """
const form = document.querySelector("#translate form");
const count = (target) => wordsOf(form, { translation: "Das ist ein Hund.", languages: { target } }).length;
const counts = [count("de"), count("deu_Latn"), count("x y")];
const { Segmenter } = Intl;
Intl.Segmenter = undefined;
counts.push(count("de"));
Intl.Segmenter = Segmenter;
return counts;
"""


def languages(driver):
    """Words are cut whatever the model calls its language; a browser that cannot cut shows the text."""
    counts = driver.execute_script(LANGUAGES)
    assert counts[0] == 8 and counts[1:] == [8, 8, 1], counts


DROP = """
window.blobs = [];
const link = URL.createObjectURL;
URL.createObjectURL = (blob) => { blobs.push(blob); return link.call(URL, blob); };
const transfer = new DataTransfer();
for (const [name, text] of arguments[0]) transfer.items.add(new File([text], name));
document.querySelector("#translate").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
"""
# The text of the last file that the page made.
READ = "const done = arguments[0]; blobs.at(-1).text().then(done);"


def files(driver):
    """Files are translated that are dropped or chosen, with the terms of the page; others say why not."""
    driver.execute_script(DROP, [["a.txt", "The dog sleeps."], ["b.html", "<p>A <b>dog</b>.</p>"], ["c.xyz", "A dog."]])
    wait(driver, lambda d: "2 of 3" in d.find_element(By.ID, "message").text, "translated files")
    names = [one.text for one in driver.find_elements(By.CSS_SELECTOR, "#translate .translated li")]
    target = driver.execute_script("return document.querySelector('#translate form').target.value")
    assert names[:2] == [f"a.{target}.txt", f"b.{target}.html"] and names[2].count("c.xyz") == 1, names
    log = driver.get_log("browser")  # begins anew
    assert len(log) == 1 and "400" in log[0]["message"], log
    assert ".docx" in driver.find_element(By.CSS_SELECTOR, "#translate [name=files]").get_attribute("accept")
    assert "<b>" in driver.execute_async_script(READ)
    driver.save_screenshot(f"{folder}/files-{driver.get_window_size()['width']}.png")

    driver.find_element(By.CSS_SELECTOR, "#translate summary").click()
    driver.find_element(By.CSS_SELECTOR, "#translate [name=terms]").send_keys("dog|dogs = Katze")
    chosen = os.path.join(folder, "chosen.txt")
    with open(chosen, "w") as file:
        file.write("The dog sleeps.")
    driver.find_element(By.CSS_SELECTOR, "#translate [name=files]").send_keys(chosen)
    wait(driver, lambda d: "1 of 1" in d.find_element(By.ID, "message").text, "a chosen file")
    text = driver.execute_async_script(READ)
    assert "katze" in text.lower(), text
    driver.find_element(By.CSS_SELECTOR, "#translate [name=terms]").clear()
    driver.find_element(By.CSS_SELECTOR, "#translate summary").click()


def walk(driver, size):
    driver.get(url)
    wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "[role=tab]"), "tabs")
    names = [tab.text for tab in driver.find_elements(By.CSS_SELECTOR, "[role=tab]")]
    assert names == ["Translate", "Generate", "Classify", "Tag", "Embed"], names

    focus_by_tab(driver, "#translate textarea")
    keys(driver, "The dog sleeps. The <dog> sleeps.", Keys.CONTROL + Keys.ENTER)
    answer(driver, "#translate output", "a translation")
    driver.save_screenshot(f"{folder}/translate-{size}.png")
    words(driver)
    languages(driver)
    doubts(driver)
    files(driver)

    focus_by_tab(driver, "#tab-translate")
    keys(driver, Keys.ARROW_RIGHT)
    focus_by_tab(driver, "#generate textarea")
    keys(driver, "The old", Keys.CONTROL + Keys.ENTER)
    wait(driver, lambda d: len(d.find_element(By.CSS_SELECTOR, "#generate output").text) > 20, "a text")
    wait(driver, lambda d: not d.find_element(By.CSS_SELECTOR, "#generate .stop").is_enabled(), "its end")
    driver.save_screenshot(f"{folder}/generate-{size}.png")

    focus_by_tab(driver, "#tab-generate")
    keys(driver, Keys.ARROW_RIGHT)
    focus_by_tab(driver, "#classify textarea")
    keys(driver, "A good film.", Keys.CONTROL + Keys.ENTER)
    assert "good" in answer(driver, "#classify table", "labels")
    driver.save_screenshot(f"{folder}/classify-{size}.png")

    # The other classifier reads pairs.
    second = driver.find_element(By.CSS_SELECTOR, "#classify [name=second]")
    assert not second.is_displayed(), "a second text for a model of single ones"
    focus_by_tab(driver, "#classify select")
    keys(driver, "pairs")
    assert second.is_displayed(), "no second text for a model of pairs"
    focus_by_tab(driver, "#classify [name=second]")
    keys(driver, "A film.", Keys.CONTROL + Keys.ENTER)
    wait(driver, lambda d: "score" in d.find_element(By.CSS_SELECTOR, "#classify table").text, "the number of a pair")

    focus_by_tab(driver, "#tab-classify")
    keys(driver, Keys.ARROW_RIGHT)
    focus_by_tab(driver, "#tag textarea")
    keys(driver, "Anna Bell sees  Paris .", Keys.CONTROL + Keys.ENTER)
    text = answer(driver, "#tag output", "tags")
    marks = driver.find_elements(By.CSS_SELECTOR, "#tag mark")
    assert marks, text
    for mark in marks:
        text = text.replace(mark.find_element(By.TAG_NAME, "small").text, "", 1)
    assert "".join(text.split()) == "AnnaBellseesParis.", text
    driver.save_screenshot(f"{folder}/tag-{size}.png")

    focus_by_tab(driver, "#tab-tag")
    keys(driver, Keys.ARROW_RIGHT)
    focus_by_tab(driver, "#embed textarea")
    keys(driver, "A dog.", Keys.ENTER, "A cat.", Keys.CONTROL + Keys.ENTER)
    assert "1.000" in answer(driver, "#embed table", "similarities")
    driver.save_screenshot(f"{folder}/embed-{size}.png")

    width = driver.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, f"{size}: the page is {width} pixels too wide"
    log = driver.get_log("browser")
    assert not log, log


for size, (width, height) in {"desktop": (1280, 900), "phone": (390, 844)}.items():
    driver = browser(width, height)
    try:
        if size == "phone":
            phone(driver)
        walk(driver, size)
    finally:
        driver.quit()
print("every job was done on the page")
