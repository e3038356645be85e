import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../../src/core/kube-object.ts';

/** One write as its writer recorded it: the state before and after. */
export interface Revision {
  readonly revision: number;
  readonly before: ApiObject | undefined;
  readonly after: ApiObject | undefined;
}

export interface Frame {
  readonly type: string;
  readonly object: ApiObject;
}

/** A watch request and the frames it received. */
export interface Recording {
  readonly title: string;
  /** Whether the watch selects such an object. */
  readonly sees: (object: ApiObject) => boolean;
  /** The revision it began after. */
  readonly from: number;
  /** Whether it began with the state at `from` as ADDED events; `marked`: a bookmark marks their end. */
  readonly initial: 'none' | 'plain' | 'marked';
  readonly frames: readonly Frame[];
  /** Whether the stream stayed open until the last write. */
  readonly isWhole: boolean;
}

type Event = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly revision: number; readonly object: ApiObject };

const END = 'k8s.io/initial-events-end';
export const revisionOf = ({ metadata }: ApiObject): number => Number(metadata?.resourceVersion);
const keyOf = ({ metadata }: ApiObject): string => `${metadata?.namespace}/${metadata?.name}`;
const isBookmark = ({ type }: Frame): boolean => type === 'BOOKMARK';

/** The events a watch must send after its start: the whole history, in order, as the watch selects it. */
export function expected(history: readonly Revision[], { sees, from }: Pick<Recording, 'sees' | 'from'>): Event[] {
  return history.flatMap(({ revision, before, after }): Event[] => {
    if (revision <= from) return [];
    const was = before !== undefined && sees(before);
    const is = after !== undefined && sees(after);
    if (is) return [{ type: was ? 'MODIFIED' : 'ADDED', revision, object: after }];
    return was ? [{ type: 'DELETED', revision, object: at(before, revision) }] : [];
  });
}

const at = (object: ApiObject, revision: number): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});

/** The state at a revision, by key. */
function stateAt(history: readonly Revision[], revision: number): Map<string, ApiObject> {
  const state = new Map<string, ApiObject>();
  for (const { revision: when, before, after } of history) {
    if (when > revision) break;
    if (after !== undefined) state.set(keyOf(after), after);
    else if (before !== undefined) state.delete(keyOf(before));
  }
  return state;
}

/** Splits a recording into the initial state and the events. */
function parts({ initial, from, frames }: Recording): { state: readonly Frame[]; live: readonly Frame[] } {
  if (initial === 'none') return { state: [], live: frames };
  const end =
    initial === 'marked'
      ? frames.findIndex(({ object }) => object.metadata?.annotations?.[END] === 'true')
      : frames.findIndex((frame) => isBookmark(frame) || revisionOf(frame.object) > from);
  const cut = end === -1 ? frames.length : end;
  return { state: frames.slice(0, cut), live: frames.slice(cut) };
}

/** The error of a stream; undefined if it is right. */
export type Validator = (recording: Recording, history: readonly Revision[]) => string | undefined;

/** Revisions never go back, and no event comes after a bookmark that is newer. */
const ordered: Validator = (recording) => {
  let last = recording.from;
  for (const { type, object } of parts(recording).live) {
    const revision = revisionOf(object);
    if (type === 'BOOKMARK' ? revision < last : revision <= last) return `${type} ${revision} after ${last}`;
    last = revision;
  }
  return undefined;
};

/** No event twice. */
const unique: Validator = ({ frames }) => {
  const seen = new Set<string>();
  for (const frame of frames.filter((each) => !isBookmark(each))) {
    const id = `${keyOf(frame.object)}@${revisionOf(frame.object)}`;
    if (seen.has(id)) return `${frame.type} ${id} twice`;
    seen.add(id);
  }
  return undefined;
};

/** Nothing is missing up to the last frame, nor at the end of a whole stream, nor in the initial state. */
const reliable: Validator = (recording, history) => {
  const { state, live } = parts(recording);
  if (recording.initial !== 'none') {
    const wanted = [...stateAt(history, recording.from).values()].filter(recording.sees).map(nameOf).toSorted();
    const got = state.map(({ object }) => nameOf(object)).toSorted();
    const isCut = !recording.isWhole && live.length === 0;
    if (!isCut && !isDeepStrictEqual(got, wanted)) return `the first state is ${got.join()}, not ${wanted.join()}`;
  }
  const last = recording.isWhole ? Infinity : Math.max(...live.map(({ object }) => revisionOf(object)), 0);
  const got = new Set(live.filter((frame) => !isBookmark(frame)).map(({ object }) => revisionOf(object)));
  const lost = expected(history, recording).find(({ revision }) => revision <= last && !got.has(revision));
  return lost === undefined ? undefined : `${lost.type} ${lost.revision} is missing`;
};

const nameOf = (object: ApiObject): string => `${keyOf(object)}@${revisionOf(object)}`;

/** A revision is one write: the object of an event is exactly the result of that write. */
const atomic: Validator = (recording, history) => {
  const written = new Map(history.map((each) => [each.revision, each]));
  for (const { type, object } of recording.frames) {
    if (type !== 'ADDED' && type !== 'MODIFIED') continue;
    const write = written.get(revisionOf(object));
    if (!isDeepStrictEqual(object, write?.after)) return `${type} ${nameOf(object)} is not what was written`;
  }
  return undefined;
};

/** The watch begins with the first event after the requested revision. */
const resumable: Validator = (recording, history) => {
  const first = parts(recording).live.find((frame) => !isBookmark(frame));
  if (first === undefined) return undefined;
  const next = expected(history, recording)[0];
  return revisionOf(first.object) === next?.revision
    ? undefined
    : `begins with ${revisionOf(first.object)}, not ${next?.revision}`;
};

/** A watch can resume from a bookmark: everything up to it was sent, and it has no other content. */
const bookmarkable: Validator = (recording, history) => {
  const { live } = parts(recording);
  const wanted = expected(history, recording);
  for (const [index, frame] of live.entries()) {
    if (!isBookmark(frame)) continue;
    const bookmark = revisionOf(frame.object);
    const { annotations, creationTimestamp: _, resourceVersion: __, ...rest } = frame.object.metadata ?? {};
    if (Object.keys(rest).length > 0) return `bookmark ${bookmark} holds ${Object.keys(rest).join()}`;
    if (annotations !== undefined && (index > 0 || recording.initial !== 'marked'))
      return `bookmark ${bookmark} ends twice`;
    const due = wanted.filter(({ revision }) => revision <= bookmark).length;
    const came = live.slice(0, index).filter((each) => !isBookmark(each)).length;
    if (due !== came) return `bookmark ${bookmark} after ${came} events instead of ${due}`;
  }
  if (recording.initial !== 'marked' || live.length === 0) return undefined;
  const [end] = live;
  return end !== undefined && revisionOf(end.object) === recording.from ? undefined : 'the first state has no end';
};

/** Only selected objects are sent; one that stops matching is sent in its last matching state. */
const filtered: Validator = ({ frames, sees }) => {
  const stray = frames.find((frame) => !isBookmark(frame) && !sees(frame.object));
  return stray === undefined ? undefined : `${stray.type} ${nameOf(stray.object)} was not asked for`;
};

/** The type agrees with the state before, and a delete has the last state at the revision of the delete. */
const previousState: Validator = (recording, history) => {
  const wanted = new Map(expected(history, recording).map((event) => [event.revision, event]));
  for (const frame of parts(recording).live) {
    if (isBookmark(frame)) continue;
    const event = wanted.get(revisionOf(frame.object));
    if (frame.type !== event?.type) return `${frame.type} ${nameOf(frame.object)} should be ${event?.type}`;
    if (event.type === 'DELETED' && !isDeepStrictEqual(frame.object, event.object))
      return `DELETED ${nameOf(frame.object)} does not show the last state`;
  }
  return parts(recording).state.every(({ type }) => type === 'ADDED') ? undefined : 'the first state is not all ADDED';
};

/** The eight guarantees of an etcd watch, applied to the API. */
export const VALIDATORS: Readonly<Record<string, Validator>> = {
  ordered,
  unique,
  reliable,
  atomic,
  resumable,
  bookmarkable,
  filtered,
  previousState,
};
