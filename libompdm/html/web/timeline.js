// What lies at a place of the timeline, and what is to be told of it.
import {FLAGS, KINDS, bytesText, countText, counted, cut, rateText, shareText, sumOf, timeText} from './basics.js';
import {Surface, fittingText, hideTip} from './canvas.js';
import {TABLE_OF, directiveName, onSelect, pick, recordingOfRow, recordings, report, selection, timeWindow, variableName} from './data.js';
import {longestLoop, passesOf} from './passes.js';
import {firstNotBelow} from './spans.js';
import {binsBetween, choose, drawAxis, drawBands, drawBox, drawChosen, drawMemory, drawNarrow, layOut} from './timeline_rows.js';

/** Events of a row between two instants. @param {import('./timeline_rows.js').Row} row @param {Object} events */
function eventsBetween(row, events, from, to) {
  const found = [];
  for (let i = firstNotBelow(row.spans.reach, from); i < row.events.length; i += 1) {
    const event = row.events[i];
    if (events.begin[event] > to) break;
    if (events.begin[event] + events.duration[event] >= from) found.push(event);
  }
  return found;
}

/** The strip and the row at a height. @param {Object} layout @param {number} y */
function stripAt(layout, y) {
  const strip = layout.strips.find((each) => y >= each.y && y < each.y + each.height);
  return {strip, row: strip?.rows.find((each) => y >= each.y - 1 && y <= each.y + each.height + 1)};
}

/** All that is known of an event, line by line. @param {Object} events @param {number} event */
function linesOfEvent(events, event) {
  const kind = KINDS[events.kind[event]];
  const duration = events.duration[event];
  const bytes = events.bytes[event];
  const lines = [`${kind.name}: ${kind.words}`];
  if (events.variable[event] !== 0) lines.push(`variable ${cut(variableName(events.variable[event] - 1), 80)}`);
  if (events.directive[event] !== 0) {
    const row = events.directive[event] - 1;
    lines.push(cut(directiveName(row), 90));
    if (report.directives[row].function) lines.push(`in ${cut(report.directives[row].function, 80)}`);
  }
  if (bytes > 0) {
    const rate = events.kind[event] < 4 && !(events.flags[event] & 4) ? rateText(bytes, duration) : '';
    lines.push(rate ? `${bytesText(bytes)} at ${rate}` : bytesText(bytes));
  }
  lines.push(`${timeText(duration)}, from ${timeText(events.begin[event])} on`);
  for (const flag of FLAGS) if (events.flags[event] & flag.bit) lines.push(flag.words);
  if (events.finding[event] !== 0) lines.push(`redundant: finding ${events.finding[event]}`);
  return lines;
}

/** Several events together, and those that are only counted. */
function linesOfMany(recording, row, found, from, to) {
  const {events, bins, binWidth} = recording;
  const parts = [
    ...found.map((event) => [1, events.bytes[event], events.duration[event], events.finding[event] === 0 ? 0 : 1]),
    ...row.bins.slice(...binsBetween(row, binWidth, from, to)).map((i) => [bins.count[i], bins.bytes[i], bins.busy[i], bins.needless[i]]),
  ];
  const [count, bytes, time, needless] = [0, 1, 2, 3].map((column) => sumOf(parts, column));
  return count === 0 ? null : [counted(count, 'event', 'events'), `${timeText(time)} in all`, ...(bytes > 0 ? [bytesText(bytes)] : []),
    ...(needless > 0 ? [`${needless} of them redundant`] : []), `around ${timeText(from)}`];
}

/** From the first event to the end of the last; null: there is none. @returns {?{begin: number, end: number}} */
function spanOfEvents(events) {
  const {begin, duration} = events;
  if (begin.length === 0) return null;
  let [first, last] = [Infinity, 0];
  for (let i = 0; i < begin.length; i += 1) {
    first = Math.min(first, begin[i]);
    last = Math.max(last, begin[i] + duration[i]);
  }
  return {begin: first, end: last};
}

const MOST_HOLDERS = 5;

/** How much of a device's memory was in use, and which variables held most of it. */
function memoryAt({title, device, samples: {times, bytes}}, {stays}, instant) {
  const after = firstNotBelow(times, instant);
  const holders = [];
  for (let i = 0; i < stays.rows; i += 1) {
    const there = stays.begin[i] <= instant && instant < stays.begin[i] + stays.duration[i];
    if (there && stays.device[i] === device + 1 && stays.variable[i] !== 0) holders.push(stays.variable[i] - 1);
  }
  holders.sort((one, other) => report.variables[other].bytes - report.variables[one].bytes);
  const shown = holders.slice(0, MOST_HOLDERS).map((at) => `${cut(variableName(at), 60)}: ${bytesText(report.variables[at].bytes)}`);
  const more = holders.length > MOST_HOLDERS ? [`and ${holders.length - MOST_HOLDERS} more`] : [];
  return [title, after === 0 ? 'none' : bytesText(bytes[after - 1]), ...shown, ...more];
}

/** Which part of the recording is in sight. */
const shareOfWindow = ({end}) =>
  `${timeText(timeWindow.begin)} to ${timeText(timeWindow.end)}, ${shareText(timeWindow.width, end)} of the recording`;

// The reader's hands on a drawing over time: wheel, drag, pinch and keys.

const KEYS = new Map([
  ['+', () => timeWindow.zoom(1 / 1.5)], ['=', () => timeWindow.zoom(1 / 1.5)],
  ['-', () => timeWindow.zoom(1.5)], ['_', () => timeWindow.zoom(1.5)],
  ['ArrowLeft', () => timeWindow.pan(-0.1)], ['ArrowRight', () => timeWindow.pan(0.1)],
  ['PageUp', () => timeWindow.pan(-0.9)], ['PageDown', () => timeWindow.pan(0.9)],
  ['Home', () => timeWindow.reset()], ['0', () => timeWindow.reset()],
]);

/**
 * The surface of a view over time. It is drawn again where the span or the reader's choice changes.
 * @param {Object} view draws; point(x, y): the pointer rests there; choose(x, y): it was clicked; key(event): true if
 *   it was understood
 * @param {string} id @param {string} label @param {function(): number} heightOf
 */
export function surfaceOverTime(view, id, label, heightOf) {
  const surface = new Surface(id, label, view, heightOf);
  const {canvas} = surface;
  const pointers = new Map();
  let moved = 0;
  let start = 0;
  const width = () => canvas.clientWidth;
  const time = timeWindow;
  const timeAt = (x) => time.begin + (x / width()) * time.width;
  time.listeners.push(() => surface.redraw());
  onSelect((change) => {
    if ('recording' in change && (view.fixed ?? null) === null) view.open();
    surface.redraw();
  });

  // The wheel alone turns the page.
  canvas.addEventListener('wheel', (event) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (!sideways && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (sideways) time.pan((event.deltaX || event.deltaY) / width());
    else time.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))), timeAt(event.offsetX));
  }, {passive: false});

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event.offsetX);
    start = event.offsetX;
    moved = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      view.point(event.offsetX, event.offsetY);
      return;
    }
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const still = others[0][1];
      const factor = Math.abs(before - still) / Math.max(Math.abs(event.offsetX - still), 8);
      time.zoom(Math.max(0.5, Math.min(2, factor)), timeAt(still));
    } else if (event.pointerType === 'touch') {
      time.pan((before - event.offsetX) / width());
    } else {
      const [from, to] = [timeAt(start), timeAt(event.offsetX)];
      time.choose(Math.min(from, to), Math.max(from, to));
    }
    moved += Math.abs(event.offsetX - before);
    pointers.set(event.pointerId, event.offsetX);
    if (time.chosen === null) hideTip();
    else surface.tell(view.linesOfSpan?.(time.chosen) ?? [timeText(time.chosen.end - time.chosen.begin)], event.offsetX, event.offsetY);
  });
  const release = (event) => {
    if (!pointers.delete(event.pointerId) || event.type !== 'pointerup') return;
    if (moved >= 4) {
      if (time.chosen !== null) {
        surface.tell([...(view.linesOfSpan?.(time.chosen) ?? []), 'Enter zooms into it, Escape lets go'], event.offsetX, event.offsetY, true);
      }
      return;
    }
    time.choose(null);
    view.choose(event.offsetX, event.offsetY);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEYS.get(event.key);
    if (time.chosen !== null && event.key === 'Enter') {
      time.show(time.chosen.begin, time.chosen.end);
      time.choose(null);
      hideTip();
    } else if (time.chosen !== null && event.key === 'Escape') {
      time.choose(null);
      hideTip();
    } else if (act) act();
    else if (!view.key(event)) return;
    event.preventDefault();
  });
  return surface;
}

// The view "Timeline": what each device and each thread of the host did, when.

const TOP = 32;

export class Timeline {
  /** @param {?number} fixed the recording to be shown; null: the one that is chosen */
  constructor(fixed = null) {
    this.fixed = fixed;
    this.surface = surfaceOverTime(this, fixed === null ? 'timeline-canvas' : `timeline-canvas-${fixed}`,
        'Timeline. Plus and minus zoom, left and right arrows move, Home shows all; up and down choose a track, '
        + 'comma and full stop its previous and next event.', () => this.layout.height);
    this.open();
  }

  /** Position of the recording that is shown. */
  get shown() {
    return this.fixed ?? selection.recording;
  }

  get recording() {
    return recordings[this.shown];
  }

  /** The loop whose iterations are bands; null: none. */
  get loop() {
    if (this.fixed !== null) return longestLoop(this.fixed);
    return selection.loop !== null && recordingOfRow('iterations', selection.loop) === this.shown ? selection.loop : null;
  }

  /** Shows the chosen recording from begin to end. */
  open() {
    this.layout = layOut(this.recording, TOP);
    this.rows = this.layout.strips.flatMap(({rows}) => rows);
    this.summed = '';
    this.cursor = {strip: -1, event: -1};
    // Recordings that stand below each other have one scale.
    const all = this.fixed === null ? [this.recording] : recordings;
    timeWindow.reset(Math.max(...all.map(({end}) => end)));
    const spans = all.map(({events}) => spanOfEvents(events)).filter((each) => each !== null);
    if (spans.length > 0) timeWindow.open(Math.min(...spans.map(({begin}) => begin)), Math.max(...spans.map(({end}) => end)));
  }

  /** What the reader chose of this recording: a column of its events, and its value there. */
  get chosenRow() {
    const key = ['finding', 'variable', 'directive'].find((each) => selection[each] !== null);
    return key && recordingOfRow(TABLE_OF[key], selection[key]) === this.shown ? {key, value: selection[key] + 1} : null;
  }

  draw(base) {
    const {recording, layout} = this;
    const chosen = this.chosenRow;
    if (JSON.stringify(chosen) !== this.summed) choose(this.rows, recording.events, chosen);
    this.summed = JSON.stringify(chosen);
    const scene = {...base, recording, chosen, cursor: this.cursor.event, boxes: []};
    const {context, palette, width} = scene;
    if (this.loop !== null) drawBands(scene, passesOf(this.loop), layout.height);
    drawAxis(scene, layout.height);
    drawChosen(scene, layout.height);
    for (const row of this.rows) drawNarrow(scene, row);
    scene.layer.drawOn(context);
    for (const {row, event} of scene.boxes) drawBox(scene, row, event);
    layout.strips.forEach((strip, at) => {
      if (strip.samples) drawMemory(scene, strip);
      context.fillStyle = palette.get(at === this.cursor.strip ? '--focus' : '--text');
      context.font = `${at === this.cursor.strip ? 'bold ' : ''}12px system-ui, sans-serif`;
      fittingText(context, strip.title, 4, strip.y + 8, width - 90);
      context.font = '12px system-ui, sans-serif';
    });
  }

  /** @returns {?{lines: string[], event: number}} what lies at a place of the canvas */
  at(x, y) {
    const {row, strip} = stripAt(this.layout, y);
    const width = this.surface.canvas.clientWidth;
    const pixel = timeWindow.width / width;
    const from = timeWindow.begin + (x - 1) * pixel;
    if (!row) return strip?.samples ? {lines: memoryAt(strip, this.recording, from + pixel), event: -1} : null;
    const found = eventsBetween(row, this.recording.events, from, from + 2 * pixel);
    const wide = found.filter((event) => this.recording.events.duration[event] >= 2 * pixel);
    if (found.length === 1 || wide.length === 1) {
      const event = wide[0] ?? found[0];
      return {lines: linesOfEvent(this.recording.events, event), event};
    }
    const lines = linesOfMany(this.recording, row, found, from, from + 2 * pixel);
    return lines && {lines, event: found.length > 0 ? found[0] : -1};
  }

  /** Sums of the events that begin in a span. @param {{begin: number, end: number}} span @returns {string[]} */
  linesOfSpan({begin, end}) {
    const {events} = this.recording;
    const sums = KINDS.map(() => [0, 0, 0]);
    let redundant = 0;
    for (let i = 0; i < events.begin.length; i += 1) {
      if (events.begin[i] < begin || events.begin[i] > end) continue;
      const sum = sums[events.kind[i]];
      sum[0] += 1;
      sum[1] += events.bytes[i];
      sum[2] += events.duration[i];
      if (events.finding[i] !== 0) redundant += events.bytes[i];
    }
    const lines = sums.flatMap(([count, bytes, time], at) => (count === 0 ? []
      : [`${KINDS[at].name}: ${countText(count)}, ${bytes > 0 ? `${bytesText(bytes)}, ` : ''}${timeText(time)}`]));
    return [timeText(end - begin), ...lines, ...(redundant > 0 ? [`redundant: ${bytesText(redundant)}`] : [])];
  }

  point(x, y) {
    if (timeWindow.chosen !== null) return;
    const found = this.at(x, y);
    if (found) this.surface.tell(found.lines, x, y);
    else hideTip();
  }

  choose(x, y) {
    const found = this.at(x, y);
    if (found && found.event >= 0) this.chosen(found.event);
    else pick();
  }

  /** Shows in all views what an event is about. */
  chosen(event) {
    const {events} = this.recording;
    this.cursor.event = event;
    const column = ['finding', 'variable'].find((name) => events[name][event] !== 0) ?? 'directive';
    pick({[column]: events[column][event] === 0 ? null : events[column][event] - 1});
    this.surface.redraw();
  }

  /** Tells the track that is chosen. */
  focused() {
    const strip = this.layout.strips[this.cursor.strip];
    if (strip) this.surface.tell([strip.title, shareOfWindow(this.recording)], 40, strip.y + 18, true);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const strips = this.layout.strips;
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const step = event.key === 'ArrowUp' ? -1 : 1;
      this.cursor = {strip: Math.max(0, Math.min(strips.length - 1, this.cursor.strip + step)), event: -1};
      this.focused();
    } else if (event.key === ',' || event.key === '.') {
      this.step(event.key === '.' ? 1 : -1);
    } else if (event.key === 'Enter' && this.cursor.event >= 0) {
      this.chosen(this.cursor.event);
    } else if (event.key === 'Escape') {
      hideTip();
      pick();
    } else {
      return false;
    }
    this.surface.redraw();
    return true;
  }

  /** Goes to the next event of the track, or the previous one. @param {number} by */
  step(by) {
    const strip = this.layout.strips[Math.max(this.cursor.strip, 0)];
    if (strip.samples) return;
    const {events} = this.recording;
    strip.events ??= Uint32Array.from(strip.rows.flatMap((row) => row.events)).sort();
    const all = strip.events;
    let at = all.indexOf(this.cursor.event);
    if (at < 0) at = by > 0 ? all.findIndex((event) => events.begin[event] >= timeWindow.begin) - 1 : all.length;
    const event = all[at + by];
    if (event === undefined) return;
    this.cursor.event = event;
    const begin = events.begin[event];
    if (begin < timeWindow.begin || begin > timeWindow.end) {
      timeWindow.show(begin - timeWindow.width / 2, begin + timeWindow.width / 2);
    }
    const x = ((begin - timeWindow.begin) / timeWindow.width) * this.surface.canvas.clientWidth;
    this.surface.tell(linesOfEvent(events, event), x, strip.y + 18, true);
  }
}
