// Words, numbers as text, and DOM elements, for all views.

// What the numbers in a page's columns stand for; html/page.h has the same order.

/** Kinds of events: what they are called, and the custom property of their colour. */
export const KINDS = [
  {name: 'HtoD', words: 'copy to the device', colour: '--htod'},
  {name: 'DtoH', words: 'copy back to the host', colour: '--dtoh'},
  {name: 'DtoD', words: 'copy between devices', colour: '--dtod'},
  {name: 'memset', words: 'memory set on the device', colour: '--dtod'},
  {name: 'alloc', words: 'device memory allocated', colour: '--alloc'},
  {name: 'delete', words: 'device memory freed', colour: '--alloc'},
  {name: 'kernel', words: 'kernel', colour: '--kernel'},
  {name: 'region', words: 'directive, as the host saw it', colour: '--host'},
];
export const HTOD = 0;
export const DTOH = 1;
export const KERNEL = 6;
export const REGION = 7;

/** Bits of an event's flags, and what they say. */
export const FLAGS = [
  {bit: 1, words: 'the runtime’s own'},
  {bit: 2, words: 'unfinished: the process died meanwhile'},
  {bit: 4, words: 'only its submission was timed'},
  {bit: 8, words: 'end of the data region'},
  {bit: 16, words: 'ran on the host instead'},
];

/** The parts of an iteration's time, from the bottom of its bar upwards. */
export const PARTS = [
  {key: 'htod', words: 'HtoD copies', colour: '--htod'},
  {key: 'kernel', words: 'kernels', colour: '--kernel'},
  {key: 'dtoh', words: 'DtoH copies', colour: '--dtoh'},
  {key: 'on_device', words: 'copies between devices, memsets', colour: '--dtod'},
  {key: 'allocation', words: 'allocation', colour: '--alloc'},
  {key: 'host', words: 'host', colour: '--host'},
];

/** What a confidence means, after docs/glossary.md. */
export const CONFIDENCE = {
  certain: 'the run proves it',
  proven: 'the sources allow it with any input',
  likely: 'one assumption is missing',
  possible: 'more is missing',
};

// Figures as people read them, the same in any locale: three digits, 1 KB is 1000 B.

/** @param {number} value @param {string[]} units from the smallest, each a thousand times the one before */
function scaled(value, units) {
  let unit = 0;
  let size = Math.abs(value);
  while (unit + 1 < units.length && size >= 999.5) {
    size /= 1000;
    unit += 1;
  }
  const whole = unit === 0 && (Number.isInteger(size) || size >= 10);
  const digits = whole || size >= 99.95 ? 0 : size >= 9.995 || unit === 0 ? 1 : 2;
  return `${value < 0 ? '-' : ''}${size.toFixed(digits)} ${units[unit]}`;
}

/** @param {?number} bytes */
export const bytesText = (bytes) =>
  bytes === null ? 'not known' : scaled(bytes, ['B', 'KB', 'MB', 'GB', 'TB', 'PB']);

/** @param {?number} nanoseconds */
export const timeText = (nanoseconds) =>
  nanoseconds === null ? 'not known' : scaled(nanoseconds, ['ns', 'µs', 'ms', 's', 'ks']);

/** Thousands apart: 1 234 567. @param {number} count */
export const countText = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** @param {number} count @param {string} one @param {string} many */
export const counted = (count, one, many) => `${countText(count)} ${count === 1 ? one : many}`;

/** Sum of a figure over rows; null where one is not known. @param {Object[]} rows @param {string} key */
export const sumOf = (rows, key) =>
  rows.reduce((sum, row) => (sum === null || row[key] === null ? null : sum + row[key]), 0);

/** "12.4 GB/s"; empty if it took no time. @param {number} bytes @param {number} nanoseconds */
export const rateText = (bytes, nanoseconds) =>
  nanoseconds > 0 ? `${bytesText(Math.round((bytes / nanoseconds) * 1e9))}/s` : '';

/** "35 %", "0.4 %". @param {number} part @param {number} whole */
export function shareText(part, whole) {
  if (!(whole > 0)) return '';
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent.toFixed(percent < 9.95 && percent > 0 ? 1 : 0)} %`;
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * A name from the trace so that all of it can be seen, and none of it steers the text around it:
 * characters that control the direction or do not show are written out.
 * @param {string} text
 */
export const plain = (text) =>
  text.replace(CONTROLS, (c) => `‹U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}›`);

/** The same, cut in its middle. @param {string} text @param {number} most */
export function cut(text, most = 64) {
  const all = Array.from(plain(text.length > 8 * most ? text.slice(0, 4 * most) + text.slice(-4 * most) : text));
  if (all.length <= most) return all.join('');
  const tail = Math.floor(most / 3);
  return `${all.slice(0, most - tail - 1).join('')}…${all.slice(-tail).join('')}`;
}

// Elements of the page. Text from a trace is only ever a text node or an attribute's value.

/**
 * @param {string} tag
 * @param {Object<string, *>} attributes `onclick` and its like are listeners; true is an attribute
 *   without a value, false and null none
 * @param {...(Node|string|null)} children
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** A name from the trace: cut where it is long, whole when pointed at. @param {string} text @param {number} most */
export function named(text, most = 64) {
  const shown = cut(text, most);
  const whole = plain(text.slice(0, 2000));
  return element('bdi', {class: 'name', title: shown === whole ? null : whole}, shown);
}

/** @param {string|Node} words @param {function()} act @param {string} label for screen readers */
export const button = (words, act, label = null) =>
  element('button', {type: 'button', onclick: act, 'aria-label': label}, words);

/** @param {string[]} titles of a table's columns */
export const tableHead = (titles) =>
  element('thead', {}, element('tr', {}, ...titles.map((title) => element('th', {scope: 'col'}, title))));

/** A part of the page that is scrolled by itself. @param {string} label for screen readers @param {Node} content */
export const scrolling = (label, content) =>
  element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label}, content);

/** @param {string} id */
export const byId = (id) => document.getElementById(id);

/** Shows a section's content, or leaves the section out. @param {string} id @param {...?Node} content */
export function fill(id, ...content) {
  const nodes = content.filter((node) => node !== null);
  byId(id).append(...nodes);
  byId(id).hidden = nodes.length === 0;
}

/** What colours mean. @param {string[][]} entries classes of swatches, none where empty, and words */
export const legend = (entries) => element('ul', {class: 'legend'}, ...entries.map(([colour, words]) =>
  element('li', {}, colour ? element('span', {class: `swatch ${colour}`}) : null, words)));

/** Brings an element into view and lets the keyboard go on from there. @param {Element} node */
export function reveal(node) {
  if (!node.hasAttribute('tabindex')) node.setAttribute('tabindex', '-1');
  node.focus({preventScroll: true});
  node.scrollIntoView({block: 'nearest'});
}
