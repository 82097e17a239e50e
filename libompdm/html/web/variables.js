// When each variable was on a device, and when it was transferred, as the view "Variables" draws it.
import {DTOH, HTOD, button, bytesText, counted, cut, plain, timeText} from './basics.js';
import {fittingText, hideTip} from './canvas.js';
import {gathered, pick, positionsByKey, recordings, report, rowsOf, select, selection, variableName} from './data.js';
import {Spans, firstNotBelow} from './spans.js';
import {surfaceOverTime} from './timeline.js';
import {drawAxis} from './timeline_rows.js';

/** The transfers of one variable in one direction, in order of time. */
class Crossings {
  /** @param {Float64Array} begin @param {Float64Array} findings above 0: it is needless */
  constructor(begin, findings) {
    this.begin = begin;
    /** How many before each are needless. */
    this.needless = new Uint32Array(begin.length + 1);
    findings.forEach((finding, at) => {
      this.needless[at + 1] = this.needless[at] + (finding > 0 ? 1 : 0);
    });
  }

  /** Positions of those in a span: the first, and the one after the last. @param {{begin: number, end: number}} time */
  within(time) {
    const first = firstNotBelow(this.begin, time.begin);
    return [first, firstNotBelow(this.begin, time.end + 1, first)];
  }

  /** @param {number} first @param {number} end */
  areNeedless(first, end) {
    return this.needless[end] - this.needless[first] === end - first;
  }
}

/** A value for each variable, by its row. @param {Object} block @param {function(number): boolean} has of its rows @param {function(number[]): *} valueOf */
function byVariable({rows, variable}, has, valueOf) {
  const lists = positionsByKey(rows, (at) => (has(at) ? variable[at] - 1 : -1));
  return new Map([...lists].map(([row, list]) => [row, valueOf(list)]));
}

/**
 * Of each variable, by its row, the transfers to the device, and those to the host.
 * @param {import('./data.js').Recording} recording
 * @returns {Map<number, Crossings>[]}
 */
function crossingsOf({events, crossings, crossingWidth}) {
  if (crossings.rows > 0) {
    const begins = crossings.slot.map((slot) => slot * crossingWidth);
    return [crossings.htod, crossings.dtoh].map((counts) => byVariable(crossings, (at) => counts[at] > 0,
        (list) => new Crossings(gathered(list, begins), gathered(list, crossings.needless))));
  }
  return [HTOD, DTOH].map((kind) => byVariable(events, (at) => events.kind[at] === kind,
      (list) => new Crossings(gathered(list, events.begin), gathered(list, events.finding))));
}

/** When each variable, by its row, was on a device. @param {import('./data.js').Recording} recording */
const staysOf = ({stays}) => byVariable(stays, () => true,
    (list) => new Spans(gathered(list, stays.begin), gathered(list, stays.duration)));

// The view "Variables": when each was on a device, and each of its transfers.

const VARIABLE_ROW = 34;
const AXIS = 20;
const MARKS = 15;  // of what a row draws under its name
const FEW = 20;
const DENSE = 8;  // pixels that a tick needs
const MANY = 500;

export class Variables {
  constructor() {
    this.most = FEW;
    this.cursor = -1;
    this.surface = surfaceOverTime(this, 'variables-canvas',
        'Variables over time. Up and down arrows choose one, Enter shows it in all views; plus, minus, left, right and Home as in the timeline.',
        () => AXIS + this.rows.length * VARIABLE_ROW);
    this.more = button('', () => this.showAll());
    this.open();
  }

  open() {
    const recording = recordings[selection.recording];
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

  draw(base) {
    const scene = {...base, ticks: []};
    const {context, palette, width} = scene;
    drawAxis(scene, AXIS + this.rows.length * VARIABLE_ROW);
    const yOf = (at) => AXIS + at * VARIABLE_ROW;
    this.rows.forEach((variable, at) => {
      if (variable === selection.variable || at === this.cursor) {
        context.fillStyle = palette.get('--band');
        context.fillRect(0, yOf(at), width, VARIABLE_ROW - 2);
      }
      this.drawStays(scene, variable, yOf(at) + 15);
      this.drawCrossings(scene, variable, yOf(at) + 15);
    });
    scene.layer.drawOn(context);
    for (const tick of scene.ticks) this.drawTick(scene, ...tick);
    this.rows.forEach((variable, at) => {
      context.fillStyle = palette.get('--text');
      const label = `${plain(variableName(variable)).slice(0, 200)}  ${bytesText(report.variables[variable].bytes)}`;
      fittingText(context, label, 4, yOf(at) + 7, width - 8);
    });
  }

  /** When it was on a device. */
  drawStays({context, palette, time, width}, variable, y) {
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
  }

  /** Transfers: as ticks, or where these have no room as a line of each pixel's. */
  drawCrossings(scene, variable, y) {
    const {palette, time, width} = scene;
    const scale = width / time.width;
    const shown = this.crossings.map((each) => each.get(variable)).map((each) => [each, ...(each?.within(time) ?? [0, 0])]);
    const dense = shown.reduce((sum, [, first, last]) => sum + last - first, 0) > width / DENSE;
    shown.forEach(([crossings, first, last], direction) => {
      const up = direction === 0;
      if (dense) this.drawDense(scene, crossings, first, last, palette.pixel(up ? '--htod' : '--dtoh'), up ? y - 1 : y + MARKS - 6);
      for (let at = first; !dense && at < last; at += 1) {
        scene.ticks.push([up, crossings.areNeedless(at, at + 1), (crossings.begin[at] - time.begin) * scale, up ? y : y + MARKS]);
      }
    });
  }

  /** A line of each pixel's crossings, with gaps where all are needless. */
  drawDense({time, width, layer}, crossings, first, last, colour, y) {
    const {ratio, shown, needless} = layer;
    const scale = (width / time.width) * ratio;
    layer.clearColumns();
    for (let at = first; at < last;) {
      const x = Math.floor((crossings.begin[at] - time.begin) * scale);
      const next = Math.min(Math.max(firstNotBelow(crossings.begin, time.begin + (x + 1) / scale, at), at + 1), last);
      shown[x] = 1;
      if (crossings.areNeedless(at, next)) needless[x] = 1;
      at = next;
    }
    layer.drawColumns(Math.round(y * ratio), Math.round(7 * ratio), 1, {shown: colour, faint: 0, hatched: 0});
  }

  /** A tick up or down from the middle; a needless one has a hollow head. */
  drawTick({context, palette}, up, needless, x, y) {
    const by = up ? 1 : -1;
    const colour = palette.get(up ? '--htod' : '--dtoh');
    context.strokeStyle = colour;
    context.fillStyle = needless ? palette.get('--back') : colour;
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
    const needless = this.crossings.reduce((sum, each) => sum + (each.get(variable)?.needless.at(-1) ?? 0), 0);
    const lines = [cut(variableName(variable), 80), `${bytesText(row.bytes)}, first mapped at ${cut(row.file, 60) || 'an unknown place'}:${row.line}`,
      `HtoD ${counted(row.HtoD_count, 'copy', 'copies')}, ${bytesText(row.HtoD_bytes)}`,
      `DtoH ${counted(row.DtoH_count, 'copy', 'copies')}, ${bytesText(row.DtoH_bytes)}`,
      `transfers ${timeText(row.transfer_ns)}`];
    if (needless > 0) lines.push(this.recording.crossings.rows > 0 ? 'some redundant' : `${needless} redundant`);
    this.surface.tell(lines, x, y, aloud);
  }

  point(x, y) {
    this.tell(this.rowAt(y), x, y);
  }

  choose(x, y) {
    this.chosen(this.rowAt(y));
  }

  /** Shows a row in all views, or no longer. */
  chosen(at) {
    if (at >= 0) pick({variable: selection.variable === this.rows[at] ? null : this.rows[at]});
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
    if (by) this.goTo(this.cursor + by);
    else if (event.key === 'Enter') this.chosen(this.cursor);
    else if (event.key === 'Escape') select({variable: null});
    else return false;
    return true;
  }

  focused() {
    this.goTo(this.cursor);
  }

  /** Tells a row, or the nearest that there is. */
  goTo(at) {
    this.cursor = Math.max(0, Math.min(this.rows.length - 1, at));
    this.tell(this.cursor, 60, AXIS + this.cursor * VARIABLE_ROW + VARIABLE_ROW, true);
    this.surface.redraw();
  }
}
