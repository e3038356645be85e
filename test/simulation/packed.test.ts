import { testPacked } from './packed-seeds.ts';

testPacked(2, 1, 'quick');
