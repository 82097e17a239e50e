// The view "Findings": a card each, linked to the places where it can be seen.
import {
  UNLESS, button, bytesText, countText, counted, element, named, plain, reveal, scrolling, tableHead, timeText,
} from './basics.js';
import {
  directiveName, knowsTransfers, loopName, onSelect, page, pick, recordingName, recordingOfRow, report, rowOfId, select,
  selection, variableName,
} from './data.js';

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

// The view "Source": the program's own lines around each directive, what they cost in the margin,
// and what findings would write there.

/** Figures of directives by file and line. */
function costsByPlace() {
  const costs = new Map();
  for (const row of report.directives) {
    const key = `${row.file}\n${row.line}`;
    const sum = costs.get(key) ?? {htod: 0, dtoh: 0, time: 0, timed: true};
    sum.htod += row.HtoD_bytes;
    sum.dtoh += row.DtoH_bytes;
    if (row.transfer_ns === null) sum.timed = false;
    else sum.time += row.transfer_ns + row.kernel_ns;
    costs.set(key, sum);
  }
  return costs;
}

/** Loops by file and line: their passes. */
function loopsByPlace() {
  const loops = new Map();
  for (const row of report.iterations) if (row.line > 0) loops.set(`${row.file}\n${row.line}`, row);
  return loops;
}

/**
 * What findings insert before or after a line: a sentence that names the place, and the code. Only
 * where the place is a line of the source.
 */
function insertions() {
  const lines = new Map();
  report.findings.forEach((finding, at) => {
    for (const edit of finding.edits) {
      const place = edit.places[0];
      if (edit.kind !== 'insert' || edit.when !== 'always' || edit.pragmas.length === 0 || place.line <= 0) continue;
      const key = `${place.file}\n${place.line}`;
      if (!lines.has(key)) lines.set(key, []);
      const after = edit.side === 'after';
      const what = edit.of === 'loop' ? 'loop' : 'construct';
      for (const pragma of edit.pragmas) {
        lines.get(key).push({code: pragma.split('\n'), where: `${after ? 'after' : 'before'} this ${what}:`, after, loop: edit.of === 'loop', finding: at});
      }
    }
  });
  return lines;
}

const rowId = (file, line) => `line-${page.sources.findIndex((each) => each.file === file)}-${line}`;

/** A row for the place, and one for each line of the code. */
function insertedRows({code, where, finding}, indent) {
  const row = (mark, words, content) => element('tr', {class: 'inserted'}, element('td', {class: 'line'}, mark),
    element('td', {class: 'cost', colspan: '3'}, words), element('td', {}, content));
  return [row('', `finding ${finding + 1}`, element('em', {}, where)),
    ...code.map((line) => row('+', '', element('code', {}, `${indent}${plain(line)}`)))];
}

/** The line that closes what begins at `at`, by its indentation; -1 where it is not shown. */
function closingLine(lines, at) {
  const indent = lines[at].match(/^\s*/)[0];
  return lines.findIndex((line, i) => i > at && line.startsWith(`${indent}}`) && line.trim() === '}');
}

/** @param {{file: string, first_line: number, lines: string[]}} excerpt */
function excerptTable(excerpt, costs, loops, inserted) {
  const body = element('tbody');
  const later = new Map();  // by position in the excerpt: what stands after that line
  excerpt.lines.forEach((text, at) => {
    const line = excerpt.first_line + at;
    const key = `${excerpt.file}\n${line}`;
    const cost = costs.get(key);
    const loop = loops.get(key);
    const indent = text.match(/^\s*/)[0].replace(/\t/g, '  ');
    const adds = inserted.get(key) ?? [];
    for (const each of adds.filter(({after}) => !after)) body.append(...insertedRows(each, indent));
    body.append(element('tr', {id: rowId(excerpt.file, line), class: cost ? 'directive' : loop ? 'loop' : null},
      element('td', {class: 'line'}, String(line)),
      element('td', {class: 'cost htod'}, cost && cost.htod > 0 ? bytesText(cost.htod) : ''),
      element('td', {class: 'cost dtoh'}, cost && cost.dtoh > 0 ? bytesText(cost.dtoh) : ''),
      element('td', {class: 'cost'}, cost ? timeText(cost.timed ? cost.time : null) : loop ? `${loop.count} passes` : ''),
      element('td', {}, element('code', {}, plain(text.replace(/\t/g, '    '))))));
    for (const each of adds.filter(({after}) => after)) {
      const end = each.loop ? closingLine(excerpt.lines, at) : -1;
      if (end < 0) body.append(...insertedRows(each, indent));
      else later.set(end, [...(later.get(end) ?? []), each]);
    }
    for (const each of later.get(at) ?? []) body.append(...insertedRows(each, indent));
  });
  return scrolling(`Lines of ${excerpt.file}`, element('table', {class: 'source'},
    element('caption', {}, plain(excerpt.file).slice(-200)), tableHead(['Line', 'HtoD', 'DtoH', 'Time', 'Source']), body));
}

/** Null where no source is at hand. */
export function source() {
  if (page.sources.length === 0) return null;
  const [costs, loops, inserted] = [costsByPlace(), loopsByPlace(), insertions()];
  const tables = page.sources.map((excerpt) => excerptTable(excerpt, costs, loops, inserted));
  onSelect(() => {
    for (const row of document.querySelectorAll('tr.chosen')) row.classList.remove('chosen');
    const of = selection.finding !== null ? report.findings[selection.finding]
      : selection.directive !== null ? report.directives[selection.directive] : null;
    if (of && of.line > 0) document.getElementById(rowId(of.file, of.line))?.classList.add('chosen');
  });
  return element('div', {}, ...tables);
}

/** Goes to the line of a finding. @param {number} finding */
export function revealLine(finding) {
  const {file, line} = report.findings[finding];
  const row = document.getElementById(rowId(file, line));
  if (row) reveal(row);
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
      count('Count', 'count'), bytes('HtoD', 'HtoD_bytes'), count('Copies', 'HtoD_count'), bytes('DtoH', 'DtoH_bytes'),
      count('Copies', 'DtoH_count'), count('Allocs', 'alloc_count'), time('Transfers', 'transfer_ns'),
      time('Kernels', 'kernel_ns'), time('Time', 'time_ns')],
    choose: (at) => pick({directive: at}),
  },
  {
    id: 'variables', table: 'variables', title: 'Variables', rows: report.variables,
    columns: [{title: 'Variable', of: (_, at) => variableName(at)},
      {title: 'Mapped at', of: (row) => (row.file ? `${row.file.split('/').pop()}:${row.line}` : '')},
      bytes('Size', 'bytes'), bytes('HtoD', 'HtoD_bytes'), count('Copies', 'HtoD_count'), bytes('DtoH', 'DtoH_bytes'),
      count('Copies', 'DtoH_count'), time('Transfers', 'transfer_ns')],
    choose: (at) => pick({variable: at}),
  },
  {
    id: 'loops', table: 'iterations', title: 'Loops, a pass after the first', rows: report.iterations,
    columns: [{title: 'Loop', of: (_, at) => loopName(at)}, count('Passes', 'count'), bytes('HtoD', 'HtoD_bytes'),
      bytes('DtoH', 'DtoH_bytes'), bytes('Unchanged', 'invariant_bytes'), time('Transfers', 'transfer_ns'),
      time('Kernels', 'kernel_ns'), time('Wall', 'wall_ns'),
      {title: '1st wall', of: (row) => row.first.wall_ns, show: timeText}],
    choose: (at) => select({loop: at}),
  },
];

/** In order of a column; rows without a value come last. */
function inOrder(rows, column, down) {
  const key = (each) => column.of(each.row, each.at);
  const known = rows.filter((each) => key(each) !== null);
  known.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    const order = typeof left === 'string' ? (left < right ? -1 : Number(left > right)) : left - right;
    return (down ? -order : order) || a.at - b.at;
  });
  return known.concat(rows.filter((each) => key(each) === null));
}

class Table {
  constructor({id, table, title, rows, columns, choose}) {
    this.columns = [...recordingColumns(table), ...columns];
    this.choose = choose;
    this.rows = rows.map((row, at) => ({
      row, at, text: this.columns.map((column) => column.of(row, at)).filter((value) => typeof value === 'string').join(' ').toLowerCase(),
    }));
    this.sorted = {column: null, down: true};
    this.search = '';
    this.all = false;
    this.body = element('tbody');
    this.heads = this.columns.map((column) => element('th', {scope: 'col', 'aria-sort': 'none', class: column.show ? null : 'text'},
      button(column.title, () => this.sortBy(column))));
    this.more = button('', () => {
      this.all = true;
      this.fill();
    });
    const search = element('input', {type: 'search', id: `search-${id}`, placeholder: 'Search', 'aria-label': `Search ${title}`,
      oninput: (event) => {
        this.search = event.target.value.toLowerCase();
        this.fill();
      }});
    this.node = element('div', {class: 'table', id: `table-${id}`},
      element('div', {class: 'table-head'}, element('h3', {}, title), rows.length > 5 ? search : null),
      scrolling(title, element('table', {}, element('thead', {}, element('tr', {}, ...this.heads)), this.body)), this.more);
    this.fill();
  }

  /** @param {Column} column a second time turns the order round */
  sortBy(column) {
    this.sorted = {column, down: this.sorted.column === column ? !this.sorted.down : column.show !== undefined};
    this.heads.forEach((head, at) => head.setAttribute('aria-sort',
      this.columns[at] !== column ? 'none' : this.sorted.down ? 'descending' : 'ascending'));
    this.fill();
  }

  fill() {
    let rows = this.rows.filter(({text}) => text.includes(this.search));
    if (this.sorted.column) rows = inOrder(rows, this.sorted.column, this.sorted.down);
    const shown = this.all ? rows : rows.slice(0, ROWS_SHOWN);
    this.body.replaceChildren(...shown.map((each) => this.line(each)));
    this.more.hidden = shown.length === rows.length;
    this.more.textContent = `Show all ${counted(rows.length, 'row', 'rows')}`;
  }

  line({row, at}) {
    return element('tr', {}, ...this.columns.map((column, number) => {
      const value = column.of(row, at);
      if (typeof value === 'string') {
        const first = this.columns.findIndex((each) => each.show === undefined) === number;
        if (!first) return element('td', {class: 'text'}, named(value, report.traces.length > 1 ? 28 : 36));
        const link = button('', () => this.choose(at));
        link.append(named(value, 64));
        return element('th', {scope: 'row', class: 'text'}, link);
      }
      const text = value === null || value === undefined ? '–' : column.show(value);
      return element('td', {class: value === 0 ? 'zero' : null}, text);
    }));
  }
}

/** Tables with rows. */
export const tables = () => TABLES.filter(({rows}) => rows.length > 0).map((table) => new Table(table).node);
