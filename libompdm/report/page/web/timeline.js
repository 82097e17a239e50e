// The view "Timeline": what each device and each thread of the host did, when.
import {Surface, fittingText} from './canvas.js';
import {page, recordingOfRow} from './data.js';
import {bytesText} from './format.js';
import {selection, onSelect, select} from './selection.js';
import {Numbers, firstNotBelow} from './spans.js';
import {choose, layOut} from './timeline_rows.js';
import {drawAxis, drawBands, drawBoxes, drawMemory, drawNarrow} from './timeline_draw.js';
import {eventsBetween, labelsOf, linesOfEvent, linesOfMany, shareOfWindow, stripAt} from './timeline_find.js';
import {handle} from './timeline_input.js';
import {longestLoop, passesOf} from './pass_data.js';
import {hideTip, showTip} from './tooltip.js';

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
   * @param {import('./window.js').TimeWindow} time
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
    if (!found) {
      hideTip();
      return;
    }
    const box = this.surface.canvas.getBoundingClientRect();
    showTip(found.lines, box.left + x, box.top + y);
  }

  choose(x, y) {
    const found = this.at(x, y);
    if (!found || found.event < 0) {
      select({finding: null, variable: null, directive: null});
      return;
    }
    this.chosen(found.event);
  }

  /** Shows in all views what an event is about. */
  chosen(event) {
    const {events} = this.recording;
    this.cursor.event = event;
    const row = (column) => (events[column][event] === 0 ? null : events[column][event] - 1);
    if (row('finding') !== null) select({finding: row('finding'), variable: null, directive: null});
    else if (row('variable') !== null) select({variable: row('variable'), finding: null, directive: null});
    else select({directive: row('directive'), finding: null, variable: null});
    this.surface.redraw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const strips = this.layout.strips;
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const step = event.key === 'ArrowUp' ? -1 : 1;
      this.cursor = {strip: Math.max(0, Math.min(strips.length - 1, this.cursor.strip + step)), event: -1};
      this.tell([strips[this.cursor.strip].title, shareOfWindow(this.recording, this.time)], 40, strips[this.cursor.strip].y);
    } else if (event.key === ',' || event.key === '.') {
      this.step(event.key === '.' ? 1 : -1);
    } else if (event.key === 'Enter' && this.cursor.event >= 0) {
      this.chosen(this.cursor.event);
    } else if (event.key === 'Escape') {
      hideTip();
      select({finding: null, variable: null, directive: null});
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
    this.tell(linesOfEvent(events, event), x, strip.y);
  }

  tell(lines, x, y) {
    const box = this.surface.canvas.getBoundingClientRect();
    showTip(lines, box.left + x, box.top + y + 18, true);
  }
}
