// The page's data, the reader's selection in it, and the span of time that is shown.
import {cut} from './basics.js';

// The page's data: the report (`ompdm.report/1`), and the recordings' events as columns of numbers.

/**
 * @typedef {Object} Block columns by name, all of `rows` values
 * @typedef {Object} Recording
 * @property {string} name empty where there is one recording
 * @property {number} end of the picture, nanoseconds
 * @property {Object[]} tracks
 * @property {Block} events, bins, crossings, memory, stays, passes
 */

/** @param {string} id */
const json = (id) => JSON.parse(document.getElementById(id).textContent);

export const report = json('report');
export const page = json('page');

/** Whether zeros mean that nothing was transferred. Otherwise transfers were not recorded. */
export const knowsTransfers =
    report.traces.every((trace) => !['no_emi', 'unreachable', 'other_runtime'].includes(trace.reach));

/** @param {string} id @returns {Promise<Uint8Array>} */
async function inflated(id) {
  const text = atob(document.getElementById(id).textContent);
  const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Puts the planes of a column (html/page.h) together.
 * @param {Uint8Array} bytes @param {number} at @param {number} rows
 * @param {{bytes: number, grows: boolean}} column
 */
function columnAt(bytes, at, rows, column) {
  const wide = column.grows || column.bytes > 4;
  const values = wide ? new Float64Array(rows) : new Uint32Array(rows);
  for (let plane = 0; plane < column.bytes; plane += 1) {
    const weight = 256 ** plane;
    const begin = at + plane * rows;
    for (let i = 0; i < rows; i += 1) values[i] += bytes[begin + i] * weight;
  }
  if (column.grows) for (let i = 1; i < rows; i += 1) values[i] += values[i - 1];
  return values;
}

/** @param {Object} head @param {Uint8Array} bytes @returns {Recording} */
function recordingOf(head, bytes) {
  const {name, tracks, events: total, bin_ns: binWidth, crossing_ns: crossingWidth} = head;
  const recording = {name, tracks, total, binWidth, crossingWidth, end: Math.max(head.end_ns, 1)};
  let at = 0;
  for (const [table, {rows, columns}] of Object.entries(head.blocks)) {
    const block = {rows};
    for (const column of columns) {
      block[column.name] = columnAt(bytes, at, rows, column);
      at += rows * column.bytes;
    }
    recording[table] = block;
  }
  return recording;
}

/** @type {Recording[]} */
export const recordings = [];

/** Fills `recordings`. */
export async function readRecordings() {
  recordings.push(...await Promise.all(page.timelines.map(async (head, i) => recordingOf(head, await inflated(`numbers-${i}`)))));
}

/**
 * Positions of rows by key, in order. Rows with a negative key are left out.
 * @param {number} rows @param {function(number): number} keyOf @returns {Map<number, number[]>}
 */
export function positionsByKey(rows, keyOf) {
  const lists = new Map();
  for (let i = 0; i < rows; i += 1) {
    const key = keyOf(i);
    if (key < 0) continue;
    if (!lists.has(key)) lists.set(key, []);
    lists.get(key).push(i);
  }
  return lists;
}

/** Values at some positions, side by side. @param {number[]} list @param {ArrayLike<number>} values */
export const gathered = (list, values) => Float64Array.from(list, (at) => values[at]);

/**
 * Which recording a row of a table of the report is of: they come one after the other.
 * @param {string} table @param {number} row
 */
export const recordingOfRow = (table, row) => page.timelines.findLastIndex(({first}) => first[table] <= row);

/** What a recording is called, where there are several. @param {number} at */
export const recordingName = (at) => cut(page.timelines[at].name, 40);

/** What rows of the report are called, for places that know them by their position. */
export const directiveName = (row) => {
  const directive = report.directives[row];
  return `${directive.api || directive.directive} · ${page.names.directives[row] || 'unknown place'}`;
};
export const variableName = (row) => report.variables[row].name || '(no name)';
export const loopName = (row) => {
  const over = report.iterations[row].directives.map((at) => page.names.directives[at]);
  return page.names.loops[row] || `loop over ${over.slice(0, 3).join(', ') || 'unknown directives'}`;
};

/**
 * Positions of a recording's rows in a table of the report: the first, and the one after the last.
 * @param {string} table @param {number} recording
 */
export function rowsOf(table, recording) {
  const next = page.timelines[recording + 1];
  return [page.timelines[recording].first[table], next ? next.first[table] : report[table].length];
}

/**
 * Position of the row of one recording that has an id; undefined if there is none.
 * @param {string} table @param {string} id @param {number} recording
 */
export function rowOfId(table, id, recording) {
  const [first, end] = rowsOf(table, recording);
  for (let at = first; at < end; at += 1) if (report[table][at].id === id) return at;
  return undefined;
}

// What the reader looks at: chosen in one view, shown in all.

/** Rows of the report's tables, null where none is chosen; `recording` is the one whose time is shown. */
export const selection = {recording: 0, loop: null, finding: null, directive: null, variable: null};

/** The tables of the report that these are rows of. */
export const TABLE_OF = {loop: 'iterations', finding: 'findings', variable: 'variables', directive: 'directives'};

const listeners = [];

/** @param {function(Object)} listener called with what changed */
export function onSelect(listener) {
  listeners.push(listener);
}

/** @param {Object} change */
export function select(change) {
  const changed = Object.entries(change).filter(([key, value]) => selection[key] !== value);
  if (changed.length === 0) return;
  Object.assign(selection, change);
  for (const listener of listeners) listener(Object.fromEntries(changed));
}

/** Picks out one row, and nothing else; nothing at all without it. @param {Object} row */
export const pick = (row = {}) => select({finding: null, variable: null, directive: null, ...row});

/** @typedef {{begin: number, end: number}} Span nanoseconds */

/** The span of time that the timeline and the variables show. */
export const timeWindow = {
  total: 0,
  listeners: [],  // called after each change

  get width() {
    return this.end - this.begin;
  },

  /** The span that the reader has chosen; null: none. @type {?{begin: number, end: number}} */
  chosen: null,

  /** @param {?number} begin null: lets go of it @param {number} end */
  choose(begin, end) {
    this.chosen = begin === null ? null : {begin, end};
    for (const listener of this.listeners) listener();
  },

  /** Shows a span with some room around it, where that is less than all. @param {number} begin @param {number} end */
  open(begin, end) {
    const room = 0.02 * (end - begin);
    this.show(begin - room, end + room);
  },

  /** Shows all. @param {number} total nanoseconds */
  reset(total = this.total) {
    this.total = total;
    this.chosen = null;
    this.show(0, total);
  },

  /** Shows a span, or as much of it as there is. @param {number} begin @param {number} end */
  show(begin, end) {
    const width = Math.min(Math.max(end - begin, Math.min(100, this.total)), this.total);
    this.begin = Math.min(Math.max(begin, 0), this.total - width);
    this.end = this.begin + width;
    for (const listener of this.listeners) listener();
  },

  /** @param {number} factor above 1 shows more @param {number} at the instant that stays in place */
  zoom(factor, at = (this.begin + this.end) / 2) {
    const begin = at - (at - this.begin) * factor;
    this.show(begin, begin + this.width * factor);
  },

  /** @param {number} share of what is shown */
  pan(share) {
    const by = this.width * share;
    this.show(this.begin + by, this.end + by);
  },
};

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
