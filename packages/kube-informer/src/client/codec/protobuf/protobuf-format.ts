import type { Status } from '../../../core/errors.ts';
import { MAX_DEPTH } from '../../../core/object/json-check.ts';
import type { WireFormat } from '../wire-format.ts';
import { MessagePrograms, type ProtobufTable } from './message-program.ts';
import { ObjectReader } from './object-reader.ts';
import { ProtobufFrames } from './protobuf-frames.ts';
import { ProtobufList } from './protobuf-list.ts';
import { openUnknownEnvelope, readTypeOfUnknownEnvelope } from './unknown-envelope.ts';

export interface ProtobufFormat extends WireFormat {
  /** A Status of its own, as the body of a failed response; undefined for anything else. */
  status(bytes: Uint8Array): Status | undefined;
}

/** Reads protobuf with the messages of `table`. */
export function protobufFormatOf(table: ProtobufTable): ProtobufFormat {
  const programs = new MessagePrograms(table);
  return {
    list: (options) => new ProtobufList(programs, options),
    frames: (options) => new ProtobufFrames(programs, options),
    status(bytes) {
      try {
        const { typeMeta, raw } = openUnknownEnvelope({ bytes, at: 0, end: bytes.length });
        const type = readTypeOfUnknownEnvelope(typeMeta);
        if (type.kind !== 'Status') return undefined;
        return new ObjectReader<Status>(type, programs, { maxDepth: MAX_DEPTH, unreadable: 'throw' }).read(raw);
      } catch {
        return undefined; // the HTTP status already is the failure
      }
    },
  };
}

let loading: Promise<ProtobufFormat> | undefined;

/** Loads the table when the first protobuf arrives: it is large, and programs that read only JSON never need it. */
export function loadProtobufFormat(): Promise<ProtobufFormat> {
  loading ??= import('@kube-informer/kubernetes/protobuf').then(protobufFormatOf);
  return loading;
}
