import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resourceUrlPath } from '../../../src/client/request/url.ts';

test('S4, STR-11: every accepted path reaches the server unchanged', () => {
  const segment = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 10 }),
    fc.constantFrom('.', '..', '...', '%2e', '%2E%2e', '/', '//', '\\', ';', 'a:b', '@', 'http:', '?', '#', '\t', '．'),
    fc.stringMatching(/^[a-z0-9.:-]{1,20}$/),
  );
  let accepted = 0;
  fc.assert(
    fc.property(segment, segment, segment, segment, segment, (group, resource, namespace, name, subresource) => {
      let path: string;
      try {
        path = resourceUrlPath({ group, version: 'v1', resource, namespace, name, subresource });
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_OPTION' });
        return;
      }
      accepted += 1;
      const url = new URL(`https://host.example${path}`);
      expect(url.pathname).toBe(path);
      expect(url.search + url.hash).toBe('');
      expect(path).toMatch(
        /^\/(api|apis\/[a-z0-9.-]+)\/v1(\/namespaces\/[a-z0-9-]+)?\/[a-z0-9-]+\/[!-~]+\/[a-z0-9-]+$/,
      );
      const parts = path.split('/');
      expect(parts.at(-2)).toBe(name);
      expect(parts).toHaveLength(5 + (group === '' ? 0 : 1) + (namespace === '' ? 0 : 2) + 1);
    }),
    { numRuns: 4_000, examples: [['apps', 'pods', 'web', 'system:node', 'status']] },
  );
  expect(accepted).toBeGreaterThan(0);
});
