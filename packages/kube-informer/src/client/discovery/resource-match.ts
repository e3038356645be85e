import type { Kind } from '@kube-informer/kubernetes/kinds';
import { KubeError } from '../../core/errors.ts';
import { type ApiResource, discoveryDocumentName, type ServerResources } from './discovery-documents.ts';

type Names = Pick<ApiResource, 'group' | 'resource' | 'singular' | 'shortNames' | 'kind'>;

/** The ways a word can name a resource, strongest first. A custom resource may choose any text for each. */
const WAYS: readonly ((one: Names, word: string) => boolean)[] = [
  ({ resource }, word) => resource === word,
  ({ singular }, word) => singular === word,
  ({ shortNames }, word) => shortNames.includes(word),
  ({ kind }, word) => kind === word,
];

/**
 * The resource a name means, or undefined.
 *
 * A word alone means the built-in resource of that name if there is one, because the kind of a custom
 * resource may be `secrets`. Otherwise it is compared with plural, singular, short name and kind, in this
 * order. If a resource has several versions, the server's first is used. Throws INVALID_OPTION with the
 * candidates if several resources are equally good.
 */
export function matchResource(
  served: ServerResources,
  name: string,
  builtIns: readonly Kind[],
): ApiResource | undefined {
  const all = served.resources;
  const slash = name.lastIndexOf('/');
  if (slash !== -1) {
    const [place, word] = [name.slice(0, slash), name.slice(slash + 1)];
    const here = all.filter(({ group, version }) => (group === '' ? version : `${group}/${version}`) === place);
    return onlyResourceMatch(here.filter(({ resource }) => resource === word), name) ?? onlyResourceMatch(here.filter(({ kind }) => kind === word), name); // prettier-ignore
  }
  const dot = name.indexOf('.');
  if (dot !== -1) {
    const [word, rest] = [name.slice(0, dot), name.slice(dot + 1)];
    // `deployments.apps`, and kubectl's `deployments.v1.apps`.
    return (
      resourceMatches(all.filter(({ group }) => group === rest), word, name) ??
      resourceMatches(all.filter(({ group, version }) => `${version}.${group}` === rest), word, name)
    ); // prettier-ignore
  }
  const isBuiltIn = builtInResourceMatches(builtIns);
  const native = all.filter((one) => isBuiltIn.has(`${one.group}/${one.resource}`));
  const found = firstResourceMatch(native, name);
  if (found !== undefined) return found;
  // The server of a built-in group is down: another resource of that name is not the intended one.
  const down = new Set(served.unavailable.map((one) => one.slice(0, one.lastIndexOf('/'))));
  if (builtIns.some((one) => down.has(one.group) && WAYS.some((way) => way(one, name)))) return undefined;
  return resourceMatches(all, name, name);
}

/** The first match among built-in resources, in the server's order: `events` means those of the core group. */
function firstResourceMatch(all: readonly ApiResource[], word: string): ApiResource | undefined {
  for (const way of WAYS) {
    const found = all.find((one) => way(one, word));
    if (found !== undefined) return found;
  }
  return undefined;
}

function resourceMatches(all: readonly ApiResource[], word: string, name: string): ApiResource | undefined {
  for (const way of WAYS) {
    const found = onlyResourceMatch(all.filter((one) => way(one, word)), name); // prettier-ignore
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first of several versions of one resource; throws if there are several resources. */
function onlyResourceMatch(all: readonly ApiResource[], name: string): ApiResource | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const others = all.filter(({ group, resource }) => group !== first.group || resource !== first.resource);
  if (others.length === 0) return first;
  const candidates = [first, ...others].slice(0, 5).map(discoveryDocumentName).join(', ');
  throw new KubeError(
    'INVALID_OPTION',
    `resource ${JSON.stringify(name.slice(0, 200))} is ambiguous: write one of ${candidates}`,
  );
}

const namesOf = new WeakMap<readonly Kind[], ReadonlySet<string>>();

function builtInResourceMatches(builtIns: readonly Kind[]): ReadonlySet<string> {
  const names = namesOf.get(builtIns) ?? new Set(builtIns.map(({ group, resource }) => `${group}/${resource}`));
  namesOf.set(builtIns, names);
  return names;
}
