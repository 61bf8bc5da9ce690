export { uninstall as default } from './postgres-binaries.ts';
