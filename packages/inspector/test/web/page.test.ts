import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { page } from '#page';
import { lifetime } from '../../web/parts/format.ts';
import { formatRoute, NO_FILTER, parseRoute, type Route } from '../../web/browser/route.ts';
import { stepText } from '../../web/parts/step-text.ts';
import type { TimelineStep } from '../../src/protocol/messages.ts';

const WEB = fileURLToPath(new URL('../../web', import.meta.url));

describe('the page', () => {
  test('S43: nothing in it turns text into HTML, a style or code', async () => {
    const names = (await readdir(WEB, { recursive: true })).filter((name) => name.endsWith('.ts'));
    expect(names.length).toBeGreaterThan(10);
    const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\b|new Function|\.setAttribute\('style'|javascript:/;
    for (const name of names) {
      const text = await readFile(join(WEB, name), 'utf8');
      expect([name, forbidden.exec(text)?.[0]]).toEqual([name, undefined]);
    }
    expect(forbidden.exec(page.script)?.[0]).toBeUndefined();
    // Attributes are set by name: none may be an event handler, or a URL that comes from a cluster.
    expect(page.html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
    expect(page.icon).not.toMatch(/<script|\son\w+=|href/);
  }); // prettier-ignore

  test('S43: it loads nothing from elsewhere', () => {
    const urls = [page.html, page.style, page.script].join('\n').match(/(?:https?:)?\/\/[\w.-]+\.\w+/g) ?? [];
    // The SVG namespace, which is not requested.
    expect(urls.filter((url) => url !== 'http://www.w3.org')).toEqual([]);
    expect(page.style).not.toMatch(/url\(|@import/);
  });

  test('S32: the script is small', () => {
    expect(Buffer.byteLength(page.script)).toBeLessThan(60_000);
    expect(page.script.length).toBeGreaterThan(1_000);
  });
});

describe('where somebody is', () => {
  const text = fc.string({ maxLength: 60 });
  const route: fc.Arbitrary<Route> = fc.oneof(
    fc.constantFrom({ view: 'overview' } as const, { view: 'timeline' } as const, { view: 'handlers' } as const, { view: 'faults' } as const),
    fc.record({ view: fc.constant('resource' as const), cache: fc.string({ minLength: 1 }), text, namespace: text, labels: text, index: text, value: text }),
    fc.record({ view: fc.constant('object' as const), cache: fc.string({ minLength: 1 }), key: fc.string({ minLength: 1 }) }),
  ); // prettier-ignore

  test('S50: what was written into an address is read from it', () => {
    fc.assert(
      fc.property(route, (given) => {
        expect(parseRoute(formatRoute(given))).toEqual(given);
      }),
    );
  });

  test('S50: whatever stands in an address, a place that exists comes out, and nothing else', () => {
    const shapes: Readonly<Record<string, readonly string[]>> = {
      'not-found': ['path', 'view'], overview: ['view'], timeline: ['view'], handlers: ['view'], faults: ['view'],
      object: ['cache', 'key', 'view'],
      resource: ['cache', 'index', 'labels', 'namespace', 'text', 'value', 'view'],
    }; // prettier-ignore
    const words = [
      '#/',
      'resource',
      'object',
      '?',
      '&',
      '=',
      'cache',
      'key',
      '__proto__',
      'constructor',
      '%',
      '%zz',
      'view=faults',
      '#',
      '/',
    ];
    const address = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...words)).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(address, (hash) => {
        const found = parseRoute(hash);
        expect(Object.keys(found).toSorted()).toEqual(shapes[found.view]);
        expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
        for (const value of Object.values(found)) expect(typeof value).toBe('string');
      }),
      { numRuns: 2_000 },
    );
  });

  test('S50: names of JavaScript are texts, unknown parameters are left out, long ones are cut', () => {
    expect(parseRoute('#/resource?cache=v1/pods&__proto__=x&constructor=y&view=faults')).toEqual({ view: 'resource', cache: 'v1/pods', ...NO_FILTER });
    expect(parseRoute('#/__proto__')).toEqual({ view: 'not-found', path: '__proto__' });
    expect(parseRoute('#/constructor?cache=a')).toEqual({ view: 'not-found', path: 'constructor' });
    expect(parseRoute('#/object?cache=a')).toEqual({ view: 'not-found', path: 'object' });
    expect(parseRoute('#/resource')).toEqual({ view: 'not-found', path: 'resource' });
    for (const nothing of ['', '#', '#/', '#/?cache=a']) expect(parseRoute(nothing)).toEqual({ view: 'overview' });
    expect(parseRoute(`#/resource?cache=a&text=${'x'.repeat(5_000)}`)).toMatchObject({ text: 'x'.repeat(1_000) });
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  }); // prettier-ignore
});

describe('how old an object is', () => {
  test.each([
    [{ createdAt: 1_000, isDeleted: false, deletedAt: undefined }, '49 s old'],
    [{ createdAt: 1_000, isDeleted: true, deletedAt: 40_000 }, 'lived 39 s'],
    [{ createdAt: 1_000, isDeleted: true, deletedAt: undefined }, ''],
    [{ createdAt: undefined, isDeleted: false, deletedAt: undefined }, ''],
  ])('%j is %j: what is gone ages no more', (detail, text) => {
    expect(lifetime(detail, 50_000)).toBe(text);
  });
});

describe('what a step was', () => {
  const step = (given: Partial<TimelineStep>): TimelineStep => ({
    kind: 'watch', startedAt: 0, endedAt: undefined, objects: 3, resourceVersion: '7', because: '', failed: false, ...given,
  }); // prettier-ignore

  test.each([
    [{ kind: 'stream', endedAt: 40 }, 'listed 3 objects in 40 ms'],
    [{ kind: 'list', endedAt: 40, because: 'forbidden', failed: true }, 'list failed after 40 ms: forbidden'],
    [{ kind: 'list' }, 'listing for 9.0 s, 3 objects so far'],
    [{ kind: 'watch' }, 'watching for 9.0 s, 3 events'],
    [{ kind: 'watch', endedAt: 5_000, because: 'the watch failed: reset', failed: true }, 'watch ended after 5.0 s and 3 events: reset'],
    [{ kind: 'watch', endedAt: 5_000, because: 'the server ended it' }, 'watch ended after 5.0 s and 3 events: the server ended it'],
    [{ kind: 'wait', endedAt: 800, because: 'reset' }, 'waited 800 ms: reset'],
    [{ kind: 'resync', endedAt: 0 }, 'everything was announced again'],
    [{ kind: 'epoch', endedAt: 0, because: 'had seen 9' }, 'the storage behind the server went back, or is another one: had seen 9'],
  ] as const)('%j', (given, text) => {
    expect(stepText(step(given), 9_000)).toBe(text);
  }); // prettier-ignore
});
