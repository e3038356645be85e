import fc from 'fast-check';
import type { KubeObject } from 'kube-informer';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { changedPathsInHistory } from '../../src/history/changed-paths.ts';
import { diffLines } from '../../src/history/diff-lines.ts';
import { objectYaml } from '../../src/summaries/object-yaml.ts';
import { objectStatus } from '../../src/objects/object-status.ts';
import { visibleBrief, visibleText } from '../../src/mask/visible.ts';

const signs = { same: ' ', added: '+', removed: '-', gap: '~', omitted: '…' } as const;
const drawn = (before: string, after: string): string =>
  diffLines(before, after).map(({ kind, text }) => `${signs[kind]}${text}`).join('\n'); // prettier-ignore

describe('differences', () => {
  test('changed lines are shown with some unchanged lines around them; the rest is counted', () => {
    const lines = (changed: string): string => `a b c d e f g h ${changed} i j k l m n o p`.replaceAll(' ', '\n');
    expect(drawn(lines('old'), lines('new'))).toBe('~5\n f\n g\n h\n-old\n+new\n i\n j\n k\n~5');
    expect(drawn('same\n', 'same\n')).toBe('');
    expect(drawn('', 'a\nb\n')).toBe('+a\n+b');
  });

  test('unchanged and added lines give the new text, unchanged and removed lines the old one', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd: 1', ''), { maxLength: 40 }).map((lines) => lines.join('\n'));
    const trimmed = (given: string): string => given.replace(/\n$/, '');
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && trimmed(before) !== '' && trimmed(after) !== '');
        const lines = diffLines(before, after);
        const left = before.split('\n').filter((_, at, all) => at < all.length - 1 || all[at] !== '');
        const right = after.split('\n').filter((_, at, all) => at < all.length - 1 || all[at] !== '');
        // A gap stands for that many lines of both texts.
        const rebuilt = { old: [] as string[], now: [] as string[] };
        for (const { kind, text: line } of lines) {
          if (kind === 'gap') {
            rebuilt.old.push(...left.slice(rebuilt.old.length, rebuilt.old.length + Number(line)));
            rebuilt.now.push(...right.slice(rebuilt.now.length, rebuilt.now.length + Number(line)));
          }
          if (kind === 'same' || kind === 'removed') rebuilt.old.push(line);
          if (kind === 'same' || kind === 'added') rebuilt.now.push(line);
        }
        expect([rebuilt.old, rebuilt.now]).toEqual([left, right]);
      }),
    );
  }); // prettier-ignore

  test('S32: long texts with nothing in common are compared quickly', () => {
    // Comparing each line with each would exceed the time limit or the memory.
    const long = (mark: string): string => Array.from({ length: 400_000 }, (_, at) => `${mark}${at}`).join('\n');
    expect(diffLines(long('a'), long('b'))).toHaveLength(800_000);
  });

  test('a change is named by its path', () => {
    const before = { metadata: { resourceVersion: '1', labels: { a: '1' } }, spec: { replicas: 1, deep: { one: { two: { three: 1 } } } }, list: [1] };
    const after = { metadata: { resourceVersion: '2', labels: { a: '2' } }, spec: { replicas: 2, deep: { one: { two: { three: 2 } } } }, list: [1, 2] };
    expect(changedPathsInHistory(before, after)).toEqual(['metadata.labels.a', 'spec.replicas', 'spec.deep.one', 'list']);
    expect(changedPathsInHistory(before, before)).toEqual([]);
    const hostile = JSON.parse('{"__proto__":{"a":1},"constructor":1}') as object;
    expect(changedPathsInHistory({}, hostile)).toEqual(['__proto__', 'constructor']);
  }); // prettier-ignore
});

describe('texts', () => {
  test('S43: invisible characters are escaped; line breaks are kept', () => {
    expect(visibleText('a\u202Eb\u0007c\u2066\nd\te')).toBe('a\\u{202e}b\\u{7}c\\u{2066}\nd\te');
    expect(visibleText('\u001b]0;title\u0007')).toBe('\\u{1b}]0;title\\u{7}');
    expect(visibleText('schön 漢字')).toBe('schön 漢字');
    expect(visibleBrief('a\nb\tc')).toBe('a b c');
    expect(visibleBrief('x'.repeat(400))).toBe(`${'x'.repeat(300)}…`);
  });

  test('YAML starts with type and metadata, has no managedFields, and parses to the same value', () => {
    const object = { status: { a: '1' }, metadata: { name: 'x', managedFields: [] }, kind: 'Thing', apiVersion: 'v1' } as KubeObject;
    expect(objectYaml(object)).toBe('apiVersion: v1\nkind: Thing\nmetadata:\n  name: x\nstatus:\n  a: "1"\n');
    expect(parse(objectYaml(object))).toEqual({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' }, status: { a: '1' } });
  }); // prettier-ignore

  test('S34: an object that is too deep or too long still gives a text', () => {
    let deep: unknown = 'end';
    for (let i = 0; i < 100_000; i += 1) deep = { deep };
    expect(objectYaml({ kind: 'Thing', spec: deep } as KubeObject)).toMatch(/cannot be written as YAML/);
    const long = objectYaml({ kind: 'Thing', data: { text: 'x'.repeat(2_000_000) } } as KubeObject);
    expect(long.length).toBeLessThan(1_001_000);
    expect(long).toMatch(/truncated: the object is too long/);
  });

  test.each([
    ['Pod', { status: { phase: 'Running', containerStatuses: [{ ready: true }] }, spec: { containers: [{}] } }, 'Running 1/1', 'good'],
    ['Pod', { status: { phase: 'Running', containerStatuses: [{ ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } }] }, spec: { containers: [{}] } }, 'CrashLoopBackOff 0/1 · 3 restarts', 'bad'],
    ['Pod', { status: { phase: 'Pending' }, spec: { containers: [{}] } }, 'Pending 0/1', 'warn'],
    ['Pod', { status: { phase: 'Running', containerStatuses: [{ ready: false }] }, spec: { containers: [{}] } }, 'Running 0/1', 'warn'],
    ['Pod', { status: { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { reason: 'Completed' } } }] }, spec: { containers: [{}] } }, 'Completed 0/1', 'good'],
    ['Deployment', { spec: { replicas: 3 }, status: { readyReplicas: 3 } }, '3/3 ready', 'good'],
    ['Deployment', { spec: { replicas: 3 } }, '0/3 ready', 'warn'],
    ['Node', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, 'NotReady', 'bad'],
    ['Job', { status: { conditions: [{ type: 'Failed', status: 'True' }] } }, 'Failed', 'bad'],
    ['Job', { status: { active: 2 } }, 'Running 2', 'good'],
    ['Job', { status: {} }, 'Running', 'good'],
    ['Job', { status: { conditions: [{ type: 'Suspended', status: 'True' }] } }, 'Suspended', 'warn'],
    ['Job', { status: { active: 1, conditions: [{ type: 'FailureTarget', status: 'True' }] } }, 'FailureTarget', 'bad'],
    ['Backup', { status: { phase: 'Succeeded' } }, 'Succeeded', 'good'],
    ['ConfigMap', { data: { a: '', b: '' } }, '2 keys', 'plain'],
    ['Thing', { status: 'nonsense', spec: null }, '', 'plain'],
    ['Thing', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }, 'Terminating', 'warn'],
  ] as const)('%s %#: status', (kind, object, status, tone) => {
    expect(objectStatus({ kind, ...object } as KubeObject)).toEqual({ status, tone });
  }); // prettier-ignore
});
