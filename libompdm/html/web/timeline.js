// What lies at a place of the timeline, and what is to be told of it.
import {FLAGS, KINDS, REGION, bytesText, counted, cut, plain, rateText, shareText, timeText} from './basics.js';
import {Surface, fittingText, hideTip} from './canvas.js';
import {directiveName, onSelect, page, pick, recordingOfRow, report, selection, variableName} from './data.js';
import {longestLoop, passesOf} from './passes.js';
import {Numbers, firstNotBelow} from './spans.js';
import {choose, drawAxis, drawBands, drawBoxes, drawMemory, drawNarrow, layOut} from './timeline_rows.js';

/**
 * Events of a row between two instants.
 * @param {import('./timeline_rows.js').Row} row @param {Object} events
 */
export function eventsBetween(row, events, from, to) {
  const found = [];
  for (let i = row.spans.firstAt(from); i < row.events.length; i += 1) {
    const event = row.events[i];
    if (events.begin[event] > to) break;
    if (events.begin[event] + events.duration[event] >= from) found.push(event);
  }
  return found;
}

/** The strip and the row at a height. @param {Object} layout @param {number} y */
export function stripAt(layout, y) {
  const strip = layout.strips.find((each) => y >= each.y && y < each.y + each.height);
  if (!strip || !strip.rows) return {strip, row: null};
  const row = strip.rows.find((each) => y >= each.y - 1 && y <= each.y + each.height + 1) ?? null;
  return {strip, row};
}

/** All that is known of an event, line by line. @param {Object} events @param {number} event */
export function linesOfEvent(events, event) {
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
  if (events.finding[event] !== 0) lines.push(`needless: finding ${events.finding[event]}`);
  return lines;
}

/** Several events together, and those that are only counted. */
export function linesOfMany(recording, row, found, from, to) {
  const {events, bins, binWidth} = recording;
  const sum = {count: 0, bytes: 0, time: 0, needless: 0};
  for (const event of found) {
    sum.count += 1;
    sum.bytes += events.bytes[event];
    sum.time += events.duration[event];
    if (events.finding[event] !== 0) sum.needless += 1;
  }
  for (const i of row.bins) {
    const begin = bins.slot[i] * binWidth;
    if (begin > to) break;
    if (begin + binWidth < from) continue;
    sum.count += bins.count[i];
    sum.bytes += bins.bytes[i];
    sum.time += bins.busy[i];
    sum.needless += bins.needless[i];
  }
  if (sum.count === 0) return null;
  const lines = [counted(sum.count, 'event', 'events'), `${timeText(sum.time)} in all`];
  if (sum.bytes > 0) lines.push(bytesText(sum.bytes));
  if (sum.needless > 0) lines.push(`${sum.needless} of them needless`);
  lines.push(`around ${timeText(from)}`);
  return lines;
}

/** Which part of the recording is in sight. */
const shareOfWindow = (recording, time) =>
  `${timeText(time.begin)} to ${timeText(time.end)}, ${shareText(time.width, recording.end)} of the recording`;

/** What a box may be called, the longest first. @param {Object} events @param {number} event */
export function labelsOf(events, event) {
  if (events.kind[event] === REGION) {
    if (events.directive[event] === 0) return ['region'];
    const row = events.directive[event] - 1;
    return [directiveName(row), page.names.directives[row] || 'unknown place'].map((name) => plain(name).slice(0, 90));
  }
  const name = events.variable[event] === 0 ? KINDS[events.kind[event]].name : plain(variableName(events.variable[event] - 1)).slice(0, 60);
  return events.bytes[event] > 0 ? [`${name} ${bytesText(events.bytes[event])}`, name] : [name];
}

// The reader's hands on a drawing over time: wheel, drag, pinch and keys.

/**
 * @typedef {Object} Hands
 * @property {function(number, number)} point at x, y; the pointer rests there
 * @property {function()} away the pointer left
 * @property {function(number, number)} choose x, y was clicked
 * @property {?function(KeyboardEvent): boolean} key true if it was understood
 */

const KEYS = new Map([
  ['+', (time) => time.zoom(1 / 1.5)], ['=', (time) => time.zoom(1 / 1.5)],
  ['-', (time) => time.zoom(1.5)], ['_', (time) => time.zoom(1.5)],
  ['ArrowLeft', (time) => time.pan(-0.1)], ['ArrowRight', (time) => time.pan(0.1)],
  ['PageUp', (time) => time.pan(-0.9)], ['PageDown', (time) => time.pan(0.9)],
  ['Home', (time) => time.reset()], ['0', (time) => time.reset()],
]);

/**
 * @param {HTMLCanvasElement} canvas @param {import('./data.js').TimeWindow} time
 * @param {Hands} hands
 */
export function handle(canvas, time, hands) {
  const pointers = new Map();
  let moved = 0;
  const width = () => canvas.clientWidth;
  const timeAt = (x) => time.begin + (x / width()) * time.width;

  // A reader who turns the page does not want to be caught by a drawing that comes along, nor held
  // by one where there is nothing to zoom out of.
  let turned = -Infinity;
  window.addEventListener('scroll', () => {
    turned = performance.now();
  }, {passive: true});
  canvas.addEventListener('wheel', (event) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const turnsPage = performance.now() - turned < 300 || (event.deltaY > 0 && time.width >= time.total);
    if (!sideways && !event.ctrlKey && turnsPage) return;
    event.preventDefault();
    if (sideways) time.pan((event.deltaX || event.deltaY) / width());
    else time.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))), timeAt(event.offsetX));
  }, {passive: false});

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event.offsetX);
    moved = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      hands.point(event.offsetX, event.offsetY);
      return;
    }
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const still = others[0][1];
      const factor = Math.abs(before - still) / Math.max(Math.abs(event.offsetX - still), 8);
      time.zoom(Math.max(0.5, Math.min(2, factor)), timeAt(still));
    } else {
      time.pan((before - event.offsetX) / width());
    }
    moved += Math.abs(event.offsetX - before);
    pointers.set(event.pointerId, event.offsetX);
    hands.away();
  });
  const release = (event) => {
    if (pointers.delete(event.pointerId) && moved < 4 && event.type === 'pointerup') hands.choose(event.offsetX, event.offsetY);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => hands.away());
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEYS.get(event.key);
    if (act) act(time);
    else if (!hands.key || !hands.key(event)) return;
    event.preventDefault();
  });
}

// The view "Timeline": what each device and each thread of the host did, when.

const TOP = 32;

/** Numbers of several lists. @param {Uint32Array[]} lists */
function sortedTogether(lists) {
  const all = new Uint32Array(lists.reduce((sum, {length}) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort();
}

export class Timeline {
  /**
   * @param {import('./data.js').Recording[]} recordings
   * @param {import('./data.js').TimeWindow} time
   * @param {?number} fixed the recording to be shown; null: the one that is chosen
   */
  constructor(recordings, time, fixed = null) {
    this.recordings = recordings;
    this.fixed = fixed;
    this.time = time;
    this.cursor = {strip: 0, event: -1};
    this.boxes = new Numbers();
    this.surface = new Surface(
        'Timeline. Plus and minus zoom, left and right arrows move, Home shows all; up and down choose a track, '
        + 'comma and full stop its previous and next event.',
        (context, width, palette) => this.draw(context, width, palette), () => this.layout.height);
    this.surface.canvas.id = fixed === null ? 'timeline-canvas' : `timeline-canvas-${fixed}`;
    this.open();
    handle(this.surface.canvas, time, {
      point: (x, y) => this.point(x, y),
      away: hideTip,
      choose: (x, y) => this.choose(x, y),
      key: (event) => this.key(event),
    });
    time.onChange(() => this.surface.redraw());
    onSelect((change) => {
      if ('recording' in change && this.fixed === null) this.open();
      this.surface.redraw();
    });
  }

  /** Position of the recording that is shown. */
  get shown() {
    return this.fixed ?? selection.recording;
  }

  get recording() {
    return this.recordings[this.shown];
  }

  /** The loop whose passes are bands; null: none. */
  get loop() {
    if (this.fixed !== null) return longestLoop(this.fixed);
    return selection.loop !== null && recordingOfRow('iterations', selection.loop) === this.shown ? selection.loop : null;
  }

  /** Shows the chosen recording from begin to end. */
  open() {
    this.layout = layOut(this.recording, TOP);
    this.rows = this.layout.strips.flatMap((strip) => strip.rows ?? []);
    this.summed = null;
    this.cursor = {strip: -1, event: -1};
    // What is compared is shown on one scale.
    this.time.reset(page.compared ? Math.max(...this.recordings.map(({end}) => end)) : this.recording.end);
  }

  /** What the reader chose of this recording: a column of its events, and its value there. */
  get chosenRow() {
    for (const [key, table] of [['finding', 'findings'], ['variable', 'variables'], ['directive', 'directives']]) {
      const row = selection[key];
      if (row !== null) return recordingOfRow(table, row) === this.shown ? {key, value: row + 1} : null;
    }
    return null;
  }

  draw(context, width, palette) {
    const {recording, layout} = this;
    const {events} = recording;
    const chosen = this.chosenRow;
    if (chosen?.key !== this.summed?.key || chosen?.value !== this.summed?.value) choose(this.rows, events, chosen);
    this.summed = chosen;
    this.boxes.length = 0;
    const scene = {
      context, palette, layer: this.surface.layer, boxes: this.boxes, recording, width, time: this.time, chosen: this.cursor.event,
      isFaint: (event) => chosen !== null && events[chosen.key][event] !== chosen.value,
      labels: (event) => labelsOf(events, event), faintBins: chosen !== null,
    };
    if (this.loop !== null) drawBands(scene, passesOf(this.recordings, this.loop), layout.height);
    drawAxis(scene, layout.height);
    this.rows.forEach((row, at) => drawNarrow(scene, row, at));
    scene.layer.drawOn(context);
    drawBoxes(scene, this.rows);
    layout.strips.forEach((strip, at) => {
      if (!strip.rows) drawMemory(scene, strip);
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
    const pixel = this.time.width / width;
    const from = this.time.begin + (x - 1) * pixel;
    if (!row) return strip && !strip.rows ? {lines: this.memoryAt(strip, from + pixel), event: -1} : null;
    const found = eventsBetween(row, this.recording.events, from, from + 2 * pixel);
    const wide = found.filter((event) => this.recording.events.duration[event] >= 2 * pixel);
    if (found.length === 1 || wide.length === 1) {
      const event = wide[0] ?? found[0];
      return {lines: linesOfEvent(this.recording.events, event), event};
    }
    const lines = linesOfMany(this.recording, row, found, from, from + 2 * pixel);
    return lines && {lines, event: found.length > 0 ? found[0] : -1};
  }

  memoryAt(strip, instant) {
    const {times, bytes} = strip.samples;
    const after = firstNotBelow(times, instant);
    return [strip.title, after === 0 ? 'none' : bytesText(bytes[after - 1])];
  }

  point(x, y) {
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

  /** @param {KeyboardEvent} event */
  key(event) {
    const strips = this.layout.strips;
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const step = event.key === 'ArrowUp' ? -1 : 1;
      this.cursor = {strip: Math.max(0, Math.min(strips.length - 1, this.cursor.strip + step)), event: -1};
      const {title, y} = strips[this.cursor.strip];
      this.surface.tell([title, shareOfWindow(this.recording, this.time)], 40, y + 18, true);
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
    if (!strip.rows) return;
    const {events} = this.recording;
    strip.events ??= strip.rows.length === 1 ? strip.rows[0].events : sortedTogether(strip.rows.map((row) => row.events));
    const all = strip.events;
    let at = all.indexOf(this.cursor.event);
    if (at < 0) at = by > 0 ? all.findIndex((event) => events.begin[event] >= this.time.begin) - 1 : all.length;
    const event = all[at + by];
    if (event === undefined) return;
    this.cursor.event = event;
    const begin = events.begin[event];
    if (begin < this.time.begin || begin > this.time.end) {
      this.time.show(begin - this.time.width / 2, begin + this.time.width / 2);
    }
    const x = ((begin - this.time.begin) / this.time.width) * this.surface.canvas.clientWidth;
    this.surface.tell(linesOfEvent(events, event), x, strip.y + 18, true);
  }
}
