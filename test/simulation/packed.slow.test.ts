import { testPacked } from './packed-seeds.ts';

testPacked(60, 8, 'more seeds');
