/** The rows of docs/evidence.md about single promises: from scripts played to three clients, and from our suites. */
import { readRows } from '../spec/spec.mjs';

/** Guarantees that every script checks, and by which check. */
const BY_EVERY_SCRIPT = {
  G1: ['monotonic'],
  G4: ['equal', 'complete'],
  G5: ['deletes', 'fold'],
  G11: ['legal', 'fold'],
  G15: ['synced', 'honest'],
  G16: ['alive', 'told'],
};
/** The checks that count for a guarantee in scripts about it; for guarantees not listed here every check counts. */
const BY_OWN_CHECK = { G9: ['synced', 'equal', 'legal', 'fold'], G22: ['patient', 'modest'] };

/** How scripts differ from the row, or why no script plays it. */
const NOTES = {
  F2: 'here at once, not after minutes of quiet',
  F7: 'here for two seconds',
  F8: 'no script: needs its own name server',
  F10: 'here an expired certificate; client-go rereads the authority every five minutes, which is longer than a script',
  F11: 'here a few bytes at a time, 1,500 a second',
  F12: 'no script: needs five quiet minutes',
  F13: 'no script: needs a client that stops reading, which no informer does, even when its handlers are slow',
  F15: 'no script: each has one informer',
  F16: 'no script: each has one informer',
  F18: 'no script: needs a network that loses packets',
  F20: 'here four times',
  F31: 'here until the next list; only kube-informer has an audit that finds it earlier, and no script plays that',
  F32: 'the same',
  F33: 'the same',
  F36: 'here three times',
  F41: 'here single ones and three in a row, some with a page of HTML',
  F43: 'here twice in one list',
  F51: 'here 40 MB',
  F54: 'here the versions; large numbers are read by JSON.parse, and no script plays them',
  G4: 'here 20 to 140 s for each script',
  G7: 'no script reads an index',
  G13: 'here one that fails',
  G14: 'no script fills a queue',
  G15: 'here: becomes synced, and not too early',
  G22: 'here Retry-After, and how often requests are retried when a server refuses',
  G23: 'here tokens, and certificates of the server',
};
/** The last fault that can be played to another client; later ones are about clocks, processes, user code and the test server. */
const LAST_PLAYED = 62;

/** Whether the script is about a feature that this client does not have. */
export const doesNotApply = ({ failures }) =>
  failures.some(({ check, text }) => (check === 'played' && text.includes('the fault struck')) || check === 'resync');

/** Whether the client passed. Only kube-informer announces a restored storage (G3); others need only follow it. */
export const cameThrough = ({ failures }) => failures.every(({ check }) => check === 'announced');

const isDead = ({ failures }) => failures.some(({ check }) => check === 'alive');

/** `✔ 12`, `✘ 3 of 12: names`, or "not played". */
function cell(outcomes, isHeld, unit = '') {
  const fitting = outcomes.filter(({ outcome }) => !doesNotApply(outcome));
  if (fitting.length === 0) return outcomes.length === 0 ? 'not played' : 'does not apply';
  const broken = fitting.filter((one) => !isHeld(one));
  if (broken.length === 0) return `✔ ${fitting.length}${unit}`;
  const names = broken.slice(0, 4).map(({ name }) => `\`${name}\``);
  const rest = broken.length > names.length ? ` and ${broken.length - names.length} more` : '';
  return `✘ ${broken.length} of ${fitting.length}: ${names.join(', ')}${rest}`;
}

const holds = (guarantee) => (one) => {
  const { outcome } = one;
  if (guarantee === 'G18') return outcome.wholes <= 1 && outcome.echoes === 0;
  const checks = BY_EVERY_SCRIPT[guarantee] ?? BY_OWN_CHECK[guarantee];
  return !outcome.failures.some(({ check }) => checks === undefined || checks.includes(check));
};

/** Whether a run of a script counts for a guarantee. */
function isAbout(guarantee, { guarantees, resumes, epoch, outcome, isOurs }) {
  if (guarantee === 'G18') return resumes && !isDead(outcome);
  if (!(guarantee in BY_EVERY_SCRIPT)) return guarantees.includes(guarantee);
  // A client that does not announce a restored storage is not judged by G1 there; one that has ended, only by G16.
  if (guarantee === 'G1' && epoch && !isOurs) return false;
  return guarantee === 'G16' || !isDead(outcome);
}

/** How many tests of our suites have the id in their title, and how many failed. */
function testsOf(id, suites) {
  return Object.entries(suites.rules[id] ?? {}).map(([suite, { passed, failed }]) =>
    failed === 0
      ? `${passed} ${suite === 'slow' ? 'slow ' : ''}${passed === 1 ? 'test' : 'tests'}${suite === 'real' ? ' on real servers' : ''}`
      : `✘ ${failed} tests of ${suite}`,
  );
}

/** The result of our suites for a rule: counts if a run was kept, else the title of the test. */
function ownTests({ id, test }, suites) {
  const tests = testsOf(id, suites);
  if (tests.length > 0) return `${tests.some((text) => text.startsWith('✘')) ? '' : '✔ '}${tests.join(', ')}`;
  return test === '' ? 'not run' : `by a test: “${test}”`;
}

const LEFT_OUT = 'left out on purpose, see docs/SPEC.md';

function ours(row, scripts, isHeld, suites) {
  if (row.verdict === 'left out') return LEFT_OUT;
  const told = cell(scripts, isHeld, scripts.length === 1 ? ' script' : ' scripts');
  if (told === 'not played' || told === 'does not apply') return ownTests(row, suites);
  return [told, ...testsOf(row.id, suites)].join(', ');
}

const titled = ({ id, rule }) => `${id} ${rule}${NOTES[id] === undefined ? '' : ` (${NOTES[id]})`}`;

/** Rows of four: the guarantee, and a cell for each client. `clients` has the scripts of each client with their outcomes. */
export function guaranteeRows(clients, suites) {
  return specRows('G').map((row) => {
    const about = (list) => list.filter((one) => isAbout(row.id, one));
    const [own, ...peers] = [clients.ours, clients.clientGo, clients.clientNode].map(about);
    const isHeld = holds(row.id);
    return [titled(row), ours(row, own, isHeld, suites), ...peers.map((list) => cell(list, isHeld))];
  });
}

/** `crashed`: scripts whose run itself failed. */
export function faultRows(clients, suites, crashed) {
  const isHeld = ({ outcome }) => cameThrough(outcome);
  return specRows('F').map((row) => {
    const about = (list) => list.filter(({ faults }) => faults.includes(row.id));
    const [own, ...peers] = [clients.ours, clients.clientGo, clients.clientNode].map(about);
    const isPlayed = Number(row.id.slice(1)) <= LAST_PLAYED;
    const lost = crashed
      .filter(({ faults }) => faults.includes(row.id))
      .map(({ name }) => `; the run of \`${name}\` failed`);
    if (isPlayed && own.length === 0 && lost.length === 0 && NOTES[row.id] === undefined)
      throw new Error(`${row.id}: no script plays it; add a note to NOTES with the reason`);
    return [titled(row) + lost.join(''), ours(row, own, isHeld, suites), ...peers.map((list) => cell(list, isHeld))];
  });
}

/** Other names of the same rules, from measurements of other clients. */
const ALIASES = { S1: 'X6, Y1', S6: 'X12, Y2' };

export function securityRows(suites) {
  return specRows('S').map((row) => {
    const also = ALIASES[row.id] === undefined ? '' : ` (${ALIASES[row.id]})`;
    return [`${row.id}${also} ${row.rule}`, row.verdict === 'left out' ? LEFT_OUT : ownTests(row, suites)];
  });
}

function specRows(letter) {
  return readRows().filter(({ id }) => new RegExp(`^${letter}\\d+$`).test(id));
}

/** The faults of the chaos run, in words. */
export const CHAOS = {
  kill: 'kill -9 of a kube-apiserver',
  stop: 'a kube-apiserver stopped for 20, 60 and 120 s',
  partition: 'partition, both ways, from a second to a quarter of a minute',
  'one-way partition': 'partition, one way, from a second to a quarter of a minute',
  loss: 'lost and reordered packets',
  lag: 'all informers led to a stale kube-apiserver',
  compaction: 'compaction while an informer is disconnected',
  restore: 'restore of an older snapshot, revisions bumped',
  rollback: 'restore of an older snapshot, revisions continue from it',
  reset: 'every connection reset',
  429: 'a priority level that rejects requests',
  forbidden: 'rights revoked and granted again',
  'slow reader': 'a reader that stops reading',
  'own kill': 'kill -9 of our own process',
  'frozen process': 'our own process stopped',
};
