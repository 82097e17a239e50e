// Where the timeline draws what: one row a lane of a track, device memory between the devices.
import {DTOH, HTOD, KERNEL, KINDS, REGION, bytesText} from './basics.js';
import {firstFitting, fittingText, hatch} from './canvas.js';
import {ticksOf} from './data.js';
import {Spans, Sums, firstNotBelow} from './spans.js';

const LANE = 18;
const GAP = 6;
const TITLE = 16;
const MEMORY = 44;

/**
 * @typedef {Object} Row
 * @property {number} y, height CSS pixels
 * @property {Uint32Array} events in order of their begin
 * @property {Spans} spans when they were
 * @property {Sums} all of them
 * @property {Sums} shown of those that the reader chose
 * @property {number} track
 * @property {Uint32Array} bins of the track, on its first lane
 *
 * @typedef {Object} Strip a track, or a device's memory
 * @property {string} title
 * @property {number} y of its title
 * @property {number} height with its title
 * @property {?Row[]} rows, null: memory
 * @property {number} device
 */

const DOES = new Map([[HTOD, 'HtoD'], [KERNEL, 'kernels'], [DTOH, 'DtoH'], [2, 'DtoD, memset'], [4, 'alloc, delete']]);

/** What a track is called. @param {Object} track */
export const trackName = (track) => (track.kind === REGION
  ? `host thread ${track.tid}`
  : `device ${track.device < 0 ? 'unknown' : track.device} ${DOES.get(track.kind) ?? KINDS[track.kind].name}`);

/**
 * Positions of rows by key, in order: a list for each key below `keys`.
 * @param {number} rows @param {number} keys @param {function(number): number} keyOf
 */
function positionsByKey(rows, keys, keyOf) {
  const counts = new Uint32Array(keys);
  for (let i = 0; i < rows; i += 1) counts[keyOf(i)] += 1;
  const lists = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let i = 0; i < rows; i += 1) {
    const key = keyOf(i);
    lists[key][counts[key]++] = i;
  }
  return lists;
}

/** Values of some events, side by side. @param {Uint32Array} list @param {ArrayLike<number>} values */
function gathered(list, values) {
  const gotten = new Float64Array(list.length);
  for (let i = 0; i < list.length; i += 1) gotten[i] = values[list[i]];
  return gotten;
}

/** Sums of all of a row. @param {Object} events @param {Uint32Array} list */
function sumsOf(events, list) {
  const sums = new Sums(list.length);
  for (let i = 0; i < list.length; i += 1) sums.put(i, events.duration[list[i]], true, events.finding[list[i]] !== 0);
  return sums;
}

/**
 * Sums of what the reader chose, in the same place each time; null: all.
 * @param {Row[]} rows @param {Object} events @param {?{key: string, value: number}} chosen
 */
export function choose(rows, events, chosen) {
  for (const row of rows) {
    if (chosen === null) {
      row.shown = row.all;
      continue;
    }
    row.chosen ??= new Sums(row.events.length);
    row.shown = row.chosen;
    const rowOf = events[chosen.key];
    for (let i = 0; i < row.events.length; i += 1) {
      const event = row.events[i];
      row.shown.put(i, row.spans.duration[i], rowOf[event] === chosen.value, events.finding[event] !== 0);
    }
  }
}

/** Instants and bytes of each device's memory. @param {import('./data.js').Recording} recording */
function memoryByDevice(recording) {
  const devices = new Map();
  const {memory} = recording;
  for (let i = 0; i < memory.rows; i += 1) {
    const device = memory.device[i] - 1;
    if (!devices.has(device)) devices.set(device, {times: [], bytes: [], most: 0});
    const of = devices.get(device);
    of.times.push(memory.time[i]);
    of.bytes.push(memory.bytes[i]);
    of.most = Math.max(of.most, memory.bytes[i]);
  }
  return devices;
}

/**
 * Lays a recording out below `top`.
 * @param {import('./data.js').Recording} recording
 * @returns {{strips: Strip[], height: number}}
 */
export function layOut(recording, top) {
  const {events, tracks} = recording;
  const first = [];  // row of each track
  let lanes = 0;
  for (const track of tracks) {
    first.push(lanes);
    lanes += track.lanes;
  }
  const lists = positionsByKey(events.rows, lanes, (i) => first[events.track[i]] + events.lane[i]);
  const bins = positionsByKey(recording.bins.rows, tracks.length, (i) => recording.bins.track[i]);
  const memory = memoryByDevice(recording);
  const strips = [];
  let y = top;
  const addMemory = (device) => {
    const samples = memory.get(device);
    memory.delete(device);
    if (!samples) return;
    strips.push({title: `device ${device} memory in use`, y, height: MEMORY + TITLE, rows: null, device, samples});
    y += MEMORY + TITLE + GAP;
  };
  tracks.forEach((track, number) => {
    const rows = [];
    for (let lane = 0; lane < track.lanes; lane += 1) {
      const list = lists[first[number] + lane];
      const all = sumsOf(events, list);
      rows.push({
        y: y + TITLE + lane * LANE, height: LANE - 2, track: number,
        bins: lane === 0 ? bins[number] : new Uint32Array(0),
        events: list, spans: new Spans(gathered(list, events.begin), gathered(list, events.duration)), all, shown: all,
      });
    }
    const height = TITLE + rows.length * LANE;
    strips.push({title: trackName(track), y, height, rows, device: track.device ?? -1, track: number});
    y += height + GAP;
    const next = tracks[number + 1];
    if (track.kind !== REGION && (!next || next.kind === REGION || next.device !== track.device)) addMemory(track.device);
  });
  return {strips, height: y};
}

// Draws a recording's events: wide ones as boxes, what is narrower than two pixels as the share of
// each pixel that it fills, so that a picture of many events is true at any zoom.

const NARROW = 2;
const LABEL_ROOM = 28;
const CUT_ROOM = 90;
const ON_COLOURS = new Map([[HTOD, '--on-htod'], [REGION, '--on-host']]);

/**
 * @typedef {Object} Scene what one drawing needs
 * @property {CanvasRenderingContext2D} context
 * @property {import('./canvas.js').Palette} palette
 * @property {import('./canvas.js').PixelLayer} layer what is narrow, in pixels of the screen
 * @property {import('./spans.js').Numbers} boxes what is wide: rows and events, one after the other
 * @property {import('./data.js').Recording} recording
 * @property {import('./data.js').TimeWindow} time
 * @property {number} width
 * @property {function(number): boolean} isFaint of an event: it is not what the reader chose
 * @property {boolean} faintBins the reader chose, and of bins it is not known
 * @property {number} chosen event, -1: none
 * @property {function(number): string[]} labels of a wide event, the longest first
 */

/** @param {Scene} scene */
const scaleOf = ({time, width}) => width / time.width;

/** Bins of a track: their busy time lies evenly over them. */
function coverBins(scene, row, columns) {
  const {recording: {bins, binWidth}, time, layer: {needless, ratio}} = scene;
  const scale = scaleOf(scene) * ratio;
  let at = 0;
  for (let high = row.bins.length; at < high;) {
    const middle = (at + high) >> 1;
    if ((bins.slot[row.bins[middle]] + 1) * binWidth < time.begin) at = middle + 1;
    else high = middle;
  }
  for (; at < row.bins.length; at += 1) {
    const i = row.bins[at];
    const begin = bins.slot[i] * binWidth;
    if (begin > time.end) break;
    const from = (begin - time.begin) * scale;
    const share = Math.min(bins.busy[i] / binWidth, 1);
    const last = Math.min(Math.max(Math.ceil(from + binWidth * scale), Math.floor(from) + 1), columns.length);
    for (let x = Math.max(Math.floor(from), 0); x < last; x += 1) {
      const part = share * Math.min(x + 1 - Math.max(x, from), from + binWidth * scale - Math.max(x, from), 1);
      columns[x] += Math.max(part, 1e-6);
      if (bins.needless[i] > 0 && !scene.faintBins) needless[x] += 1;
    }
  }
}

/**
 * What is narrow in one lane of a track goes to the layer, what is wide to the boxes.
 * @param {Scene} scene @param {import('./timeline_rows.js').Row} row @param {number} number of the row
 */
export function drawNarrow(scene, row, number) {
  const {palette, layer, boxes, recording: {events, tracks}, time} = scene;
  const {spans, all, shown} = row;
  const {ratio} = layer;
  const scale = scaleOf(scene) * ratio;
  layer.clearColumns();
  spans.forPixels(time, 1 / scale, (first, last) => {
    const from = (spans.begin[first] - time.begin) * scale;
    const x = Math.floor(from);
    if (last > first) {
      const part = (shown.time[last] - shown.time[first]) * scale;
      layer.shown[x] += part;
      layer.faint[x] += (all.time[last] - all.time[first]) * scale - part;
      layer.needless[x] += shown.needless[last] - shown.needless[first];
    }
    const size = spans.duration[last] * scale;
    if (size >= NARROW * ratio) {
      boxes.push(number);
      boxes.push(row.events[last]);
      return;
    }
    const begin = (spans.begin[last] - time.begin) * scale;
    const isShown = shown.time[last + 1] > shown.time[last];
    layer.cover(isShown ? layer.shown : layer.faint, begin, begin + Math.max(size, 1e-6));
    layer.needless[x] += shown.needless[last + 1] - shown.needless[last];
  });
  coverBins(scene, row, scene.faintBins ? layer.faint : layer.shown);
  const {colour} = KINDS[tracks[row.track].kind];
  layer.drawColumns(Math.round(row.y * ratio), Math.round(row.height * ratio), Math.round(2 * ratio),
      {shown: palette.pixel(colour), faint: palette.pixel(colour, 0.25), hatched: palette.pixel(colour, 1, '--hatch')});
}

/** Lays over it what was too wide for the layer. @param {Scene} scene @param {import('./timeline_rows.js').Row[]} rows */
export function drawBoxes(scene, rows) {
  const {boxes: {values, length}} = scene;
  const scale = scaleOf(scene);
  for (let i = 0; i < length; i += 2) drawBox(scene, rows[values[i]], values[i + 1], scale);
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
  if (events.finding[event] !== 0) hatch(context, from, row.y, size, row.height, palette);
  if (size > LABEL_ROOM) drawLabel(scene, row, event, from, size);
  if (event === scene.chosen) {
    context.strokeStyle = palette.get('--focus');
    context.lineWidth = 2;
    context.strokeRect(from, row.y - 1, size, row.height + 2);
  }
  context.globalAlpha = 1;
}

/** What a box is called, where there is room for it. */
function drawLabel(scene, row, event, from, size) {
  const {context, palette, recording: {events}} = scene;
  const room = size - 10 + Math.min(from, 0);
  const label = firstFitting(context, scene.labels(event), room);
  // What is left of a name in less than this tells nothing.
  if (room < CUT_ROOM && context.measureText(label).width > room) return;
  if (events.finding[event] !== 0) drawPlate(scene, row, event, label, from, size);
  context.fillStyle = palette.get(ON_COLOURS.get(events.kind[event]) ?? '--on-colour');
  fittingText(context, label, Math.max(from, 0) + 5, row.y + row.height / 2 + 1, room);
}

/** Clears the hatching behind a label. */
function drawPlate(scene, row, event, label, from, size) {
  const {context, palette, recording: {events}} = scene;
  context.fillStyle = palette.get(KINDS[events.kind[event]].colour);
  const wide = Math.min(context.measureText(label).width + 6, size - 6);
  context.fillRect(Math.max(from, 0) + 2, row.y + 2, wide, row.height - 4);
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
  let at = firstNotBelow(times, time.begin);
  let height = at > 0 ? y(bytes[at - 1]) : bottom;
  context.beginPath();
  context.moveTo(0, bottom);
  context.lineTo(0, height);
  while (at < times.length && times[at] <= time.end) {
    // Of what one pixel shows, the most is what must be seen.
    const from = x(times[at]);
    let highest = bytes[at];
    for (at += 1; at < times.length && times[at] <= time.end && x(times[at]) < from + 1; at += 1) highest = Math.max(highest, bytes[at]);
    context.lineTo(from, height);
    context.lineTo(from, y(highest));
    context.lineTo(x(times[at - 1]), y(highest));
    height = y(bytes[at - 1]);
    context.lineTo(x(times[at - 1]), height);
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
    if (size < 20) return;
    context.fillStyle = palette.get('--dim');
    const label = pass.count > 1 ? [`${first}–${number - 1}`] : [`pass ${first}`, String(first)];
    fittingText(context, firstFitting(context, label, size - 8), Math.max(from, 0) + 3, 24, size - 4);
  });
}
