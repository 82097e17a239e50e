// The view "Recordings": ranks, processes or runs side by side, each figure shaded by its share of
// the column's largest.
import {button, element} from './dom.js';
import {bytesText, timeText} from './format.js';
import {page, recordingName, report} from './data.js';
import {select} from './selection.js';

const MOST_RECORDINGS = 512;

/** Sum of a figure over one recording's directives; null where one is not known. */
function sumOfDirectives(recording, key) {
  const begin = page.timelines[recording].first.directives;
  const next = page.timelines[recording + 1];
  const rows = report.directives.slice(begin, next ? next.first.directives : undefined);
  return rows.some((row) => row[key] === null) ? null : rows.reduce((sum, row) => sum + row[key], 0);
}

const RECORDING_COLUMNS = [
  ['Wall', (at) => report.traces[at].wall_ns - report.traces[at].hashing_ns, timeText],
  ['HtoD', (at) => sumOfDirectives(at, 'HtoD_bytes'), bytesText],
  ['DtoH', (at) => sumOfDirectives(at, 'DtoH_bytes'), bytesText],
  ['Needless', (at) => page.timelines[at].needless.sure.bytes + page.timelines[at].needless.possible.bytes, bytesText],
  ['Transfers', (at) => sumOfDirectives(at, 'transfer_ns'), timeText],
  ['Kernels', (at) => sumOfDirectives(at, 'kernel_ns'), timeText],
];

/** "(10x less)": how a figure stands to the first recording's. */
function factorText(value, first) {
  if (value === null || first === null || value === first || value === 0 || first === 0) return '';
  const factor = first / value;
  if (factor > 0.95 && factor < 1.05) return '';
  const times = factor > 1 ? factor : 1 / factor;
  return `(${times < 9.95 ? times.toFixed(1) : Math.round(times)}x ${factor > 1 ? 'less' : 'more'})`;
}

/** Null where there is one recording. */
export function recordingsTable() {
  if (report.traces.length < 2) return null;
  const shown = report.traces.slice(0, MOST_RECORDINGS);
  const columns = RECORDING_COLUMNS.map(([title, of, show]) => {
    const values = shown.map((_, at) => of(at));
    return {title, show, values, most: Math.max(...values.map((value) => value ?? 0))};
  });
  const cell = ({show, values, most}, at) => {
    const node = element('td', {class: 'shaded'}, values[at] === null ? '–' : show(values[at]),
      ...(page.compared && at > 0 ? [' ', element('span', {class: 'factor'}, factorText(values[at], values[0]))] : []));
    node.style.setProperty('--share', `${most > 0 ? Math.round((40 * (values[at] ?? 0)) / most) : 0}%`);
    return node;
  };
  return element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Recordings'},
    element('table', {class: 'recordings'},
      element('thead', {}, element('tr', {}, ...['', ...columns.map(({title}) => title)]
        .map((title) => element('th', {scope: 'col'}, title)))),
      element('tbody', {}, ...shown.map((_, at) => element('tr', {},
        element('th', {scope: 'row', class: 'text'}, button(recordingName(at), () => select({recording: at}))),
        ...columns.map((column) => cell(column, at)))))));
}
