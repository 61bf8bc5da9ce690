import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import packageJson from './package.json' with { type: 'json' };

/** The folder of this project's service, in src and in test. */
const SERVICE = 'plants';
/** Services with a folder of their own, which has their contract, `main.ts`, `service/`, `generated/` and `test/`. */
const EXAMPLES = 'examples/*';

/** Packages that only the rooms with these names in `packages` import. */
const PACKAGES = ['express', 'express-openapi-validator/dist', 'kysely', 'node:process', 'node:sqlite', 'pg'];

/**
 * Who imports whom: the files of a room import each other, unless `own` says which of them, or its `ownTypes` the types of
 * which. From other rooms they import what is in `others` (after the `../` of the import), or its types if it is in
 * `types`. Of two entries for a file, the later counts.
 */
const SHARED_BY_ENGINES = [
  'store.ts',
  'queue.ts',
  'layout.ts',
  'rows.ts',
  'tables.ts',
  'values.ts',
  'schema.ts',
  'transaction.ts',
];
const FRAMEWORK = ['auth', 'contract', 'files', 'http', 'observability', 'pages', 'storage'].map((name) => `${name}/`);
const ROOMS = {
  'src/main.ts': { others: [], own: [`${SERVICE}/index.ts`] },
  [`src/${SERVICE}/**`]: { others: ['generated/'], packages: ['kysely'] },
  [`${EXAMPLES}/main.ts`]: { others: [], own: ['service/index.ts'] },
  [`${EXAMPLES}/service/**`]: { others: ['generated/'], packages: ['kysely'] },
  'src/framework/*.ts': { others: [], own: [...FRAMEWORK, 'environment.ts', 'service.ts'] },
  // The face: what it exports again. It imports commands/main.ts at run time.
  'src/framework/index.ts': {
    others: [],
    own: ['contract/errors.ts', 'contract/types.ts', 'http/entity-tag.ts', 'service.ts', 'storage/'],
    not: '^\\./storage/(?!(cursor|steps|store|tables|values)\\.ts$)',
  },
  'src/framework/service.ts': { others: [], own: [], ownTypes: FRAMEWORK },
  'src/framework/commands/**': {
    others: [...FRAMEWORK, 'config.ts', 'environment.ts', 'service.ts', 'package.json'],
  },
  'src/framework/contract/**': { others: [] },
  'src/framework/contract/validator-eov.ts': { others: [], packages: ['express-openapi-validator/dist'] },
  'src/framework/http/**': {
    others: ['contract/', 'storage/store.ts'],
    types: ['auth/', 'observability/', 'service.ts'],
    packages: ['express'],
  },
  // Queries are made of what Kysely exports.
  'src/framework/storage/*.ts': { others: ['contract/int64.ts'], packages: ['kysely'], not: '^\\./(sqlite|postgres)/' },
  'src/framework/storage/open.ts': { others: [] },
  'src/framework/storage/sqlite/**': { others: SHARED_BY_ENGINES, packages: ['node:sqlite'] },
  'src/framework/storage/postgres/**': { others: SHARED_BY_ENGINES, packages: ['pg'] },
  'src/framework/auth/**': { others: ['contract/', 'storage/store.ts'] },
  'src/framework/files/**': {
    others: ['contract/', 'storage/store.ts', 'storage/tables.ts', 'storage/queue.ts'],
    types: ['service.ts'],
  },
  'src/framework/pages/**': { others: ['contract/', 'http/'], packages: ['express'] },
  'src/framework/observability/**': {
    others: ['contract/', 'http/', 'storage/store.ts'],
    types: ['service.ts', 'storage/open.ts'],
  },
};

/** What every room of the framework imports: it imports nothing itself. */
const LEAF = 'explained-error.ts';

const oneOf = (texts) => `(${texts.map(RegExp.escape).join('|')})`;

function room([files, { others, types = [], own, ownTypes = [], packages = [], not = '^$' }]) {
  const isFramework = files.startsWith('src/framework/');
  const leaf = isFramework ? [LEAF] : [];
  const mine = own === undefined ? ['./'] : [...leaf, ...own, ...ownTypes].map((path) => `./${path}`);
  const foreign = PACKAGES.filter((name) => !packages.includes(name));
  const patterns = [
    {
      regex: `^(\\.\\./)+(?!${oneOf(['../', ...leaf, ...others, ...types])})`,
      message: `${files} imports from other rooms only: ${[...leaf, ...others, ...types].join(', ')}`,
    },
    { regex: `^(?!${oneOf(mine)})\\./`, message: `${files} imports from its own room only: ${mine.join(', ')}` },
    ...[
      [types, '(\\.\\./)+'],
      [ownTypes, '\\./'],
    ]
      .filter(([paths]) => paths.length > 0)
      .map(([paths, before]) => ({
        regex: `^${before}${oneOf(paths)}`,
        allowTypeImports: true,
        message: `${files} imports only types from ${paths.join(', ')}`,
      })),
    { regex: `^${oneOf(foreign)}(/|$)`, message: `${files} does not import this package.` },
    { regex: not, message: `${files} does not import this file.` },
    { regex: isFramework ? '^#' : '^$', message: 'The framework does not import its own face.' },
    { regex: '^\\./\\.\\.|[^.]/\\.\\./', message: 'The path goes up at its beginning only.' },
  ];
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/** Scripts and tests are for any service. */
const ANY_SERVICE = {
  // A contract of the tests may have its own `generated/` beside it.
  regex: `^(?!\\./generated/)\\.\\.?/(\\.\\./)*((src/|test/)?${SERVICE}/|src/main\\.ts|generated/|examples/)`,
  message: `Only src/${SERVICE} and test/${SERVICE} know the service of this project.`,
};
const FACE = { regex: '^#', message: 'Scripts import the files of the framework: its face is for services.' };

/** No rule of imports sees those at run time. */
const AT_RUN_TIME = 'The rules of imports do not see an import at run time: only commands may need it.';

const TEXTS = new Map(
  globSync(['{src,scripts,test,generated,examples}/**/*.ts', 'package-lock.json', 'tsconfig.json'], {
    cwd: import.meta.dirname,
  })
    .toSorted()
    .map((file) => [file, readFileSync(join(import.meta.dirname, file), 'utf8')]),
);

/** Adds a file and all that it imports, directly or indirectly. */
function reach(file, reached) {
  if (reached.has(file) || !TEXTS.has(file)) return;
  reached.add(file);
  for (const [, path] of TEXTS.get(file).matchAll(/'(\.\.?\/.*?|#\w+)'/g))
    reach(path.startsWith('#') ? join(packageJson.imports[path] ?? path) : join(file, '..', path), reached);
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
  { ignores: ['node_modules/', 'coverage/', '**/generated/', 'test/framework/*/generated.ts'] },
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
  {
    files: ['scripts/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [ANY_SERVICE, FACE] }] },
  },
  {
    files: ['test/**'],
    ignores: [`test/${SERVICE}/**`],
    rules: { 'no-restricted-imports': ['error', { patterns: [ANY_SERVICE] }] },
  },
  ...Object.entries(ROOMS).map(room),
  {
    files: ['src/**', `${EXAMPLES}/{main.ts,service/**}`],
    // A command is loaded when it is run, and Kysely while an engine opens.
    ignores: ['src/framework/commands/**', 'src/framework/storage/open.ts'],
    rules: { 'no-restricted-syntax': ['error', { selector: 'ImportExpression', message: AT_RUN_TIME }] },
  },
  {
    files: ['src/framework/index.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ImportExpression:not([source.value="./commands/main.ts"])', message: AT_RUN_TIME },
      ],
    },
  },
  {
    files: ['src/**', `${EXAMPLES}/{main.ts,service/**}`],
    ignores: ['src/framework/environment.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/framework/environment.ts reads the environment.' },
      ],
    },
  },
  {
    files: ['src/framework/commands/**'],
    rules: {
      'no-restricted-globals': ['error', { name: 'process', message: 'A command takes what it needs from its io.' }],
    },
  },
);
