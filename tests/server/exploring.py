"""What the tests of the explorer have in common: a server with the model en-de, its page in headless Chromium, and what the page shows.

    NAME_test.py URL FOLDER PAGE

FOLDER takes screenshots; PAGE is a file that `attend attention` wrote, with the same model.
"""

import json
import sys
import time
import urllib.request
from urllib.parse import urlencode

from selenium.webdriver.common.by import By

from browsing import browser, phone, wait

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


def keep(driver, view, kind):
    """Chooses from the menu of a view: link, svg, png or json."""
    menu = element(driver, f".keep[data-view={view}] details")
    if not menu.get_property("open"):
        click(driver, f".keep[data-view={view}] summary")
    click(driver, f".keep[data-view={view}] [value={kind}]")


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


def shown_number(text):
    return float(text.replace("−", "-"))


def panel(driver, name):
    wait(driver, lambda d: element(d, "body").get_attribute(f"data-{name}") == "ready", name)
    assert not driver.find_elements(By.CSS_SELECTOR, f"#{name} .fault"), text_of(driver, f"#{name} .fault")


def run(*views):
    """Each view on a desktop and on a phone: no error in the console, and no wider than the window."""
    for size, window in {"desktop": (1280, 900), "phone": (390, 844)}.items():
        driver = browser(*window)
        try:
            if size == "phone":
                phone(driver)
            for view in views:
                begin = time.time()
                view(driver, size)
                width = driver.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert width <= 0, f"{view.__name__}, {size}: the page is {width} pixels too wide"
                log = driver.get_log("browser")
                assert not log, f"{view.__name__}, {size}: {log}"
                print(f"{view.__name__}, {size}: {time.time() - begin:.1f} s")
        finally:
            driver.quit()
