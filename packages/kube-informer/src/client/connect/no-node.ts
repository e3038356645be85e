import { KubeError } from '../../core/errors.ts';

// Loaded when a program for Node was bundled for browsers. In a browser `requireNode` throws first.
throw new KubeError(
  'INVALID_CONFIG',
  'this bundle was built for browsers: to use files and sockets, bundle with the condition "node" (platform: node)',
);
