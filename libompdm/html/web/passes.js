// Iterations of a loop, as the timeline's bands and the bars show them.
import {PARTS, bytesText, countText, element, shareText, sumOf, tableHead, timeText} from './basics.js';
import {Surface, fittingText, hatch, hideTip} from './canvas.js';
import {onSelect, positionsByKey, recordingOfRow, recordings, report, rowsOf, selection, ticksOf} from './data.js';

const PASS_SUMS = ['count', 'wall', 'htod_bytes', 'dtoh_bytes', 'needless_bytes',
  ...PARTS.flatMap(({key}) => [key, `${key}_needless`])];

const knownPasses = new Map();

/** In order of time; each may be several neighbours (`count`) summed. @param {number} loop row of the report's loops */
export function passesOf(loop) {
  const {passes} = recordings[recordingOfRow('iterations', loop)];
  const passAt = (at) => Object.fromEntries(['begin', 'duration', ...PASS_SUMS].map((key) => [key, passes[key][at]]));
  if (!knownPasses.has(loop)) knownPasses.set(loop, (positionsByKey(passes.rows, (at) => passes.loop[at]).get(loop) ?? []).map(passAt));
  return knownPasses.get(loop);
}

/** The sum of several iterations. @param {Object[]} passes */
const sumOfPasses = (passes) => Object.fromEntries(PASS_SUMS.map((key) => [key, sumOf(passes, key)]));

/** At most `most` bars: neighbours are summed, but for the first iteration. @param {Object[]} passes @param {number} most */
function barsOf(passes, most) {
  if (passes.length <= most) return passes;
  const together = Math.ceil((passes.length - 1) / Math.max(most - 1, 1));
  const bars = [passes[0]];
  for (let i = 1; i < passes.length; i += together) bars.push(sumOfPasses(passes.slice(i, i + together)));
  return bars;
}

/** The loop of a recording that most time went into: shown first. @param {number} recording */
export function longestLoop(recording) {
  const time = (at) => report.iterations[at].wall_ns * report.iterations[at].count;
  const [first, end] = rowsOf('iterations', recording);
  let longest = null;
  for (let at = first; at < end; at += 1) {
    if (report.iterations[at].parent === null && (longest === null || time(at) > time(longest))) longest = at;
  }
  return longest;
}

// The view "Iterations": a bar for each iteration of the chosen loop, with the parts of its time.

const LEFT = 64;
const BOTTOM = 24;
const HEIGHT = 260;
const CLEAR = 14;  // above the tallest bar

/** "iteration 3", "iterations 4 to 9"; `at` in `bars`. */
function barName(bars, at) {
  const before = sumOf(bars.slice(0, at), 'count');
  return bars[at].count === 1 ? `iteration ${before + 1}` : `iterations ${before + 1} to ${before + bars[at].count}, each`;
}

/** Wall time of one iteration of a bar. */
const wallOf = (bar) => bar.wall / bar.count;

/** Of the iterations after the first. @param {Object[]} passes */
const tallestOf = (passes) => (passes.length > 1 ? passes.slice(1) : passes)
  .reduce((most, pass) => Math.max(most, wallOf(pass)), 0);

function linesOfBar(bars, at) {
  const bar = bars[at];
  const lines = [`${barName(bars, at)}: ${timeText(wallOf(bar))}`];
  for (const {key, words} of PARTS) {
    if (bar[key] === 0) continue;
    const needless = bar[`${key}_needless`];
    lines.push(`${words} ${timeText(bar[key] / bar.count)}, ${shareText(bar[key] / bar.count, wallOf(bar))}`
      + (needless > 0 ? `; redundant ${timeText(needless / bar.count)}` : ''));
  }
  lines.push(`${bytesText(bar.htod_bytes / bar.count)} HtoD, ${bytesText(bar.dtoh_bytes / bar.count)} DtoH`);
  return lines;
}

/** A table of the mean iteration after the first, beside the first: the figures of the picture. */
function figuresTable(passes) {
  const first = passes[0];
  const rest = passes.length > 1 ? sumOfPasses(passes.slice(1)) : first;
  const parts = PARTS.filter(({key}) => passes.some((pass) => pass[key] > 0));
  const rows = [...parts, {key: 'wall', words: 'wall'}].map(({key, words, colour}) => element('tr', {},
    element('th', {scope: 'row'}, colour ? element('span', {class: `swatch ${colour.slice(2)}`}) : null, words),
    element('td', {}, timeText(rest[key] / rest.count)),
    element('td', {}, shareText(rest[key] / rest.count, wallOf(rest))),
    element('td', {}, colour ? timeText(rest[`${key}_needless`] / rest.count) : ''),
    element('td', {}, timeText(first[key] / first.count))));
  return element('table', {class: 'figures'},
    tableHead(['', 'an iteration', 'share', 'redundant', '1st iteration']), element('tbody', {}, ...rows));
}

export class Passes {
  /** @param {?number} fixed the loop to be shown; null: the one that is chosen */
  constructor(fixed = null) {
    this.fixed = fixed;
    this.cursor = -1;
    this.figures = element('div', {class: 'pass-figures'});
    this.surface = new Surface(fixed === null ? 'passes-canvas' : `passes-canvas-${fixed}`,
        'Iterations of the loop, a bar each. Left and right arrows go from bar to bar.', this, () => HEIGHT);
    const {canvas} = this.surface;
    canvas.addEventListener('pointermove', (event) => this.tell(this.barAt(event.offsetX), event.offsetX, event.offsetY));
    canvas.addEventListener('keydown', (event) => this.key(event));
    onSelect((change) => {
      if ('loop' in change) this.show();
    });
    this.show();
  }

  show() {
    const loop = this.fixed ?? selection.loop;
    this.passes = loop === null ? [] : passesOf(loop);
    this.cursor = -1;
    this.figures.replaceChildren(...(this.passes.length > 0 ? [figuresTable(this.passes)] : []));
    this.surface.redraw();
  }

  /** Bars as they fit, how wide each is, and the time of the tallest that is shown whole. */
  plan(width) {
    const room = width - LEFT - 4;
    const bars = barsOf(this.passes, Math.max(2, Math.floor(room / 5)));
    const size = Math.min(56, room / (bars.length + 0.6));
    // Of what is compared each recording's longest loop is drawn on one scale.
    const together = this.fixed === null ? [this.passes]
      : recordings.map((_, at) => longestLoop(at)).filter((loop) => loop !== null).map(passesOf);
    const most = Math.max(...together.map(tallestOf));
    const first = Math.max(...together.map((passes) => wallOf(passes[0])));
    // A first iteration that starts the device would leave nothing of the others to be seen.
    const top = Math.min(Math.max(most, first), 2.5 * most) || 1;
    return {bars, size, top, x: (at) => LEFT + at * size + (at > 0 ? size * 0.6 : 0)};
  }

  draw(scene) {
    const {context, palette, width} = scene;
    if (this.passes.length === 0) return;
    const {bars, size, top, x} = this.plan(width);
    const bottom = HEIGHT - BOTTOM;
    const scale = (bottom - CLEAR - 6) / top;
    context.textAlign = 'right';
    for (const {at, text} of ticksOf({begin: 0, end: top}, 5)) {
      context.fillStyle = palette.get('--line');
      context.fillRect(LEFT, Math.round(bottom - at * scale), width - LEFT, 1);
      context.fillStyle = palette.get('--dim');
      context.fillText(text, LEFT - 6, bottom - at * scale);
    }
    context.textAlign = 'left';
    bars.forEach((bar, at) => {
      this.drawBar(scene, bar, x(at), Math.max(size - (size > 8 ? 3 : 1), 1), bottom, scale);
      if (at === this.cursor) {
        context.strokeStyle = palette.get('--focus');
        context.lineWidth = 2;
        context.strokeRect(x(at) - 1, CLEAR - 4, size, bottom - CLEAR + 6);
      }
    });
    context.fillStyle = palette.get('--dim');
    context.fillText(bars.length > 1 ? '1st' : 'the iteration', x(0), HEIGHT - 10);
    if (bars.length > 1) {
      const each = bars[1].count > 1 ? `, ${countText(bars[1].count)} iterations a bar` : '';
      fittingText(context, `the other ${countText(sumOf(this.passes, 'count') - bars[0].count)}${each}`,
          Math.max(x(1), x(0) + 26), HEIGHT - 10, width - x(1) - 4);
    }
  }

  drawBar(scene, bar, x, size, bottom, scale) {
    const {context, palette} = scene;
    let y = bottom;
    for (const {key, colour} of PARTS) {
      const height = (bar[key] / bar.count) * scale;
      if (height <= 0) continue;
      const upper = Math.max(y - height, CLEAR);
      context.fillStyle = palette.get(colour);
      context.fillRect(x, upper, size, y - upper);
      const needless = (bar[`${key}_needless`] / bar.count) * scale;
      hatch(scene, x, Math.max(y - needless, CLEAR), size, y - Math.max(y - needless, CLEAR));
      y = upper;
      if (y <= CLEAR) break;
    }
    if (y > CLEAR) return;
    // The bar goes on: a gap in it, and how long it is.
    context.fillStyle = palette.get('--back');
    context.fillRect(x - 1, CLEAR + 8, size + 2, 3);
    context.fillStyle = palette.get('--text');
    context.fillText(timeText(wallOf(bar)), x, 6);
  }

  barAt(x) {
    if (this.passes.length === 0) return -1;
    const plan = this.plan(this.surface.canvas.clientWidth);
    return plan.bars.findIndex((_, at) => x >= plan.x(at) && x < plan.x(at) + plan.size);
  }

  tell(at, x, y, aloud = false) {
    if (at < 0) hideTip();
    else this.surface.tell(linesOfBar(this.plan(this.surface.canvas.clientWidth).bars, at), x, y, aloud);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const steps = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity};
    if (!(event.key in steps) || this.passes.length === 0) return;
    event.preventDefault();
    this.goTo(this.cursor + steps[event.key]);
  }

  focused() {
    if (this.passes.length > 0) this.goTo(this.cursor);
  }

  /** Tells a bar, or the nearest that there is. */
  goTo(at) {
    const {bars, x} = this.plan(this.surface.canvas.clientWidth);
    this.cursor = Math.max(0, Math.min(bars.length - 1, at));
    this.tell(this.cursor, x(this.cursor), CLEAR, true);
    this.surface.redraw();
  }
}
