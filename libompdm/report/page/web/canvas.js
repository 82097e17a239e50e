// What the drawings share: sharp pixels, the page's colours, hatching, one drawing a frame.
import {element} from './dom.js';

/** Colours by custom property, as they are now (light, dark or printed). */
export class Palette {
  constructor() {
    this.known = new Map();
    this.style = getComputedStyle(document.documentElement);
  }

  /** @param {string} property */
  get(property) {
    if (!this.known.has(property)) this.known.set(property, this.style.getPropertyValue(property).trim());
    return this.known.get(property);
  }
}

const surfaces = [];

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
    this.draw(context, width, new Palette());
    this.canvas.dataset.frame = (performance.now() - began).toFixed(2);  // for the benchmark
  }
}

/** Draws all again: colours changed. */
function redrawAll() {
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
 * @param {CanvasRenderingContext2D} context @param {string} colour
 */
export function hatch(context, x, y, width, height, colour) {
  if (width <= 0 || height <= 0) return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  const step = 5;
  const from = Math.floor((x + y) / step) * step;
  for (let at = from; at < x + y + width + height; at += step) {
    context.moveTo(at - y, y);
    context.lineTo(at - y - height, y + height);
  }
  context.stroke();
  context.restore();
}

/** Text that ends before `width`. @param {CanvasRenderingContext2D} context */
export function fittingText(context, text, x, y, width) {
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > width) {
    shown = `${shown.slice(0, Math.max(1, Math.min(shown.length - 2, Math.floor(shown.length * 0.85))))}…`;
    if (shown.length <= 2) break;
  }
  context.fillText(shown, x, y);
}
