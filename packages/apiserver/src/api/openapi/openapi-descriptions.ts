import { createHash } from 'node:crypto';
import { isJson, type JsonObject } from '../../core/json.ts';

/** Texts about the built-in kinds and their fields, from the OpenAPI document of another server. */
export class Descriptions {
  /** A hash that differs for different texts. */
  readonly hash: string;
  readonly #definitions: JsonObject;

  /** `document` is the OpenAPI v2 document of a server. */
  constructor(document: JsonObject) {
    this.#definitions = document['definitions'] as JsonObject;
    this.hash = createHash('sha512').update(JSON.stringify(this.#definitions)).digest('hex');
  }

  /** Parses an OpenAPI document; undefined if the text is not one. */
  static from(text: string): Descriptions | undefined {
    try {
      const document: unknown = JSON.parse(text);
      return isJson(document) && isJson(document['definitions']) ? new Descriptions(document) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The schema of a kind with its texts, and those of its fields. */
  describe(name: string, schema: JsonObject): JsonObject {
    const texts = this.#definitions[name];
    if (!isJson(texts)) return schema;
    const fields = isJson(texts['properties']) ? texts['properties'] : {};
    const { properties } = schema;
    return {
      ...openApiDescribedBy(schema, texts),
      ...(isJson(properties)
        ? {
            properties: Object.fromEntries(
              Object.entries(properties).map(([field, of]) => [
                field,
                isJson(of) ? openApiDescribedBy(of, fields[field]) : of,
              ]),
            ),
          }
        : {}),
    };
  }
}

const openApiDescribedBy = (schema: JsonObject, texts: unknown): JsonObject =>
  isJson(texts) && typeof texts['description'] === 'string' ? { description: texts['description'], ...schema } : schema;
