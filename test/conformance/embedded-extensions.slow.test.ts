import { startEmbeddedTarget } from './rig/embedded-target.ts';
import { conformanceSuite } from './suite.ts';

conformanceSuite('the embedded server', () => startEmbeddedTarget(), [], 'extensions');
