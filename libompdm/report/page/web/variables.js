// The view "Variables": when each was on a device, and each time that it crossed.
import {DTOH, HTOD} from './kinds.js';
import {Surface, fittingText} from './canvas.js';
import {report, variableName} from './data.js';
import {button, element} from './dom.js';
import {bytesText, counted, cut, plain, timeText} from './format.js';
import {selection, onSelect, select} from './selection.js';
import {drawAxis} from './timeline_draw.js';
import {handle} from './timeline_input.js';
import {hideTip, showTip} from './tooltip.js';

const VARIABLE_ROW = 34;
const AXIS = 20;
const FEW = 20;
const DENSE = 8;  // pixels that a tick needs
const MANY = 500;

/** Crossings of each variable: begin, direction, whether needless; of bins with their counts. */
function crossingsOf(recording) {
  const byVariable = new Map();
  const add = (variable, crossing) => {
    if (!byVariable.has(variable)) byVariable.set(variable, []);
    byVariable.get(variable).push(crossing);
  };
  const {events, crossings, crossingWidth} = recording;
  if (crossings.rows > 0) {
    for (let i = 0; i < crossings.rows; i += 1) {
      const begin = crossings.slot[i] * crossingWidth;
      const needless = crossings.needless[i] > 0;
      if (crossings.htod[i] > 0) add(crossings.variable[i] - 1, {begin, up: true, needless, count: crossings.htod[i]});
      if (crossings.dtoh[i] > 0) add(crossings.variable[i] - 1, {begin, up: false, needless, count: crossings.dtoh[i]});
    }
    return byVariable;
  }
  for (let i = 0; i < events.rows; i += 1) {
    const kind = events.kind[i];
    if ((kind !== HTOD && kind !== DTOH) || events.variable[i] === 0) continue;
    add(events.variable[i] - 1, {begin: events.begin[i], up: kind === HTOD, needless: events.finding[i] !== 0, count: 1});
  }
  return byVariable;
}

function staysOf({stays}) {
  const byVariable = new Map();
  for (let i = 0; i < stays.rows; i += 1) {
    const variable = stays.variable[i] - 1;
    if (!byVariable.has(variable)) byVariable.set(variable, []);
    byVariable.get(variable).push({begin: stays.begin[i], end: stays.begin[i] + stays.duration[i], device: stays.device[i] - 1});
  }
  return byVariable;
}

/** Crossings that ticks have no room for: a line each, with gaps where all are needless. */
function drawDense(context, palette, crossings, width, y, height) {
  for (const up of [true, false]) {
    const needful = new Uint8Array(Math.ceil(width) + 1);
    const any = new Uint8Array(Math.ceil(width) + 1);
    for (const crossing of crossings) {
      if (crossing.up !== up) continue;
      any[crossing.x] = 1;
      if (!crossing.needless) needful[crossing.x] = 1;
    }
    context.fillStyle = palette.get(up ? '--htod' : '--dtoh');
    context.beginPath();
    for (let x = 0; x < any.length; x += 1) {
      if (any[x] === 0 || (needful[x] === 0 && x % 3 === 0)) continue;
      context.rect(x, up ? y - 1 : y + height - 6, 1, 7);
    }
    context.fill();
  }
}

export class Variables {
  /**
   * @param {Object[]} recordings
   * @param {import('./window.js').TimeWindow} time shared with the timeline
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
    const next = this.recordings[selection.recording + 1];
    const first = recording.first.variables;
    const last = next ? next.first.variables : report.variables.length;
    this.recording = recording;
    this.crossings = crossingsOf(recording);
    this.stays = staysOf(recording);
    const rows = Array.from({length: last - first}, (_, i) => first + i);
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
    const scene = {context, palette, time: this.time, width};
    drawAxis(scene, AXIS + this.rows.length * VARIABLE_ROW);
    this.rows.forEach((variable, at) => {
      const y = AXIS + at * VARIABLE_ROW;
      if (variable === selection.variable || at === this.cursor) {
        context.fillStyle = palette.get('--band');
        context.fillRect(0, y, width, VARIABLE_ROW - 2);
      }
      this.drawRow(scene, variable, y + 15);
      const row = report.variables[variable];
      context.fillStyle = palette.get('--text');
      const label = `${plain(variableName(variable)).slice(0, 200)}  ${bytesText(row.bytes)}`;
      fittingText(context, label, 4, y + 7, width - 8);
    });
  }

  drawRow({context, palette, time, width}, variable, y) {
    const scale = width / time.width;
    const height = 15;
    context.fillStyle = palette.get('--memory');
    let drawn = -1;
    for (const stay of this.stays.get(variable) ?? []) {
      const from = Math.max((stay.begin - time.begin) * scale, -1);
      const to = Math.min((stay.end - time.begin) * scale, width + 1);
      if (to < 0 || from > width || to <= drawn) continue;
      context.fillRect(from, y + 4, Math.max(to - from, 1), height - 8);
      drawn = to;
    }
    const all = this.crossings.get(variable) ?? [];
    const from = all.findIndex((crossing) => crossing.begin >= time.begin);
    let to = from < 0 ? 0 : from;
    while (to < all.length && all[to].begin <= time.end) to += 1;
    const shown = from < 0 ? [] : all.slice(from, to);
    if (shown.length > width / DENSE) {
      drawDense(context, palette, shown.map((crossing) => ({...crossing, x: Math.floor((crossing.begin - time.begin) * scale)})), width, y, height);
      return;
    }
    for (const crossing of shown) {
      this.drawTick(context, palette, crossing, (crossing.begin - time.begin) * scale, crossing.up ? y : y + height);
    }
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
    const needless = (this.crossings.get(variable) ?? []).filter((crossing) => crossing.needless).length;
    const lines = [cut(variableName(variable), 80), `${bytesText(row.bytes)}, first mapped at ${cut(row.file, 60) || 'an unknown place'}:${row.line}`,
      `HtoD ${counted(row.HtoD_count, 'copy', 'copies')}, ${bytesText(row.HtoD_bytes)}`,
      `DtoH ${counted(row.DtoH_count, 'copy', 'copies')}, ${bytesText(row.DtoH_bytes)}`,
      `transfers ${timeText(row.transfer_ns)}`];
    if (needless > 0) lines.push(this.recording.crossings.rows > 0 ? 'some needless' : `${needless} needless`);
    const box = this.surface.canvas.getBoundingClientRect();
    showTip(lines, box.left + x, box.top + y, aloud);
  }

  choose(at) {
    if (at >= 0) select({variable: selection.variable === this.rows[at] ? null : this.rows[at], finding: null, directive: null});
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
