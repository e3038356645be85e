import { testStory } from '../rigs/simulation-rig.ts';

testStory(1);
testStory(2);
testStory(3);
