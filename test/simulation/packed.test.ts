import { testPacked } from './packed-seeds.ts';

testPacked(4, 1, 'quick');
