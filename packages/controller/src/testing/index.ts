/** For tests of controllers: `startLab()`. Needs `@kube-informer/apiserver`. */
export { type Lab, type LabOptions, type LabUser, startLab } from './lab.ts';
