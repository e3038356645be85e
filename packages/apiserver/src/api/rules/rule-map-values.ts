import { isJson } from '../../core/json.ts';
import type { Schema } from '../schema/schema.ts';

/** The schema of values of a map; undefined for `additionalProperties: true`, whose values have no schema. */
export const mapValuesSchema = (schema: Schema): Schema | undefined =>
  isJson(schema.raw['additionalProperties']) ? schema.values : undefined;
