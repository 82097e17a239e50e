// What is under the pointer, or under the keyboard's cursor: shown beside it, and read out.
import {byId, element} from './dom.js';

/**
 * @param {string[]} lines the first is the title
 * @param {number} x @param {number} y in the page
 * @param {boolean} aloud whether a screen reader is to say it
 */
export function showTip(lines, x, y, aloud = false) {
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
