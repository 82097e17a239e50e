// What lies at a place of the timeline, and what is to be told of it.
import {FLAGS, KINDS, REGION} from './kinds.js';
import {bytesText, counted, cut, plain, rateText, shareText, timeText} from './format.js';
import {directiveName, page, report, variableName} from './data.js';

/**
 * Events of a row between two instants.
 * @param {import('./timeline_rows.js').Row} row @param {Object} events
 */
export function eventsBetween(row, events, from, to) {
  const found = [];
  for (let i = row.spans.firstAt(from); i < row.events.length; i += 1) {
    const event = row.events[i];
    if (events.begin[event] > to) break;
    if (events.begin[event] + events.duration[event] >= from) found.push(event);
  }
  return found;
}

/** The strip and the row at a height. @param {Object} layout @param {number} y */
export function stripAt(layout, y) {
  const strip = layout.strips.find((each) => y >= each.y && y < each.y + each.height);
  if (!strip || !strip.rows) return {strip, row: null};
  const row = strip.rows.find((each) => y >= each.y - 1 && y <= each.y + each.height + 1) ?? null;
  return {strip, row};
}

/** All that is known of an event, line by line. @param {Object} events @param {number} event */
export function linesOfEvent(events, event) {
  const kind = KINDS[events.kind[event]];
  const duration = events.duration[event];
  const bytes = events.bytes[event];
  const lines = [`${kind.name}: ${kind.words}`];
  if (events.variable[event] !== 0) lines.push(`variable ${cut(variableName(events.variable[event] - 1), 80)}`);
  if (events.directive[event] !== 0) {
    const row = events.directive[event] - 1;
    lines.push(cut(directiveName(row), 90));
    if (report.directives[row].function) lines.push(`in ${cut(report.directives[row].function, 80)}`);
  }
  if (bytes > 0) {
    const rate = events.kind[event] < 4 && !(events.flags[event] & 4) ? rateText(bytes, duration) : '';
    lines.push(rate ? `${bytesText(bytes)} at ${rate}` : bytesText(bytes));
  }
  lines.push(`${timeText(duration)}, from ${timeText(events.begin[event])} on`);
  for (const flag of FLAGS) if (events.flags[event] & flag.bit) lines.push(flag.words);
  if (events.finding[event] !== 0) lines.push(`needless: finding ${events.finding[event]}`);
  return lines;
}

/** Several events together, and those that are only counted. */
export function linesOfMany(recording, row, found, from, to) {
  const {events, bins, binWidth} = recording;
  const sum = {count: 0, bytes: 0, time: 0, needless: 0};
  for (const event of found) {
    sum.count += 1;
    sum.bytes += events.bytes[event];
    sum.time += events.duration[event];
    if (events.finding[event] !== 0) sum.needless += 1;
  }
  for (const i of row.bins) {
    const begin = bins.slot[i] * binWidth;
    if (begin > to) break;
    if (begin + binWidth < from) continue;
    sum.count += bins.count[i];
    sum.bytes += bins.bytes[i];
    sum.time += bins.busy[i];
    sum.needless += bins.needless[i];
  }
  if (sum.count === 0) return null;
  const lines = [counted(sum.count, 'event', 'events'), `${timeText(sum.time)} in all`];
  if (sum.bytes > 0) lines.push(bytesText(sum.bytes));
  if (sum.needless > 0) lines.push(`${sum.needless} of them needless`);
  lines.push(`around ${timeText(from)}`);
  return lines;
}

/** What a pass of the chosen loop is: said where nothing else lies. */
export const shareOfWindow = (recording, time) =>
  `${timeText(time.begin)} to ${timeText(time.end)}, ${shareText(time.width, recording.end)} of the recording`;

/** What a box may be called, the longest first. @param {Object} events @param {number} event */
export function labelsOf(events, event) {
  if (events.kind[event] === REGION) {
    if (events.directive[event] === 0) return ['region'];
    const row = events.directive[event] - 1;
    return [directiveName(row), page.names.directives[row] || 'unknown place'].map((name) => plain(name).slice(0, 90));
  }
  const name = events.variable[event] === 0 ? KINDS[events.kind[event]].name : plain(variableName(events.variable[event] - 1)).slice(0, 60);
  return events.bytes[event] > 0 ? [`${name} ${bytesText(events.bytes[event])}`, name] : [name];
}
