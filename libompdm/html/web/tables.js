// The view "Findings": a card each, linked to the places where it can be seen.
import {
  CONFIDENCE, button, byId, bytesText, countText, counted, element, named, plain, reveal, scrolling, sumOf, tableHead, timeText,
} from './basics.js';
import {
  directiveName, knowsTransfers, loopName, onSelect, page, pick, recordingName, recordingOfRow, report, rowOfId, select,
  selection, variableName,
} from './data.js';

/** Code as it is to be written; a hunk's lines begin with a mark: what comes, what goes. @param {{code: string[], hunk: boolean}} line */
function codeOf({code, hunk}) {
  const marks = {'+': 'ins', '-': 'del'};
  const lines = hunk ? code.filter((each) => each[0] === '+').map((each) => each.slice(1)) : code;
  const text = hunk ? element('pre', {tabindex: '0', class: 'hunk'}, ...code.map((each) =>
    element(marks[each[0]] ?? 'span', {}, `${plain(each)}\n`)))
    : element('pre', {tabindex: '0'}, code.map(plain).join('\n'));
  if (lines.length === 0) return text;
  const copy = button('Copy', async () => {
    await navigator.clipboard.writeText(lines.map((each) => each.trim()).join('\n'));
    copy.textContent = 'Copied';
    setTimeout(() => { copy.textContent = 'Copy'; }, 1500);
  }, lines.length === 1 ? 'Copy the line to write' : 'Copy the lines to write');
  copy.classList.add('copy');
  return element('div', {class: 'code'}, text, copy);
}

/** Steps in a list: sentences and code. @param {Object[]} steps */
function listOf(steps) {
  return element('ol', {class: 'advice'}, ...steps.map(({lines}) => element('li', {}, ...lines.map((line) =>
    line.code ? codeOf(line) : element('p', {}, plain(line.text))))));
}

/** All that is to be done is in sight; behind a fold is what to look for in the program. @param {Object[]} steps */
function adviceSection(finding, steps) {
  if (steps.length === 0) return finding.runs ? [element('p', {}, plain(finding.runs.words))] : [];
  const [todo, checks] = [steps.filter(({check}) => !check), steps.filter(({check}) => check)];
  return [todo.length > 0 ? listOf(todo) : null, checks.length > 0
    ? element('details', {}, element('summary', {}, 'Conditions, and facts of the sources'), listOf(checks)) : null];
}

const confidenceBadge = ({confidence}) => element('span', {class: 'badge', title: CONFIDENCE[confidence] ?? null}, confidence);

function costOf(finding) {
  const {one, many} = page.patterns[finding.pattern] ?? {one: 'execution', many: 'executions'};
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
  if (loop !== undefined) add('Iterations', `Finding ${at + 1} in the iterations of its loop`, () => go('passes', {loop, finding: at, variable: null, directive: null}));
  for (const id of finding.variable_ids.slice(0, 4)) {
    const variable = rowOfId('variables', id, recordingOfRow('findings', at));
    if (variable !== undefined) add(named(variableName(variable), 24), `Variable of finding ${at + 1}`, () => go('variables', {variable, finding: null, directive: null}));
  }
  if (finding.line > 0 && page.sources.some((each) => each.file === finding.file)) {
    add('Source', `Finding ${at + 1} in the source`, () => go('source', {finding: at}, finding));
  }
  return element('p', {class: 'links'}, 'Seen in: ', ...links);
}

function cardOf(finding, at, go) {
  const words = page.patterns[finding.pattern]?.words ?? finding.pattern;
  const who = recordingName(recordingOfRow('findings', at));
  const fate = page.fates?.[at] ?? null;
  return element('article', {class: `card ${finding.confidence}${fate === 'fixed' ? ' fixed' : ''}`, id: `finding-${at}`, 'aria-labelledby': `finding-${at}-title`},
    element('header', {},
      element('span', {class: 'number', 'aria-hidden': 'true'}, String(at + 1)),
      element('h3', {id: `finding-${at}-title`},
        named(page.names.findings[at] || 'unknown place', 60), finding.variable ? ', ' : '',
        finding.variable ? named(finding.variable, 60) : null, element('span', {class: 'pattern'}, words)),
      fate ? element('span', {class: `badge ${fate}`}, fate === 'fixed' ? '✓ fixed' : fate) : null,
      fate === 'fixed' ? null : confidenceBadge(finding)),
    element('p', {class: 'cost'}, costOf(finding), who ? ` · ${page.compared ? 'in ' : ''}${who}` : '',
      finding.memory_bytes > 0 ? ` · needs ${bytesText(finding.memory_bytes)} of device memory` : ''),
    ...(fate === 'fixed' ? [element('details', {}, element('summary', {}, 'The change that was advised'), ...adviceSection(finding, page.advice[at]).filter(Boolean))]
      : adviceSection(finding, page.advice[at])),
    page.conditions[at] ? element('p', {class: 'unless'}, plain(page.conditions[at])) : null,
    linksOf(finding, at, go),
    element('details', {}, element('summary', {}, 'Evidence'), element('p', {}, plain(finding.evidence)),
      finding.runs && finding.advice !== '' ? element('p', {}, plain(finding.runs.words)) : null));
}

/** Of a data clause: what it did not do is in sight, since nothing has been measured. */
function clauseCardOf(clause, at, go) {
  const who = recordingName(recordingOfRow('mapping', at));
  const title = `clause-${at}-title`;
  const directive = rowOfId('directives', clause.directive_ids[0], recordingOfRow('mapping', at));
  const links = [];
  if (directive !== undefined) {
    links.push(button('Timeline', () => go('timeline', {finding: null, variable: null, directive}), `Data clause ${at + 1} in the timeline`));
  }
  if (clause.line > 0 && page.sources.some((each) => each.file === clause.file)) {
    links.push(button('Source', () => go('source', {}, clause), `Data clause ${at + 1} in the source`));
  }
  return element('article', {class: `card ${clause.confidence}`, 'aria-labelledby': title},
    element('header', {},
      element('h3', {id: title}, named(page.names.mapping[at] || 'unknown place', 60), clause.item ? ', ' : '',
        clause.item ? named(clause.item, 60) : null,
        element('span', {class: 'pattern'}, page.patterns[clause.pattern]?.words ?? clause.pattern)),
      element('span', {class: 'badge'}, clause.stake.replace('_', ' ')), confidenceBadge(clause)),
    who ? element('p', {class: 'cost'}, who) : null,
    element('p', {}, `${plain(clause.evidence)}.`),
    ...adviceSection(clause, page.clause_advice[at]),
    links.length > 0 ? element('p', {class: 'links'}, 'Seen in: ', ...links) : null);
}

const CARDS_SHOWN = 10;

/** Cards, the first of them in sight. @param {Element[]} cards @param {string} words for "Show all 12 findings" */
function cardsOf(cards, words) {
  const list = element('div', {class: 'cards'}, ...cards.slice(0, CARDS_SHOWN));
  if (cards.length <= CARDS_SHOWN) return [list];
  const more = button(`Show all ${cards.length} ${words}`, () => {
    list.append(...cards.slice(CARDS_SHOWN));
    more.remove();
    reveal(cards[CARDS_SHOWN]);
  });
  return [list, more];
}

/** Null where each data clause did what it says. @param {function(string, Object, Object)} go */
export function clauses(go) {
  const cards = report.mapping.map((clause, at) => clauseCardOf(clause, at, go));
  return cards.length > 0 ? element('div', {}, ...cardsOf(cards, 'of them')) : null;
}

/** Where most bytes are moved, though none are redundant. @param {function(string, Object, Object)} go */
function largestMovers(go) {
  const moved = (row) => (row.HtoD_bytes ?? 0) + (row.DtoH_bytes ?? 0);
  const rows = report.directives.map((row, at) => ({row, at})).filter(({row}) => moved(row) > 0)
    .sort((a, b) => moved(b.row) - moved(a.row)).slice(0, 3);
  if (rows.length === 0) return null;
  return element('div', {}, element('p', {}, rows.length === 1 ? 'This directive moves all data:' : 'These directives move most data:'),
    element('ol', {class: 'movers'}, ...rows.map(({row, at}) => element('li', {},
      button(named(directiveName(at), 64), () => go('timeline', {directive: at, variable: null, finding: null})),
      ` ${bytesText(row.HtoD_bytes ?? 0)} to the device, ${bytesText(row.DtoH_bytes ?? 0)} to the host, `
      + `in ${counted(row.count, 'execution', 'executions')}`))));
}

/** Findings that are alike on several ranks, as positions: in each group the largest first, and the largest group first. */
export function groupsOfFindings() {
  if (page.compared || report.traces.length < 2) return report.findings.map((_, at) => [at]);
  const groups = new Map();
  report.findings.forEach((finding, at) => {
    const key = JSON.stringify([finding.pattern, finding.file, finding.line, finding.variable]);
    groups.set(key, [...(groups.get(key) ?? []), at]);
  });
  const bytes = (at) => report.findings[at].wasted_bytes;
  const all = [...groups.values()].map((group) => group.sort((a, b) => bytes(b) - bytes(a)));
  return all.sort((a, b) => sumOf(b.map((at) => report.findings[at]), 'wasted_bytes') - sumOf(a.map((at) => report.findings[at]), 'wasted_bytes'));
}

/** A card of each group, and the others of the group behind a fold. @param {Element[]} cards */
const groupedCards = (cards) => groupsOfFindings().map(([first, ...others]) => {
  if (others.length === 0) return cards[first];
  const names = others.slice(0, 3).map((at) => recordingName(recordingOfRow('findings', at))).join(', ');
  const more = others.length > 3 ? ` and ${others.length - 3} more` : '';
  const bytes = sumOf([first, ...others].map((at) => report.findings[at]), 'wasted_bytes');
  return element('div', {class: 'alike'}, cards[first],
    element('details', {}, element('summary', {}, `Also on ${names}${more}: ${bytesText(bytes)} on all`), ...others.map((at) => cards[at])));
});

/** @param {function(string, Object, Object)} go to a view, with what is chosen there, and the row whose line is shown */
export function findings(go) {
  const withheld = report.withheld.findings;
  if (report.findings.length === 0) {
    return [element('p', {}, report.directives.length === 0 || !knowsTransfers
      ? 'Too few events were recorded to look for redundant transfers.' : withheld > 0
      ? `No finding saves 1 % or more; ${counted(withheld, 'finding', 'findings')} below that.`
      : plain(page.none_found)), largestMovers(go)];
  }
  const cards = report.findings.map((finding, at) => cardOf(finding, at, go));
  onSelect(() => cards.forEach((card, at) => card.classList.toggle('chosen', selection.finding === at)));
  return [...cardsOf(groupedCards(cards), 'findings'),
    withheld > 0 ? element('p', {class: 'note'}, `Below threshold: ${counted(withheld, 'finding', 'findings')} of less than 1 % each.`) : null,
  ];
}

// The view "Source": the program's own lines around each directive, what they cost in the margin,
// and what findings would write there.

/** What findings write before a line of a file, or take out. @param {string} file */
function changesIn(file) {
  const added = [];
  const removed = new Map();
  report.findings.forEach((finding, at) => {
    for (const hunk of (finding.patch?.hunks ?? []).filter((each) => each.file === file)) {
      let line = hunk.line;
      for (const text of hunk.lines) {
        if (text[0] === '+') added.push({code: text.slice(1), line, finding: at});
        else if (text[0] === '-') removed.set(line++, at);
        else line++;
      }
    }
  });
  return {added, removed};
}

const rowId = (file, line) => `line-${page.sources.findIndex((each) => each.file === file)}-${line}`;

/** A row for a line that a finding writes. */
function insertedRow({code, finding}) {
  return element('tr', {class: 'inserted'}, element('td', {class: 'line'}, '+'),
    element('td', {class: 'cost', colspan: '3'}, `finding ${finding + 1}`),
    element('td', {}, element('code', {}, plain(code.replace(/\t/g, '    ')))));
}

const LINES_AROUND = 2;
const FEWEST_FOLDED = 4;

/** Lines that move data, head a loop or are edited, with some around each; others are folded. @param {{file: string, first_line: number, lines: string[]}} excerpt */
function excerptTable({file, first_line: first, lines}) {
  const {added, removed} = changesIn(file);
  const rows = lines.map((text, at) => {
    const line = first + at;
    const isHere = (row) => row.file === file && row.line === line;
    const directives = report.directives.filter(isHere);
    const loop = report.iterations.findLast(isHere);
    const [htod, dtoh, transfers, kernels] = ['HtoD_bytes', 'DtoH_bytes', 'transfer_ns', 'kernel_ns'].map((key) => sumOf(directives, key));
    const time = timeText(transfers === null ? null : transfers + kernels);
    const inserted = added.filter((each) => each.line === line).map(insertedRow);
    const kind = removed.has(line) ? 'removed' : directives.length > 0 ? 'directive' : loop ? 'loop' : null;
    return {
      isSeen: kind !== null || inserted.length > 0,
      nodes: [...inserted,
        element('tr', {id: rowId(file, line), class: kind},
          element('td', {class: 'line'}, String(line)),
          element('td', {class: 'cost htod'}, htod > 0 ? bytesText(htod) : ''),
          element('td', {class: 'cost dtoh'}, dtoh > 0 ? bytesText(dtoh) : ''),
          element('td', {class: 'cost'}, directives.length > 0 ? time : loop ? counted(loop.count, 'iteration', 'iterations') : ''),
          element('td', {}, element('code', {}, plain(text.replace(/\t/g, '    ')))))],
    };
  });
  const near = rows.map((_, at) => rows.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1).some(({isSeen}) => isSeen));
  const bodies = [];
  for (let from = 0; from < rows.length;) {
    let to = from;
    while (to < rows.length && near[to] === near[from]) to += 1;
    const body = element('tbody', {}, ...rows.slice(from, to).flatMap(({nodes}) => nodes));
    if (!near[from] && to - from >= FEWEST_FOLDED) bodies.push(unfolding(body, to - from));
    bodies.push(body);
    from = to;
  }
  return scrolling(`Lines of ${file}`, element('table', {class: 'source'}, element('caption', {}, plain(file).slice(-200)),
    tableHead(['Line', 'HtoD', 'DtoH', 'Time', 'Source']), ...bodies));
}

/** A row that shows the folded lines of a body. */
function unfolding(body, count) {
  body.hidden = true;
  const row = element('tbody', {}, element('tr', {class: 'folded'}, element('td', {colspan: '5'},
    button(counted(count, 'more line', 'more lines'), () => unfold(body)))));
  return row;
}

function unfold(body) {
  if (!body.hidden) return;
  body.hidden = false;
  body.previousElementSibling.remove();
}

/** Files by the bytes that their directives move. @returns {?Node[]} none where no source is at hand */
export function source() {
  if (page.sources.length === 0) return [];
  onSelect(() => {
    for (const row of document.querySelectorAll('tr.chosen')) row.classList.remove('chosen');
    const of = selection.finding !== null ? report.findings[selection.finding]
      : selection.directive !== null ? report.directives[selection.directive] : null;
    if (of) byId(rowId(of.file, of.line))?.classList.add('chosen');
  });
  const moved = (file) => report.directives.filter((row) => row.file === file)
    .reduce((sum, row) => sum + (row.HtoD_bytes ?? 0) + (row.DtoH_bytes ?? 0), 0);
  const files = page.sources.map((excerpt) => ({excerpt, bytes: moved(excerpt.file)})).sort((a, b) => b.bytes - a.bytes);
  return files.map(({excerpt, bytes}, at) => (at < FILES_OPEN ? excerptTable(excerpt)
    : element('details', {}, element('summary', {}, `${plain(excerpt.file).split('/').pop()}, ${bytesText(bytes)}`), excerptTable(excerpt))));
}

const FILES_OPEN = 3;

/** Goes to the line of a row of the report. @param {{file: string, line: number}} row */
export function revealLine({file, line}) {
  const row = byId(rowId(file, line));
  if (!row) return;
  unfold(row.closest('tbody'));
  const fold = row.closest('details');
  if (fold) fold.open = true;
  reveal(row);
}

// The view "Tables": directives, variables and loops with all their figures, to be sorted and
// searched.

const ROWS_SHOWN = 25;

/**
 * @typedef {Object} Column
 * @property {string} title
 * @property {function(Object, number): *} of what rows are sorted by: a number, null, or text
 * @property {?function(number): string} show a number; text is a name
 */

const bytes = (title, key) => ({title, of: (row) => row[key], show: bytesText});
const count = (title, key) => ({title, of: (row) => row[key], show: countText});
const time = (title, key) => ({title, of: (row) => row[key], show: timeText});

/** The recording's column, where there are several. @param {string} table */
const recordingColumns = (table) => (report.traces.length < 2 ? []
  : [{title: 'Of', of: (_, at) => recordingOfRow(table, at), show: recordingName}]);

const TABLES = [
  {
    id: 'directives', table: 'directives', title: 'Directives', rows: report.directives,
    columns: [{title: 'Directive', of: (_, at) => directiveName(at)}, {title: 'In', of: (row) => row.function},
      count('Executions', 'count'), bytes('HtoD', 'HtoD_bytes'), count('Copies', 'HtoD_count'), bytes('DtoH', 'DtoH_bytes'),
      count('Copies', 'DtoH_count'), count('Allocs', 'alloc_count'), time('Copy time', 'transfer_ns'),
      time('Kernel time', 'kernel_ns'), time('Time', 'time_ns')],
    choose: (at) => pick({directive: at}),
  },
  {
    id: 'variables', table: 'variables', title: 'Variables', rows: report.variables,
    columns: [{title: 'Variable', of: (_, at) => variableName(at)},
      {title: 'Mapped at', of: (row) => (row.file ? `${row.file.split('/').pop()}:${row.line}` : '')},
      bytes('Size', 'bytes'), bytes('HtoD', 'HtoD_bytes'), count('Copies', 'HtoD_count'), bytes('DtoH', 'DtoH_bytes'),
      count('Copies', 'DtoH_count'), time('Copy time', 'transfer_ns')],
    choose: (at) => pick({variable: at}),
  },
  {
    id: 'loops', table: 'iterations', title: 'Loops, an iteration after the first', rows: report.iterations,
    columns: [{title: 'Loop', of: (_, at) => loopName(at)}, count('Iterations', 'count'), bytes('HtoD', 'HtoD_bytes'),
      bytes('DtoH', 'DtoH_bytes'), bytes('Unchanged', 'invariant_bytes'), time('Copy time', 'transfer_ns'),
      time('Kernel time', 'kernel_ns'), time('Wall', 'wall_ns'),
      {title: '1st wall', of: (row) => row.first.wall_ns, show: timeText}],
    choose: (at) => select({loop: at}),
  },
];

/** In order of a column; rows without a value come last. */
function inOrder(rows, column, down) {
  const key = (each) => column.of(each.row, each.at);
  return [...rows].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return (left === null) - (right === null) || (down ? -1 : 1) * ((left > right) - (left < right)) || a.at - b.at;
  });
}

function tableView({id, table, title, rows: all, columns: own, choose}) {
  const columns = [...recordingColumns(table), ...own];
  const naming = columns.findIndex((column) => column.show === undefined);
  const rows = all.map((row, at) => ({
    row, at, text: columns.map((column) => column.of(row, at)).filter((value) => typeof value === 'string').join(' ').toLowerCase(),
  }));
  const body = element('tbody');
  let sorted = {column: null, down: true};
  let searched = '';
  let most = ROWS_SHOWN;
  const cell = (column, number, {row, at}) => {
    const value = column.of(row, at);
    if (number === naming) return element('th', {scope: 'row', class: 'text'}, button(named(value, 64), () => choose(at)));
    if (typeof value === 'string') return element('td', {class: 'text'}, named(value, report.traces.length > 1 ? 28 : 36));
    return element('td', {class: value === 0 ? 'zero' : null}, value === null || value === undefined ? '–' : column.show(value));
  };
  const update = () => {
    const found = rows.filter(({text}) => text.includes(searched));
    const shown = (sorted.column ? inOrder(found, sorted.column, sorted.down) : found).slice(0, most);
    body.replaceChildren(...shown.map((each) => element('tr', {}, ...columns.map((column, number) => cell(column, number, each)))));
    more.hidden = shown.length === found.length;
    more.textContent = `Show all ${counted(found.length, 'row', 'rows')}`;
  };
  const more = button('', () => {
    most = Infinity;
    update();
  });
  // A second time turns the order round.
  const sortBy = (column) => {
    sorted = {column, down: sorted.column === column ? !sorted.down : column.show !== undefined};
    heads.forEach((head, at) => head.setAttribute('aria-sort',
      columns[at] !== column ? 'none' : sorted.down ? 'descending' : 'ascending'));
    update();
  };
  const heads = columns.map((column) => element('th', {scope: 'col', 'aria-sort': 'none', class: column.show ? null : 'text'},
    button(column.title, () => sortBy(column))));
  const search = element('input', {type: 'search', id: `search-${id}`, placeholder: 'Search', 'aria-label': `Search ${title}`,
    oninput: (event) => {
      searched = event.target.value.toLowerCase();
      update();
    }});
  update();
  return element('div', {class: 'table', id: `table-${id}`},
    element('div', {class: 'table-head'}, element('h3', {}, title), rows.length > 5 ? search : null),
    scrolling(title, element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body)), more);
}

/** Tables with rows. */
export const tables = () => TABLES.filter(({rows}) => rows.length > 0).map(tableView);
