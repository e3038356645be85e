import { defined } from '../../core/defined.ts';
import { KubeError } from '../../core/errors.ts';
import type { ObjectCodec } from '../../core/object/object-codec.ts';
import { unreadableCause, unreadableObject } from '../../core/object/unreadable.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';
import { isStatus, safeStatus } from '../../core/safe-status.ts';
import { isBlankBytes, isSpaceByte, type JsonFailure } from './json-bytes.ts';
import { buildFromJsonObject, EVENT_METADATA, findEventInJsonObject, parseJsonObject } from './json-object.ts';
import { JsonScanner } from './json-scan.ts';
import { LineCutter } from './line-cutter.ts';
import { keepMetadataOnly } from './metadata-only.ts';
import { salvageEvent } from './salvage.ts';
import type { FrameFeed, FrameFeedOptions } from './wire-format.ts';

/** The events of a watch in JSON: one line, one event. */
export class JsonFrames<T> implements FrameFeed<T> {
  readonly #lines: LineCutter;
  readonly #options: FrameFeedOptions<T>;
  /** Codec for a caller that builds objects from bytes. */
  #codec: ObjectCodec | undefined;

  constructor(options: FrameFeedOptions<T>) {
    this.#options = options;
    this.#lines = new LineCutter(options.maxFrameBytes, options.unreadable === 'mark' ? 'cut' : 'refuse');
  }

  get lastLength(): number {
    return this.#lines.lastLength;
  }

  get isUnfinished(): boolean {
    return this.#lines.isUnfinished;
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  truncation(): KubeError | undefined {
    const { rest } = this.#lines;
    if (isBlankBytes(rest)) return undefined;
    return new KubeError('TRANSPORT', `the watch was truncated: it ended ${rest.length} bytes into a line`, {
      cause: new Error('unexpected EOF'),
    });
  }

  next(): WatchEvent<T> | undefined {
    for (;;) {
      const line = this.#lines.next();
      if (line === undefined) return undefined;
      if (line[0] !== 0x7b && isBlankBytes(line)) continue;
      const direct = this.#direct(line);
      if (direct !== undefined) return direct;
      const event = this.#lines.isCut
        ? this.#marked(
            line,
            undecodableJsonFrame(`${this.#lines.place} is longer than ${this.#options.maxFrameBytes} bytes`),
          )
        : parseJsonObject(line, EVENT_METADATA, this.#options.maxDepth + 1, this.#unreadable);
      if (isJsonWatchFrame<T>(event)) return event.type === 'ERROR' ? this.#safeFailure(event) : this.#built(event);
      throw undecodableJsonFrame(`${this.#lines.place} is not an event: it needs a type and an object`);
    }
  }

  /**
   * The event, built directly from bytes if the caller builds objects that way; undefined when the line has
   * to be parsed.
   */
  #direct(line: Uint8Array): WatchEvent<T> | undefined {
    const { builder, metadataOnly, maxDepth } = this.#options;
    if (builder === undefined || metadataOnly !== undefined || this.#lines.isCut) return undefined;
    const event = findEventInJsonObject(line, maxDepth);
    if (event === undefined || !isJsonChangeFrame(event.type)) return undefined;
    const { type, at, end } = event;
    const codec = (this.#codec ??= builder.jsonCodec({}));
    try {
      codec.check(line, at, end);
    } catch {
      return undefined; // parsing finds the reason, and marks the object
    }
    return { type, object: builder.build(codec, line, at, end) };
  }

  #safeFailure({ type, object }: WatchEvent<T> & { readonly type: 'ERROR' }): WatchEvent<T> {
    return { type, object: isStatus(object) ? safeStatus(object, { isSecret: this.#options.isSecret }) : object };
  }

  /** The event in the form that the caller requested. A bookmark is always plain. */
  #built(event: WatchEvent<T>): WatchEvent<T> {
    const { builder, metadataOnly } = this.#options;
    const object = event.object as object;
    if (metadataOnly !== undefined) keepMetadataOnly(object, metadataOnly);
    if (builder === undefined || !isJsonChangeFrame(event.type) || unreadableCause(object) !== undefined) return event;
    return { type: event.type, object: buildFromJsonObject(builder, object) } as WatchEvent<T>;
  }

  // Made once: a watch delivers hundreds of thousands of events.
  readonly #unreadable = ({ reason, cause, bytes }: JsonFailure): WatchEvent<T> => {
    const { place } = this.#lines;
    if (reason === 'not valid JSON' && endsInsideJsonFrame(bytes)) {
      throw undecodableJsonFrame(
        `multi-line frame: ${place} ends inside an unclosed value; a server must write each event on one line`,
        cause,
      );
    }
    const isDeep = reason === 'nested too deep';
    const what = isDeep
      ? `the object of ${place} nests deeper than ${this.#options.maxDepth} levels`
      : `${place} is ${reason}`;
    return this.#marked(bytes, undecodableJsonFrame(what, cause));
  };

  /**
   * The event with a marked object. Without a name or a version the event would be lost: then the stream ends, and the
   * consumer resumes or lists again.
   */
  #marked(line: Uint8Array, error: KubeError): WatchEvent<T> {
    const { type, object } = salvageEvent(line);
    const { name, resourceVersion } = object.metadata ?? {};
    if (this.#options.unreadable === 'throw' || !isJsonChangeFrame(type) || !name || !resourceVersion) throw error;
    return { type, object: unreadableObject(object, error) as T };
  }
}

export function isJsonChangeFrame(type: string | undefined): type is 'ADDED' | 'MODIFIED' | 'DELETED' {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

/** Accepts any `type`; the consumer rejects unknown ones. */
function isJsonWatchFrame<T>(value: unknown): value is WatchEvent<T> {
  if (typeof value !== 'object' || value === null) return false;
  const { type, object } = value as { type?: unknown; object?: unknown };
  return typeof type === 'string' && typeof object === 'object' && object !== null && !Array.isArray(object);
}

function endsInsideJsonFrame(line: Uint8Array): boolean {
  const first = line.find((byte) => !isSpaceByte(byte));
  if (first !== 0x7b && first !== 0x5b) return false;
  const scanner = new JsonScanner();
  scanner.scan(line);
  return scanner.isOpen;
}

function undecodableJsonFrame(what: string, cause?: unknown): KubeError {
  return new KubeError('WATCH_DECODE', `the watch cannot be read: ${what}`, defined({ cause }));
}
