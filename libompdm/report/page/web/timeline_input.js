// The reader's hands on a drawing over time: wheel, drag, pinch and keys.

/**
 * @typedef {Object} Hands
 * @property {function(number, number)} point at x, y; the pointer rests there
 * @property {function()} away the pointer left
 * @property {function(number, number)} choose x, y was clicked
 * @property {?function(KeyboardEvent): boolean} key true if it was understood
 */

const KEYS = new Map([
  ['+', (time) => time.zoom(1 / 1.5)], ['=', (time) => time.zoom(1 / 1.5)],
  ['-', (time) => time.zoom(1.5)], ['_', (time) => time.zoom(1.5)],
  ['ArrowLeft', (time) => time.pan(-0.1)], ['ArrowRight', (time) => time.pan(0.1)],
  ['PageUp', (time) => time.pan(-0.9)], ['PageDown', (time) => time.pan(0.9)],
  ['Home', (time) => time.reset()], ['0', (time) => time.reset()],
]);

/**
 * @param {HTMLCanvasElement} canvas @param {import('./window.js').TimeWindow} time
 * @param {Hands} hands
 */
export function handle(canvas, time, hands) {
  const pointers = new Map();
  let moved = 0;
  const width = () => canvas.clientWidth;
  const timeAt = (x) => time.begin + (x / width()) * time.width;

  // A reader who turns the page does not want to be caught by a drawing that comes along, nor held
  // by one where there is nothing to zoom out of.
  let turned = -Infinity;
  window.addEventListener('scroll', () => {
    turned = performance.now();
  }, {passive: true});
  canvas.addEventListener('wheel', (event) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const turnsPage = performance.now() - turned < 300 || (event.deltaY > 0 && time.width >= time.total);
    if (!sideways && !event.ctrlKey && turnsPage) return;
    event.preventDefault();
    if (sideways) time.pan((event.deltaX || event.deltaY) / width());
    else time.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))), timeAt(event.offsetX));
  }, {passive: false});

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event.offsetX);
    moved = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      hands.point(event.offsetX, event.offsetY);
      return;
    }
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const still = others[0][1];
      const factor = Math.abs(before - still) / Math.max(Math.abs(event.offsetX - still), 8);
      time.zoom(Math.max(0.5, Math.min(2, factor)), timeAt(still));
    } else {
      time.pan((before - event.offsetX) / width());
    }
    moved += Math.abs(event.offsetX - before);
    pointers.set(event.pointerId, event.offsetX);
    hands.away();
  });
  const release = (event) => {
    if (pointers.delete(event.pointerId) && moved < 4 && event.type === 'pointerup') hands.choose(event.offsetX, event.offsetY);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => hands.away());
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEYS.get(event.key);
    if (act) act(time);
    else if (!hands.key || !hands.key(event)) return;
    event.preventDefault();
  });
}
