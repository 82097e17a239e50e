// The span of time that the timeline and the variables show.

/** @typedef {{begin: number, end: number}} Span nanoseconds */

export class TimeWindow {
  /** @param {number} total nanoseconds */
  constructor(total) {
    this.listeners = [];
    this.reset(total);
  }

  /** Shows all. @param {number} total */
  reset(total = this.total) {
    this.total = total;
    this.show(0, total);
  }

  get width() {
    return this.end - this.begin;
  }

  /** Shows a span, or as much of it as there is. @param {number} begin @param {number} end */
  show(begin, end) {
    const width = Math.min(Math.max(end - begin, Math.min(100, this.total)), this.total);
    this.begin = Math.min(Math.max(begin, 0), this.total - width);
    this.end = this.begin + width;
    for (const listener of this.listeners) listener();
  }

  /** @param {number} factor above 1 shows more @param {number} at the instant that stays in place */
  zoom(factor, at = (this.begin + this.end) / 2) {
    const begin = at - (at - this.begin) * factor;
    this.show(begin, begin + this.width * factor);
  }

  /** @param {number} share of what is shown */
  pan(share) {
    const by = this.width * share;
    this.show(this.begin + by, this.end + by);
  }

  /** @param {function()} listener called after each change */
  onChange(listener) {
    this.listeners.push(listener);
  }
}

const UNITS = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];

/**
 * Round instants, and what they are called: with as many digits as tell neighbours apart.
 * @param {Span} span @param {number} most
 * @returns {{at: number, text: string}[]}
 */
export function ticksOf(span, most) {
  const least = (span.end - span.begin) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= least);
  const [unit, size] = UNITS.find((each) => span.end >= each[1]) ?? UNITS[UNITS.length - 1];
  const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
  const ticks = [];
  for (let number = Math.ceil(span.begin / step); number * step <= span.end; number += 1) {
    const at = number * step;
    ticks.push({at, text: at === 0 ? '0' : `${(at / size).toFixed(digits)} ${unit}`});
  }
  return ticks;
}
