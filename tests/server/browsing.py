"""A headless Chromium, and its keyboard."""

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait


def browser(width, height):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}"):
        options.add_argument(argument)
    # A picture that takes long to draw is saved after the click that asked for it has been forgotten.
    options.add_experimental_option("prefs", {"profile.default_content_setting_values.automatic_downloads": 1})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=webdriver.ChromeService("/usr/bin/chromedriver"), options=options)


def phone(driver):
    """Shows pages as a small phone does; a window has a least width."""
    metrics = {"width": 360, "height": 780, "deviceScaleFactor": 2, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def scheme(driver, name):
    """"light" or "dark"."""
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})


def wait(driver, condition, what):
    WebDriverWait(driver, 20, poll_frequency=0.05).until(condition, what)


def keys(driver, *keys):
    driver.switch_to.active_element.send_keys(*keys)


def focus_by_tab(driver, selector, back=False):
    """Presses Tab until the element has the focus."""
    wanted = driver.find_element(By.CSS_SELECTOR, selector)
    for _ in range(60):
        if driver.switch_to.active_element == wanted:
            return
        tab = ActionChains(driver)  # keys for an input of files would be names of files
        (tab.key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT) if back else tab.send_keys(Keys.TAB)).perform()
    raise AssertionError(f"the keyboard does not reach {selector}")
