// Figures as people read them, the same in any locale: three digits, 1 KB is 1000 B.

/**
 * @param {number} value
 * @param {string[]} units from the smallest, each a thousand times the one before
 */
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
