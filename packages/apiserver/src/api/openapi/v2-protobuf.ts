import { isObject, type Json, type JsonObject } from '../../core/json.ts';
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
      each(document['paths'], (path, item, paths) =>
        paths.message(
          2,
          kept(item, () => named(path, pathItem(item))),
        ),
      ),
    )
    .message(
      9,
      each(document['definitions'], (name, of, all) =>
        all.message(
          1,
          kept(of, () => named(name, schema(of))),
        ),
      ),
    )
    .bytes();
}

/** Paths and definitions of built-in kinds are the same objects in every document; so are their bytes. */
const bytesOf = new WeakMap<JsonObject, Uint8Array>();

function kept(of: JsonObject, make: () => WireWriter): Uint8Array {
  let bytes = bytesOf.get(of);
  if (bytes === undefined) bytesOf.set(of, (bytes = make().bytes()));
  return bytes;
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

/** A writer filled with the entries of an object. */
function each(object: Json | undefined, write: (name: string, value: JsonObject, to: WireWriter) => void): WireWriter {
  const writer = new WireWriter();
  for (const [name, value] of Object.entries(isObject(object) ? object : {})) write(name, value as JsonObject, writer);
  return writer;
}

function named(name: string, value: WireWriter): WireWriter {
  return new WireWriter().text(1, name).message(2, value);
}

function pathItem(item: JsonObject): WireWriter {
  const writer = new WireWriter();
  for (const [method, number] of Object.entries(METHODS)) {
    if (isObject(item[method])) writer.message(number, operation(item[method]));
  }
  for (const one of listOf(item['parameters'])) writer.message(9, parameter(one as JsonObject));
  return writer;
}

function operation(of: JsonObject): WireWriter {
  const writer = new WireWriter();
  texts(writer, 1, of['tags']);
  text(writer, 5, of['operationId']);
  texts(writer, 6, of['produces']);
  texts(writer, 7, of['consumes']);
  for (const one of listOf(of['parameters'])) writer.message(8, parameter(one as JsonObject));
  writer.message(
    9,
    each(of['responses'], (code, answer, all) => all.message(1, named(code, response(answer)))),
  );
  texts(writer, 10, of['schemes']);
  return extensions(writer, 13, of);
}

function response(answer: JsonObject): WireWriter {
  const content = new WireWriter();
  text(content, 1, answer['description']);
  if (isObject(answer['schema'])) content.message(2, new WireWriter().message(1, schema(answer['schema'])));
  return new WireWriter().message(1, content);
}

/** A ParametersItem: a parameter in the body, in the query or in the path. */
function parameter(of: JsonObject): WireWriter {
  const content = new WireWriter();
  const isRequired = of['required'] === true;
  if (of['in'] === 'body') {
    text(content, 2, of['name']);
    text(content, 3, of['in']);
    content.flag(4, isRequired).message(5, schema(of['schema'] as JsonObject));
    return new WireWriter().message(1, new WireWriter().message(1, content));
  }
  const isInPath = of['in'] === 'path';
  content.flag(1, isRequired);
  text(content, 2, of['in']);
  text(content, 4, of['name']);
  // The two kinds are numbered alike up to here; a parameter in the query may be empty, and so has one field more.
  text(content, isInPath ? 5 : 6, of['type']);
  content.flag(isInPath ? 19 : 20, of['uniqueItems'] === true);
  const nonBody = new WireWriter().message(isInPath ? 4 : 3, content);
  return new WireWriter().message(1, new WireWriter().message(2, nonBody));
}

function schema(of: JsonObject): WireWriter {
  const writer = new WireWriter();
  text(writer, 1, of['$ref']);
  text(writer, 2, of['format']);
  text(writer, 13, of['pattern']);
  texts(writer, 19, of['required']);
  for (const value of listOf(of['enum'])) writer.message(20, yaml(value));
  const { additionalProperties, items, properties, type } = of;
  if (isObject(additionalProperties)) writer.message(21, new WireWriter().message(1, schema(additionalProperties)));
  else if (additionalProperties === true) writer.message(21, new WireWriter().flag(2, true));
  if (typeof type === 'string') writer.message(22, new WireWriter().text(1, type));
  if (isObject(items)) writer.message(23, new WireWriter().message(1, schema(items)));
  if (isObject(properties)) {
    writer.message(
      25,
      each(properties, (name, value, all) => all.message(1, named(name, schema(value)))),
    );
  }
  return extensions(writer, 31, of);
}

function extensions(writer: WireWriter, number: number, of: JsonObject): WireWriter {
  for (const [name, value] of Object.entries(of)) {
    if (name.startsWith('x-')) writer.message(number, named(name, yaml(value)));
  }
  return writer;
}

/** An Any: YAML text, and JSON is YAML. */
function yaml(value: Json): WireWriter {
  return new WireWriter().text(2, `${JSON.stringify(value)}\n`);
}

function text(writer: WireWriter, number: number, value: Json | undefined): void {
  if (typeof value === 'string' && value !== '') writer.text(number, value);
}

function texts(writer: WireWriter, number: number, values: Json | undefined): void {
  for (const value of listOf(values)) text(writer, number, value);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
