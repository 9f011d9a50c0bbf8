"""A real browser for tests of pages: Chromium without a window, without a network."""

import shutil
from contextlib import contextmanager

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome, ChromeOptions, ChromeService

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # which containers and root do not have; the only pages opened are our own
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


@contextmanager
def chromium():
    """A Selenium `Chrome`: the system's browser, or where there is none the one that Selenium fetches for itself."""
    options = ChromeOptions()
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in FLAGS:
        options.add_argument(flag)
    found = [path for path in map(shutil.which, BROWSERS) if path]
    driver = shutil.which("chromedriver")
    if found and driver:
        options.binary_location = found[0]
    try:
        browser = Chrome(options, ChromeService(driver if found else None))
    except WebDriverException as error:
        pytest.fail(f"pages are tested in Chromium: apt-get install chromium chromium-driver ({error.msg})", pytrace=False)
    try:
        yield browser
    finally:
        browser.quit()


def open_page(browser, path, scheme="light", width=1280):
    """Load a file as a person with that colour scheme and that width of window sees it."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())


LOW_CONTRAST = """
const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = numbers(getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
    if (colour[3] > 0) throw new Error("half transparent background");
  }
  return [255, 255, 255];
};
const found = [];
let looked = 0;
for (const element of document.querySelectorAll(arguments[0])) {
  const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  if (!element.checkVisibility() || (!arguments[1] && !texts.length)) continue;
  const style = getComputedStyle(element);
  const colour = arguments[1] ?? (element instanceof SVGElement ? "fill" : "color");
  const [a, b] = [light(numbers(style[colour])), light(behind(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  looked += 1;
  if (ratio < arguments[2]) found.push(`${ratio.toFixed(2)} ${element.tagName} ${element.textContent.trim().slice(0, 40)}`);
}
return [looked, found];
"""


def low_contrast(browser, selector, least, paint=None):
    """(number of visible elements, descriptions of those whose contrast to what is behind them is below `least`): of texts,
    or with `paint` (stroke, fill) of shapes."""
    return browser.execute_script(LOW_CONTRAST, selector, paint, least)
