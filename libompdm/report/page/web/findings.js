// The view "Findings": a card each, linked to the places where it can be seen.
import {UNLESS} from './kinds.js';
import {button, element, named, reveal} from './dom.js';
import {bytesText, counted, plain, timeText} from './format.js';
import {knowsTransfers, page, recordingName, recordingOfRow, report, rowOfId} from './data.js';
import {selection, onSelect, select} from './selection.js';

/** Steps in a list: sentences, and code as it is to be written. @param {Object[]} steps */
function listOf(steps) {
  return element('ol', {class: 'advice'}, ...steps.map(({lines}) => element('li', {}, ...lines.map((line) =>
    line.code ? element('pre', {tabindex: '0'}, line.code.map(plain).join('\n')) : element('p', {}, plain(line.text))))));
}

/** All that is to be done is in sight; behind a fold is what to look for in the program. @param {number} at */
function adviceSection(finding, at) {
  const steps = page.advice[at];
  if (steps.length === 0) return finding.runs ? [element('p', {}, plain(finding.runs.words))] : [];
  const [todo, checks] = [steps.filter(({check}) => !check), steps.filter(({check}) => check)];
  return [todo.length > 0 ? listOf(todo) : null, checks.length > 0
    ? element('details', {}, element('summary', {}, 'What to look for in the program'), listOf(checks)) : null];
}

function costOf(finding) {
  const {one, many} = page.patterns[finding.pattern] ?? {one: 'instance', many: 'instances'};
  const parts = [counted(finding.count, one, many)];
  if (finding.wasted_bytes > 0) parts.push(bytesText(finding.wasted_bytes));
  if (finding.wasted_ns === null) parts.push('time not known');
  else if (finding.wasted_ns > 0) parts.push(timeText(finding.wasted_ns));
  return parts.join(' · ');
}

/** Buttons to where a finding can be seen. */
function linksOf(finding, at, go) {
  const links = [];
  const add = (words, label, act) => links.push(button(words, act, label));
  if (finding.count > 0) add('Timeline', `Finding ${at + 1} in the timeline`, () => go('timeline', {finding: at, variable: null, directive: null}));
  const loop = rowOfId('iterations', finding.loop_ids[0], recordingOfRow('findings', at));
  if (loop !== undefined) add('Passes', `Finding ${at + 1} in the passes of its loop`, () => go('passes', {loop, finding: at, variable: null, directive: null}));
  for (const id of finding.variable_ids.slice(0, 4)) {
    const variable = rowOfId('variables', id, recordingOfRow('findings', at));
    if (variable === undefined) continue;
    const link = button('', () => go('variables', {variable, finding: null, directive: null}), `Variable of finding ${at + 1}`);
    link.append(named(report.variables[variable].name || '(no name)', 24));
    links.push(link);
  }
  if (finding.line > 0 && page.sources.some((each) => each.file === finding.file)) {
    add('Source', `Finding ${at + 1} in the source`, () => go('source', {finding: at}));
  }
  return element('p', {class: 'links'}, 'Seen in: ', ...links);
}

function cardOf(finding, at, go) {
  const words = page.patterns[finding.pattern]?.words ?? finding.pattern;
  const unless = finding.unless.map((each) => UNLESS[each] ?? each);
  const who = recordingName(recordingOfRow('findings', at));
  return element('article', {class: `card ${finding.confidence}`, id: `finding-${at}`, 'aria-labelledby': `finding-${at}-title`},
    element('header', {},
      element('span', {class: 'number', 'aria-hidden': 'true'}, String(at + 1)),
      element('h3', {id: `finding-${at}-title`},
        named(page.names.findings[at] || 'unknown place', 60), finding.variable ? ', ' : '',
        finding.variable ? named(finding.variable, 60) : null, element('span', {class: 'pattern'}, words)),
      element('span', {class: 'badge'}, finding.confidence)),
    element('p', {class: 'cost'}, costOf(finding), who ? ` · ${who}` : '',
      finding.memory_bytes > 0 ? ` · keeps ${bytesText(finding.memory_bytes)} on the device` : ''),
    ...adviceSection(finding, at).filter((part) => part !== null),
    unless.length > 0 ? element('p', {class: 'unless'}, element('strong', {}, 'unless '), unless.join(', or ')) : null,
    linksOf(finding, at, go),
    element('details', {}, element('summary', {}, 'Evidence'), element('p', {}, plain(finding.evidence)),
      finding.runs && finding.advice !== '' ? element('p', {}, plain(finding.runs.words)) : null));
}

const CARDS_SHOWN = 10;

/** @param {function(string, Object)} go to a view, with what is chosen there */
export function findings(go) {
  const withheld = report.withheld.findings;
  if (report.findings.length === 0) {
    return [element('p', {}, report.directives.length === 0 || !knowsTransfers
      ? 'Too little was recorded to say what was needless.' : withheld > 0
      ? `Nothing worth a line: ${counted(withheld, 'finding', 'findings')} would save less than a hundredth each.`
      : plain(page.none_found))];
  }
  const cards = report.findings.map((finding, at) => cardOf(finding, at, go));
  const list = element('div', {class: 'cards'}, ...cards.slice(0, CARDS_SHOWN));
  const more = cards.length > CARDS_SHOWN
    ? button(`Show all ${cards.length} findings`, () => {
      list.append(...cards.slice(CARDS_SHOWN));
      more.remove();
      reveal(cards[CARDS_SHOWN]);
    }) : null;
  onSelect(() => cards.forEach((card, at) => card.classList.toggle('chosen', selection.finding === at)));
  return [list, more,
    withheld > 0 ? element('p', {class: 'note'}, `Not told: ${counted(withheld, 'finding', 'findings')} that would save less than a hundredth each.`) : null,
  ].filter((node) => node !== null);
}
