"""A page in headless Chromium, opened from disk as a user does."""
import contextlib
import json
import os
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM = "/usr/bin/chromium"
DRIVER = "/usr/bin/chromedriver"
READY = "return document.documentElement.classList.contains('ready')"


@contextlib.contextmanager
def opened(path, width=1280, height=900, dark=False):
    """A driver that shows the page, once it has drawn itself."""
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
            driver.get("file://" + os.path.abspath(path))
            WebDriverWait(driver, 60).until(lambda shown: shown.execute_script(READY))
            yield driver
        finally:
            driver.quit()


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
