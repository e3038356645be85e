import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import type { Fixture } from '../rig/fixture.ts';

/** By format: texts that have it and texts that do not. */
const FORMATS = JSON.parse(readFileSync(new URL('../rig/formats.json', import.meta.url), 'utf8')) as Record<
  string,
  { readonly good: readonly string[]; readonly bad: readonly string[] }
>;

const fieldOf = (format: string): string => format.replaceAll('-', '_');

/** Values that `format:` in the schema of a custom resource accepts. */
export function formatCases(fixture: () => Fixture): void {
  let definition: Promise<unknown> | undefined;
  const define = (): Promise<unknown> => {
    const f = fixture();
    const properties = Object.fromEntries(
      Object.keys(FORMATS).map((format) => [fieldOf(format), { type: 'array', items: { type: 'string', format } }]),
    );
    const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
    return f.createCrd({
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
  };

  for (const [format, { good, bad }] of Object.entries(FORMATS)) {
    test(`point (p) ${format}: valid texts are accepted, others refused`, async () => {
      const f = fixture();
      await (definition ??= define());
      const texts = [...good, ...bad];
      const answer = await f.http.ask('POST', `/apis/${f.group}/v1/texts`, {
        body: {
          apiVersion: `${f.group}/v1`,
          kind: 'Text',
          metadata: { name: 'x' },
          spec: { [fieldOf(format)]: texts },
        },
        query: { dryRun: 'All' },
      });
      const causes = answer.status === 201 ? [] : expectFailure(answer, 422, 'Invalid').details.causes;
      const refused = causes.map(({ field = '' }) => texts[Number(/\[(\d+)\]$/.exec(field)?.[1])] ?? field);
      expect([
        ...bad.filter((text) => !refused.includes(text)).map((text) => `passes: ${text}`),
        ...refused.filter((text) => !bad.includes(text)).map((text) => `is refused: ${text}`),
      ]).toEqual([]);
    });
  }
}
