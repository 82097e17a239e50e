// What the drawings share: sharp pixels, the page's colours, hatching, one drawing a frame.
import {element} from './dom.js';
import {PixelLayer} from './pixels.js';

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
