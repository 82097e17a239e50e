// The rows of the timeline: a track has one or more, and device memory stands between the devices.
import {DTOH, HTOD, KERNEL, KINDS, REGION, bytesText, plain} from './basics.js';
import {firstFitting, fittingText, hatch} from './canvas.js';
import {directiveName, gathered, page, positionsByKey, report, ticksOf, variableName} from './data.js';
import {Spans, Sums, firstNotBelow} from './spans.js';

const LANE = 18;
const GAP = 6;
const TITLE = 16;
const MEMORY = 44;

/**
 * @typedef {Object} Row
 * @property {number} y, height CSS pixels
 * @property {number[]} events in order of their begin
 * @property {Spans} spans when they were
 * @property {Sums} all of them
 * @property {Sums} shown of those that the reader chose
 * @property {string} colour
 * @property {number[]} bins of the track, on its first row
 * @property {Float64Array} binBegins
 *
 * @typedef {Object} Strip a track, or a device's memory
 * @property {string} title
 * @property {number} y of its title
 * @property {number} height with its title
 * @property {Row[]} rows none: memory
 * @property {?Object} samples of the memory
 */

const DOES = new Map([[HTOD, 'HtoD'], [KERNEL, 'kernels'], [DTOH, 'DtoH'], [2, 'DtoD, memset'], [4, 'alloc, delete']]);

/** What a track is called. @param {Object} track */
const trackName = (track) => (track.kind === REGION
  ? `host thread ${track.tid}`
  : `device ${track.device < 0 ? 'unknown' : track.device} ${DOES.get(track.kind) ?? KINDS[track.kind].name}`);

/** Puts the sums of a row's events, of which those are counted that the reader chose; null: all. */
function sumUp(sums, row, events, chosen) {
  const column = chosen && events[chosen.key];
  for (let at = 0; at < row.events.length; at += 1) {
    const event = row.events[at];
    sums.put(at, row.spans.duration[at], chosen === null || column[event] === chosen.value, events.finding[event] !== 0);
  }
  return sums;
}

/** Sums what the reader chose; null: all. @param {Row[]} rows @param {Object} events @param {?{key: string, value: number}} chosen */
export function choose(rows, events, chosen) {
  for (const row of rows) {
    // In the same place each time.
    row.chosen ??= new Sums(row.events.length);
    row.shown = chosen === null ? row.all : sumUp(row.chosen, row, events, chosen);
  }
}

/**
 * Lays a recording out below `top`.
 * @param {import('./data.js').Recording} recording
 * @returns {{strips: Strip[], height: number}}
 */
export function layOut(recording, top) {
  const {events, bins, memory, tracks} = recording;
  const laneOf = (track, lane) => 256 * track + lane;
  const eventsOf = positionsByKey(events.rows, (i) => laneOf(events.track[i], events.lane[i]));
  const binsOf = positionsByKey(bins.rows, (i) => bins.track[i]);
  const samplesOf = positionsByKey(memory.rows, (i) => memory.device[i]);
  const strips = [];
  let y = top;
  const add = (strip) => {
    strips.push({y, ...strip});
    y += strip.height + GAP;
  };
  tracks.forEach((track, number) => {
    const rows = [];
    for (let lane = 0; lane < track.lanes; lane += 1) {
      const list = eventsOf.get(laneOf(number, lane)) ?? [];
      const binned = lane === 0 ? binsOf.get(number) ?? [] : [];
      const row = {
        y: y + TITLE + lane * LANE, height: LANE - 2, colour: KINDS[track.kind].colour, bins: binned,
        binBegins: Float64Array.from(binned, (i) => bins.slot[i] * recording.binWidth),
        events: list, spans: new Spans(gathered(list, events.begin), gathered(list, events.duration)),
      };
      row.all = sumUp(new Sums(list.length), row, events, null);
      rows.push(row);
    }
    add({title: trackName(track), height: TITLE + rows.length * LANE, rows});
    // Below a device's last track.
    const list = tracks[number + 1]?.device === track.device ? undefined : samplesOf.get(track.device + 1);
    if (!list) return;
    const [times, bytes] = [memory.time, memory.bytes].map((values) => gathered(list, values));
    const samples = {times, bytes, most: bytes.reduce((most, size) => Math.max(most, size))};
    add({title: `device ${track.device} memory in use`, device: track.device, height: MEMORY + TITLE, rows: [], samples});
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
 * @typedef {import('./canvas.js').Scene} Scene and:
 * @property {{row: Row, event: number}[]} boxes what is wide
 * @property {import('./data.js').Recording} recording
 * @property {?{key: string, value: number}} chosen a column of the events, and its value in those that the reader chose
 * @property {number} cursor an event, -1: none
 */

/** @param {Scene} scene */
const scaleOf = ({time, width}) => width / time.width;

/** Positions of a row's bins between two instants: the first, and the one after the last. @param {Row} row */
export function binsBetween({binBegins}, binWidth, from, to) {
  const first = firstNotBelow(binBegins, from - binWidth);
  return [first, firstNotBelow(binBegins, Math.floor(to) + 1, first)];
}

/** Bins of a track: their busy time lies evenly over them; of bins it is not known what the reader chose. */
function coverBins(scene, row) {
  const {recording: {bins, binWidth}, time, chosen, layer: {needless, shown, faint, ratio}} = scene;
  const columns = chosen === null ? shown : faint;
  const scale = scaleOf(scene) * ratio;
  const [first, end] = binsBetween(row, binWidth, time.begin, time.end);
  for (let at = first; at < end; at += 1) {
    const i = row.bins[at];
    const from = (row.binBegins[at] - time.begin) * scale;
    const share = Math.min(bins.busy[i] / binWidth, 1);
    const last = Math.min(Math.max(Math.ceil(from + binWidth * scale), Math.floor(from) + 1), columns.length);
    for (let x = Math.max(Math.floor(from), 0); x < last; x += 1) {
      const part = share * Math.min(x + 1 - Math.max(x, from), from + binWidth * scale - Math.max(x, from), 1);
      columns[x] += Math.max(part, 1e-6);
      if (bins.needless[i] > 0 && chosen === null) needless[x] += 1;
    }
  }
}

/**
 * Of one row of a track, narrow events go to the layer, and wide events to the boxes.
 * @param {Scene} scene @param {Row} row
 */
export function drawNarrow(scene, row) {
  const {palette, layer, boxes, time} = scene;
  const {spans, all, shown, colour} = row;
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
      boxes.push({row, event: row.events[last]});
      return;
    }
    const begin = (spans.begin[last] - time.begin) * scale;
    const isShown = shown.time[last + 1] > shown.time[last];
    layer.cover(isShown ? layer.shown : layer.faint, begin, begin + Math.max(size, 1e-6));
    layer.needless[x] += shown.needless[last + 1] - shown.needless[last];
  });
  coverBins(scene, row);
  layer.drawColumns(Math.round(row.y * ratio), Math.round(row.height * ratio), Math.round(2 * ratio),
      {shown: palette.pixel(colour), faint: palette.pixel(colour, 0.25), hatched: palette.pixel(colour, 1, '--hatch')});
}

/** An event that is wide enough for edges, hatching and a label. @param {Scene} scene @param {Row} row @param {number} event */
export function drawBox(scene, row, event) {
  const {context, palette, recording: {events}, time, width, chosen} = scene;
  const scale = scaleOf(scene);
  const from = Math.max((events.begin[event] - time.begin) * scale, -2);
  const to = Math.min((events.begin[event] + events.duration[event] - time.begin) * scale, width + 2);
  const size = Math.max(to - from - (to - from > 4 ? 1 : 0), 1);
  context.globalAlpha = chosen !== null && events[chosen.key][event] !== chosen.value ? 0.25 : 1;
  context.fillStyle = palette.get(row.colour);
  context.fillRect(from, row.y, size, row.height);
  if (events.finding[event] !== 0) hatch(scene, from, row.y, size, row.height);
  if (size > LABEL_ROOM) drawLabel(scene, row, event, from, size);
  if (event === scene.cursor) {
    context.strokeStyle = palette.get('--focus');
    context.lineWidth = 2;
    context.strokeRect(from, row.y - 1, size, row.height + 2);
  }
  context.globalAlpha = 1;
}

/** What a box may be called, the longest first. @param {Object} events @param {number} event */
function labelsOf(events, event) {
  if (events.kind[event] === REGION) {
    if (events.directive[event] === 0) return ['region'];
    const row = events.directive[event] - 1;
    return [directiveName(row), page.names.directives[row] || 'unknown place'].map((name) => plain(name).slice(0, 90));
  }
  // A kernel has the name of its function.
  if (events.kind[event] === KERNEL && events.directive[event] !== 0) {
    const row = events.directive[event] - 1;
    const place = plain(page.names.directives[row] || 'kernel').slice(0, 90);
    const {function: name} = report.directives[row];
    return name ? [`${plain(name).slice(0, 60)} ${place}`, plain(name).slice(0, 60), place] : [place];
  }
  const name = events.variable[event] === 0 ? KINDS[events.kind[event]].name : plain(variableName(events.variable[event] - 1)).slice(0, 60);
  return events.bytes[event] > 0 ? [`${name} ${bytesText(events.bytes[event])}`, name] : [name];
}

/** What a box is called, where there is room for it. */
function drawLabel(scene, row, event, from, size) {
  const {context, palette, recording: {events}} = scene;
  const room = size - 10 + Math.min(from, 0);
  const label = firstFitting(context, labelsOf(events, event), room);
  // What is left of a name in less than this tells nothing.
  if (room < CUT_ROOM && context.measureText(label).width > room) return;
  if (events.finding[event] !== 0) {
    // The hatching behind the label is cleared.
    context.fillStyle = palette.get(row.colour);
    context.fillRect(Math.max(from, 0) + 2, row.y + 2, Math.min(context.measureText(label).width + 6, size - 6), row.height - 4);
  }
  context.fillStyle = palette.get(ON_COLOURS.get(events.kind[event]) ?? '--on-colour');
  fittingText(context, label, Math.max(from, 0) + 5, row.y + row.height / 2 + 1, room);
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

/** The span that the reader has chosen. @param {Scene} scene */
export function drawChosen(scene, height) {
  const {context, palette, time} = scene;
  if (time.chosen === null) return;
  const scale = scaleOf(scene);
  context.globalAlpha = 0.2;
  context.fillStyle = palette.get('--focus');
  context.fillRect((time.chosen.begin - time.begin) * scale, 14, (time.chosen.end - time.chosen.begin) * scale, height - 14);
  context.globalAlpha = 1;
}

/** Iterations of the chosen loop behind all tracks. @param {Scene} scene */
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
    const label = pass.count > 1 ? [`${first}–${number - 1}`] : [`iteration ${first}`, String(first)];
    fittingText(context, firstFitting(context, label, size - 8), Math.max(from, 0) + 3, 24, size - 4);
  });
}
