import { KubeError } from '../../core/errors.ts';

// In a browser nobody comes here: what needs files or sockets says so before. A server does, when its bundler was not told.
throw new KubeError(
  'INVALID_CONFIG',
  'this bundle was made for browsers: to use files and sockets, bundle with the condition "node" (platform: node)',
);
