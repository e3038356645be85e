import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, afterEach, describe, expect, type RunnerTestSuite, test } from 'vitest';
import { accessCases } from './cases/access.ts';
import { applyCases } from './cases/apply.ts';
import { builtinKindCases } from './cases/builtin-kinds.ts';
import { compactionCases } from './cases/compaction.ts';
import { crdCases } from './cases/crd.ts';
import { createCases, readCases } from './cases/create-read.ts';
import { deleteCases } from './cases/delete.ts';
import { discoveryCases } from './cases/discovery.ts';
import { encodingCases } from './cases/encodings.ts';
import type { Exception } from './exceptions.ts';
import { freshnessCases } from './cases/freshness.ts';
import { Fixture } from './rig/fixture.ts';
import { formatCases } from './cases/formats.ts';
import { initialEventCases } from './cases/initial-events.ts';
import { listCases, listRequestCases } from './cases/list.ts';
import { malformedCases } from './cases/malformed.ts';
import { patchCases } from './cases/patch.ts';
import { pointCases } from './cases/points.ts';
import type { Target } from './rig/target.ts';
import { typedBodyCases } from './cases/typed-bodies.ts';
import { updateCases } from './cases/update.ts';
import { valueCases } from './cases/values.ts';
import { adviceCases } from './cases/extensions/advice.ts';
import { conversionCases } from './cases/extensions/conversion.ts';
import { edgeCases } from './cases/extensions/edges.ts';
import { mutationCases } from './cases/extensions/mutations.ts';
import { pluginCases } from './cases/extensions/plugins.ts';
import { policyCases } from './cases/extensions/policies.ts';
import { ruleCases } from './cases/extensions/rules.ts';
import { serviceCases } from './cases/extensions/services.ts';
import { webhookCases } from './cases/extensions/webhooks.ts';
import { webSocketCases } from './cases/extensions/web-socket.ts';
import { watchCases, watchFormCases } from './cases/watch.ts';

/**
 * Registers every conformance case against one server. `startTarget` may take long: it may build the server.
 *
 * Exceptions run too and must fail as they say, so that one that is no longer needed is found. `part` is for a suite in two files:
 * `extensions` are the cases of that folder, `core` all others.
 */
export function conformanceSuite(
  name: string,
  startTarget: () => Promise<Target & AsyncDisposable>,
  exceptions: readonly Exception[] = [],
  part: 'all' | 'core' | 'extensions' = 'all',
): void {
  const exceptional = new Map(exceptions.flatMap((one) => one.cases.map((title): [string, Exception] => [title, one])));
  describe(name, () => {
    afterEach(({ task }) => {
      const exception = exceptional.get(caseOf(task.name));
      if (exception === undefined || task.result?.state === 'skip') return;
      const errors = task.result?.errors ?? [];
      if (errors.length === 0)
        throw new Error(`the case passes, though this server is said to differ: ${exception.reason}`);
      const isExpected = errors.every(({ message, diff = '' }) =>
        exception.failure.test(
          stripVTControlCharacters(`${message}
${diff}`),
        ),
      );
      if (!isExpected) throw new Error(`the case must fail with ${String(exception.failure)}: ${exception.reason}`);
      Object.assign(task, { fails: true });
    });
    let target: (Target & AsyncDisposable) | undefined;
    let started: Fixture | undefined;
    beforeAll(async () => {
      target = await startTarget();
      started = await Fixture.start(target);
    }, 1_800_000);
    afterAll(async () => {
      await started?.[Symbol.asyncDispose]();
      await target?.[Symbol.asyncDispose]();
    }, 120_000);
    const fixture = (): Fixture => {
      if (started === undefined) throw new Error(`${name} did not start`);
      return started;
    };

    if (part !== 'core') {
      describe.concurrent('watches over WebSocket', () => webSocketCases(fixture));
      describe.concurrent('rules of custom resources', () => ruleCases(fixture));
      describe.concurrent('advice and rights', () => adviceCases(fixture));
      describe.concurrent('admission policies', () => policyCases(fixture));
      describe.concurrent('mutating admission policies', () => mutationCases(fixture));
      describe.concurrent('admission webhooks', () => webhookCases(fixture));
      describe.concurrent('conversion webhooks', () => conversionCases(fixture));
      describe.concurrent('edges', () => edgeCases(fixture));
      describe.concurrent('services', () => serviceCases(fixture));
      describe.concurrent('admission plugins', () => pluginCases(fixture));
      describe.concurrent('formats', () => formatCases(fixture));
      describe.concurrent('malformed requests', () => malformedCases(fixture));
      describe.concurrent('bodies and their types', () => typedBodyCases(fixture));
      describe.concurrent('values and neighbours', () => valueCases(fixture));
    }
    if (part !== 'extensions') {
      describe.concurrent('create', () => createCases(fixture));
      describe.concurrent('read', () => readCases(fixture));
      describe.concurrent('list', () => listCases(fixture));
      describe.concurrent('list requests', () => listRequestCases(fixture));
      describe.concurrent('update', () => updateCases(fixture));
      describe.concurrent('patch', () => patchCases(fixture));
      describe.concurrent('apply', () => applyCases(fixture));
      describe.concurrent('delete', () => deleteCases(fixture));
      describe.concurrent('watch', () => watchCases(fixture));
      describe.concurrent('watch forms', () => watchFormCases(fixture));
      describe.concurrent('initial events and bookmarks', () => initialEventCases(fixture));
      describe.concurrent('freshness', () => freshnessCases(fixture));
      describe.concurrent('encodings', () => encodingCases(fixture));
      describe.concurrent('custom resources', () => crdCases(fixture));
      describe.concurrent('discovery', () => discoveryCases(fixture));
      describe.concurrent('access', () => accessCases(fixture));
      describe.concurrent('open points', () => pointCases(fixture));
      describe.concurrent('built-in kinds', () => builtinKindCases(fixture));
      // Last and alone: other cases read old versions.
      describe.sequential('compaction', () => compactionCases(fixture));
    }

    test('every exception is about a case of this suite', ({ task }) => {
      const cases = new Set(task.suite === undefined ? [] : casesOf(task.suite));
      expect([...exceptional.keys()].filter((title) => !cases.has(title))).toEqual([]);
    });
  });
}

/** `case 84` of `case 84: sendInitialEvents and resourceVersionMatch require each other`. */
const caseOf = (title: string): string => title.split(':', 1)[0] as string;

const casesOf = (suite: RunnerTestSuite): string[] =>
  suite.tasks.flatMap((task) => (task.type === 'suite' ? casesOf(task) : [caseOf(task.name)]));
