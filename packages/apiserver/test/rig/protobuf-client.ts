import { decodeProtobuf, decodeProtobufFrame } from '../../src/api/protobuf/decode-protobuf.ts';
import type { Frame } from './stream-client.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export const accepts = (...types: readonly string[]): { headers: { accept: string } } => ({
  headers: { accept: types.join(',') },
});

export const asMetadata = (type: string, list = ''): string =>
  `${type};as=PartialObjectMetadata${list};g=meta.k8s.io;v=v1`;

// The tests compare whole bodies.
// oxlint-disable-next-line typescript/no-explicit-any
export const decoded = (bytes: Uint8Array): any => decodeProtobuf(bytes);

/** The complete frames of a watch, each with its own bytes. */
export function binaryFrames(bytes: Buffer): (Frame & { readonly bytes: Buffer })[] {
  const frames: (Frame & { readonly bytes: Buffer })[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    const frame = bytes.subarray(at, end);
    frames.push({ ...decodeProtobufFrame(frame), bytes: frame });
    at = end;
  }
  return frames;
}
