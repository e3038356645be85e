import { startEmbeddedTarget } from './rig/embedded-target.ts';
import { conformanceSuite } from './suite.ts';

// The extensions are in the slow tests.
conformanceSuite('the embedded server', () => startEmbeddedTarget(), [], 'core');
