import { testHandlers } from './handler-seeds.ts';

testHandlers(100, 'all seeds');
