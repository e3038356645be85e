import { testHandlers } from './handler-seeds.ts';

testHandlers(2, 'quick');
