/** The rows of docs/evidence.md that say which promise held where: from scripts told to three clients, and from our suites. */
import { readRows } from './spec.mjs';

/** Which guarantees a fault of the table puts to the test, besides those that every script does. */
const TESTED_BY_FAULT = {
  F1: ['G17', 'G18'],
  F2: ['G17'],
  F3: ['G17'],
  F4: ['G8', 'G18'],
  F5: ['G8'],
  F6: ['G18'],
  F9: ['G17'],
  F10: ['G23'],
  F11: ['G17'],
  F14: ['G18'],
  F17: ['G17'],
  F19: ['G5'],
  F20: ['G22'],
  F21: ['G5'],
  F22: ['G5'],
  F25: ['G2'],
  F26: ['G2'],
  F27: ['G1'],
  F28: ['G3'],
  F29: ['G3'],
  F30: ['G17'],
  F31: ['G1'],
  F35: ['G18'],
  F36: ['G22'],
  F37: ['G22'],
  F39: ['G5'],
  F40: ['G23'],
  F42: ['G7'],
  F43: ['G5'],
  F44: ['G15'],
  F45: ['G7'],
  F47: ['G8'],
  F48: ['G8'],
  F49: ['G8'],
  F50: ['G8'],
  F51: ['G14'],
  F52: ['G8'],
  F56: ['G8'],
  F57: ['G5'],
  F58: ['G18'],
  F59: ['G1'],
  F60: ['G5'],
  F79: ['G13'],
};
/** What every script looks at, and the guarantees that are at stake. */
const TESTED_BY_CHECK = {
  equal: ['G4'],
  legal: ['G5', 'G11'],
  fold: ['G5', 'G11'],
  monotonic: ['G1'],
  alive: ['G16'],
  synced: ['G15'],
  honest: ['G15'],
  patient: ['G22'],
  complete: ['G7'],
};
const BY_EVERY_SCRIPT = ['G1', 'G4', 'G5', 'G11', 'G15', 'G16', 'G18'];

/** The script is about something that this client does not do at all. */
export const doesNotApply = ({ failures }) =>
  failures.some(({ check, text }) => (check === 'played' && text.includes('the fault struck')) || check === 'resync');

/** `✔ 12`, `✘ 3 of 12: names`, or nothing was run. */
function cell(outcomes, isHeld, unit = '') {
  const fitting = outcomes.filter(({ outcome }) => !doesNotApply(outcome));
  if (fitting.length === 0) return outcomes.length === 0 ? 'not run' : 'does not apply';
  const broken = fitting.filter((one) => !isHeld(one));
  if (broken.length === 0) return `✔ ${fitting.length}${unit}`;
  const names = broken.slice(0, 4).map(({ name }) => `\`${name}\``);
  const rest = broken.length > names.length ? ` and ${broken.length - names.length} more` : '';
  return `✘ ${broken.length} of ${fitting.length}: ${names.join(', ')}${rest}`;
}

const holdsAll = ({ outcome }) => outcome.failures.length === 0;

/** A script holds a guarantee unless a check fails that stands for it; what its fault is about stands for all of them. */
const holds = (guarantee) => (one) => {
  const { faults, outcome } = one;
  if (faults.some((fault) => TESTED_BY_FAULT[fault]?.includes(guarantee)) && !holdsAll(one)) return false;
  if (guarantee === 'G18' && outcome.echoes > 0) return false;
  return !outcome.failures.some(({ check }) => TESTED_BY_CHECK[check]?.includes(guarantee));
};

const isAbout = (guarantee, { faults, outcome }) =>
  BY_EVERY_SCRIPT.includes(guarantee) ||
  faults.some((fault) => TESTED_BY_FAULT[fault]?.includes(guarantee)) ||
  outcome.failures.some(({ check }) => TESTED_BY_CHECK[check]?.includes(guarantee));

/** Tests of our own that claim an id by their title, as `npm test` and `npm run test:real` ran them. */
function testsOf(id, suites) {
  const said = Object.entries(suites.rules[id] ?? {}).map(([suite, { passed, failed }]) =>
    failed === 0
      ? `${passed} ${passed === 1 ? 'test' : 'tests'}${suite === 'real' ? ' on real servers' : ''}`
      : `✘ ${failed} tests of ${suite}`,
  );
  return said;
}

function ours(id, scripts, isHeld, suites) {
  const told = cell(scripts, isHeld, scripts.length === 1 ? ' script' : ' scripts');
  const tests = testsOf(id, suites);
  const hasScripts = told !== 'not run' && told !== 'does not apply';
  if (!hasScripts && tests.length === 0) return 'not run';
  const mark = tests.some((text) => text.startsWith('✘')) ? '' : '✔ ';
  return [
    ...(hasScripts ? [told] : []),
    ...(tests.length === 0 ? [] : [`${hasScripts ? '' : mark}${tests.join(', ')}`]),
  ].join(', ');
}

/** `clients`: for each of the three, the scripts with their outcomes. Rows of four: id, what it is, and a cell for each. */
export function guaranteeRows(clients, suites) {
  return specRows('G').map(({ id, rule, verdict }) => {
    const about = (list) => list.filter((one) => isAbout(id, one));
    const left = verdict === 'left out' ? 'left out on purpose, see docs/SPEC.md' : undefined;
    return [
      `${id} ${rule}`,
      left ?? ours(id, about(clients.ours), holds(id), suites),
      cell(about(clients.clientGo), holds(id)),
      cell(about(clients.clientNode), holds(id)),
    ];
  });
}

export function faultRows(clients, suites) {
  return specRows('F').map(({ id, rule, verdict }) => {
    const about = (list) => list.filter(({ faults }) => faults.includes(id));
    const left = verdict === 'left out' ? 'left out on purpose, see docs/SPEC.md' : undefined;
    return [
      `${id} ${rule}`,
      left ?? ours(id, about(clients.ours), holdsAll, suites),
      cell(about(clients.clientGo), holdsAll),
      cell(about(clients.clientNode), holdsAll),
    ];
  });
}

/** What was measured of others under another name, and where it is here. */
const ALIASES = { S1: 'X6, Y1', S6: 'X12, Y2' };

export function securityRows(suites) {
  return specRows('S').map(({ id, rule, verdict }) => {
    const tests = testsOf(id, suites);
    const mark = tests.some((text) => text.startsWith('✘')) ? '' : '✔ ';
    const also = ALIASES[id] === undefined ? '' : ` (${ALIASES[id]})`;
    const said =
      tests.length === 0
        ? verdict === 'left out'
          ? 'left out on purpose, see docs/SPEC.md'
          : 'not run'
        : mark + tests.join(', ');
    return [`${id}${also} ${rule}`, said];
  });
}

function specRows(letter) {
  return readRows().filter(({ id }) => new RegExp(`^${letter}\\d+$`).test(id));
}
