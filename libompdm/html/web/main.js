// Puts the page together.
import {KINDS, PARTS, button, byId, counted, element, fill, legend, plain, reveal} from './basics.js';
import {followColours} from './canvas.js';
import {
  TABLE_OF, loopName, onSelect, page, pick, readRecordings, recordingName, recordingOfRow, recordings, report, select,
  selection, timeWindow, variableName,
} from './data.js';
import {overview, recordingsTable} from './overview.js';
import {Passes, longestLoop} from './passes.js';
import {clauses, findings, revealLine, source, tables} from './tables.js';
import {Timeline} from './timeline.js';
import {Variables} from './variables.js';

/** A list of choices, kept as the selection has it. */
function chooser(label, key, names, none) {
  const list = element('select', {'aria-label': label, onchange: () => select({[key]: list.value === '' ? null : Number(list.value)})},
    ...(none ? [element('option', {value: ''}, none)] : []),
    ...names.map((name, at) => element('option', {value: String(at)}, plain(name).slice(0, 100))));
  const follow = () => {
    list.value = selection[key] === null ? '' : String(selection[key]);
  };
  onSelect(follow);
  follow();
  return element('label', {}, `${label} `, list);
}

/** Whose loop it is, where there are several recordings. */
const ofRecording = (loop) => (report.traces.length < 2 ? '' : `${recordingName(recordingOfRow('iterations', loop))}: `);

const loopChooser = () => (report.iterations.length === 0 ? null
  : chooser('Loop', 'loop', report.iterations.map((row, at) => `${ofRecording(at)}${loopName(at)}, ${counted(row.count, 'iteration', 'iterations')}`), 'none'));

/** Where a loop, a finding or a variable is of another recording, that one is shown. */
function followRecording() {
  onSelect((change) => {
    const key = Object.keys(TABLE_OF).find((each) => change[each] >= 0);
    if (key) {
      select({recording: recordingOfRow(TABLE_OF[key], change[key])});
      return;
    }
    // Another recording has loops of its own.
    if ('recording' in change && selection.loop !== null && recordingOfRow('iterations', selection.loop) !== change.recording) {
      select({loop: longestLoop(change.recording)});
    }
  });
}

/** Says what is picked out, and lets go of it. */
function chosenLine() {
  const line = element('p', {class: 'chosen-line', hidden: true});
  onSelect(() => {
    const what = selection.finding !== null ? `finding ${selection.finding + 1}`
      : selection.variable !== null ? `variable ${plain(variableName(selection.variable)).slice(0, 60)}`
        : selection.directive !== null ? plain(page.names.directives[selection.directive]).slice(0, 80) : null;
    line.hidden = what === null;
    line.replaceChildren(what === null ? '' : `Picked out: ${what} `,
      button('Show all', () => pick()));
  });
  return line;
}

/** A part of a view for each recording, under its name. */
const namedParts = (parts) => parts.map((node, at) => (node === null ? null
  : element('div', {}, element('h3', {}, recordingName(at)), node)));

const recordingChooser = () => (recordings.length < 2 ? null
  : chooser('Recording', 'recording', recordings.map((each) => each.name), null));

const MOST_TOGETHER = 32;

/** The recordings of a job: all below each other on one scale, and behind a button the one that is chosen. */
function togetherAndAlone(chooserOfRecording) {
  const all = recordings.map((_, at) => new Timeline(at));
  const one = new Timeline();
  const together = element('div', {class: 'together'}, ...namedParts(all.map((each) => each.surface.canvas)));
  const alone = element('div', {hidden: true}, one.surface.canvas);
  chooserOfRecording.hidden = true;
  const toggle = button('One at a time', () => {
    const shows = together.hidden;
    [together.hidden, alone.hidden, chooserOfRecording.hidden] = [!shows, shows, shows];
    toggle.textContent = shows ? 'One at a time' : 'All recordings';
    (shows ? all[0] : one).open();
    for (const each of shows ? all : [one]) each.surface.redraw();
  });
  all[0].open();
  return {toggle, parts: [together, alone]};
}

function timelineSection() {
  if (recordings.every((each) => each.tracks.length === 0)) return null;
  const chooserOfRecording = page.compared ? null : recordingChooser();
  const isJob = chooserOfRecording !== null && recordings.length <= MOST_TOGETHER;
  const {toggle, parts} = isJob ? togetherAndAlone(chooserOfRecording)
    : {toggle: null, parts: page.compared ? namedParts(recordings.map((_, at) => new Timeline(at).surface.canvas)) : [new Timeline().surface.canvas]};
  const controls = element('div', {class: 'controls'},
    toggle, chooserOfRecording, page.compared ? null : loopChooser(),
    element('span', {class: 'buttons'},
      button('+', () => timeWindow.zoom(1 / 1.5), 'Zoom in'), button('−', () => timeWindow.zoom(1.5), 'Zoom out'),
      button('All', () => timeWindow.reset(), 'Show all')));
  const used = new Set(recordings.flatMap((each) => each.tracks.map((track) => KINDS[track.kind].colour)));
  const names = [['--htod', 'HtoD'], ['--kernel', 'kernel'], ['--dtoh', 'DtoH'], ['--dtod', 'DtoD, memset'],
    ['--alloc', 'alloc, delete'], ['--host', 'host directive']].filter(([colour]) => used.has(colour));
  const binned = recordings.find((each) => each.binWidth > 0);
  return element('div', {}, controls, chosenLine(),
    legend([...names.map(([colour, words]) => [colour.slice(2), words]), ['needless', 'redundant'], ['memory', 'memory in use']]),
    ...parts,
    element('p', {class: 'note'}, 'Drag selects a span and sums it; Enter zooms into it. Ctrl+wheel zooms, Shift+wheel moves. Keys: + − ← → Home, '
      + '↑ ↓ choose a track, comma and full stop its events.'
      + (binned ? ` Of ${binned.total} events the longest are shown one by one, the others as how busy each instant was.` : '')));
}

function passesSection() {
  if (report.iterations.length === 0) return null;
  const part = (passes) => element('div', {class: 'passes'}, passes.surface.canvas, passes.figures);
  const parts = page.compared ? namedParts(recordings.map((_, at) => longestLoop(at))
    .map((loop) => (loop === null ? null : part(new Passes(loop)))))
    : [element('div', {class: 'controls'}, loopChooser()), part(new Passes())];
  return element('div', {}, legend([...PARTS.map(({words, colour}) => [colour.slice(2), words]), ['needless', 'redundant']]), ...parts);
}

function variablesSection() {
  if (report.variables.length === 0) return null;
  const variables = new Variables();
  return element('div', {}, page.compared ? recordingChooser() : null,
    legend([['memory', 'on the device'], ['tick-htod', 'sent there'], ['tick-dtoh', 'sent back'], ['', '▽ △ redundant']]),
    variables.surface.canvas, variables.more);
}

async function start() {
  await readRecordings();
  timeWindow.reset(recordings[0].end);
  document.title = `${plain(report.traces[0].program).split('/').pop().slice(0, 80)} – ompdm ${page.compared ? 'compare' : 'report'}`;
  followColours();
  followRecording();
  const go = (view, change, row) => {
    select(change);
    if (view === 'source') {
      revealLine(row);
      return;
    }
    byId(view).scrollIntoView({block: 'start'});
    reveal(byId(view).querySelector('canvas') ?? byId(view));
  };
  fill('overview', ...overview());
  fill('clauses', clauses(go));
  fill('findings', ...findings(go));
  fill('recordings', page.compared ? null : recordingsTable());
  fill('timeline', timelineSection());
  fill('passes', passesSection());
  fill('variables', variablesSection());
  fill('source', ...source());
  fill('tables', report.directives.length > 0 ? element('div', {}, ...tables()) : null);
  for (const link of document.querySelectorAll('nav a')) link.hidden = byId(link.hash.slice(1)).hidden;
  select({loop: longestLoop(0)});
  window.ompdm = {timeWindow};  // for tests
  document.documentElement.classList.add('ready');
}

start().catch((error) => {
  byId('overview').prepend(element('p', {class: 'warning'},
    `This page could not be drawn (${plain(String(error.message))}): it needs a browser of 2023 or newer.`));
  throw error;
});
