export { install as default } from './postgres-binaries.ts';
