#!/usr/bin/python3
"""The report as a page, in headless Chromium: usage: page_test.py OMPDM GOLDEN_FOLDER [HEAT]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import browser  # noqa: E402  (ends the program where there is none)
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

HOSTILE = ["</script><script>pwned = 1</script>", "<img src=x onerror='pwned=1'>", "\" onload=\"pwned=1\" '",
           "\u202Egnp.exe\u2066", "x" * 10_000]
VIEWS = ["overview", "findings", "timeline", "passes", "variables", "source", "tables"]
SECOND = 1_000_000_000

# Number of colours in a drawing: one is a blank.
COLOURS = """
    const canvas = arguments[0];
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return seen.size;"""


def page(folder, trace, *options):
    """Writes the page of a trace's text; returns where it is."""
    (folder / "trace.json").write_text(trace)
    command = [str(OMPDM), "report", "trace.json", "--format", "html", "-o", "report.html", *options]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "report.html"


def heat(folder):
    """A trace whose program's source is at hand: older than the run, with its directive at its line."""
    source = folder / "heat.cpp"
    source.write_text("".join("#pragma omp target\n" if line == 41 else f"// line {line}\n" for line in range(1, 101)))
    os.utime(source, (1000, 1000))
    trace = (GOLDEN / "heat_naive" / "trace.json").read_text()
    return trace.replace('"start_realtime_ns":0', f'"start_realtime_ns":{2000 * SECOND}')


class PageTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def open(self, path, **how):
        return self.enterContext(browser.opened(path, **how)) if hasattr(self, "enterContext") \
            else self.entered(browser.opened(path, **how))

    def entered(self, context):
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def assert_quiet(self, driver):
        self.assertEqual(browser.console(driver), [])
        self.assertEqual(browser.requests(driver), [])

    def said(self, driver):
        return driver.find_element(By.ID, "said").get_property("textContent")

    def test_every_view_is_drawn(self):
        driver = self.open(page(self.folder, heat(self.folder)))
        for view in VIEWS:
            self.assertTrue(driver.find_element(By.ID, view).is_displayed(), view)
        for canvas in driver.find_elements(By.TAG_NAME, "canvas"):
            self.assertGreater(driver.execute_script(COLOURS, canvas), 3, canvas.get_attribute("id"))
            self.assertTrue(canvas.get_attribute("aria-label"))
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, ".card")), 1)
        self.assertIn("96.0 MB", driver.find_element(By.CLASS_NAME, "headline").text)
        self.assertIn("#pragma omp target", driver.find_element(By.CSS_SELECTOR, "tr.directive").text)
        rows = driver.find_elements(By.CSS_SELECTOR, "#table-variables tbody tr")
        self.assertEqual([row.find_element(By.TAG_NAME, "th").text for row in rows], ["u", "u_tmp"])
        self.assert_quiet(driver)

    def test_all_that_is_to_be_done_is_in_sight(self):
        driver = self.open(page(self.folder, heat(self.folder)))
        driver.get(driver.current_url.split("#")[0] + "#findings")
        card = driver.find_element(By.CSS_SELECTOR, ".card")
        steps = card.find_elements(By.CSS_SELECTOR, ":scope > .advice > li")
        self.assertEqual(len(steps), 3)
        for step, words in zip(steps, ["before the loop", "leave the map clauses", "after the loop"]):
            self.assertTrue(step.is_displayed())
            self.assertIn(words, step.text)
        checks = card.find_element(By.CSS_SELECTOR, "details .advice")
        self.assertFalse(checks.is_displayed())
        self.assertIn("where the host reads", checks.get_property("textContent"))

    def test_code_stands_on_the_card_and_in_the_source(self):
        if HEAT is None:
            self.skipTest("no offload compiler")
        record = [str(OMPDM), "record", str(HEAT), "--variant", "naive", "60", "5"]
        subprocess.run(record, cwd=self.folder, check=True, capture_output=True)
        command = [str(OMPDM), "report", "trace.json", "--format", "html", "-o", "report.html"]
        subprocess.run(command, cwd=self.folder, check=True)
        driver = self.open(self.folder / "report.html")
        code = ["#pragma omp target enter data map(to: u[0:n * n], u_tmp[0:n * n])",
                "#pragma omp target exit data map(from: u[0:n * n], u_tmp[0:n * n])"]
        if (OMPDM.parent / "ompdm-edit").exists():
            on_card = driver.find_elements(By.CSS_SELECTOR, ".card > .advice .hunk ins")
            self.assertEqual([each.get_property("textContent").strip() for each in on_card], [f"+ {each}" for each in code])
            rows = driver.find_elements(By.CSS_SELECTOR, "#source tr.inserted")
            texts = [row.find_elements(By.TAG_NAME, "td")[-1].get_property("textContent").strip() for row in rows]
            self.assertEqual(texts, code)
        self.assert_quiet(driver)

    def test_source_stays_out_where_it_is_unwanted_or_newer(self):
        trace = heat(self.folder)
        driver = self.open(page(self.folder, trace, "--no-source"))
        self.assertFalse(driver.find_element(By.ID, "source").is_displayed())
        self.assertNotIn("// line 41", (self.folder / "report.html").read_text())
        os.utime(self.folder / "heat.cpp", (3000, 3000))
        self.assertNotIn("// line 41", page(self.folder, trace).read_text())

    def test_hostile_names_are_text(self):
        for number, name in enumerate(HOSTILE):
            quoted = json.dumps(name)
            trace = (GOLDEN / "heat_naive" / "trace.json").read_text()
            for field, value in (("name", "u"), ("function", "solve"), ("program", "./heat"), ("file", "heat.cpp"),
                                 ("host", "node17")):
                trace = trace.replace(f'"{field}":"{value}"', f'"{field}":{quoted}')
            folder = self.folder / str(number)
            folder.mkdir()
            with browser.opened(page(folder, trace)) as driver:
                self.assertFalse(driver.execute_script("return 'pwned' in window"), name[:40])
                self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "main script, img, iframe"), [])
                cell = driver.find_element(By.CSS_SELECTOR, "#table-variables tbody th")
                if number < 3:
                    self.assertEqual(cell.text, name)
                elif number == 3:
                    self.assertEqual(cell.text, "‹U+202E›gnp.exe‹U+2066›")
                else:
                    self.assertLess(len(cell.text), 100)
                    self.assertTrue(cell.text.startswith("xxxx"))
                width = driver.execute_script("return document.documentElement.scrollWidth")
                self.assertLessEqual(width, 1280)
                self.assert_quiet(driver)

    def test_all_can_be_reached_by_keyboard(self):
        driver = self.open(page(self.folder, heat(self.folder)))
        focused = "return document.activeElement.id || document.activeElement.textContent"

        def press(*keys):
            ActionChains(driver).send_keys(*keys).perform()

        def tab_to(wanted):
            for _ in range(100):
                press(Keys.TAB)
                if driver.execute_script(focused) == wanted:
                    return
            self.fail(f"the keyboard does not come to {wanted}")

        tab_to("Skip to the report")
        tab_to("Timeline")
        tab_to("timeline-canvas")
        press(Keys.ARROW_DOWN)
        self.assertIn("device 0 HtoD", self.said(driver))
        press(".", ".", ".")
        self.assertIn("HtoD: copy to the device", self.said(driver))
        self.assertIn("8.00 MB at", self.said(driver))
        self.assertIn("redundant: finding 1", self.said(driver))
        press("+", "+", Keys.ARROW_RIGHT, "-", Keys.HOME, Keys.ENTER)
        self.assertIn("chosen", driver.find_element(By.ID, "finding-0").get_attribute("class"))
        self.assertIn("finding 1", driver.find_element(By.CLASS_NAME, "chosen-line").text)
        press(Keys.ESCAPE)
        self.assertFalse(driver.find_element(By.CLASS_NAME, "chosen-line").is_displayed())
        tab_to("passes-canvas")
        self.assertIn("iteration 1", self.said(driver))
        press(Keys.ARROW_RIGHT)
        self.assertIn("iteration 2: 4.66 ms", self.said(driver))
        tab_to("variables-canvas")
        press(Keys.ARROW_DOWN)
        self.assertIn("HtoD 3 copies, 24.0 MB", self.said(driver))
        self.assert_quiet(driver)

    def test_the_pointer_zooms_sums_and_tells(self):
        driver = self.open(page(self.folder, heat(self.folder)))
        canvas = driver.find_element(By.ID, "timeline-canvas")
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        tip = driver.find_element(By.ID, "tip")

        def picture():
            time.sleep(0.5)  # the page has come to rest, and the next frame is drawn
            return driver.execute_script("return arguments[0].toDataURL()", canvas)

        opened = picture()
        at = driver.execute_script("return window.scrollY")
        ActionChains(driver).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -100).perform()
        self.assertEqual(picture(), opened)
        self.assertLess(driver.execute_script("return window.scrollY"), at, "the wheel alone scrolls the page")
        ActionChains(driver).key_down(Keys.CONTROL).scroll_from_origin(
            ScrollOrigin.from_element(canvas), 0, -400).key_up(Keys.CONTROL).perform()
        zoomed = picture()
        self.assertNotEqual(zoomed, opened)
        canvas.send_keys(Keys.HOME)
        whole = picture()
        ActionChains(driver).move_to_element_with_offset(canvas, -200, 0).click_and_hold().move_by_offset(
            400, 0).release().perform()
        self.assertNotEqual(picture(), whole)
        self.assertRegex(tip.text, r"HtoD: \d+, [\d.]+ [KM]B, ")
        self.assertIn("kernel: ", tip.text)
        canvas.send_keys(Keys.ENTER)
        inside = picture()
        self.assertNotEqual(inside, whole)
        self.assertFalse(tip.is_displayed())
        canvas.send_keys(Keys.HOME)
        self.assertEqual(picture(), whole)
        # The host's directive in the middle of its row.
        bottom = canvas.size["height"] // 2 - 14
        ActionChains(driver).move_to_element_with_offset(canvas, 0, bottom).perform()
        self.assertIn("target · heat.cpp:41", tip.text)
        self.assert_quiet(driver)

    def test_the_first_screen_of_a_phone_says_what_dominates_and_what_to_change(self):
        driver = self.open(page(self.folder, heat(self.folder)), width=390, height=844)
        bottom = driver.execute_script("return window.innerHeight")
        for kind, words in (("headline", "heat.cpp:41 moved 96.0 MB"), ("first-change", "keep u, u_tmp on the device")):
            line = driver.find_element(By.CLASS_NAME, kind)
            self.assertIn(words, line.text)
            self.assertLess(line.location["y"] + line.size["height"], bottom)
        driver.find_element(By.CSS_SELECTOR, ".first-change a").click()
        self.assertTrue(driver.execute_script("return location.hash").endswith("#finding-0"))
        self.assert_quiet(driver)

    def test_tips_follow_the_focus_and_go_with_it(self):
        driver = self.open(page(self.folder, heat(self.folder)))
        tip = driver.find_element(By.ID, "tip")
        canvas = driver.find_element(By.ID, "passes-canvas")

        def distance():
            return driver.execute_script(
                "return arguments[0].getBoundingClientRect().top - arguments[1].getBoundingClientRect().top", tip, canvas)

        driver.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].focus({focusVisible: true})", canvas)
        time.sleep(0.2)
        self.assertIn("iteration 1", tip.text)
        before = distance()
        driver.execute_script("window.scrollBy(0, 60)")
        time.sleep(0.2)
        self.assertTrue(tip.is_displayed())
        self.assertAlmostEqual(distance(), before, delta=2)
        canvas.send_keys(Keys.ESCAPE)
        self.assertFalse(tip.is_displayed())
        canvas.send_keys(Keys.ARROW_RIGHT)
        self.assertTrue(tip.is_displayed())
        canvas.send_keys(Keys.TAB)
        self.assertNotIn("iteration 2", tip.text if tip.is_displayed() else "")
        # The pointer's tip goes where the page moves on below it.
        driver.execute_script("arguments[0].blur()", driver.switch_to.active_element)
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        time.sleep(0.2)
        ActionChains(driver).move_to_element_with_offset(canvas, -canvas.size["width"] // 2 + 70, 20).perform()
        self.assertTrue(tip.is_displayed())
        driver.execute_script("window.scrollBy(0, 60)")
        time.sleep(0.2)
        self.assertFalse(tip.is_displayed())
        self.assert_quiet(driver)

    def test_the_timeline_opens_at_its_events(self):
        driver = self.open(page(self.folder, heat(self.folder)))
        shown, whole = driver.execute_script(
            "const {timeWindow} = window.ompdm; return [timeWindow.width, timeWindow.total]")
        self.assertLess(shown, whole)
        self.assert_quiet(driver)

    def test_lines_that_move_nothing_are_folded(self):
        driver = self.open(page(self.folder, heat(self.folder)))
        folds = driver.find_elements(By.CSS_SELECTOR, "#source tr.folded button")
        self.assertEqual(len(folds), 2)
        line = driver.find_element(By.CSS_SELECTOR, "#source tbody[hidden] tr")
        self.assertFalse(line.is_displayed())
        folds[0].click()
        self.assertTrue(line.is_displayed())
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, "#source tr.folded")), 1)
        self.assert_quiet(driver)

    def test_code_is_copied(self):
        driver = self.open(page(self.folder, (GOLDEN / "old_data" / "trace.json").read_text()))
        driver.execute_script("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
        driver.execute_script("arguments[0].click()", driver.find_element(By.CSS_SELECTOR, "#clauses .code .copy"))
        self.assertTrue(driver.execute_script("return window.copied").startswith("#pragma omp target update"))
        self.assert_quiet(driver)

    def test_findings_lead_to_where_they_are_seen(self):
        driver = self.open(page(self.folder, heat(self.folder)))
        for link in driver.find_elements(By.CSS_SELECTOR, "#finding-0 .links button"):
            driver.execute_script("arguments[0].click()", link)
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, "tr.directive.chosen")), 1)
        self.assert_quiet(driver)

    def test_a_clause_that_does_not_do_what_it_says_has_a_card(self):
        driver = self.open(page(self.folder, (GOLDEN / "old_data" / "trace.json").read_text()))
        cards = driver.find_elements(By.CSS_SELECTOR, "#clauses .card")
        self.assertEqual(len(cards), 1)
        self.assertIn("table[0:512]", cards[0].find_element(By.TAG_NAME, "h3").text)
        self.assertTrue(cards[0].find_element(By.CSS_SELECTOR, ".advice pre").is_displayed())
        self.assertIn("target update to(table[0:512])", cards[0].text)
        driver.execute_script("arguments[0].click()", cards[0].find_element(By.CSS_SELECTOR, ".links button"))
        self.assertIn("halo.cpp:31", driver.find_element(By.CSS_SELECTOR, "#timeline .chosen-line").text)
        self.assertIn("Device memory: 84.1 KB at most", driver.find_element(By.ID, "overview").text)
        self.assert_quiet(driver)

    def test_tables_are_sorted_and_searched(self):
        trace = (GOLDEN / "all_directives" / "trace.json").read_text()
        driver = self.open(page(self.folder, trace))
        rows = lambda: [row.text for row in driver.find_elements(By.CSS_SELECTOR, "#table-directives tbody th")]
        everything = rows()
        self.assertGreater(len(everything), 5)
        head = driver.find_element(By.CSS_SELECTOR, "#table-directives thead th")
        head.find_element(By.TAG_NAME, "button").click()
        self.assertEqual(head.get_attribute("aria-sort"), "ascending")
        self.assertEqual(rows(), sorted(everything))
        head.find_element(By.TAG_NAME, "button").click()
        self.assertEqual(rows(), sorted(everything, reverse=True))
        driver.find_element(By.ID, "search-directives").send_keys("update")
        self.assertTrue(rows())
        self.assertTrue(all("update" in row for row in rows()))
        self.assert_quiet(driver)

    def test_narrow_dark_and_printed(self):
        path = page(self.folder, heat(self.folder))
        back = "return getComputedStyle(document.body).backgroundColor"
        light = self.open(path, width=400)
        self.assertLessEqual(light.execute_script("return document.documentElement.scrollWidth"), 400)
        dark = self.open(path, width=400, dark=True)
        self.assertNotEqual(light.execute_script(back), dark.execute_script(back))
        dark.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(light.execute_script(back), dark.execute_script(back))
        self.assert_quiet(dark)

    def test_traces_that_tell_little_are_shown(self):
        for name in ("unreachable", "no_emi", "enqueue_only", "killed", "gpu_waits", "host_fallback"):
            folder = self.folder / name
            folder.mkdir()
            trace = (GOLDEN / name / "trace.json").read_text()
            with browser.opened(page(folder, trace), width=400) as driver:
                self.assertLessEqual(driver.execute_script("return document.documentElement.scrollWidth"), 400)
                self.assertTrue(driver.find_element(By.CLASS_NAME, "headline").text)
                self.assert_quiet(driver)

    def test_several_recordings_are_chosen_from(self):
        traces = sorted((GOLDEN / "two_ranks").glob("trace.*.json"))
        command = [str(OMPDM), "report", *map(str, traces), "--format", "html", "-o", "report.html"]
        subprocess.run(command, cwd=self.folder, check=True)
        driver = self.open(self.folder / "report.html")
        # All ranks are below each other, until one at a time is asked for.
        shown = lambda: [each.get_attribute("id") for each in driver.find_elements(By.CSS_SELECTOR, "#timeline canvas") if each.is_displayed()]
        self.assertEqual(shown(), ["timeline-canvas-0", "timeline-canvas-1"])
        for canvas in driver.find_elements(By.CSS_SELECTOR, "#timeline .together canvas"):
            self.assertGreater(driver.execute_script(COLOURS, canvas), 3, canvas.get_attribute("id"))
        choices = driver.find_element(By.CSS_SELECTOR, "select[aria-label=Recording]")
        self.assertFalse(choices.is_displayed())
        driver.execute_script("arguments[0].click()", driver.find_element(By.XPATH, "//button[text()='One at a time']"))
        self.assertEqual(shown(), ["timeline-canvas"])
        self.assertGreater(driver.execute_script(COLOURS, driver.find_element(By.ID, "timeline-canvas")), 3)
        self.assertEqual(choices.text.split(), ["rank", "0", "rank", "1"])
        # What is found on both is shown once.
        cards = [each for each in driver.find_elements(By.CLASS_NAME, "card") if each.is_displayed()]
        self.assertEqual(len(cards), 1)
        self.assertRegex(driver.find_element(By.CSS_SELECTOR, ".alike > details > summary").text,
                         r"^Also on rank [01]: [\d.]+ [KMG]?B on all$")
        link = driver.find_element(By.CSS_SELECTOR, "#finding-1 .links button")
        driver.execute_script("arguments[0].click()", link)
        self.assertEqual(choices.get_property("value"), "1")
        rows = driver.find_elements(By.CSS_SELECTOR, "#recordings tbody tr")
        self.assertEqual([row.text.split()[:2] for row in rows], [["rank", "0"], ["rank", "1"]])
        self.assert_quiet(driver)

    def test_two_runs_are_compared_on_one_scale(self):
        traces = [str(GOLDEN / name / "trace.json") for name in ("heat_naive", "heat_data")]
        command = [str(OMPDM), "compare", *traces, "--format", "html", "-o", "compare.html"]
        subprocess.run(command, cwd=self.folder, check=True)
        driver = self.open(self.folder / "compare.html")
        self.assertIn("after moves 4.0x less", driver.find_element(By.CLASS_NAME, "headline").text)
        self.assertTrue(driver.find_element(By.CLASS_NAME, "because").text.startswith("Wall 30.0 ms"))
        bars = driver.find_elements(By.CSS_SELECTOR, ".version .wall-bar")
        self.assertEqual(len(bars), 2)
        self.assertGreater(bars[0].size["width"], 2 * bars[1].size["width"])
        self.assertEqual([each.text for each in driver.find_elements(By.CSS_SELECTOR, ".card.fixed .badge.fixed")], ["✓ fixed"])
        rows = driver.find_elements(By.CSS_SELECTOR, "table.recordings tbody th")
        self.assertEqual([row.text for row in rows], ["before", "after"])
        canvases = driver.find_elements(By.TAG_NAME, "canvas")
        self.assertEqual([each.get_attribute("id") for each in canvases][:4],
                         ["timeline-canvas-0", "timeline-canvas-1", "passes-canvas-0", "passes-canvas-1"])
        for canvas in canvases:
            self.assertGreater(driver.execute_script(COLOURS, canvas), 3, canvas.get_attribute("id"))
        self.assert_quiet(driver)


if __name__ == "__main__":
    OMPDM, GOLDEN = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    HEAT = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 and sys.argv[3] else None
    unittest.main(argv=sys.argv[:1], verbosity=2)
