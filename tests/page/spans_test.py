#!/usr/bin/python3
"""What a drawing takes from spans.js is what going through each span gives, and costs a visit a pixel.

usage: spans_test.py WEB_FOLDER
"""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
import browser  # noqa: E402  (ends the program where there is none)

# Busy time of each pixel of a window, by sums and span by span; the largest difference and the number of visits.
COMPARE = """
    const [text, gaps, overlap, window, pixels, done] = arguments;
    import(URL.createObjectURL(new Blob([text], {type: 'text/javascript'}))).then(({Spans, Sums}) => {
      let seed = 1;
      const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
      const rows = 20000;
      const begin = new Float64Array(rows);
      const duration = new Float64Array(rows);
      let at = 0;
      for (let i = 0; i < rows; i += 1) {
        begin[i] = at;
        duration[i] = Math.floor(random() < 0.001 ? random() * 100000 : random() * 100) + 1;
        at += overlap ? Math.floor(random() * 50) : duration[i] + Math.floor(random() * gaps);
      }
      const spans = new Spans(begin, duration);
      const sums = new Sums(rows);
      for (let i = 0; i < rows; i += 1) sums.put(i, duration[i], i % 3 !== 0, i % 5 === 0);
      const end = at * window[1];
      const time = {begin: at * window[0], end, width: end - at * window[0]};
      const pixel = time.width / pixels;
      const summed = new Float64Array(pixels + 2);
      const single = new Float64Array(pixels + 2);
      const add = (to, i) => {
        for (let x = Math.max(Math.floor((begin[i] - time.begin) / pixel), 0); x < pixels; x += 1) {
          const from = Math.max(begin[i], time.begin + x * pixel);
          const until = Math.min(begin[i] + duration[i], time.begin + (x + 1) * pixel);
          if (begin[i] + duration[i] <= time.begin + x * pixel) break;
          if (until > from && i % 3 !== 0) to[x] += until - from;
        }
      };
      let visits = 0;
      spans.forPixels(time, pixel, (first, last) => {
        visits += 1;
        if (last > first) summed[Math.floor((begin[first] - time.begin) / pixel)] += sums.time[last] - sums.time[first];
        add(summed, last);
      });
      for (let i = 0; i < rows; i += 1) if (begin[i] <= end) add(single, i);
      let most = 0;
      for (let x = 0; x < pixels; x += 1) most = Math.max(most, Math.abs(summed[x] - single[x]));
      done({most: most / pixel, visits, disjoint: spans.disjoint, needless: sums.needless[rows]});
    }).catch((error) => done({error: String(error)}));"""


class SpansTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        context = browser.browser()
        cls.driver = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        cls.driver.get("data:text/html,")

    def compare(self, gaps=20, overlap=False, window=(0, 1), pixels=1280):
        result = self.driver.execute_async_script(COMPARE, (WEB / "spans.js").read_text(), gaps, overlap, window, pixels)
        self.assertNotIn("error", result)
        self.assertLess(result["most"], 1e-6)
        # Each third is not counted, each fifteenth neither counted nor needless.
        self.assertEqual(result["needless"], 20000 // 5 - (20000 + 14) // 15)
        return result

    def test_all_of_it_takes_a_visit_a_pixel(self):
        result = self.compare()
        self.assertTrue(result["disjoint"])
        self.assertLessEqual(result["visits"], 1281)

    def test_parts_of_it(self):
        for window in ((0.1, 0.3), (0.5, 0.5001), (0.99, 1), (0.33333, 0.33334)):
            self.assertLessEqual(self.compare(window=window)["visits"], 1281, window)

    def test_spans_that_touch(self):
        self.assertLessEqual(self.compare(gaps=0)["visits"], 1281)

    def test_spans_that_overlap_come_one_by_one(self):
        result = self.compare(overlap=True)
        self.assertFalse(result["disjoint"])
        self.assertEqual(result["visits"], 20000)
        self.compare(overlap=True, window=(0.4, 0.41))


if __name__ == "__main__":
    WEB = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1], verbosity=2)
