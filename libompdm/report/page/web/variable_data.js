// When each variable was on a device, and when it crossed, as the view "Variables" draws it.
import {DTOH, HTOD} from './kinds.js';
import {Spans, firstNotBelow} from './spans.js';

/** What crossed of one variable in one direction, in order of time. */
export class Crossings {
  constructor() {
    this.begin = [];
    this.needless = [];
  }

  /** @param {number} begin @param {boolean} needless */
  add(begin, needless) {
    this.begin.push(begin);
    this.needless.push(needless);
  }

  /** After the last: what a drawing reads. */
  close() {
    this.begin = Float64Array.from(this.begin);
    /** How many before each were not needless. */
    this.needful = new Uint32Array(this.begin.length + 1);
    this.needless.forEach((needless, i) => {
      this.needful[i + 1] = this.needful[i] + (needless ? 0 : 1);
    });
    this.needless = null;
  }

  get needlessCount() {
    return this.begin.length - this.needful[this.begin.length];
  }

  /** @param {number} at */
  isNeedless(at) {
    return this.needful[at] === this.needful[at + 1];
  }

  /** Positions of those in a span: the first, and the one after the last. @param {{begin: number, end: number}} time */
  within(time) {
    const first = firstNotBelow(this.begin, time.begin);
    return [first, firstNotBelow(this.begin, time.end + 1, first)];
  }
}

/**
 * Of each variable, by its row, both directions.
 * @param {import('./data.js').Recording} recording
 * @returns {Map<number, {up: Crossings, down: Crossings}>} up: to the device
 */
export function crossingsOf({events, crossings, crossingWidth}) {
  const byVariable = new Map();
  const add = (variable, up, begin, needless) => {
    if (!byVariable.has(variable)) byVariable.set(variable, {up: new Crossings(), down: new Crossings()});
    const both = byVariable.get(variable);
    (up ? both.up : both.down).add(begin, needless);
  };
  for (let i = 0; i < crossings.rows; i += 1) {
    const begin = crossings.slot[i] * crossingWidth;
    const needless = crossings.needless[i] > 0;
    if (crossings.htod[i] > 0) add(crossings.variable[i] - 1, true, begin, needless);
    if (crossings.dtoh[i] > 0) add(crossings.variable[i] - 1, false, begin, needless);
  }
  for (let i = 0; crossings.rows === 0 && i < events.rows; i += 1) {
    const kind = events.kind[i];
    if ((kind !== HTOD && kind !== DTOH) || events.variable[i] === 0) continue;
    add(events.variable[i] - 1, kind === HTOD, events.begin[i], events.finding[i] !== 0);
  }
  for (const {up, down} of byVariable.values()) {
    up.close();
    down.close();
  }
  return byVariable;
}

/** When each variable, by its row, was on a device. @param {import('./data.js').Recording} recording */
export function staysOf({stays}) {
  const byVariable = new Map();
  for (let i = 0; i < stays.rows; i += 1) {
    const variable = stays.variable[i] - 1;
    if (!byVariable.has(variable)) byVariable.set(variable, []);
    byVariable.get(variable).push(i);
  }
  const columns = (rows) => [stays.begin, stays.duration].map((values) => Float64Array.from(rows, (i) => values[i]));
  return new Map([...byVariable].map(([variable, rows]) => [variable, new Spans(...columns(rows))]));
}
