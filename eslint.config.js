import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Packages that only the rooms with these names in `packages` import. */
const PACKAGES = ['express', 'express-openapi-validator/dist', 'kysely', 'node:process', 'node:sqlite', 'pg'];

/**
 * Who imports whom in src/: the files of a room import each other, and from other rooms what is in `others` (after the
 * `../` of the import), or its types if it is in `types`. Of two entries for a file, the later counts.
 */
const SHARED_BY_ENGINES = [
  'store.ts',
  'batches.ts',
  'tables.ts',
  'values.ts',
  'items.ts',
  'schema.ts',
  'transaction.ts',
  'turns.ts',
];
const ROOMS = {
  'src/*.ts': { others: ['package.json'] },
  // Everything.
  'src/framework/commands/**': { others: [''] },
  'src/framework/contract/**': { others: ['generated/openapi.ts'] },
  // It calls the validator with an object that is typed as a request of Express.
  'src/framework/contract/validator-eov.ts': { others: [], packages: ['express', 'express-openapi-validator/dist'] },
  'src/framework/http/**': {
    others: ['contract/', 'storage/store.ts'],
    types: ['auth/', 'operations/', 'observability/'],
    packages: ['express'],
  },
  // Queries are made of what Kysely exports.
  'src/operations/**': { others: ['contract/', 'storage/store.ts', 'storage/tables.ts'], packages: ['kysely'] },
  'src/framework/storage/*.ts': { others: ['contract/int64.ts'], packages: ['kysely'], not: '^\\./(sqlite|postgres)/' },
  'src/framework/storage/open.ts': { others: [] },
  'src/framework/storage/sqlite/**': { others: SHARED_BY_ENGINES, packages: ['node:sqlite'] },
  'src/framework/storage/postgres/**': { others: SHARED_BY_ENGINES, packages: ['pg'] },
  'src/framework/auth/**': { others: ['contract/', 'storage/store.ts'] },
  'src/framework/files/**': { others: ['contract/', 'operations/', 'storage/store.ts', 'storage/tables.ts'] },
  'src/framework/pages/**': { others: ['contract/', 'http/'], packages: ['express'] },
  'src/framework/observability/**': {
    others: ['contract/', 'http/', 'storage/store.ts', 'package.json'],
    types: ['storage/open.ts'],
  },
};

/** What every room imports: they import nothing themselves. */
const LEAVES = ['explained-error.ts', 'resource.ts'];

function room([files, { others, types = [], packages = [], not = '^$' }]) {
  const oneOf = (texts) => `(${texts.map(RegExp.escape).join('|')})`;
  const foreign = PACKAGES.filter((name) => !packages.includes(name));
  const patterns = [
    {
      regex: `^(\\.\\./)+(?!${oneOf(['../', ...LEAVES, ...others, ...types])})`,
      message: `${files} imports from other rooms only: ${[...others, ...types].join(', ')}`,
    },
    {
      regex: types.length > 0 ? `^(\\.\\./)+${oneOf(types)}` : '^$',
      allowTypeImports: true,
      message: `${files} imports only types from ${types.join(', ')}`,
    },
    { regex: `^${oneOf(foreign)}(/|$)`, message: `${files} does not import this package.` },
    { regex: not, message: `${files} does not import this file.` },
    { regex: '^\\./\\.\\.|[^.]/\\.\\./', message: 'The path goes up at its beginning only.' },
  ];
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

const TEXTS = new Map(
  globSync(['{src,scripts,test,generated}/**/*.ts', 'package-lock.json', 'tsconfig.json'], { cwd: import.meta.dirname })
    .toSorted()
    .map((file) => [file, readFileSync(join(import.meta.dirname, file), 'utf8')]),
);

/** Adds a file and all that it imports, directly or indirectly. */
function reach(file, reached) {
  if (reached.has(file) || !TEXTS.has(file)) return;
  reached.add(file);
  for (const [, path] of TEXTS.get(file).matchAll(/'(\.\.?\/.*?)'/g)) reach(join(file, '..', path), reached);
}

/**
 * The rules depend on types. So the configuration of a folder has a digest of all texts on which its types depend, and
 * ESLint's cache forgets the folder when one of them changes.
 */
function dependencies(folder) {
  const reached = new Set();
  for (const file of TEXTS.keys()) {
    const isGlobal = !file.endsWith('.ts') || file.endsWith('.d.ts');
    if (isGlobal || dirname(file) === folder) reach(file, reached);
  }
  const texts = [...reached].toSorted().map((file) => TEXTS.get(file));
  const digest = createHash('sha256').update(texts.join('\0')).digest('hex');
  return { files: [`${folder}/*.ts`], settings: { dependencies: digest } };
}

const FOLDERS = new Set([...TEXTS.keys()].map(dirname));

export default defineConfig(
  { ignores: ['node_modules/', 'coverage/', 'generated/', 'test/*/generated.ts'] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      'no-duplicate-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // Numbers only: what is not named here would be allowed by default.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowAny: false, allowBoolean: false, allowNullish: false, allowNumber: true, allowRegExp: false },
      ],
      // A name that begins with an underscore says that it is there for its place only.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: 'readonly', console: 'readonly' } },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { globals: { require: 'readonly', __dirname: 'readonly' } },
    // CommonJS has no other way.
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  ...[...FOLDERS].map(dependencies),
  ...Object.entries(ROOMS).map(room),
  {
    files: ['src/**'],
    // A command is loaded when it is run, and Kysely while an engine opens.
    ignores: ['src/main.ts', 'src/framework/commands/**', 'src/framework/storage/open.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ImportExpression', message: 'Only commands import at run time: the rules above do not see it.' },
      ],
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/framework/environment.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/framework/environment.ts reads the environment.' },
      ],
    },
  },
);
