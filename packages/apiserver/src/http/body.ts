import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { badRequest, tooLarge } from '../errors/status.ts';
import { decodeProtobuf } from '../schema/protobuf.ts';
import type { Json } from '../types.ts';

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
}

/** `kind` is what the path expects, for the words of a 400. */
export function decodeBody(body: Buffer, type: string, kind: string): DecodedBody {
  if (type === 'application/vnd.kubernetes.protobuf')
    return { value: decodeProtobuf(body) as unknown as Json, text: undefined };
  const text = body.toString();
  try {
    if (type === 'application/yaml') return { value: yamlValue(text), text: undefined };
    return { value: JSON.parse(text) as Json, text };
  } catch (error) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ` +
        `${jsonFault(text, error)} (${firstBytes(body)})`,
    );
  }
}

/** JSON or YAML, as an apply patch may be either. Times stay texts: there are none in JSON. */
export function yamlValue(text: string): Json {
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text) as Json;
    } catch {
      // A flow mapping with YAML freedoms: the slow parser decides.
    }
  }
  return (parseYaml(text, { schema: 'core', uniqueKeys: false }) ?? null) as Json;
}

/** What Go's parser says of a text that is no JSON. */
export function jsonFault(text: string, error: unknown): string {
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
