// When each variable was on a device, and when it crossed, as the view "Variables" draws it.
import {DTOH, HTOD, button, bytesText, counted, cut, element, plain, timeText} from './basics.js';
import {Surface, fittingText, hideTip} from './canvas.js';
import {onSelect, pick, report, rowsOf, select, selection, variableName} from './data.js';
import {Spans, firstNotBelow} from './spans.js';
import {handle} from './timeline.js';
import {drawAxis} from './timeline_rows.js';

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

// The view "Variables": when each was on a device, and each time that it crossed.

const VARIABLE_ROW = 34;
const AXIS = 20;
const MARKS = 15;  // of what a row draws under its name
const FEW = 20;
const DENSE = 8;  // pixels that a tick needs
const MANY = 500;

export class Variables {
  /**
   * @param {Object[]} recordings
   * @param {import('./data.js').TimeWindow} time shared with the timeline
   */
  constructor(recordings, time) {
    this.recordings = recordings;
    this.time = time;
    this.most = FEW;
    this.cursor = -1;
    this.surface = new Surface(
        'Variables over time. Up and down arrows choose one, Enter shows it in all views; plus, minus, left, right and Home as in the timeline.',
        (context, width, palette) => this.draw(context, width, palette), () => AXIS + this.rows.length * VARIABLE_ROW);
    this.surface.canvas.id = 'variables-canvas';
    this.more = button('', () => this.showAll());
    this.open();
    handle(this.surface.canvas, time, {
      point: (x, y) => this.tell(this.rowAt(y), x, y),
      away: hideTip,
      choose: (x, y) => this.choose(this.rowAt(y)),
      key: (event) => this.key(event),
    });
    time.onChange(() => this.surface.redraw());
    onSelect((change) => {
      if ('recording' in change) this.open();
      this.surface.redraw();
    });
  }

  open() {
    const recording = this.recordings[selection.recording];
    const [first, end] = rowsOf('variables', selection.recording);
    this.recording = recording;
    this.crossings = crossingsOf(recording);
    this.stays = staysOf(recording);
    const rows = Array.from({length: end - first}, (_, i) => first + i);
    this.rows = rows.slice(0, this.most);
    this.more.hidden = rows.length <= this.rows.length || this.most === MANY;
    this.more.textContent = `Show ${Math.min(rows.length, MANY)} of ${counted(rows.length, 'variable', 'variables')}`;
    this.surface.redraw();
  }

  showAll() {
    this.most = MANY;
    this.open();
    this.surface.canvas.focus();
  }

  draw(context, width, palette) {
    const scene = {context, palette, time: this.time, width, layer: this.surface.layer};
    drawAxis(scene, AXIS + this.rows.length * VARIABLE_ROW);
    const yOf = (at) => AXIS + at * VARIABLE_ROW;
    this.rows.forEach((variable, at) => {
      if (variable === selection.variable || at === this.cursor) {
        context.fillStyle = palette.get('--band');
        context.fillRect(0, yOf(at), width, VARIABLE_ROW - 2);
      }
      this.drawStays(scene, variable, yOf(at) + 15);
    });
    scene.layer.drawOn(context);
    this.rows.forEach((variable, at) => {
      this.drawTicks(scene, variable, yOf(at) + 15);
      const row = report.variables[variable];
      context.fillStyle = palette.get('--text');
      const label = `${plain(variableName(variable)).slice(0, 200)}  ${bytesText(row.bytes)}`;
      fittingText(context, label, 4, yOf(at) + 7, width - 8);
    });
  }

  /** When it was on a device, and crossings that ticks have no room for. */
  drawStays(scene, variable, y) {
    const {context, palette, time, width} = scene;
    const scale = width / time.width;
    context.fillStyle = palette.get('--memory');
    const spans = this.stays.get(variable);
    let from = -2;
    let to = -2;
    // Neighbours with less than a pixel between them are one.
    spans?.forPixels(time, 1 / scale, (first, last) => {
      const begin = Math.max((spans.begin[first] - time.begin) * scale, -1);
      const end = Math.min((spans.begin[last] + spans.duration[last] - time.begin) * scale, width + 1);
      if (begin > to) {
        context.fillRect(from, y + 4, to - from, MARKS - 8);
        from = begin;
      }
      to = Math.max(to, end, begin + 1);
    });
    context.fillRect(from, y + 4, to - from, MARKS - 8);
    this.eachDirection(scene, variable, (crossings, up, first, last, dense) => {
      if (dense) this.drawDense(scene, crossings, first, last, up ? '--htod' : '--dtoh', up ? y - 1 : y + MARKS - 6);
    });
  }

  /** Calls `visit` with each direction's crossings that are in sight, and whether ticks have no room for them. */
  eachDirection({time, width}, variable, visit) {
    const both = this.crossings.get(variable);
    if (!both) return;
    const [firstUp, lastUp] = both.up.within(time);
    const [firstDown, lastDown] = both.down.within(time);
    const dense = lastUp - firstUp + lastDown - firstDown > width / DENSE;
    visit(both.up, true, firstUp, lastUp, dense);
    visit(both.down, false, firstDown, lastDown, dense);
  }

  /** A line of each pixel's crossings, with gaps where all are needless. */
  drawDense({palette, time, width, layer}, crossings, first, last, colour, y) {
    const {ratio, shown, needless} = layer;
    const scale = (width / time.width) * ratio;
    layer.clearColumns();
    for (let at = first; at < last;) {
      const x = Math.floor((crossings.begin[at] - time.begin) * scale);
      const next = Math.min(Math.max(firstNotBelow(crossings.begin, time.begin + (x + 1) / scale, at), at + 1), last);
      shown[x] = 1;
      if (crossings.needful[next] === crossings.needful[at]) needless[x] = 1;
      at = next;
    }
    layer.drawColumns(Math.round(y * ratio), Math.round(7 * ratio), 1, {shown: palette.pixel(colour), faint: 0, hatched: 0});
  }

  drawTicks(scene, variable, y) {
    const {context, palette, time, width} = scene;
    const scale = width / time.width;
    this.eachDirection(scene, variable, (crossings, up, first, last, dense) => {
      for (let at = first; !dense && at < last; at += 1) {
        const x = (crossings.begin[at] - time.begin) * scale;
        this.drawTick(context, palette, {up, needless: crossings.isNeedless(at)}, x, up ? y : y + MARKS);
      }
    });
  }

  /** A tick up or down from the middle; a needless one has a hollow head. */
  drawTick(context, palette, crossing, x, y) {
    const by = crossing.up ? 1 : -1;
    const colour = palette.get(crossing.up ? '--htod' : '--dtoh');
    context.strokeStyle = colour;
    context.fillStyle = crossing.needless ? palette.get('--back') : colour;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, y + by * 8);
    context.lineTo(x, y + by * 3);
    context.stroke();
    context.beginPath();
    context.moveTo(x, y + by * 5);
    context.lineTo(x - 3.5, y);
    context.lineTo(x + 3.5, y);
    context.closePath();
    context.fill();
    context.stroke();
  }

  rowAt(y) {
    const at = Math.floor((y - AXIS) / VARIABLE_ROW);
    return at >= 0 && at < this.rows.length ? at : -1;
  }

  tell(at, x, y, aloud = false) {
    if (at < 0) {
      hideTip();
      return;
    }
    const variable = this.rows[at];
    const row = report.variables[variable];
    const crossings = this.crossings.get(variable);
    const needless = crossings ? crossings.up.needlessCount + crossings.down.needlessCount : 0;
    const lines = [cut(variableName(variable), 80), `${bytesText(row.bytes)}, first mapped at ${cut(row.file, 60) || 'an unknown place'}:${row.line}`,
      `HtoD ${counted(row.HtoD_count, 'copy', 'copies')}, ${bytesText(row.HtoD_bytes)}`,
      `DtoH ${counted(row.DtoH_count, 'copy', 'copies')}, ${bytesText(row.DtoH_bytes)}`,
      `transfers ${timeText(row.transfer_ns)}`];
    if (needless > 0) lines.push(this.recording.crossings.rows > 0 ? 'some needless' : `${needless} needless`);
    this.surface.tell(lines, x, y, aloud);
  }

  choose(at) {
    if (at >= 0) pick({variable: selection.variable === this.rows[at] ? null : this.rows[at]});
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
    if (by) this.cursor = Math.max(0, Math.min(this.rows.length - 1, this.cursor + by));
    else if (event.key === 'Enter') this.choose(this.cursor);
    else if (event.key === 'Escape') select({variable: null});
    else return false;
    this.tell(this.cursor, 60, AXIS + this.cursor * VARIABLE_ROW + VARIABLE_ROW, true);
    this.surface.redraw();
    return true;
  }
}
