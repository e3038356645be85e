export type {
  DiscoveredResource,
  DiscoveryList,
  GroupVersionKind,
  OpenApiDocument,
  Schema,
  ServerSchemas,
} from './input.ts';
export { type Definition, generatedDefinitionSchemas as schemasOfDefinitions } from './generated-definitions.ts';
export { generate, type GenerateOptions } from './generate.ts';
export { type GetJson, readServer, type ReadServerOptions } from './read-server.ts';
