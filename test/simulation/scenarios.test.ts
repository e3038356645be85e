import { testScenarios } from './scenario-seeds.ts';

testScenarios(1, 3, 'quick');
