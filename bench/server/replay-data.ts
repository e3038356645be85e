import { NO_TIME, WRITTEN_AT } from '../data/workload.ts';
import { envelope, field, frame, itemsOf, numberField, withField } from './protobuf.ts';

/** Ten digits, and none of them is a time. */
const FIRST_VERSION = 2_000_000_000;
/** Numbers of fields. */
const METADATA = 1;
const RESOURCE_VERSION = 6;

export type Encoding = 'json' | 'protobuf';

/** One pod in one encoding. Its version and the time of its last write are overwritten in place. */
interface Item {
  /** As it is in a list. */
  readonly bytes: Buffer;
  readonly versionAt: number;
  readonly writtenAt: number;
}

/**
 * The pods of a server in both encodings, as bytes that can change without being decoded.
 *
 * A change writes another version and another time over the digits of the last one: real bytes of a real server, and as many
 * different events as there are versions of that length.
 */
export class ReplayData {
  readonly #json: readonly Item[];
  readonly #protobuf: readonly Item[];
  /** The number of the pod that each version since the recording changed. */
  readonly #changed: number[] = [];

  constructor(jsonList: Buffer, protobufList: Buffer) {
    const { items } = JSON.parse(jsonList.toString()) as { items: { metadata: { resourceVersion: string } }[] };
    // Versions of a server have different lengths, and a short one may be found in another value.
    const versions = items.map((_, i) => String(FIRST_VERSION + i));
    this.#json = items.map((item, i) => {
      item.metadata.resourceVersion = versions[i] as string;
      return itemFrom(Buffer.from(JSON.stringify(item)), versions[i] as string);
    });
    this.#protobuf = itemsOf(protobufList).map((pod, i) => {
      const version = versions[i] as string;
      const bytes = withField(pod, METADATA, (metadata) => withField(metadata, RESOURCE_VERSION, () => version));
      return itemFrom(bytes, version);
    });
  }

  get size(): number {
    return this.#json.length;
  }

  get version(): number {
    return FIRST_VERSION + this.size - 1 + this.#changed.length;
  }

  /** Changes the pod number `i` in both encodings. */
  change(i: number): void {
    this.#changed.push(i);
    const version = String(this.version);
    const written = String(Math.round((performance.timeOrigin + performance.now()) * 1_000));
    for (const { bytes, versionAt, writtenAt } of [this.#json[i] as Item, this.#protobuf[i] as Item]) {
      bytes.write(version, versionAt, 'latin1');
      bytes.write(written.slice(0, NO_TIME.length), writtenAt, 'latin1');
    }
  }

  /** A watch event with the pod number `i` as it is now. */
  event(type: 'ADDED' | 'MODIFIED', i: number, encoding: Encoding): Buffer {
    return eventOf(type, (encoding === 'protobuf' ? this.#protobuf : this.#json)[i] as Item, encoding);
  }

  /** The event of the change that made `version`, for a watch that resumes. Only the version is the old one. */
  pastEvent(version: number, encoding: Encoding): Buffer {
    const i = this.#changed[version - FIRST_VERSION - this.size] as number;
    const item = (encoding === 'protobuf' ? this.#protobuf : this.#json)[i] as Item;
    const bytes = Buffer.from(item.bytes);
    bytes.write(String(version), item.versionAt, 'latin1');
    return eventOf('MODIFIED', { ...item, bytes }, encoding);
  }

  /** The pods; with a limit the first of them, and a token that says that there are more. */
  list(encoding: Encoding, limit = this.size): Buffer[] {
    const next = limit < this.size ? 'more' : '';
    if (encoding === 'protobuf') {
      const metadata = Buffer.concat([field(2, String(this.version)), field(3, next)]);
      const items = this.#protobuf.slice(0, limit).map(({ bytes }) => field(2, bytes));
      return [envelope('v1', 'PodList', Buffer.concat([field(1, metadata), ...items]))];
    }
    const metadata = JSON.stringify({ resourceVersion: String(this.version), continue: next });
    const head = `{"kind":"PodList","apiVersion":"v1","metadata":${metadata},"items":[`;
    const items = this.#json.slice(0, limit).flatMap(({ bytes }, i) => (i === 0 ? [bytes] : [Buffer.from(','), bytes]));
    return [Buffer.from(head), ...items, Buffer.from(']}\n')];
  }

  /** The bookmark that ends the initial events of a streaming list. */
  endOfInitialEvents(encoding: Encoding): Buffer {
    const version = String(this.version);
    const annotation = 'k8s.io/initial-events-end';
    if (encoding === 'protobuf') {
      const entry = Buffer.concat([field(1, annotation), field(2, 'true')]);
      const metadata = Buffer.concat([field(6, version), field(12, entry)]);
      return frame('BOOKMARK', envelope('v1', 'Pod', field(1, metadata)));
    }
    const metadata = { resourceVersion: version, annotations: { [annotation]: 'true' } };
    const object = { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers: null }, status: {} };
    return Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  /** The event of a server that has no history for a watch: a relist must follow. */
  expired(encoding: Encoding): Buffer {
    const message = 'too old resource version';
    if (encoding === 'protobuf') {
      const status = [field(1, ''), field(2, 'Failure'), field(3, message), field(4, 'Expired'), numberField(6, 410)];
      return frame('ERROR', envelope('v1', 'Status', Buffer.concat(status)));
    }
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Expired',
      code: 410,
    };
    return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
  }
}

function eventOf(type: string, { bytes }: Item, encoding: Encoding): Buffer {
  if (encoding === 'protobuf') return frame(type, envelope('v1', 'Pod', bytes));
  const head = Buffer.from(`{"type":"${type}","object":{"kind":"Pod","apiVersion":"v1",`);
  return Buffer.concat([head, bytes.subarray(1), Buffer.from('}\n')]);
}

function itemFrom(bytes: Buffer, version: string): Item {
  const versionAt = bytes.indexOf(version);
  // The annotation's name is in managedFields, too: its value is found by itself.
  const writtenAt = bytes.indexOf(NO_TIME);
  if (versionAt === -1 || writtenAt === -1)
    throw new Error(`no version ${version} or no ${WRITTEN_AT} in an item of the list`);
  return { bytes, versionAt, writtenAt };
}
