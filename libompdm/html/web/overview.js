// The view "Recordings": ranks, processes or runs side by side, each figure shaded by its share of
// the column's largest.
import {
  CONFIDENCE, button, bytesText, countText, counted, element, legend, named, plain, scrolling, shareText, sumOf, tableHead, timeText,
} from './basics.js';
import {groupsOfFindings} from './tables.js';
import {knowsTransfers, page, recordingName, report, rowsOf, select} from './data.js';

const MOST_RECORDINGS = 512;
const MOST_BARS = 12;

/** Sum of a figure over one recording's directives; null where one is not known. */
const sumOfDirectives = (recording, key) => sumOf(report.directives.slice(...rowsOf('directives', recording)), key);

const RECORDING_COLUMNS = [
  ['Wall', (at) => report.traces[at].wall_ns - report.traces[at].hashing_ns, timeText],
  ['HtoD', (at) => sumOfDirectives(at, 'HtoD_bytes'), bytesText],
  ['DtoH', (at) => sumOfDirectives(at, 'DtoH_bytes'), bytesText],
  ['Redundant', (at) => page.timelines[at].needless.sure.bytes || page.timelines[at].needless.possible.bytes, bytesText],
  ['Copy time', (at) => sumOfDirectives(at, 'transfer_ns'), timeText],
  ['Kernel time', (at) => sumOfDirectives(at, 'kernel_ns'), timeText],
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
  const rows = shown.map((_, at) => element('tr', {},
    element('th', {scope: 'row', class: 'text'}, button(recordingName(at), () => select({recording: at}))),
    ...columns.map((column) => cell(column, at))));
  return scrolling('Recordings', element('table', {class: 'recordings'},
    tableHead(['', ...columns.map(({title}) => title)]), element('tbody', {}, ...rows)));
}

// The head of the page: what the run was, what movement cost, what could be saved.

const figure = (words, value, note) => element('div', {class: 'figure'},
  element('dt', {}, words), element('dd', {}, value), element('dd', {class: 'note'}, note));

/** "./heat 1000 10, on node17, LLVM 19.1" */
function runLine(trace, who = null) {
  const words = trace.arguments.length > 0 ? trace.arguments : [trace.program];
  return element('p', {class: 'run'}, who,
    element('code', {}, named([words[0].split('/').pop(), ...words.slice(1)].join(' '), 120)),
    ' on ', named(trace.host || 'an unknown host', 40), ', ', named(trace.runtime || 'unknown runtime', 60), ...(who ? [', from ', named(trace.file.split('/').pop(), 60)] : []));
}

/** Needless transfers of all recordings that are not merely possible; of these if there are no others. */
function needlessOf() {
  const kind = page.timelines.some(({needless}) => needless.sure.count > 0) ? 'sure' : 'possible';
  const [count, bytes, time] = ['count', 'bytes', 'time_ns'].map((key) => sumOf(page.timelines.map(({needless}) => needless[kind]), key));
  return {count, bytes, time, word: kind === 'sure' ? 'Redundant' : 'Possibly redundant'};
}

/** Bar of the wall time: what of it were copies, needless ones, kernels, and the rest. */
function wallBar(trace, needless) {
  if (trace.transfer_union_ns === null || trace.wall_ns <= 0) return null;
  const wall = trace.wall_ns - trace.hashing_ns;
  // Copies may overlap each other: the needless have their share of the time in which any ran.
  const {HtoD, DtoH, DtoD} = report.totals;
  const copies = HtoD.time_ns + DtoH.time_ns + DtoD.time_ns;
  const wasted = copies > 0 ? Math.min(needless.time / copies, 1) * trace.transfer_union_ns : 0;
  const kernels = trace.device_union_ns - trace.transfer_union_ns;
  const parts = [
    ['needless', wasted, `${needless.word.toLowerCase()} copies`],
    ['htod', trace.transfer_union_ns - wasted, wasted > 0 ? 'other copies' : 'copies'],
    ['kernel', kernels, kernels < trace.kernel_union_ns ? 'kernels and no copy' : 'kernels'],
  ].filter(([, time]) => time > 0);
  const rest = wall - parts.reduce((sum, [, time]) => sum + time, 0);
  if (rest > 0) parts.push(['host', rest, 'other: host, start-up']);
  const bar = element('div', {class: 'wall-bar', 'aria-hidden': 'true'});
  for (const [name, time] of parts) {
    const piece = element('span', {class: `piece ${name}`});
    piece.style.flexGrow = String(time / wall);
    bar.append(piece);
  }
  return element('figure', {class: 'wall', 'aria-label': 'Where the wall time went'}, bar,
    legend(parts.map(([name, time, words]) => [name, `${words} ${timeText(time)}, ${shareText(time, wall)}`])));
}

/** The change that saves most, as a link to its finding, with its saving. Null without findings. */
function firstChange() {
  if (report.findings.length === 0) return null;
  const group = groupsOfFindings()[0];
  const finding = report.findings[group[0]];
  const [bytes, time] = ['wasted_bytes', 'wasted_ns'].map((key) => sumOf(group.map((at) => report.findings[at]), key));
  const saves = [bytes > 0 ? bytesText(bytes) : null, time > 0 ? timeText(time) : null].filter(Boolean);
  return element('p', {class: 'first-change'}, 'First change: ', element('a', {href: `#finding-${group[0]}`}, plain(page.actions[group[0]])),
    saves.length > 0 ? `, saves ${saves.join(' and ')}` : '', ` (${finding.confidence}: ${CONFIDENCE[finding.confidence]})`);
}

const warning = (words) => element('p', {class: 'warning'}, words);

/** A bar for each version on one scale: copies, kernels, and the time without device activity. Null where a part is not known. */
function versionBars() {
  const known = report.traces.every((trace) => trace.transfer_union_ns !== null && trace.device_union_ns !== null && trace.wall_ns > 0);
  if (!known || report.traces.length > MOST_BARS) return null;
  const walls = report.traces.map((trace) => trace.wall_ns - trace.hashing_ns);
  const longest = Math.max(...walls);
  const rows = report.traces.map((trace, at) => {
    const parts = [['htod', trace.transfer_union_ns], ['kernel', trace.device_union_ns - trace.transfer_union_ns],
      ['host', Math.max(walls[at] - trace.device_union_ns, 0)]];
    const bar = element('div', {class: 'wall-bar', 'aria-hidden': 'true'}, ...parts.map(([name, time]) => {
      const piece = element('span', {class: `piece ${name}`});
      piece.style.flexGrow = String(time / walls[at]);
      return piece;
    }));
    bar.style.width = `${(100 * walls[at]) / longest}%`;
    return element('div', {class: 'version'}, element('span', {class: 'name'}, recordingName(at)), element('div', {class: 'space'}, bar),
      element('span', {class: 'time'}, timeText(walls[at])));
  });
  return element('figure', {class: 'versions', 'aria-label': 'Wall time of each version'}, ...rows,
    legend([['htod', 'copies'], ['kernel', 'kernels and no copy'], ['host', 'no device activity']]));
}

/** What is compared: figures are told recording by recording. */
const comparedOverview = () => [
  ...report.traces.map((trace, at) => runLine(trace, element('strong', {}, `${recordingName(at)}: `))),
  element('p', {class: 'headline named'}, plain(page.headline)),
  page.wall ? element('p', {class: 'because'}, plain(page.wall)) : null,
  versionBars(),
  ...page.warnings.map(plain).map(warning),
  recordingsTable(),
  element('p', {class: 'note'}, plain(page.basis)),
];

/** @returns {?Node[]} */
export function overview() {
  if (page.compared) return comparedOverview();
  const {totals, traces, prediction} = report;
  const needless = needlessOf();
  const crossings = totals.HtoD.count + totals.DtoH.count + totals.DtoD.count;
  const crossed = totals.HtoD.bytes + totals.DtoH.bytes + totals.DtoD.bytes;
  const wall = Math.max(...traces.map((trace) => trace.wall_ns - trace.hashing_ns));
  const toldWhole = page.warnings.length === 0;
  // What was counted has its times, but no union of them.
  const timed = !toldWhole || traces.every((trace) => trace.device_union_ns !== null);
  const ofAll = traces.length > 1 ? `, all ${traces.length} added` : '';
  const flow = (words, {bytes, count, time_ns: time}) => figure(words, knowsTransfers ? bytesText(bytes) : 'not known',
    knowsTransfers ? counted(count, 'copy', 'copies') + (timed ? `, ${timeText(time)}` : '') + ofAll : 'transfers were not recorded');
  const launches = counted(totals.kernel.count, 'launch', 'launches') + ofAll;
  const figures = [
    figure('Wall', timeText(wall), traces.length > 1 ? `the longest of ${traces.length} recordings` : 'of the process'),
    flow('To the device', totals.HtoD), flow('To the host', totals.DtoH),
    timed ? figure('Kernels', timeText(totals.kernel.time_ns), launches) : figure('Kernels', launches, 'not timed'),
  ];
  if (needless.count > 0) {
    figures.push(figure(needless.word, bytesText(needless.bytes),
      `${report.prediction?.at_most ? 'at most ' : ''}${countText(needless.count)} of ${counted(crossings, 'copy', 'copies')}, ${shareText(needless.bytes, crossed)} of the bytes`));
  }
  const better = prediction && (needless.word === 'Redundant' ? prediction : prediction.possible);
  if (better && better.wall_ns < 0.99 * wall) {
    figures.push(figure('Could take', timeText(better.wall_ns), `without it; ${shareText(wall - better.wall_ns, wall)} less${page.has_device_times ? '' : ' on this machine'}`));
  }
  const cut = traces.some((trace) => trace.truncated);
  const lost = traces.flatMap((trace) => trace.losses).filter((loss) => loss.count > 0);
  return [
    runLine(traces[0]),
    traces.length > 1 ? element('p', {class: 'run'}, `and ${counted(traces.length - 1, 'more recording', 'more recordings')}`) : null,
    element('p', {class: 'headline'}, plain(page.headline)),
    firstChange(),
    ...page.warnings.map(plain).map(warning),
    cut ? warning('The trace is cut short: figures are of the part that is left.') : null,
    lost.length > 0 ? warning(`Lost: ${lost.map((loss) => `${loss.count} ${plain(loss.name).slice(0, 100)}`).join(', ')}`) : null,
    element('dl', {class: 'figures-row'}, ...figures),
    traces.length === 1 && toldWhole ? wallBar(traces[0], needless) : null,
    ...[page.basis, ...page.memory].filter(Boolean).map((line) => element('p', {class: 'note'}, plain(line))),
  ];
}
