import { testHandlers } from './handler-seeds.ts';

testHandlers(5, 'quick');
