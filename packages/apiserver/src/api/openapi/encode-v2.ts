import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import { WireWriter } from '../protobuf/wire.ts';

/**
 * An OpenAPI v2 document in the protobuf form that gnostic defines (package `openapi.v2`).
 *
 * The numbers are those of its .proto file. Only what a server's document holds is written: no examples, no titles.
 */
export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const info = document['info'] as { title: string; version: string };
  return new WireWriter()
    .text(1, document['swagger'] as string)
    .message(2, new WireWriter().text(1, info.title).text(2, info.version))
    .message(
      8,
      encodeV2Entries(document['paths'], (path, item, paths) =>
        paths.message(
          2,
          encodeV2Once(item, () => encodeV2Named(path, encodeV2PathItem(item))),
        ),
      ),
    )
    .message(
      9,
      encodeV2Entries(document['definitions'], (name, of, all) =>
        all.message(
          1,
          encodeV2Once(of, () => encodeV2Named(name, encodeV2Schema(of))),
        ),
      ),
    )
    .bytes();
}

/**
 * Encoded paths and definitions. Those of built-in kinds are the same objects in every document, so their
 * bytes are reused.
 */
const bytesOf = new WeakMap<JsonObject, Uint8Array>();

function encodeV2Once(of: JsonObject, make: () => WireWriter): Uint8Array {
  let bytes = bytesOf.get(of);
  if (bytes === undefined) bytesOf.set(of, (bytes = make().bytes()));
  return bytes;
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

/** A writer filled with the entries of an object. */
function encodeV2Entries(
  object: Json | undefined,
  write: (name: string, value: JsonObject, to: WireWriter) => void,
): WireWriter {
  const writer = new WireWriter();
  for (const [name, value] of Object.entries(isJson(object) ? object : {})) write(name, value as JsonObject, writer);
  return writer;
}

function encodeV2Named(name: string, value: WireWriter): WireWriter {
  return new WireWriter().text(1, name).message(2, value);
}

function encodeV2PathItem(item: JsonObject): WireWriter {
  const writer = new WireWriter();
  for (const [method, number] of Object.entries(METHODS)) {
    if (isJson(item[method])) writer.message(number, encodeV2Operation(item[method]));
  }
  for (const one of listToEncodeV2(item['parameters'])) writer.message(9, encodeV2Parameter(one as JsonObject));
  return writer;
}

function encodeV2Operation(of: JsonObject): WireWriter {
  const writer = new WireWriter();
  encodeV2Texts(writer, 1, of['tags']);
  encodeV2Text(writer, 5, of['operationId']);
  encodeV2Texts(writer, 6, of['produces']);
  encodeV2Texts(writer, 7, of['consumes']);
  for (const one of listToEncodeV2(of['parameters'])) writer.message(8, encodeV2Parameter(one as JsonObject));
  writer.message(
    9,
    encodeV2Entries(of['responses'], (code, answer, all) =>
      all.message(1, encodeV2Named(code, encodeV2Response(answer))),
    ),
  );
  encodeV2Texts(writer, 10, of['schemes']);
  return encodeV2Extensions(writer, 13, of);
}

function encodeV2Response(answer: JsonObject): WireWriter {
  const content = new WireWriter();
  encodeV2Text(content, 1, answer['description']);
  if (isJson(answer['schema'])) content.message(2, new WireWriter().message(1, encodeV2Schema(answer['schema'])));
  return new WireWriter().message(1, content);
}

/** A ParametersItem: a parameter in the body, in the query or in the path. */
function encodeV2Parameter(of: JsonObject): WireWriter {
  const content = new WireWriter();
  const isRequired = of['required'] === true;
  if (of['in'] === 'body') {
    encodeV2Text(content, 2, of['name']);
    encodeV2Text(content, 3, of['in']);
    content.flag(4, isRequired).message(5, encodeV2Schema(of['schema'] as JsonObject));
    return new WireWriter().message(1, new WireWriter().message(1, content));
  }
  const isInPath = of['in'] === 'path';
  content.flag(1, isRequired);
  encodeV2Text(content, 2, of['in']);
  encodeV2Text(content, 4, of['name']);
  // The two kinds have the same numbers up to here; a query parameter may be empty, and so has one field more.
  encodeV2Text(content, isInPath ? 5 : 6, of['type']);
  content.flag(isInPath ? 19 : 20, of['uniqueItems'] === true);
  const nonBody = new WireWriter().message(isInPath ? 4 : 3, content);
  return new WireWriter().message(1, new WireWriter().message(2, nonBody));
}

function encodeV2Schema(of: JsonObject): WireWriter {
  const writer = new WireWriter();
  encodeV2Text(writer, 1, of['$ref']);
  encodeV2Text(writer, 2, of['format']);
  encodeV2Text(writer, 4, of['description']);
  encodeV2Text(writer, 13, of['pattern']);
  encodeV2Texts(writer, 19, of['required']);
  for (const value of listToEncodeV2(of['enum'])) writer.message(20, encodeV2Yaml(value));
  const { additionalProperties, items, properties, type } = of;
  if (isJson(additionalProperties))
    writer.message(21, new WireWriter().message(1, encodeV2Schema(additionalProperties)));
  else if (additionalProperties === true) writer.message(21, new WireWriter().flag(2, true));
  if (typeof type === 'string') writer.message(22, new WireWriter().text(1, type));
  if (isJson(items)) writer.message(23, new WireWriter().message(1, encodeV2Schema(items)));
  if (isJson(properties)) {
    writer.message(
      25,
      encodeV2Entries(properties, (name, value, all) => all.message(1, encodeV2Named(name, encodeV2Schema(value)))),
    );
  }
  return encodeV2Extensions(writer, 31, of);
}

function encodeV2Extensions(writer: WireWriter, number: number, of: JsonObject): WireWriter {
  for (const [name, value] of Object.entries(of)) {
    if (name.startsWith('x-')) writer.message(number, encodeV2Named(name, encodeV2Yaml(value)));
  }
  return writer;
}

/** Encodes an Any as YAML text; JSON is YAML. */
function encodeV2Yaml(value: Json): WireWriter {
  return new WireWriter().text(2, `${JSON.stringify(value)}\n`);
}

function encodeV2Text(writer: WireWriter, number: number, value: Json | undefined): void {
  if (typeof value === 'string' && value !== '') writer.text(number, value);
}

function encodeV2Texts(writer: WireWriter, number: number, values: Json | undefined): void {
  for (const value of listToEncodeV2(values)) encodeV2Text(writer, number, value);
}

function listToEncodeV2(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
