import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Fixture } from './fixture.ts';

/** Texts by format: what has it and what has not. */
const FORMATS = JSON.parse(readFileSync(new URL('formats.json', import.meta.url), 'utf8')) as Record<
  string,
  { readonly good: readonly string[]; readonly bad: readonly string[] }
>;

const fieldOf = (format: string): string => format.replaceAll('-', '_');

/** What `format:` in the schema of a custom resource lets pass. */
export function formatCases(fixture: () => Fixture): void {
  test('point (p): texts have a format, or they have not', async ({ skip }) => {
    const f = fixture();
    if (f.target.version < 36) skip('seen on 1.36 only');
    const properties = Object.fromEntries(
      Object.keys(FORMATS).map((format) => [fieldOf(format), { type: 'array', items: { type: 'string', format } }]),
    );
    const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
    await f.createCrd({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `texts.${f.group}` },
      spec: {
        group: f.group,
        scope: 'Cluster',
        names: { plural: 'texts', kind: 'Text' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    } as never);
    for (const [format, { good, bad }] of Object.entries(FORMATS)) {
      const body = { apiVersion: `${f.group}/v1`, kind: 'Text', metadata: { name: 'x' } };
      const texts = [...good, ...bad];
      const answer = await f.http.ask('POST', `/apis/${f.group}/v1/texts`, {
        body: { ...body, spec: { [fieldOf(format)]: texts } },
        query: { dryRun: 'All' },
      });
      const causes = answer.status === 201 ? [] : answer.body.details.causes;
      const refused = causes.map(({ field = '' }) => texts[Number(/\[(\d+)\]$/.exec(field)?.[1])]);
      expect(new Set(refused), format).toEqual(new Set(bad));
    }
  });
}
