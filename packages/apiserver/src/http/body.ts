import type { IncomingMessage } from 'node:http';
import { badRequest, tooLarge } from '../errors/status.ts';
import type { Json, Resource } from '../types.ts';
import { checkDepth, DepthError } from './depth.ts';

const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body. Throws 413 when it is too big. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw tooLarge(`Request entity too large: limit is ${MAX_BODY_BYTES}`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** A body after parsing; `text` is kept where duplicate keys can still be found in it. */
export interface DecodedBody {
  readonly value: Json;
  readonly text: string | undefined;
  /** Of YAML, whose lines are gone once it is parsed. */
  readonly duplicates?: readonly string[];
}

/** What a path takes: named in failures, and believed where a body does not say what it is. */
export type Expected = Pick<Resource, 'group' | 'version' | 'kind'>;

export async function decodeBody(body: Buffer, type: string, expected: Expected): Promise<DecodedBody> {
  if (type === 'application/vnd.kubernetes.protobuf') {
    const { decodeProtobuf } = await import('../schema/protobuf.ts');
    return { value: decodeProtobuf(body, expected) as unknown as Json, text: undefined };
  }
  const text = body.toString();
  const refuse = (why: string): Error =>
    badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${firstBytes(body)})`);
  if (type === 'application/yaml') {
    // Most clients send JSON, and the parser takes long to load.
    const { readYaml } = await import('./yaml-body.ts');
    try {
      return { ...readYaml(text), text: undefined };
    } catch (error) {
      throw refuse(messageOf(error));
    }
  }
  try {
    return { value: parseJson(text), text };
  } catch (error) {
    throw refuse(`couldn't get version/kind; json parse error: ${jsonFault(text, error)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Throws what `jsonFault` can put into words. */
export function parseJson(text: string): Json {
  checkDepth(text);
  return JSON.parse(text) as Json;
}

/** What Go's parser says of a text that is no JSON. */
export function jsonFault(text: string, error: unknown): string {
  if (error instanceof DepthError) return error.message;
  const trimmed = text.trim();
  if (trimmed === '') return 'unexpected end of JSON input';
  const message = error instanceof Error ? error.message : String(error);
  const after = /after JSON at position (\d+)/.exec(message);
  if (after !== null) return `invalid character '${text[Number(after[1])] ?? ''}' after top-level value`;
  const unexpected = /Unexpected token '?(.)'?/u.exec(message);
  if (unexpected !== null && !/end of JSON/.test(message))
    return `invalid character '${unexpected[1] ?? ''}' looking for beginning of value`;
  return 'unexpected end of JSON input';
}

/** The beginning of a body: as text if it looks like JSON, in hexadecimal if not. */
function firstBytes(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const head = body.subarray(0, 30);
  const dots = body.length > head.length ? ' ...' : '';
  return (body[0] === 0x7b ? head.toString() : head.toString('hex')) + dots;
}
