// Spans of time in order of their begin, kept so that a drawing touches each pixel once, and not each
// span: sums over neighbours are differences of two, and what begins in the next pixel is jumped to.

/** What an instant counts as: seen, and exact in sums. */
const LEAST = 0.5;

/**
 * Position of the first of growing values, from `at` on, that is not below a limit: near ones soonest.
 * @param {Float64Array} values @param {number} limit @param {number} at
 */
export function firstNotBelow(values, limit, at = 0) {
  let low = at;
  let step = 1;
  while (low + step <= values.length && values[low + step - 1] < limit) {
    low += step;
    step *= 2;
  }
  for (; step >= 1; step /= 2) if (low + step <= values.length && values[low + step - 1] < limit) low += step;
  return low;
}

/** Sums over all spans before a position: of their time, and of how many are needless. */
export class Sums {
  /** @param {number} rows */
  constructor(rows) {
    this.time = new Float64Array(rows + 1);
    this.needless = new Uint32Array(rows + 1);
  }

  /** @param {number} at @param {number} duration @param {boolean} counted @param {boolean} needless */
  put(at, duration, counted, needless) {
    this.time[at + 1] = this.time[at] + (counted ? Math.max(duration, LEAST) : 0);
    this.needless[at + 1] = this.needless[at] + (counted && needless ? 1 : 0);
  }
}

export class Spans {
  /** @param {Float64Array} begin growing @param {Float64Array} duration */
  constructor(begin, duration) {
    this.begin = begin;
    this.duration = duration;
    /** Latest end of each and those before it. */
    this.reach = new Float64Array(begin.length);
    this.disjoint = true;
    let reach = 0;
    for (let i = 0; i < begin.length; i += 1) {
      if (begin[i] < reach) this.disjoint = false;
      reach = Math.max(reach, begin[i] + duration[i]);
      this.reach[i] = reach;
    }
  }

  /**
   * Calls `visit` with the first and the last of those that begin in one pixel: but for the last they
   * end in it. Spans that overlap come one by one.
   * @param {{begin: number, end: number, width: number}} time @param {number} pixel its nanoseconds
   * @param {function(number, number)} visit
   */
  forPixels(time, pixel, visit) {
    const {begin, disjoint, reach} = this;
    for (let at = firstNotBelow(reach, time.begin); at < begin.length && begin[at] <= time.end;) {
      let last = at;
      if (disjoint) {
        const edge = time.begin + (Math.floor((begin[at] - time.begin) / pixel) + 1) * pixel;
        last = Math.max(firstNotBelow(begin, edge, at + 1) - 1, at);
      }
      visit(at, last);
      at = last + 1;
    }
  }
}
