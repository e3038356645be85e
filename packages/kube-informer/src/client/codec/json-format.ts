import { JsonFrames } from './json-frames.ts';
import { ListReader } from './list-reader.ts';
import type { WireFormat } from './wire-format.ts';

export const jsonFormat: WireFormat = {
  list: (options) => new ListReader(options),
  frames: (options) => new JsonFrames(options),
};
