// The page's data: the report (`ompdm.report/1`), and the recordings' events as columns of numbers.
import {cut} from './format.js';

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

/** Whether zeros mean that nothing crossed, and not that nothing was heard. */
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
 * Puts the planes of a column (report/page/columns.h) together.
 * @param {Uint8Array} bytes @param {number} at @param {number} rows
 * @param {{bytes: number, grows: boolean}} column
 */
export function columnAt(bytes, at, rows, column) {
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
export function recordingOf(head, bytes) {
  const recording = {
    name: head.name, end: Math.max(head.end_ns, 1), tracks: head.tracks, first: head.first,
    needless: head.needless, total: head.events, binWidth: head.bin_ns, crossingWidth: head.crossing_ns,
  };
  let at = 0;
  for (const [name, {rows, columns}] of Object.entries(head.blocks)) {
    const block = {rows};
    for (const column of columns) {
      block[column.name] = columnAt(bytes, at, rows, column);
      at += rows * column.bytes;
    }
    recording[name] = block;
  }
  return recording;
}

/** @returns {Promise<Recording[]>} */
export function readRecordings() {
  return Promise.all(page.timelines.map(async (head, i) =>
    recordingOf(head, await inflated(`numbers-${i}`))));
}

/**
 * Which recording a row of a table of the report is of: they come one after the other.
 * @param {string} table @param {number} row
 */
export function recordingOfRow(table, row) {
  let of = 0;
  page.timelines.forEach((head, at) => {
    if (head.first[table] <= row) of = at;
  });
  return of;
}

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
 * Position of the row of one recording that has an id; undefined if there is none.
 * @param {string} table @param {string} id @param {number} recording
 */
export function rowOfId(table, id, recording) {
  const next = page.timelines[recording + 1];
  const end = next ? next.first[table] : report[table].length;
  for (let row = page.timelines[recording].first[table]; row < end; row += 1) {
    if (report[table][row].id === id) return row;
  }
  return undefined;
}
