import { requireOption } from '../errors.ts';
import type { Scalar } from './object-codec.ts';
import type { Path } from './representation.ts';

/** One step of a path: a name, or a text in brackets for names with dots. */
const STEP = /(?:^|\.)([^.[\]'"\s]+)|\['([^']+)'\]|\["([^"]+)"\]/y;

/** Parses `spec.nodeName` or `metadata.labels['app.kubernetes.io/name']`. Throws INVALID_OPTION. */
export function parsePath(option: string, text: string): Path {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  let at = 0;
  for (let found = STEP.exec(text); found !== null; found = STEP.exec(text)) {
    steps.push((found[1] ?? found[2] ?? found[3]) as string);
    at = STEP.lastIndex;
  }
  requireOption(steps.length > 0 && at === text.length, option, 'a path such as "spec.nodeName"', text);
  return steps;
}

/** The scalars at a path of a decoded object. Lists are followed item by item. */
export function readPath(value: unknown, path: Path, step = 0): Scalar[] {
  if (Array.isArray(value)) return value.flatMap((item) => readPath(item, path, step));
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return step === path.length ? [value] : [];
  const name = path[step];
  if (typeof value !== 'object' || value === null || name === undefined || !Object.hasOwn(value, name)) return [];
  return readPath((value as Record<string, unknown>)[name], path, step + 1);
}
