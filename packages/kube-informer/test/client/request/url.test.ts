import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listQuery } from '../../../src/client/request/list-query.ts';
import { checkManagerResourceOption } from '../../../src/client/resource-options.ts';
import {
  checkUrl,
  groupVersionUrlPath,
  checkedRawUrlPath,
  type ResourcePath,
  resourceUrlPath,
  urlWithQuery,
} from '../../../src/client/request/url.ts';
import { KubeError } from '../../../src/core/errors.ts';
import { FieldSelector, LabelSelector } from '../../../src/core/selector/selector.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const refusal = (build: () => unknown): KubeError => {
  try {
    build();
  } catch (error) {
    if (error instanceof KubeError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
};
const refuses = (path: Partial<ResourcePath>): string => {
  const error = refusal(() => resourceUrlPath({ ...PODS, ...path }));
  expect(error.code).toBe('INVALID_OPTION');
  return error.message;
};

describe('paths', () => {
  test.each<[Partial<ResourcePath>, string]>([
    [{}, '/api/v1/pods'],
    [{ namespace: '' }, '/api/v1/pods'],
    [{ namespace: 'web' }, '/api/v1/namespaces/web/pods'],
    [{ namespace: 'web', name: 'a' }, '/api/v1/namespaces/web/pods/a'],
    [{ namespace: 'web', name: 'a', subresource: 'log' }, '/api/v1/namespaces/web/pods/a/log'],
    [{ resource: 'nodes', name: 'n1.example.com' }, '/api/v1/nodes/n1.example.com'],
    [{ group: 'apps', resource: 'deployments', namespace: 'web' }, '/apis/apps/v1/namespaces/web/deployments'],
    [
      { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'system:controller:job-controller' },
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:controller:job-controller',
    ],
  ])('STR-11, LW-07: %j is %s', (path, expected) => {
    expect(resourceUrlPath({ ...PODS, ...path })).toBe(expected);
  });

  test.each(['', '.', '..'])(
    'S1: a name of %j is refused, and so is a namespace that is not empty on purpose',
    (bad) => {
      expect(refuses({ namespace: 'web', name: bad })).toContain('name');
      if (bad !== '') expect(refuses({ namespace: bad })).toContain('namespace');
    },
  );

  test.each([
    'a/b',
    'a%2Fb',
    '%2e%2e',
    'a?x=1',
    'a#b',
    'a\nb',
    'a\0b',
    'a b',
    'a\\b',
    '．．',
    '.．',
    'a\u2028b',
    'ü',
    'a"b',
    '{a}',
    'a|b',
    'x'.repeat(300),
  ])('S2: %j is no part of a path', (bad) => {
    for (const segment of ['name', 'namespace', 'subresource', 'resource', 'version', 'group'] as const) {
      const message = refuses({ namespace: 'web', name: 'a', [segment]: bad });
      expect(message).toContain(segment);
      expect(message.length).toBeLessThan(300);
      // Printed escaped: a message must not start a new line of a log.
      expect(message).not.toMatch(/[\n\0]/);
    }
  });

  test.each(['Web', '-web', 'web-', 'web_1', 'web.1', 'x'.repeat(64)])('S2: %j is not a namespace', (bad) => {
    refuses({ namespace: bad });
  });

  test('S2: a value that is not a string is refused without calling its methods', () => {
    expect(refuses({ name: 5 as unknown as string })).toContain('number');
    expect(refuses({ name: { toString: () => 'a' } as unknown as string })).toContain('object');
  });

  test.each(['../v1', 'v1/../..', 'V1', 'v1%2f', '', 'v1 '])(
    'S3: a group, version, resource or subresource of %j is refused',
    (bad) => {
      if (bad !== '') refuses({ group: bad });
      refuses({ version: bad });
      refuses({ resource: bad });
      refuses({ name: 'a', subresource: bad });
      expect(refusal(() => groupVersionUrlPath({ group: 'apps', version: bad })).code).toBe('INVALID_OPTION');
    },
  );

  test('S3: a subresource needs an object', () => {
    expect(refuses({ subresource: 'status' })).toContain('name');
  });

  test.each(['', 'a\nb', 'a\0b', 'a\u200bb', 'x'.repeat(129), 'ü'.repeat(65)])(
    'S3: a field manager of %j is refused',
    (bad) => {
      expect(refusal(() => checkManagerResourceOption(bad)).code).toBe('INVALID_OPTION');
    },
  );

  test('S3: a field manager of 128 printable bytes is fine', () => {
    checkManagerResourceOption('x'.repeat(128));
    checkManagerResourceOption('my controller (v2)');
    checkManagerResourceOption(undefined);
  });

  test("S1: the caller's part of a path can be checked before the rest is known", () => {
    checkUrl({});
    checkUrl({ namespace: '', name: 'a' });
    expect(refusal(() => checkUrl({ name: '..' })).code).toBe('INVALID_OPTION');
  });

  test('S4: every name of the grammar is accepted and arrives', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
    const name = fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@-]{1,40}$/).filter((one) => one !== '.' && one !== '..');
    fc.assert(
      fc.property(label, label, name, (resource, namespace, one) => {
        const path = resourceUrlPath({ group: 'example.com', version: 'v1', resource, namespace, name: one });
        expect(new URL(path, 'https://host.example').pathname).toBe(path);
        expect(path).toBe(`/apis/example.com/v1/namespaces/${namespace}/${resource}/${one}`);
      }),
    );
  });
});

describe('raw paths', () => {
  test.each(['/', '/version', '/api/v1/pods?limit=1&continue=a%2Bb', '/api/v1/namespaces/a/services/b:80/proxy/x%20y'])(
    '%s goes as it is',
    (path) => {
      expect(checkedRawUrlPath(path)).toBe(path);
    },
  );

  test.each([
    '',
    'api',
    '//evil.example/api',
    '/\\evil.example',
    '/api/../secrets',
    '/api/./v1',
    '/api/%2e%2e/x',
    '/a b',
    '/a\nb',
    '/a#b',
    '/ü',
    '/a?x=ü',
    '/a?b c',
    'https://evil.example/',
  ])('S4: %j is refused', (path) => {
    expect(refusal(() => checkedRawUrlPath(path)).code).toBe('INVALID_OPTION');
  });
});

describe('queries', () => {
  const read = (path: string): Record<string, string[]> => {
    const params = new URL(path, 'https://host.example').searchParams;
    return Object.fromEntries([...params.keys()].map((name) => [name, params.getAll(name)]));
  };

  test('undefined is not sent; 0, false and "" are', () => {
    expect(urlWithQuery('/a', { a: undefined })).toBe('/a');
    expect(urlWithQuery('/a', { a: 0, b: false, c: '', d: ['x', 'y'] })).toBe('/a?a=0&b=false&c=&d=x&d=y');
  });

  test('S5: any text survives the query', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        (value, name) => {
          const path = urlWithQuery('/a', { [name]: value, other: 'x' });
          expect(path).toMatch(/^\/a\?[!-~]*$/);
          if (name !== 'other') expect(read(path)).toEqual({ [name]: [value], other: ['x'] });
        },
      ),
    );
  });

  test('S5: a lone surrogate is refused instead of being replaced', () => {
    expect(refusal(() => urlWithQuery('/a', { labelSelector: 'a\ud800' })).code).toBe('INVALID_OPTION');
  });

  test('S5: a selector with &, =, spaces and 8 KB survives unchanged', () => {
    const long = Array.from({ length: 400 }, (_, i) => `label-number-${i} in (a, b)`).join(', ');
    const fieldSelector = { 'spec.x': 'a&b=c, d\\e +%00' };
    const path = urlWithQuery('/api/v1/pods', listQuery({ labelSelector: long, fieldSelector }));
    const sent = read(path);
    expect(sent['labelSelector']?.[0]?.length).toBeGreaterThan(8_000);
    expect(LabelSelector.parse(sent['labelSelector']?.[0] as string).toString()).toBe(
      LabelSelector.parse(long).toString(),
    );
    expect(FieldSelector.parse(sent['fieldSelector']?.[0] as string).requirements).toEqual([
      { field: 'spec.x', operator: '=', value: 'a&b=c, d\\e +%00' },
    ]);
    expect(Object.keys(sent)).toEqual(['labelSelector', 'fieldSelector']);
  });

  test('S5: selectors survive a query unchanged', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,20}[A-Za-z0-9])?$/);
    const field = fc.stringMatching(/^[a-z]{1,8}(\.[a-z]{1,8}){0,2}$/);
    fc.assert(
      fc.property(
        fc.dictionary(name, name),
        fc.dictionary(field, fc.string({ unit: 'grapheme' })),
        (labels, fields) => {
          const sent = read(urlWithQuery('/x', listQuery({ labelSelector: labels, fieldSelector: fields })));
          const label = sent['labelSelector']?.[0] ?? '';
          const chosen = sent['fieldSelector']?.[0] ?? '';
          expect(LabelSelector.parse(label).toString()).toBe(LabelSelector.of(labels).toString());
          expect(FieldSelector.parse(chosen).toString()).toBe(FieldSelector.of(fields).toString());
          expect(FieldSelector.parse(chosen).matches(fields)).toBe(true);
        },
      ),
    );
  });

  test('STR-11: empty options are left out, but timeoutSeconds and sendInitialEvents count also as 0 and false', () => {
    const none = {
      resourceVersion: '',
      limit: 0,
      continue: '',
      labelSelector: '',
      fieldSelector: {},
      allowWatchBookmarks: false,
    };
    expect(urlWithQuery('/x', listQuery(none))).toBe('/x');
    expect(urlWithQuery('/x', listQuery({ timeoutSeconds: 0, sendInitialEvents: false }))).toBe(
      '/x?timeoutSeconds=0&sendInitialEvents=false',
    );
    expect(
      urlWithQuery('/x', listQuery({ resourceVersion: '0', limit: 500, resourceVersionMatch: 'NotOlderThan' })),
    ).toBe('/x?resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=500');
  });

  test('STR-11: an unknown list option is not sent', () => {
    expect(urlWithQuery('/x', listQuery({ namespace: 'a', pretty: true } as object))).toBe('/x');
    expect(refusal(() => listQuery({ limit: -1 })).code).toBe('INVALID_OPTION');
  });
});
