import { type MessageProgram, MessagePrograms } from '../client/codec/protobuf/message-program.ts';
import type { KubeObject } from '../core/object/object.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The time fields of a message, and its fields that contain further times. */
interface DatePlan {
  readonly times: { readonly name: string; readonly make: (text: string) => Date }[];
  readonly inside: { readonly name: string; readonly shape: 'one' | 'list' | 'map'; readonly plan: DatePlan }[];
}

type Fields = Record<string, unknown>;

/**
 * A time with microseconds, which a `Date` alone would drop: `V1MicroTime` of client-node. In JSON it is the
 * text that the server sent.
 */
// oxlint-disable-next-line no-restricted-globals -- holds a time it was given, does not read the clock
class MicroTime extends Date {
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  override toISOString(): string {
    return this.#text;
  }

  override toJSON(): string {
    return this.#text;
  }
}

/**
 * Puts a `Date` where client-node's types have one: in the metadata of every object, and in all times of
 * built-in kinds. The protobuf table lists these fields; it is loaded when the informer starts.
 *
 * Changes the object itself, which must not be shared yet, and takes about half the time of parsing its JSON.
 * `managedFields` that are not decoded yet stay so until they are read.
 */
export async function loadDates(): Promise<<T extends object>(object: T) => T> {
  const programs = new MessagePrograms(await import('@kube-informer/kubernetes/protobuf'));
  const metadata = datePlan(programs.ofMessage(OBJECT_META), []);
  const unknown: DatePlan = { times: [], inside: [{ name: 'metadata', shape: 'one', plan: metadata }] };
  const plans = new Map<string, DatePlan>();
  return (object) => {
    const { apiVersion = '', kind = '' } = object as KubeObject;
    const type = `${apiVersion}/${kind}`;
    let plan = plans.get(type);
    if (plan === undefined) {
      const program = programs.ofKind(apiVersion, kind);
      plans.set(type, (plan = program === undefined ? unknown : datePlan(program, [])));
    }
    putDates(object as Fields, plan);
    return object;
  };
}

/**
 * The plan of a message. A message inside itself is left out: the only one, the schema of a definition, has
 * no times.
 */
function datePlan(program: MessageProgram, within: readonly string[]): DatePlan {
  const plan: DatePlan = { times: [], inside: [] };
  for (const field of program.fields) {
    const message = field?.message;
    if (field === undefined || message === undefined || within.includes(message.name)) continue;
    const { name, shape } = field;
    // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
    if (message.special === 'time') plan.times.push({ name, make: (text) => new Date(text) });
    else if (message.special === 'micro-time') plan.times.push({ name, make: (text) => new MicroTime(text) });
    else if (message.special === undefined) {
      const more = datePlan(message, [...within, program.name]);
      if (more.times.length === 0 && more.inside.length === 0) continue;
      if (shape === 'inline') {
        plan.times.push(...more.times);
        plan.inside.push(...more.inside);
      } else plan.inside.push({ name, shape: shape === 'lazy' ? 'list' : shape, plan: more });
    }
  }
  return plan;
}

function putDates(object: Fields, { times, inside }: DatePlan): void {
  for (const { name, make } of times) {
    const text = object[name];
    if (typeof text !== 'string') continue;
    const date = make(text);
    if (!Number.isNaN(date.getTime())) object[name] = date;
  }
  for (const { name, shape, plan } of inside) {
    if (name === 'managedFields' && isUnreadDate(object, name)) putDatesWhenRead(object, name, plan);
    else putDatesInside(object[name], shape, plan);
  }
}

function putDatesInside(value: unknown, shape: 'one' | 'list' | 'map', plan: DatePlan): void {
  if (typeof value !== 'object' || value === null) return;
  const each = shape === 'one' ? [value] : Object.values(value);
  for (const one of each) if (typeof one === 'object' && one !== null) putDates(one as Fields, plan);
}

const isUnreadDate = (object: Fields, name: string): boolean =>
  Object.getOwnPropertyDescriptor(object, name)?.get !== undefined;

function putDatesWhenRead(object: Fields, name: string, plan: DatePlan): void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  const set = (value: unknown): void => {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  };
  Object.defineProperty(object, name, {
    get: () => {
      const value: unknown = before?.get?.call(object);
      putDatesInside(value, 'list', plan);
      set(value);
      return value;
    },
    set,
    enumerable: true,
    configurable: true,
  });
}
