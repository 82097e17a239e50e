"""A page in headless Chromium, opened from disk as a user does.

Where there is no Chromium, no driver of it or no selenium, importing this ends the program with 77, which ctest shows
as skipped.
"""
import contextlib
import json
import os
import sys
import tempfile

CHROMIUM = "/usr/bin/chromium"
DRIVER = "/usr/bin/chromedriver"


def skip(reason):
    print(f"skipped: {reason} (scripts/setup test)")
    sys.exit(77)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait
except ModuleNotFoundError as missing:
    skip(f"no {missing.name}")
for program in (CHROMIUM, DRIVER):
    if not os.access(program, os.X_OK):
        skip(f"no {program}")

READY = "return document.documentElement.classList.contains('ready')"


@contextlib.contextmanager
def browser(width=1280, height=900, dark=False):
    """A driver that shows nothing yet."""
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage",
                         f"--user-data-dir={profile}", f"--window-size={width},{height}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        try:
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
            yield driver
        finally:
            driver.quit()


@contextlib.contextmanager
def opened(path, **how):
    """A driver that shows the page, once it has drawn itself."""
    with browser(**how) as driver:
        driver.get("file://" + os.path.abspath(path))
        wait(driver, READY, 60)
        yield driver


def wait(driver, script, seconds):
    """Until a script's value is true."""
    WebDriverWait(driver, seconds).until(lambda shown: shown.execute_script(script))


def console(driver):
    """What the page wrote to the console, or the browser about it."""
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver):
    """Addresses that were asked for since the page was opened, other than the page and data in it."""
    events = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    own = driver.current_url.split("#")[0]
    urls = [each["request"]["url"] for each in sent if each["documentURL"].split("#")[0] == own]
    return [url for url in urls if url.split("#")[0] != own and not url.startswith("data:")]
