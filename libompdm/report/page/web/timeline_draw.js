// Draws a recording's events: wide ones as boxes, what is narrower than two pixels as the share of
// each pixel that it fills, so that a picture of many events is true at any zoom.
import {HTOD, KINDS, REGION} from './kinds.js';
import {bytesText} from './format.js';
import {fittingText, hatch} from './canvas.js';
import {firstOf} from './timeline_rows.js';
import {ticksOf} from './window.js';

const NARROW = 2;
const ON_COLOURS = new Map([[HTOD, '--on-htod'], [REGION, '--on-host']]);

/**
 * @typedef {Object} Scene what one drawing needs
 * @property {CanvasRenderingContext2D} context
 * @property {import('./canvas.js').Palette} palette
 * @property {import('./data.js').Recording} recording
 * @property {import('./window.js').TimeWindow} time
 * @property {number} width
 * @property {function(number): boolean} isFaint of an event: it is not what the reader chose
 * @property {boolean} faintBins the reader chose, and of bins it is not known
 * @property {number} chosen event, -1: none
 * @property {function(number): string} label of a wide event
 */

/** @param {Scene} scene */
const scaleOf = ({time, width}) => width / time.width;

/** Adds a span of time to the pixels that it covers; returns the last of them. */
function cover(pixels, from, to) {
  const last = pixels.length - 1;
  let x = Math.max(Math.floor(from), 0);
  if (x > last) return;
  const end = Math.min(to, last + 1);
  while (x < end) {
    pixels[x] += Math.min(x + 1, end) - Math.max(x, from);
    x += 1;
  }
}

/** Bins of a track: their busy time lies evenly over them. */
function coverBins(scene, row, busy, needless) {
  const {recording: {bins, binWidth}, time} = scene;
  const scale = scaleOf(scene);
  for (const i of row.bins) {
    const begin = bins.slot[i] * binWidth;
    if (begin + binWidth < time.begin) continue;
    if (begin > time.end) break;
    const from = (begin - time.begin) * scale;
    const share = Math.min(bins.busy[i] / binWidth, 1);
    const last = Math.min(Math.max(Math.ceil(from + binWidth * scale), Math.floor(from) + 1), busy.length);
    for (let x = Math.max(Math.floor(from), 0); x < last; x += 1) {
      const part = share * Math.min(x + 1 - Math.max(x, from), from + binWidth * scale - Math.max(x, from), 1);
      busy[x] += Math.max(part, 1e-6);
      if (bins.needless[i] > 0) needless[x] += 1;
    }
  }
}

/** Columns of pixels as high as they are full. */
function drawPixels(scene, row, colour, busy, needless) {
  const {context, palette} = scene;
  const heightOf = (x) => Math.max(2, Math.min(busy[x], 1) * row.height);
  context.fillStyle = colour;
  context.beginPath();
  for (let x = 0; x < busy.length; x += 1) {
    if (busy[x] > 0) context.rect(x, row.y + row.height - heightOf(x), 1, heightOf(x));
  }
  context.fill();
  context.fillStyle = palette.get('--hatch');
  context.beginPath();
  for (let x = 0; x < needless.length; x += 3) {
    if (needless[x] > 0) context.rect(x, row.y + row.height - heightOf(x), 1, heightOf(x));
  }
  context.fill();
}

/** One lane of a track. @param {Scene} scene @param {import('./timeline_rows.js').Row} row */
export function drawRow(scene, row) {
  const {context, palette, recording: {events, tracks}, time, width} = scene;
  const scale = scaleOf(scene);
  const columns = Math.ceil(width);
  const busy = new Float32Array(columns);
  const faint = new Float32Array(columns);
  const needless = new Float32Array(columns);
  const boxes = [];
  for (let i = firstOf(row, events, time.begin); i < row.events.length; i += 1) {
    const event = row.events[i];
    const begin = events.begin[event];
    if (begin > time.end) break;
    const from = (begin - time.begin) * scale;
    const size = events.duration[event] * scale;
    if (from + size < 0) continue;
    if (size >= NARROW) {
      boxes.push(event);
      continue;
    }
    const isFaint = scene.isFaint(event);
    cover(isFaint ? faint : busy, from, from + Math.max(size, 1e-6));
    if (!isFaint && events.finding[event] !== 0 && from >= 0) needless[Math.min(Math.floor(from), columns - 1)] += 1;
  }
  coverBins(scene, row, scene.faintBins ? faint : busy, scene.faintBins ? [] : needless);
  const kind = tracks[row.track].kind;
  const colour = palette.get(KINDS[kind].colour);
  context.globalAlpha = 0.25;
  drawPixels(scene, row, colour, faint, []);
  context.globalAlpha = 1;
  drawPixels(scene, row, colour, busy, needless);
  for (const event of boxes) drawBox(scene, row, event, scale);
}

/** An event that is wide enough for edges, hatching and a label. */
function drawBox(scene, row, event, scale) {
  const {context, palette, recording: {events}, time, width} = scene;
  const from = Math.max((events.begin[event] - time.begin) * scale, -2);
  const to = Math.min((events.begin[event] + events.duration[event] - time.begin) * scale, width + 2);
  const kind = events.kind[event];
  const size = Math.max(to - from - (to - from > 4 ? 1 : 0), 1);
  context.globalAlpha = scene.isFaint(event) ? 0.25 : 1;
  context.fillStyle = palette.get(KINDS[kind].colour);
  context.fillRect(from, row.y, size, row.height);
  if (events.finding[event] !== 0) hatch(context, from, row.y, size, row.height, palette.get('--hatch'));
  if (size > 46) {
    context.fillStyle = palette.get(ON_COLOURS.get(kind) ?? '--on-colour');
    if (events.finding[event] !== 0) drawPlate(scene, row, event, from, size);
    fittingText(context, scene.label(event), Math.max(from, 0) + 5, row.y + row.height / 2 + 1, size - 10 + Math.min(from, 0));
  }
  if (event === scene.chosen) {
    context.strokeStyle = palette.get('--focus');
    context.lineWidth = 2;
    context.strokeRect(from, row.y - 1, size, row.height + 2);
  }
  context.globalAlpha = 1;
}

/** Clears the hatching behind a label. */
function drawPlate(scene, row, event, from, size) {
  const {context, palette, recording: {events}} = scene;
  const text = context.fillStyle;
  context.fillStyle = palette.get(KINDS[events.kind[event]].colour);
  const wide = Math.min(context.measureText(scene.label(event)).width + 6, size - 6);
  context.fillRect(Math.max(from, 0) + 2, row.y + 2, wide, row.height - 4);
  context.fillStyle = text;
}

/** Device memory as an area. @param {Scene} scene */
export function drawMemory(scene, strip) {
  const {context, palette, time, width} = scene;
  const {times, bytes, most} = strip.samples;
  const scale = scaleOf(scene);
  const bottom = strip.y + strip.height;
  const room = strip.height - 18;
  const x = (at) => (at - time.begin) * scale;
  const y = (size) => bottom - (most > 0 ? (size / most) * room : 0);
  let first = 0;
  for (let high = times.length; first < high;) {
    const middle = (first + high) >> 1;
    if (times[middle] <= time.begin) first = middle + 1;
    else high = middle;
  }
  context.beginPath();
  context.moveTo(0, bottom);
  let height = first > 0 ? y(bytes[first - 1]) : bottom;
  context.lineTo(0, height);
  for (let i = first; i < times.length && times[i] <= time.end; i += 1) {
    context.lineTo(x(times[i]), height);
    height = y(bytes[i]);
    context.lineTo(x(times[i]), height);
  }
  context.lineTo(width, height);
  context.lineTo(width, bottom);
  context.closePath();
  context.fillStyle = palette.get('--memory');
  context.fill();
  context.fillStyle = palette.get('--dim');
  context.textAlign = 'right';
  context.fillText(`peak ${bytesText(most)}`, width - 4, strip.y + 8);
  context.textAlign = 'left';
}

/** Lines at round instants, and what they are. @param {Scene} scene */
export function drawAxis(scene, height) {
  const {context, palette, time, width} = scene;
  const scale = scaleOf(scene);
  for (const {at, text} of ticksOf(time, width / 90)) {
    const x = Math.round((at - time.begin) * scale) + 0.5;
    context.fillStyle = palette.get('--line');
    context.fillRect(x, 14, 1, height - 14);
    context.fillStyle = palette.get('--dim');
    if (x < width - 50) context.fillText(text, x + 3, 8);
  }
}

/** Passes of the chosen loop behind all tracks. @param {Scene} scene */
export function drawBands(scene, passes, height) {
  const {context, palette, time, width} = scene;
  const scale = scaleOf(scene);
  let number = 1;
  passes.forEach((pass, at) => {
    const first = number;
    number += pass.count;
    const from = (pass.begin - time.begin) * scale;
    const size = pass.duration * scale;
    if (from + size < 0 || from > width || size < 3) return;
    context.fillStyle = palette.get(at % 2 === 0 ? '--band' : '--band-other');
    context.fillRect(from, 16, size, height - 16);
    if (size < 34) return;
    context.fillStyle = palette.get('--dim');
    const label = pass.count > 1 ? `${first}–${number - 1}` : `pass ${first}`;
    fittingText(context, label, Math.max(from, 0) + 3, 24, size - 4);
  });
}
