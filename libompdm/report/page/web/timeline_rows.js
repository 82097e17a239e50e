// Where the timeline draws what: one row a lane of a track, device memory between the devices.
import {HTOD, DTOH, KERNEL, REGION, KINDS} from './kinds.js';
import {Spans, Sums} from './spans.js';

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

/** Events of each lane of each track. @param {import('./data.js').Recording} recording */
function eventsByRow(recording) {
  const {events, tracks} = recording;
  const first = [];
  let rows = 0;
  for (const track of tracks) {
    first.push(rows);
    rows += track.lanes;
  }
  const counts = new Uint32Array(rows);
  for (let i = 0; i < events.rows; i += 1) counts[first[events.track[i]] + events.lane[i]] += 1;
  const lists = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let i = 0; i < events.rows; i += 1) {
    const row = first[events.track[i]] + events.lane[i];
    lists[row][counts[row]++] = i;
  }
  return {first, lists};
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

/** Bins of each track, in order of time. @param {import('./data.js').Recording} recording */
function binsByTrack({bins, tracks}) {
  const counts = new Uint32Array(tracks.length);
  for (let i = 0; i < bins.rows; i += 1) counts[bins.track[i]] += 1;
  const lists = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let i = 0; i < bins.rows; i += 1) lists[bins.track[i]][counts[bins.track[i]]++] = i;
  return lists;
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
  const {events} = recording;
  const {first, lists} = eventsByRow(recording);
  const bins = binsByTrack(recording);
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
  recording.tracks.forEach((track, number) => {
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
    const next = recording.tracks[number + 1];
    if (track.kind !== REGION && (!next || next.kind === REGION || next.device !== track.device)) addMemory(track.device);
  });
  return {strips, height: y};
}
