// Drawings: pixels of a row, Canvas 2D, and the words under the cursor.
import {byId, element} from './basics.js';

// Columns of pixels that are set one by one: thousands of them as shapes would take a browser longer
// than all of the script that thinks of them.

export class PixelLayer {
  constructor() {
    this.canvas = document.createElement('canvas');
    this.context = this.canvas.getContext('2d', {willReadFrequently: true});
    this.image = null;
    this.used = false;
  }

  /** Empties it; all sizes are those of the screen. @param {number} width @param {number} height @param {number} ratio */
  begin(width, height, ratio) {
    if (this.image === null || this.image.width !== width || this.image.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      /** How full each pixel of a row is, with what is shown and what is faint, and what there is needless. */
      this.shown = new Float32Array(width);
      this.faint = new Float32Array(width);
      this.needless = new Float32Array(width);
      this.heights = new Uint16Array(width);
      this.faintHeights = new Uint16Array(width);
      this.colours = new Uint32Array(width);
    } else if (this.used) {
      this.pixels.fill(0);
    }
    this.ratio = ratio;
    this.used = false;
  }

  /** Before a row. */
  clearColumns() {
    this.shown.fill(0);
    this.faint.fill(0);
    this.needless.fill(0);
  }

  /** Adds a span to the pixels that it covers. @param {Float32Array} columns @param {number} from @param {number} to */
  cover(columns, from, to) {
    const end = Math.min(to, columns.length);
    for (let x = Math.max(Math.floor(from), 0); x < end; x += 1) columns[x] += Math.min(x + 1, end) - Math.max(x, from);
  }

  /**
   * Draws a row: columns as high as they are full, every third one hatched where something is needless.
   * @param {number} top @param {number} height of the row @param {number} least height of a column that is not empty
   * @param {{shown: number, faint: number, hatched: number}} colours as Palette.pixel gives them
   */
  drawColumns(top, height, least, colours) {
    const {shown, faint, needless, heights, faintHeights, pixels, ratio} = this;
    const {width} = this.image;
    const heightOf = (share) => (share > 0 ? Math.max(least, Math.round(Math.min(share, 1) * height)) : 0);
    let highest = 0;
    for (let x = 0; x < width; x += 1) {
      heights[x] = heightOf(shown[x]);
      faintHeights[x] = heightOf(faint[x]);
      this.colours[x] = needless[x] > 0 && Math.floor(x / ratio) % 3 === 0 ? colours.hatched : colours.shown;
      highest = Math.max(highest, heights[x], faintHeights[x]);
    }
    if (highest > 0) this.used = true;
    for (let high = 1; high <= highest; high += 1) {
      const row = (top + height - high) * width;
      for (let x = 0; x < width; x += 1) {
        if (heights[x] >= high) pixels[row + x] = this.colours[x];
        else if (faintHeights[x] >= high) pixels[row + x] = colours.faint;
      }
    }
  }

  /** Lays it over what a drawing has. @param {CanvasRenderingContext2D} context */
  drawOn(context) {
    if (!this.used) return;
    this.context.putImageData(this.image, 0, 0);
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.canvas, 0, 0);
    context.restore();
  }
}

// What the drawings share: sharp pixels, the page's colours, hatching, one drawing a frame.

/** Colours by custom property, as they are now (light, dark or printed). */
export class Palette {
  /** @param {number} ratio of the screen's pixels to the page's */
  constructor(ratio) {
    this.ratio = ratio;
    this.known = new Map();
    this.pixels = new Map();
    this.patterns = new Map();
    this.style = getComputedStyle(document.documentElement);
    this.dot = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  }

  /** @param {string} property */
  get(property) {
    if (!this.known.has(property)) this.known.set(property, this.style.getPropertyValue(property).trim());
    return this.known.get(property);
  }

  /** A colour as a PixelLayer has it, under another one. @param {string} property @param {number} alpha @param {?string} over */
  pixel(property, alpha = 1, over = null) {
    const key = `${property} ${alpha} ${over}`;
    if (!this.pixels.has(key)) {
      this.dot.clearRect(0, 0, 1, 1);
      this.dot.globalAlpha = alpha;
      for (const each of over === null ? [property] : [property, over]) {
        this.dot.fillStyle = this.get(each);
        this.dot.fillRect(0, 0, 1, 1);
      }
      this.pixels.set(key, new Uint32Array(this.dot.getImageData(0, 0, 1, 1).data.buffer)[0]);
    }
    return this.pixels.get(key);
  }

  /** Diagonals of a colour. @param {string} property */
  hatching(property) {
    if (!this.patterns.has(property)) this.patterns.set(property, diagonals(this.get(property), Math.ceil(this.ratio)));
    return this.patterns.get(property);
  }
}

/** A pattern of diagonal lines five pixels apart. @param {string} colour @param {number} fine pixels of the tile in one */
function diagonals(colour, fine) {
  const step = 5 * fine;
  const tile = element('canvas', {width: step, height: step});
  const context = tile.getContext('2d');
  context.strokeStyle = colour;
  context.lineWidth = 1.5 * fine;
  for (const at of [0, step, 2 * step]) {
    context.moveTo(at + step, -step);
    context.lineTo(at - 2 * step, 2 * step);
  }
  context.stroke();
  const pattern = context.createPattern(tile, 'repeat');
  pattern.setTransform(new DOMMatrix().scale(1 / fine));
  return pattern;
}

const surfaces = [];
let palette = null;

function paletteNow() {
  const ratio = window.devicePixelRatio || 1;
  if (palette === null || palette.ratio !== ratio) palette = new Palette(ratio);
  return palette;
}

/** A canvas that is drawn anew when its size, the colours or what it shows change. */
export class Surface {
  /**
   * @param {string} label for screen readers
   * @param {function(CanvasRenderingContext2D, number, Palette)} draw with the width
   * @param {function(number): number} heightOf for a width, CSS pixels
   */
  constructor(label, draw, heightOf) {
    this.canvas = element('canvas', {tabindex: '0', role: 'application', 'aria-label': label});
    this.draw = draw;
    this.heightOf = heightOf;
    this.pending = false;
    this.layer = new PixelLayer();
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    surfaces.push(this);
  }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    this.pending = false;
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    const began = performance.now();
    const height = this.heightOf(width);
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.height !== Math.round(height * ratio) || this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.style.height = `${height}px`;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.layer.begin(this.canvas.width, this.canvas.height, ratio);
    this.draw(context, width, paletteNow());
    this.canvas.dataset.frame = (performance.now() - began).toFixed(2);  // for the benchmark
  }

  /** Shows words beside a place of the canvas. @param {string[]} lines @param {boolean} aloud as showTip() has it */
  tell(lines, x, y, aloud = false) {
    const box = this.canvas.getBoundingClientRect();
    showTip(lines, box.left + x, box.top + y, aloud);
  }
}

/** Draws all again: colours changed. */
function redrawAll() {
  palette = null;
  for (const surface of surfaces) surface.drawNow();
}

/** Follows the reader's choice of colours, and prints in dark on white. */
export function followColours() {
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
  const print = (on) => () => {
    document.documentElement.classList.toggle('printed', on);
    if (on) for (const details of document.querySelectorAll('details')) details.open = true;
    redrawAll();
  };
  window.addEventListener('beforeprint', print(true));
  window.addEventListener('afterprint', print(false));
}

/**
 * Hatches a rectangle: what is needless.
 * @param {CanvasRenderingContext2D} context @param {Palette} palette
 */
export function hatch(context, x, y, width, height, palette) {
  if (width <= 0 || height <= 0) return;
  context.fillStyle = palette.hatching('--hatch');
  context.fillRect(x, y, width, height);
}

/** The first of several texts that fits into `width`, or the last. @param {CanvasRenderingContext2D} context @param {string[]} texts */
export const firstFitting = (context, texts, width) =>
  texts.find((text) => context.measureText(text).width <= width) ?? texts[texts.length - 1];

/** Text that ends before `width`. @param {CanvasRenderingContext2D} context */
export function fittingText(context, text, x, y, width) {
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > width) {
    shown = `${shown.slice(0, Math.max(1, Math.min(shown.length - 2, Math.floor(shown.length * 0.85))))}…`;
    if (shown.length <= 2) break;
  }
  context.fillText(shown, x, y);
}

// What is under the pointer, or under the keyboard's cursor: shown beside it, and read out.

/**
 * @param {string[]} lines the first is the title
 * @param {number} x @param {number} y in the page
 * @param {boolean} aloud whether a screen reader is to say it
 */
function showTip(lines, x, y, aloud = false) {
  const tip = byId('tip');
  tip.replaceChildren(...lines.map((line, at) => element(at === 0 ? 'strong' : 'div', {}, line)));
  tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(4, Math.min(x + 14, room - width - 4))}px`;
  tip.style.top = `${y + 18 + height > window.innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
  if (aloud) byId('said').textContent = lines.join(', ');
}

export function hideTip() {
  byId('tip').hidden = true;
}
