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
