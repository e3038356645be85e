import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Case } from '../work/work.ts';
import { judgeBounds, type Judged } from './bounds.ts';
import { drawPictures } from './pictures.ts';
import { type MeasuredCase, type Results, type Row, rowsOf } from './results.ts';
import { SECTIONS, type Section } from './sections.ts';
import { sentences } from './sentences.ts';
import { table } from './table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What the README shows stands between these lines. */
const BEGIN = '<!-- written by npm run bench:peers -->';
const END = '<!-- end -->';
const TARGET_OBJECTS = 10_000;

const INTRODUCTION = `# Performance

What kube-informer costs beside client-go and controller-runtime (Go), kube-rs (Rust), fabric8 (Java) and client-node (Node), measured by \`npm run bench:peers\`
([how](../bench/README.md)). Each contestant runs in a process of its own, they take turns within a round, and every figure is the median of the rounds with
the range behind it. CPU is user and system time of the contestant's process. **Compare figures of one table, not of two**: the machine is shared, and each table
says when it was measured and how busy the machine was. On a busy machine only ratios mean something, and wall-clock times mean little. The figures of all
rounds are in [performance](performance). This page is generated.`;

/** Writes docs/performance.md with its pictures, and the README's part, from results. */
export async function writePage(results: Results): Promise<void> {
  const docs = join(root, 'docs');
  await mkdir(join(docs, 'performance'), { recursive: true });
  const pictures = drawPictures(results);
  for (const [name, svg] of pictures) await writeFile(join(docs, 'performance', `${name}.svg`), svg);
  await writeFile(join(docs, 'performance.md'), pageText(results, new Set(pictures.keys())));
  const readme = join(root, 'README.md');
  if (pictures.has('overview')) await writeFile(readme, withPart(await readFile(readme, 'utf8'), readmePart(results)));
}

/** The page; `pictures` are the names of those that were drawn. */
export function pageText(results: Results, pictures: ReadonlySet<string>): string {
  const overview = pictures.has('overview') ? [image('What a cache of pods costs', 'overview')] : [];
  const parts = [
    INTRODUCTION,
    ...overview,
    sentences(results),
    targetsText(judgeBounds(results), Math.max(0, ...rowsOf(results, 'first-sync').map(objectsOf))),
    ...SECTIONS.map((section) => sectionText(results, section, pictures)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const readmePart = (results: Results): string => `![What a cache of pods costs](docs/performance/overview.svg)

${sentences(results)}
[All figures](docs/performance.md), with kube-rs, fabric8, client-node and controller-runtime in the same run, and what was not reached.`;

/** A text with another part between the two marks; without marks it stays as it is. */
export function withPart(text: string, part: string): string {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from === -1 || to < from) return text;
  return `${text.slice(0, from + BEGIN.length)}\n${part}\n${text.slice(to)}`;
}

function targetsText(judged: readonly Judged[], objects: number): string {
  if (judged.length === 0) return '';
  const rows = judged.map(({ bound, contestant, value, isMet, isBroken }) => {
    const held = bound.bound === undefined ? '–' : `${bound.bound}${isBroken ? ' **broken**' : ''}`;
    const verdict = isMet ? 'met' : '**not met**';
    return `| ${bound.id} | ${bound.what} | ${value.toFixed(2)} | ${bound.target} | ${verdict} | ${held} | ${contestant} |`;
  });
  const missed = judged.filter(({ isMet }) => !isMet);
  const reasons = [...new Set(missed.flatMap(({ bound }) => (bound.why === undefined ? [] : [bound.why])))];
  const list = reasons.length === 0 ? '' : `\n\nWhy not:\n\n${reasons.map((reason) => `* ${reason}`).join('\n')}`;
  return `## Targets

${judged.length - missed.length} of ${judged.length} met. Ratios are medians of the ratios within each round. \`npm run bench:peers -- --quick\` fails when memory is above its bound, or CPU
above three times its bound.${smallText(objects)}

| id | what | measured | target | | bound | contestant |
|---|---|---|---|---|---|---|
${rows.join('\n')}${list}`;
}

/** Targets are about 10,000 objects; a smaller run says so. */
const smallText = (objects: number): string =>
  objects >= TARGET_OBJECTS
    ? ''
    : `

**This run had at most ${objects.toLocaleString('en')} objects, and the targets are meant for ${TARGET_OBJECTS.toLocaleString('en')}.** With few objects the start of the process, its
modules and its compilation are most of the CPU of a first sync, and a part of its memory.`;

const objectsOf = ({ case: one }: Row): number => Number(one['objects'] ?? 0);

function sectionText(results: Results, section: Section, pictures: ReadonlySet<string>): string {
  const cases = results.filter(({ work }) => work === section.work);
  if (cases.length === 0) return '';
  const images = section.pictures.filter((name) => pictures.has(name)).map((name) => image(section.title, name));
  const tables = cases.map((one) => [
    caseText(one.case),
    howText(one),
    table(one.rows, section.columns),
    one.leftOut.length === 0 ? '' : `Left out: ${one.leftOut.join('; ')}.`,
  ]);
  return [`## ${section.title}`, section.text, ...images, ...tables.flat()].filter((part) => part !== '').join('\n\n');
}

const image = (title: string, name: string): string => `![${title}: ${name}](performance/${name}.svg)`;

function howText({ at, rounds, machine, server, load: [low, high] }: MeasuredCase): string {
  const load = low === high ? String(low) : `${low} to ${high}`;
  return `${at.replace('T', ' ')} UTC, ${rounds} round${rounds === 1 ? '' : 's'}, ${machine}, load ${load}; ${server}.`;
}

const caseText = (one: Case): string => {
  const text = Object.entries(one)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en') : value}`)
    .join(', ');
  return text === '' ? '' : `### ${text}`;
};
