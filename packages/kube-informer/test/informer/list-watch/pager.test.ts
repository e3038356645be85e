import v8 from 'node:v8';
import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeList, KubeObject } from '../../../src/core/object/object.ts';
import type { ListOptions } from '../../../src/core/object/list-options.ts';
import {
  eachListItem,
  listPages,
  type ListResult,
  PageSizes,
  pageSizeFor,
} from '../../../src/informer/list-watch/pager.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import { expired, FakeSource, statusFailure } from '../../../src/testing/fake-source.ts';
import { pod } from '../rig/scripted-source.ts';

interface Rig {
  readonly calls: ListOptions[];
  readonly stop: AbortController;
  readonly pages: (options?: ListOptions, pageSize?: number) => Promise<ListResult<KubeObject>>;
  readonly each: (
    options?: ListOptions,
    each?: { pageSize?: number; bufferPages?: number },
  ) => AsyncGenerator<KubeObject>;
}

/** A server of `count` objects at version 20. `before` runs before call number n is answered. */
function rig(count: number, before: (call: number) => unknown = () => {}): Rig {
  const source = new FakeSource({ startVersion: 20 - count, watchList: false });
  for (let i = 0; i < count; i += 1) source.create({ metadata: { name: `p${String(i).padStart(4, '0')}` } });
  const calls: ListOptions[] = [];
  const stop = new AbortController();
  const { watch } = source;
  const list = async (options: ListOptions, signal: AbortSignal): Promise<KubeList<KubeObject>> => {
    calls.push(options);
    await before(calls.length);
    return source.list(options, signal);
  };
  return {
    calls,
    stop,
    pages: (options = {}, pageSize = 10) => listPages({ list, watch }, options, { pageSize, signal: stop.signal }),
    each: (options = {}, each = {}) =>
      eachListItem({ list, watch }, options, { signal: stop.signal, pageSize: 10, ...each }),
  };
}

const names = (items: readonly KubeObject[]): string[] => items.map((item) => item.metadata?.name ?? '');
const collect = async (items: AsyncIterable<KubeObject>): Promise<KubeObject[]> => {
  const all: KubeObject[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** A server whose page number n is `page(n)`, from 1 on. */
function endless(page: (n: number) => KubeList<KubeObject>) {
  const calls: ListOptions[] = [];
  const source = {
    async list(options: ListOptions) {
      if (calls.length === 50) throw new Error('fifty pages, and no end');
      return page(calls.push(options));
    },
    watch: () => new FakeSource().watch({}, new AbortController().signal),
  };
  const { signal } = new AbortController();
  return {
    calls,
    source,
    pages: () => listPages(source, {}, { pageSize: 2, signal }),
    each: () => eachListItem(source, {}, { signal, bufferPages: 0 }),
  };
}

describe('pages that never end', () => {
  const at = (n: number) => pod(`p${n}`, n);
  const never: [string, (n: number) => KubeList<KubeObject>, number, RegExp][] = [
    [
      'one token',
      (n) => ({ items: [at(n)], metadata: { continue: 'C' } }),
      2,
      /continue token is the same on two pages/,
    ],
    [
      'two tokens in turn',
      (n) => ({ items: [at(n)], metadata: { continue: `C${n % 2}` } }),
      3,
      /continue token is the same/,
    ],
    [
      'new tokens and the same objects',
      (n) => ({ items: [at(1), at(2)], metadata: { continue: `C${n}` } }),
      5,
      /begin with an object that another page began with/,
    ],
    [
      'new tokens and no objects',
      (n) => ({ items: [], metadata: { continue: `C${n}` } }),
      11,
      /11 pages in a row have no items/,
    ],
  ];
  test.each(never)(
    'PAG-11: %s: the list fails after few requests, and says what the server does',
    async (_, page, requests, message) => {
      const { pages, each, calls } = endless(page);
      await expect(pages()).rejects.toMatchObject({
        code: 'LIST_INVALID',
        message: expect.stringMatching(message) as string,
      });
      // The last one asks for everything at once, which this server does not give either.
      expect(calls).toHaveLength(requests + 1);
      expect(calls.at(-1)).toEqual({});
      calls.length = 0;
      await expect(collect(each())).rejects.toMatchObject({ code: 'LIST_INVALID' });
      expect(calls.length).toBeLessThanOrEqual(requests + 1);
    },
  );

  test('PAG-11: a list whose pages never end is requested again without pages, once', async () => {
    const everything = { items: [at(1), at(2)], metadata: { resourceVersion: '9' } };
    const { calls, source } = endless((n) => ({ items: [at(n)], metadata: { continue: 'C', resourceVersion: '8' } }));
    const { signal } = new AbortController();
    const list = async (options: ListOptions): Promise<KubeList<KubeObject>> =>
      options.limit === undefined ? everything : source.list(options);
    const found = await listPages({ ...source, list }, { resourceVersion: '7' }, { pageSize: 2, signal });
    expect([names(found.items), found.resourceVersion]).toEqual([['p1', 'p2'], '9']);
    expect(calls).toHaveLength(2);
  });

  test('PAG-11, G8: a part of a list that was requested as a whole is not taken for the whole', async () => {
    const part = { items: [at(1)], metadata: { continue: 'C', resourceVersion: '9' } };
    const list = async (options: ListOptions): Promise<KubeList<KubeObject>> => {
      if (options.continue !== undefined) throw expired('the token is too old');
      return part;
    };
    const { signal } = new AbortController();
    await expect(listPages({ ...endless(() => part).source, list }, {}, { pageSize: 1, signal })).rejects.toMatchObject(
      { code: 'LIST_INVALID', message: expect.stringContaining('requested without a limit is not complete') as string },
    );
  });

  test('PAG-11: a server that sends pages without a limit in the request is not asked the same again', async () => {
    const { calls, source } = endless((n) => ({ items: [at(n)], metadata: { continue: 'C' } }));
    const { signal } = new AbortController();
    await expect(listPages(source, {}, { pageSize: 0, signal })).rejects.toThrow(/continue token is the same/);
    expect(calls).toHaveLength(2);
  });

  test('F75: a list that is already aborted rejects with ABORTED', async () => {
    const { source } = endless(() => ({ items: [] }));
    await expect(listPages(source, {}, { pageSize: 2, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  test('PAG-11: empty pages between others, and an object that moved, are a list like any other', async () => {
    const { pages } = endless((n) => ({
      items: n % 5 === 0 ? [at(1), at(n)] : [],
      metadata: { ...(n === 15 ? {} : { continue: `C${n}` }), resourceVersion: '9' },
    }));
    expect(names((await pages()).items)).toEqual(['p1', 'p5', 'p1', 'p10', 'p1', 'p15']);
  });

  test.each([
    [
      'a version that is a number',
      { resourceVersion: 5 },
      /metadata.resourceVersion of the list is of the type number/,
    ],
    ['a token that is an array', { continue: [] }, /metadata.continue of the list is an array, expected a string/],
  ])('F56: %s is refused', async (_, metadata, message) => {
    await expect(endless(() => ({ items: [], metadata }) as unknown as KubeList<KubeObject>).pages()).rejects.toThrow(
      message,
    );
  });
});

describe('page sizes', () => {
  test('PAG-12, F51: a size that was too large is not asked for again; the smallest page is one object', () => {
    const sizes = new PageSizes(undefined);
    expect([sizes.for('10'), sizes.for('')]).toEqual([0, 500]);
    expect(sizes.shrink(sizes.for('10'))).toBe(true);
    expect([sizes.for('10'), sizes.for('')]).toEqual([500, 500]);
    const asked: number[] = [];
    while (sizes.shrink(sizes.for('10'))) asked.push(sizes.for('10'));
    expect(asked).toEqual([250, 125, 62, 31, 15, 7, 3, 1]);
    expect([sizes.for('10'), sizes.for('')]).toEqual([1, 1]);
    const chosen = new PageSizes(40);
    expect([chosen.shrink(40), chosen.for('')]).toEqual([true, 20]);
  });
});

describe('a whole list', () => {
  test.each([
    ['nothing', 0, 1, false],
    ['less than a page', 9, 1, false],
    ['exactly a page', 10, 1, false],
    ['one more than a page', 11, 2, true],
    ['exactly two pages', 20, 2, true],
  ])(
    'PAG-04, PAG-05: %s: %i objects need %i requests and make one list; in pages: %s',
    async (_, count, requests, paginated) => {
      const { pages, calls } = rig(count);
      const result = await pages();
      expect(result.items).toHaveLength(count);
      expect(result).toMatchObject({ resourceVersion: '20', paginated });
      expect(calls).toHaveLength(requests);
      expect(names(result.items)).toEqual(names(result.items).toSorted());
    },
  );

  test('PAG-04: a limit is sent only if it is one', async () => {
    const { pages, calls } = rig(15);
    expect(await pages({}, 0)).toMatchObject({ paginated: false });
    expect(calls).toEqual([{}]);
  });

  test('PAG-06: pages after the first carry the token and the limit, never a version; other options stay', async () => {
    const { pages, calls } = rig(15);
    await pages({ labelSelector: 'app=web', resourceVersion: '20', resourceVersionMatch: 'NotOlderThan' });
    expect(calls).toEqual([
      { labelSelector: 'app=web', resourceVersion: '20', resourceVersionMatch: 'NotOlderThan', limit: 10 },
      { labelSelector: 'app=web', limit: 10, continue: expect.any(String) as unknown },
    ]);
  });

  test('PAG-06: a limit or token of the caller does not disturb the paging', async () => {
    const { pages, calls } = rig(15);
    expect((await pages({ limit: 3, continue: 'mine' })).items).toHaveLength(15);
    expect(calls[0]).toEqual({ limit: 10 });
  });

  test('F42, PAG-07: after an expired token everything is listed again, at the version requested first; two versions are never mixed', async () => {
    const { pages, calls } = rig(15, (call) => {
      if (call === 2) throw expired('the token is too old');
    });
    const result = await pages({ resourceVersion: '20', resourceVersionMatch: 'NotOlderThan' });
    expect(result.items).toHaveLength(15);
    expect(result.paginated).toBe(true);
    expect(calls).toEqual([
      { resourceVersion: '20', resourceVersionMatch: 'NotOlderThan', limit: 10 },
      { limit: 10, continue: expect.any(String) as unknown },
      { resourceVersion: '20', resourceVersionMatch: 'NotOlderThan' },
    ]);
  });

  test.each([
    ['an expired first page', 1, expired('old'), 1],
    ['a plain Gone on the second page', 2, statusFailure(410, 'Gone', 'gone'), 2],
    ['another error on the second page', 2, statusFailure(500, 'InternalError', 'boom'), 2],
  ])('PAG-07: %s is the error of the list', async (_, at, error, requests) => {
    const { pages, calls } = rig(15, (call) => {
      if (call === at) throw error;
    });
    await expect(pages()).rejects.toBe(error);
    expect(calls).toHaveLength(requests);
  });

  test('PAG-07: an error of the full list is final', async () => {
    const { pages, calls } = rig(15, (call) => {
      if (call >= 2) throw expired(`call ${call}`);
    });
    await expect(pages()).rejects.toThrow('call 3');
    expect(calls).toHaveLength(3);
  });

  test('PAG-06: a stop is seen before each page', async () => {
    const made: Rig = rig(25, (call) => {
      if (call === 1) void Promise.resolve().then(() => made.stop.abort());
    });
    await expect(made.pages()).rejects.toBeDefined();
    expect(made.calls).toHaveLength(1);
  });

  test('PAG-08: one object that is kept does not keep its page', async () => {
    v8.setFlagsFromString('--expose-gc');
    const gc = vm.runInNewContext('gc') as () => void;
    const pages: WeakRef<object>[] = [];
    const list = (options: ListOptions): Promise<KubeList<KubeObject>> => {
      const isFirst = options.continue === undefined;
      const page = {
        metadata: { resourceVersion: '5', ...(isFirst ? { continue: 'C1' } : {}) },
        items: [pod(isFirst ? 'a' : 'b', 1), pod(isFirst ? 'c' : 'd', 2)],
      };
      pages.push(new WeakRef(page), new WeakRef(page.items), new WeakRef(page.items[1] as object));
      return Promise.resolve(page);
    };
    const keepOne = async (): Promise<KubeObject | undefined> => {
      const { items } = await listPages(
        { list, watch: () => ({}) as never },
        {},
        { pageSize: 2, signal: new AbortController().signal },
      );
      return items[0];
    };
    const kept = await keepOne();
    await settle();
    gc();
    await settle();
    gc();
    expect(kept?.metadata?.name).toBe('a');
    expect(pages.map((page) => page.deref())).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('PAG-05, PAG-07: property: with a world that changes and tokens that expire between pages, a list is always one moment', async () => {
    const change = fc.constantFrom('create', 'delete', 'expire', 'nothing');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(30),
        fc.nat(12),
        fc.array(change, { maxLength: 40 }),
        async (count, pageSize, changes) => {
          const source = new FakeSource({ watchList: false });
          const moments = new Map<string, string[]>();
          const remember = (): void => void moments.set(source.resourceVersion, names(source.objects).toSorted());
          for (let i = 0; i < count; i += 1) source.create({ metadata: { name: `p${i}` } });
          let requests = 0;
          const list = async (options: ListOptions, signal: AbortSignal): Promise<KubeList<KubeObject>> => {
            const next = changes[(requests += 1)];
            if (next === 'create') source.create({ metadata: { name: `n${requests}` } });
            if (next === 'delete') source.delete(names(source.objects)[0] ?? '');
            if (next === 'expire') source.expireHistory();
            remember();
            return source.list(options, signal);
          };
          const result = await listPages(
            { list, watch: source.watch },
            {},
            { pageSize, signal: new AbortController().signal },
          );
          expect(names(result.items).toSorted()).toEqual(moments.get(result.resourceVersion));
          expect(result.paginated).toBe(requests > 1);
        },
      ),
    );
  });
});

describe('how large a page is', () => {
  test.each([
    ['the newest state', '', undefined, false, 500],
    ['any state', '0', undefined, false, 500],
    ['a known version, for the cache of the server', '10', undefined, false, 0],
    ['a known version, the cache being off', '10', undefined, true, 500],
    ['what the user says', '10', 7, false, 7],
    ['what the user says, the cache being off', '', 7, true, 7],
    ['0, which means: not said', '', 0, false, 500],
  ])('PAG-01, PAG-02: %s', (_, version, explicit, cacheIsOff, size) => {
    expect(pageSizeFor(version, explicit, cacheIsOff)).toBe(size);
  });
});

describe('item by item', () => {
  test.each([0, 9, 10, 11, 20, 25])('PAG-09: %i objects come one by one, in their order', async (count) => {
    const { each, calls } = rig(count);
    expect(await collect(each())).toHaveLength(count);
    expect(calls).toHaveLength(Math.max(1, Math.ceil(count / 10)));
  });

  test('PAG-09: it never falls back to a full list: yielded items stay valid, and the error comes in order', async () => {
    const { each, calls } = rig(25, (call) => {
      if (call === 3) throw expired('old');
    });
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const item of each()) seen.push(...names([item]));
      })(),
    ).rejects.toThrow('old');
    expect(seen).toHaveLength(20);
    expect(calls).toHaveLength(3);
  });

  test.each([
    [0, 1],
    [1, 2],
    [3, 4],
    [10, 9],
  ])(
    'PAG-09: with a buffer of %i pages, %i requests of 9 are made while the consumer holds the first page',
    async (bufferPages, requests) => {
      const { each, calls } = rig(18, () => settle());
      const items = each({}, { pageSize: 2, bufferPages });
      await items.next();
      for (let i = 0; i < 30; i += 1) await settle();
      expect(calls).toHaveLength(requests);
      await items.return(undefined);
    },
  );

  test.each([-1, 1.5, Number.NaN])('F66, PAG-09: a buffer of %d pages is refused', async (bufferPages) => {
    await expect(collect(rig(1).each({}, { bufferPages }))).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('PAG-09: an error of the consumer is its own, and ends the fetching', async () => {
    const { each, calls } = rig(19, () => settle());
    const bug = new Error('callback bug');
    await expect(
      (async () => {
        for await (const _ of each({}, { pageSize: 1, bufferPages: 2 })) throw bug;
      })(),
    ).rejects.toBe(bug);
    const before = calls.length;
    for (let i = 0; i < 20; i += 1) await settle();
    expect(calls.length).toBeLessThanOrEqual(before + 1);
    expect(calls.length).toBeLessThan(5);
  });

  test('PAG-09: a stop ends it with an error', async () => {
    const made = rig(19, () => settle());
    const items = made.each({}, { pageSize: 1 });
    await items.next();
    made.stop.abort();
    await expect(collect(items)).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
