import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { page } from '#page';
import { lifetimeFigureText } from '../../web/parts/figure-text.ts';
import { formatBrowserRoute, NO_FILTER, parseBrowserRoute, type Route } from '../../web/browser/browser-route.ts';
import { stepText } from '../../web/parts/step-text.ts';
import type { TimelineStep } from '../../src/protocol/messages.ts';

const WEB = fileURLToPath(new URL('../../web', import.meta.url));

describe('the page', () => {
  test('S43: it never turns text into HTML, styles or code', async () => {
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

  test('S43: it loads nothing from other origins', () => {
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

describe('routes', () => {
  const text = fc.string({ maxLength: 60 });
  const route: fc.Arbitrary<Route> = fc.oneof(
    fc.constantFrom({ view: 'overview' } as const, { view: 'timeline' } as const, { view: 'handlers' } as const, { view: 'controllers' } as const, { view: 'faults' } as const),
    fc.record({ view: fc.constant('resource' as const), cache: fc.string({ minLength: 1 }), text, namespace: text, labels: text, index: text, value: text }),
    fc.record({ view: fc.constant('object' as const), cache: fc.string({ minLength: 1 }), key: fc.string({ minLength: 1 }) }),
    fc.record({ view: fc.constant('key' as const), controller: fc.string({ minLength: 1 }), key: fc.string({ minLength: 1 }) }),
  ); // prettier-ignore

  test('S50: a formatted route parses to the same route', () => {
    fc.assert(
      fc.property(route, (given) => {
        expect(parseBrowserRoute(formatBrowserRoute(given))).toEqual(given);
      }),
    );
  });

  test('S50: any address parses to a known route, with known fields only', () => {
    const shapes: Readonly<Record<string, readonly string[]>> = {
      'not-found': ['path', 'view'], overview: ['view'], timeline: ['view'], handlers: ['view'], controllers: ['view'], faults: ['view'],
      object: ['cache', 'key', 'view'], key: ['controller', 'key', 'view'],
      resource: ['cache', 'index', 'labels', 'namespace', 'text', 'value', 'view'],
    }; // prettier-ignore
    const words = [
      '#/',
      'resource',
      'object',
      'controller',
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
        const found = parseBrowserRoute(hash);
        expect(Object.keys(found).toSorted()).toEqual(shapes[found.view]);
        expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
        for (const value of Object.values(found)) expect(typeof value).toBe('string');
      }),
      { numRuns: 2_000 },
    );
  });

  test('S50: names such as __proto__ are ordinary text, unknown parameters are ignored, long ones are truncated', () => {
    expect(parseBrowserRoute('#/resource?cache=v1/pods&__proto__=x&constructor=y&view=faults')).toEqual({ view: 'resource', cache: 'v1/pods', ...NO_FILTER });
    expect(parseBrowserRoute('#/__proto__')).toEqual({ view: 'not-found', path: '__proto__' });
    expect(parseBrowserRoute('#/constructor?cache=a')).toEqual({ view: 'not-found', path: 'constructor' });
    expect(parseBrowserRoute('#/object?cache=a')).toEqual({ view: 'not-found', path: 'object' });
    expect(parseBrowserRoute('#/resource')).toEqual({ view: 'not-found', path: 'resource' });
    for (const nothing of ['', '#', '#/', '#/?cache=a']) expect(parseBrowserRoute(nothing)).toEqual({ view: 'overview' });
    expect(parseBrowserRoute(`#/resource?cache=a&text=${'x'.repeat(5_000)}`)).toMatchObject({ text: 'x'.repeat(1_000) });
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  }); // prettier-ignore
});

describe('the age of an object', () => {
  test.each([
    [{ createdAt: 1_000, isDeleted: false, deletedAt: undefined }, '49s old'],
    [{ createdAt: 1_000, isDeleted: true, deletedAt: 40_000 }, 'lived 39s'],
    [{ createdAt: 1_000, isDeleted: true, deletedAt: undefined }, ''],
    [{ createdAt: undefined, isDeleted: false, deletedAt: undefined }, ''],
  ])('%j is %j: a deleted object keeps its age', (detail, text) => {
    expect(lifetimeFigureText(detail, 50_000)).toBe(text);
  });
});

describe('the text of a step', () => {
  const step = (given: Partial<TimelineStep>): TimelineStep => ({
    kind: 'watch', startedAt: 0, endedAt: undefined, objects: 3, resourceVersion: '7', because: '', failed: false, ...given,
  }); // prettier-ignore

  test.each([
    [{ kind: 'stream', endedAt: 40 }, 'listed 3 objects in 40ms'],
    [{ kind: 'list', endedAt: 40, because: 'forbidden', failed: true }, 'list failed after 40ms: forbidden'],
    [{ kind: 'list' }, 'listing for 9.0s, 3 objects so far'],
    [{ kind: 'watch' }, 'watching for 9.0s, 3 events'],
    [{ kind: 'watch', endedAt: 5_000, because: 'the watch failed: reset', failed: true }, 'watch ended after 5.0s and 3 events: reset'],
    [{ kind: 'watch', endedAt: 5_000, because: 'the server ended it' }, 'watch ended after 5.0s and 3 events: the server ended it'],
    [{ kind: 'wait', endedAt: 800, because: 'reset' }, 'waited 800ms: reset'],
    [{ kind: 'resync', endedAt: 0 }, 'all objects were delivered to the handlers again'],
    [{ kind: 'epoch', endedAt: 0, because: 'had seen 9' }, "the server's storage was restored or replaced: had seen 9"],
  ] as const)('%j', (given, text) => {
    expect(stepText(step(given), 9_000)).toBe(text);
  }); // prettier-ignore
});
