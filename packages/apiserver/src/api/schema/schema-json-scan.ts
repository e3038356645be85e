import type { Schema } from './schema.ts';

/** A fault of a field in a JSON text: it is unknown to the type, or it is a duplicate. */
export type Fault = 'unknown' | 'duplicate';

/** The schema of the values in a part of the text, if known. `silent`: they are not used, so nothing is reported. */
type Shape = Schema | 'untyped' | 'silent';

interface Frame {
  readonly path: string;
  readonly shape: Shape;
  /** Names seen so far; undefined in an array. */
  readonly names: Set<string> | undefined;
  index: number;
  /** Path of the next value; `nextShape` is its shape. */
  nextPath: string;
  nextShape: Shape;
}

const STRING_END = /["\\]/g;

/**
 * Goes through a JSON text and reports fields in the order of the text, each with its path
 * (`spec.containers[0].foo`).
 *
 * JSON.parse silently keeps the last of two fields with one name; this finds them. With a schema it also
 * finds fields that a built-in type does not have. The text must be valid JSON: parse it first. It uses its
 * own stack instead of recursion, because a client decides how deep a body is.
 */
export function scanJsonFieldsBySchema(
  text: string,
  schema: Schema | undefined,
  report: (fault: Fault, path: string) => void,
): void {
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  let expectsName = false;
  const enter = (isObject: boolean): void => {
    const path = frame === undefined ? '' : frame.nextPath;
    const shape = frame === undefined ? (schema ?? 'untyped') : frame.nextShape;
    frame = { path, shape, names: isObject ? new Set() : undefined, index: 0, nextPath: '', nextShape: 'untyped' };
    frames.push(frame);
    expectsName = isObject;
    if (!isObject) scanJsonIndexBySchema(frame, 0);
  };
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '{':
        enter(true);
        break;
      case '[':
        enter(false);
        break;
      case '}':
      case ']':
        frames.pop();
        frame = frames.at(-1);
        expectsName = false;
        break;
      case ',':
        if (frame?.names === undefined) scanJsonIndexBySchema(frame as Frame, (frame as Frame).index + 1);
        else expectsName = true;
        break;
      case '"': {
        const end = endOfSchemaScanString(text, at);
        if (expectsName && frame !== undefined)
          scanJsonNameBySchema(frame, schemaScanName(text.slice(at, end + 1)), report);
        expectsName = false;
        at = end;
        break;
      }
      default:
    }
  }
}

function endOfSchemaScanString(text: string, start: number): number {
  STRING_END.lastIndex = start + 1;
  for (;;) {
    const found = STRING_END.exec(text);
    if (found === null) return text.length;
    if (found[0] === '"') return found.index;
    STRING_END.lastIndex = found.index + 2;
  }
}

function schemaScanName(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function scanJsonIndexBySchema(frame: Frame, index: number): void {
  frame.index = index;
  frame.nextPath = `${frame.path}[${index}]`;
  frame.nextShape = typeof frame.shape === 'string' ? frame.shape : (frame.shape.items ?? 'untyped');
}

function scanJsonNameBySchema(frame: Frame, name: string, report: (fault: Fault, path: string) => void): void {
  const { shape, names } = frame;
  frame.nextPath = frame.path === '' ? name : `${frame.path}.${name}`;
  frame.nextShape = schemaScanShape(shape, name);
  if (shape === 'silent') return;
  if (frame.nextShape === 'silent' && !(shape !== 'untyped' && shape.preserveUnknownFields)) {
    report('unknown', frame.nextPath);
  } else if (names?.has(name)) report('duplicate', frame.nextPath);
  names?.add(name);
}

function schemaScanShape(shape: Shape, name: string): Shape {
  return typeof shape === 'string' ? shape : (shape.property(name) ?? shape.values ?? 'silent');
}
