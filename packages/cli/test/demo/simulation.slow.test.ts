import { testStory } from './simulation-rig.ts';

testStory(2);
testStory(3);
