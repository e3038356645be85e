import { afterAll, beforeAll, describe } from 'vitest';
import { accessCases } from './access.ts';
import { applyCases } from './apply.ts';
import { compactionCases } from './compaction.ts';
import { crdCases } from './crd.ts';
import { createCases, readCases } from './create-read.ts';
import { deleteCases } from './delete.ts';
import { discoveryCases } from './discovery.ts';
import { Fixture } from './fixture.ts';
import { initialEventCases } from './initial-events.ts';
import { listCases, listRequestCases } from './list.ts';
import { patchCases } from './patch.ts';
import { pointCases } from './points.ts';
import type { Target } from './target.ts';
import { updateCases } from './update.ts';
import { watchCases, watchFormCases } from './watch.ts';

/** Registers every conformance case against one server. `startTarget` may take long: it may build the server. */
export function conformanceSuite(name: string, startTarget: () => Promise<Target & AsyncDisposable>): void {
  describe(name, () => {
    let target: (Target & AsyncDisposable) | undefined;
    let started: Fixture | undefined;
    beforeAll(async () => {
      target = await startTarget();
      started = await Fixture.start(target);
    }, 1_800_000);
    afterAll(async () => {
      await started?.[Symbol.asyncDispose]();
      await target?.[Symbol.asyncDispose]();
    });
    const fixture = (): Fixture => {
      if (started === undefined) throw new Error(`${name} did not start`);
      return started;
    };

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
    describe.concurrent('custom resources', () => crdCases(fixture));
    describe.concurrent('discovery', () => discoveryCases(fixture));
    describe.concurrent('access', () => accessCases(fixture));
    describe.concurrent('open points', () => pointCases(fixture));
    // Last and alone: other cases look into the past.
    describe.sequential('compaction', () => compactionCases(fixture));
  });
}
