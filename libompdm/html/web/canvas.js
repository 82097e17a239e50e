// Drawings: pixels of a row, Canvas 2D, and the words under the cursor.
import {byId, element} from './basics.js';
import {timeWindow} from './data.js';

// Columns of pixels that are set one by one: thousands of them as shapes would take a browser longer
// than all of the script that thinks of them.

class PixelLayer {
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
    const {shown, faint, needless, pixels, ratio} = this;
    const {width} = this.image;
    const heightOf = (share) => (share > 0 ? Math.max(least, Math.round(Math.min(share, 1) * height)) : 0);
    for (let x = 0; x < width; x += 1) {
      const high = heightOf(shown[x]);
      const highest = Math.max(high, heightOf(faint[x]));
      const colour = needless[x] > 0 && Math.floor(x / ratio) % 3 === 0 ? colours.hatched : colours.shown;
      for (let y = 1; y <= highest; y += 1) pixels[(top + height - y) * width + x] = y <= high ? colour : colours.faint;
      if (highest > 0) this.used = true;
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
class Palette {
  /** @param {number} ratio of the screen's pixels to the page's */
  constructor(ratio) {
    this.ratio = ratio;
    this.known = new Map();
    this.style = getComputedStyle(document.documentElement);
    this.dot = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  }

  /** What was made before under the same key, or is made now. @param {string} key @param {function()} make */
  once(key, make) {
    if (!this.known.has(key)) this.known.set(key, make());
    return this.known.get(key);
  }

  /** @param {string} property */
  get(property) {
    return this.once(property, () => this.style.getPropertyValue(property).trim());
  }

  /** A colour as a PixelLayer has it, under another one. @param {string} property @param {number} alpha @param {?string} over */
  pixel(property, alpha = 1, over = null) {
    return this.once(`${property} ${alpha} ${over}`, () => {
      this.dot.clearRect(0, 0, 1, 1);
      this.dot.globalAlpha = alpha;
      for (const each of over === null ? [property] : [property, over]) {
        this.dot.fillStyle = this.get(each);
        this.dot.fillRect(0, 0, 1, 1);
      }
      return new Uint32Array(this.dot.getImageData(0, 0, 1, 1).data.buffer)[0];
    });
  }

  /** A pattern of diagonal lines five pixels apart. @param {string} property their colour */
  hatching(property) {
    return this.once(`${property} hatched`, () => {
      const fine = Math.ceil(this.ratio);  // pixels of the tile in one
      const step = 5 * fine;
      const tile = element('canvas', {width: step, height: step});
      const context = tile.getContext('2d');
      context.strokeStyle = this.get(property);
      context.lineWidth = 1.5 * fine;
      for (const at of [0, step, 2 * step]) {
        context.moveTo(at + step, -step);
        context.lineTo(at - 2 * step, 2 * step);
      }
      context.stroke();
      const pattern = context.createPattern(tile, 'repeat');
      pattern.setTransform(new DOMMatrix().scale(1 / fine));
      return pattern;
    });
  }
}

const surfaces = [];
let palette = null;

/**
 * @typedef {Object} Scene what one drawing needs
 * @property {CanvasRenderingContext2D} context
 * @property {Palette} palette
 * @property {PixelLayer} layer what is narrow, in pixels of the screen
 * @property {Object} time timeWindow
 * @property {number} width
 */

/** A canvas that is drawn again when its size, the colours or its view change. */
export class Surface {
  /**
   * @param {string} id
   * @param {string} label for screen readers
   * @param {{draw: function(Scene), focused: ?function()}} view focused(): the keyboard has reached the canvas
   * @param {function(): number} heightOf CSS pixels
   */
  constructor(id, label, view, heightOf) {
    this.canvas = element('canvas', {tabindex: '0', role: 'application', 'aria-label': label, id});
    this.view = view;
    this.heightOf = heightOf;
    this.pending = false;
    this.layer = new PixelLayer();
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    for (const leaves of ['pointerleave', 'blur']) this.canvas.addEventListener(leaves, hideTip);
    this.canvas.addEventListener('keydown', ({key}) => {
      if (key === 'Escape') hideTip();
    });
    this.canvas.addEventListener('focus', () => {
      if (this.canvas.matches(':focus-visible')) view.focused?.();
    });
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
    const height = this.heightOf();
    const ratio = window.devicePixelRatio || 1;
    if (palette === null || palette.ratio !== ratio) palette = new Palette(ratio);
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
    this.view.draw({context, palette, layer: this.layer, time: timeWindow, width});
  }

  /**
   * Shows words beside a place of the canvas, until the pointer, the focus or the page moves on.
   * @param {string[]} lines the first is the title @param {boolean} aloud whether a screen reader is to say it
   */
  tell(lines, x, y, aloud = false) {
    const tip = byId('tip');
    tip.replaceChildren(...lines.map((line, at) => element(at === 0 ? 'strong' : 'div', {}, line)));
    tip.hidden = false;
    told = {canvas: this.canvas, x, y, aloud};
    placeTip();
    if (aloud) byId('said').textContent = lines.join(', ');
  }
}

/** Where the tip points to; null while there is none. */
let told = null;

function placeTip() {
  const tip = byId('tip');
  const box = told.canvas.getBoundingClientRect();
  const {width, height} = tip.getBoundingClientRect();
  const bottom = box.top + told.y + 18;
  const room = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(4, Math.min(box.left + told.x + 14, room - width - 4))}px`;
  tip.style.top = `${bottom + height > window.innerHeight ? Math.max(4, box.top + told.y - height - 10) : bottom}px`;
}

export function hideTip() {
  byId('tip').hidden = true;
  told = null;
}

// The page moves below the pointer; the focus moves with the page.
window.addEventListener('scroll', () => {
  if (told?.aloud) placeTip();
  else if (told) hideTip();
}, {passive: true});

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

/** Hatches a rectangle: what is needless. @param {Scene} scene */
export function hatch({context, palette}, x, y, width, height) {
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
