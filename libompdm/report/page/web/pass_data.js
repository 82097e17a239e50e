// Passes of a loop, as the timeline's bands and the bars show them.
import {PARTS} from './kinds.js';
import {recordingOfRow, report} from './data.js';

const PASS_SUMS = ['count', 'wall', 'htod_bytes', 'dtoh_bytes', 'needless_bytes',
  ...PARTS.flatMap(({key}) => [key, `${key}_needless`])];

const knownPasses = new Map();

/**
 * In order of time; each may be several neighbours (`count`) summed.
 * @param {Object[]} recordings @param {number} loop row of the report's loops
 */
export function passesOf(recordings, loop) {
  if (knownPasses.has(loop)) return knownPasses.get(loop);
  const {passes} = recordings[recordingOfRow('iterations', loop)];
  const rows = [];
  for (let i = 0; i < passes.rows; i += 1) {
    if (passes.loop[i] !== loop) continue;
    const row = {begin: passes.begin[i], duration: passes.duration[i], first: passes.first[i] === 1};
    for (const key of PASS_SUMS) row[key] = passes[key][i];
    rows.push(row);
  }
  knownPasses.set(loop, rows);
  return rows;
}

/** The sum of several passes. @param {Object[]} passes */
export function sumOfPasses(passes) {
  const sum = {begin: passes[0].begin, first: passes[0].first};
  for (const key of PASS_SUMS) sum[key] = passes.reduce((all, pass) => all + pass[key], 0);
  return sum;
}

/**
 * At most `most` bars: neighbours are summed, but for the first pass.
 * @param {Object[]} passes @param {number} most
 */
export function barsOf(passes, most) {
  if (passes.length <= most) return passes;
  const together = Math.ceil((passes.length - 1) / Math.max(most - 1, 1));
  const bars = [passes[0]];
  for (let i = 1; i < passes.length; i += together) bars.push(sumOfPasses(passes.slice(i, i + together)));
  return bars;
}

/** The loop of a recording that most time went into: shown first. @param {number} recording */
export function longestLoop(recording) {
  let longest = null;
  report.iterations.forEach((row, at) => {
    if (recordingOfRow('iterations', at) !== recording) return;
    const of = longest === null ? -1 : report.iterations[longest].wall_ns * report.iterations[longest].count;
    if (row.parent === null && row.wall_ns * row.count > of) longest = at;
  });
  return longest;
}
