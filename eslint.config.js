import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

const SRC = 'packages/trellis/src';
const CONTRACT = 'packages/contract/src';
const PEERS = 'packages/trellis/lab/bench/peers/';

/** Packages that only the folders with these names in `packages` import. */
const PACKAGES = ['express', 'express-openapi-validator/dist', 'kysely', 'node:process', 'node:sqlite', 'pg'];

/** What an operation sees of the store, what an engine must do, what an operator does, and how they fail. */
const STORE = ['queries.ts', 'engine.ts', 'store.ts', 'store-errors.ts'];
const SHARED_BY_ENGINES = [
  ...STORE,
  'queue.ts',
  'turns.ts',
  'caller.ts',
  'layout.ts',
  'rows.ts',
  'tables.ts',
  'values.ts',
  'schema.ts',
  'transaction.ts',
];
const OF_STORE = STORE.map((file) => `storage/${file}`);
const ABOVE_STORAGE = ['auth', 'files', 'http', 'observability', 'pages', 'storage'].map((name) => `${name}/`);
/** A thread of SQLite would load the validator. */
const BEYOND_GROUND = '^trellis-contract$';
const OF_SERVICE = ['config.ts', 'environment.ts', 'read-settings.ts', 'service.ts', 'stub.ts'];

/**
 * Who imports whom: the files of a folder import each other, unless `own` says which of them, or its `ownTypes` the types of
 * which. From other folders they import what is in `others` (after the `../` of the import), or its types if it is in
 * `types`. Of two entries for a file, the later counts.
 */
const IMPORTS = {
  '*.ts': { others: [], own: [...ABOVE_STORAGE, 'environment.ts', 'read-settings.ts', 'service.ts'] },
  // What the package exports. It imports commands/main.ts and instance/start.ts at run time.
  'index.ts': {
    others: [],
    own: ['http/entity-tag.ts', 'service.ts', 'storage/', 'stub.ts'],
    ownTypes: ['instance/start.ts'],
    not: '^\\./storage/(?!(cursor|queries|steps|store-errors|tables|values)\\.ts$)',
  },
  'sql.ts': { others: [], own: [], packages: ['kysely'] },
  'service.ts': { others: [], own: [], ownTypes: ABOVE_STORAGE },
  'stub.ts': { others: [], own: [], ownTypes: ['service.ts'] },
  // What runs: a service, and above it commands, which share what stands in terminal/.
  'instance/**': { others: [...ABOVE_STORAGE, ...OF_SERVICE, 'terminal/'] },
  'terminal/**': { others: [...ABOVE_STORAGE, ...OF_SERVICE] },
  'commands/**': { others: [...ABOVE_STORAGE, ...OF_SERVICE, 'instance/', 'terminal/'] },
  'http/**': {
    others: ['auth/caller.ts', 'storage/caller.ts', ...OF_STORE],
    types: ['auth/authenticator.ts', 'service.ts'],
    packages: ['express'],
  },
  // Queries are made of what Kysely exports.
  'storage/*.ts': {
    others: [],
    packages: ['kysely'],
    not: `^\\./(sqlite|postgres)/|${BEYOND_GROUND}`,
  },
  'storage/open.ts': { others: [] },
  'storage/sqlite/**': { others: ['acts.ts', ...SHARED_BY_ENGINES], packages: ['node:sqlite'], not: BEYOND_GROUND },
  'storage/postgres/**': { others: SHARED_BY_ENGINES, packages: ['pg'], not: BEYOND_GROUND },
  'auth/**': { others: OF_STORE },
  'files/**': {
    others: [...OF_STORE, 'storage/tables.ts', 'storage/turns.ts'],
    types: ['service.ts'],
  },
  'pages/**': { others: ['http/'], packages: ['express'] },
  'observability/**': {
    others: ['http/', ...OF_STORE],
    types: ['service.ts', 'storage/open.ts'],
  },
};

/** What a client is told, and what an author is told; how tokens are carried. */
const GROUND = ['refusal.ts', 'contract-error.ts', 'schemes.ts'];

/** As IMPORTS, in trellis-contract, from the lowest of its folders: each imports those before it. */
const IMPORTS_OF_CONTRACT = {
  '*.ts': { others: [] },
  'schema/**': { others: GROUND },
  'rules/**': { others: [...GROUND, 'schema/'] },
  'message/**': { others: [...GROUND, 'schema/', 'rules/'] },
  'validator/**': { others: [...GROUND, 'schema/', 'rules/', 'message/'] },
  'validator/validator-eov.ts': {
    others: [...GROUND, 'schema/', 'rules/', 'message/'],
    packages: ['express-openapi-validator/dist'],
  },
};

/** What every folder of a package may import: they import no folder themselves. */
const LEAVES = ['exit-codes.ts', 'explained-error.ts', 'globals.ts', 'place.ts', 'shell.ts'];

/** Where a version of Node that was not tested may differ. */
const UNDOCUMENTED = [
  ':matches(MemberExpression, Property, MethodDefinition) > Identifier[name=/^_/]:matches(.property, .key)',
].map((selector) => ({ selector, message: 'Only http/node-http.ts relies on what Node does not document.' }));

const oneOf = (texts) => `(${texts.map(RegExp.escape).join('|')})`;

function importsOf(from, [name, { others, types = [], own, ownTypes = [], packages = [], not = '^$' }]) {
  const files = `${from}/${name}`;
  const mine = own === undefined ? ['./'] : [...LEAVES, ...own, ...ownTypes].map((path) => `./${path}`);
  const foreign = PACKAGES.filter((name) => !packages.includes(name));
  const patterns = [
    {
      regex: `^(\\.\\./)+(?!${oneOf(['../', ...LEAVES, ...others, ...types])})`,
      message: `${files} imports from other folders only: ${[...LEAVES, ...others, ...types].join(', ')}`,
    },
    { regex: `^(?!${oneOf(mine)})\\./`, message: `${files} imports from its own folder only: ${mine.join(', ')}` },
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
    { regex: '^trellis(/|$)', message: 'The packages do not import trellis by its name.' },
    { regex: '^trellis-contract/(?!ground$)', message: 'What serves imports only trellis-contract and its ground.' },
    ...(from === CONTRACT
      ? [{ regex: '^trellis-contract', message: 'A package does not import itself by its name.' }]
      : []),
    { regex: '^\\./\\.\\.|[^.]/\\.\\./', message: 'The path goes up at its beginning only.' },
  ];
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/** No rule of imports sees those at run time. */
const AT_RUN_TIME = {
  selector: 'ImportExpression',
  message: 'The rules of imports do not see an import at run time: only commands may need it.',
};

/** Another version or language words a message otherwise. What cannot do without is disabled there, with the reason. */
const READERS = '/^(at|endsWith|includes|indexOf|match|matchAll|replace|search|slice|split|startsWith)$/';
const A_MESSAGE =
  ':matches(MemberExpression[property.name="message"], Identifier[name=/^(message|reason)$/], CallExpression[callee.name="messageOf"])';
const MESSAGES_READ = [
  `CallExpression[callee.property.name=${READERS}] > MemberExpression.callee > ${A_MESSAGE}.object`,
  `CallExpression[callee.property.name=/^(exec|test)$/] > ${A_MESSAGE}.arguments`,
  `BinaryExpression[operator=/^[!=]==$/]:not([right.name=/^undefined$/]) > ${A_MESSAGE}`,
].map((selector) => ({ selector, message: 'A message is for people: read the code of the error, or its members.' }));

const TEXTS = new Map(
  globSync(['{src,scripts,test,generated,examples,packages}/**/*.ts', 'package-lock.json', 'tsconfig.json'], {
    cwd: import.meta.dirname,
    exclude: ['**/node_modules/**'],
  })
    .toSorted()
    .map((file) => [file, readFileSync(join(import.meta.dirname, file), 'utf8')]),
);

/** The text of a file without what no other file's types can depend on: the bodies of functions whose result is declared. */
function shapeOf(file) {
  const text = TEXTS.get(file);
  if (!file.endsWith('.ts')) return text;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  let [shape, end] = ['', 0];
  const visit = (node) => {
    if (!ts.isFunctionLike(node) || node.type === undefined || node.body === undefined) ts.forEachChild(node, visit);
    else {
      shape += text.slice(end, node.body.pos);
      end = node.body.end;
    }
  };
  visit(source);
  return shape + text.slice(end);
}

const SHAPES = new Map([...TEXTS.keys()].map((file) => [file, shapeOf(file)]));

/** The doors of the packages. */
const FACE = {
  trellis: `${SRC}/index.ts`,
  'trellis/sql': `${SRC}/sql.ts`,
  'trellis/testing': 'packages/trellis/testing/index.ts',
  'trellis-contract': `${CONTRACT}/index.ts`,
  'trellis-contract/derivation': 'packages/contract/tools/derivation/index.ts',
  'trellis-contract/ground': `${CONTRACT}/ground.ts`,
  'trellis-contract/tools': 'packages/contract/tools/index.ts',
};

/** Adds a file and all that it imports, directly or indirectly. */
function reach(file, reached) {
  if (reached.has(file) || !TEXTS.has(file)) return;
  reached.add(file);
  for (const [, path] of TEXTS.get(file).matchAll(/'(\.\.?\/.*?|trellis(?:-contract)?(?:\/\w+)?)'/g))
    reach(FACE[path] ?? join(file, '..', path), reached);
}

/**
 * The rules depend on types. So the configuration of a folder has a digest of all on which its types depend, and ESLint's
 * cache forgets the folder when that changes. The cache itself compares the text of each file.
 */
function dependencies(folder) {
  const reached = new Set();
  for (const file of TEXTS.keys()) {
    const isGlobal = !file.endsWith('.ts') || file.endsWith('.d.ts');
    if (isGlobal || dirname(file) === folder) reach(file, reached);
  }
  const texts = [...reached].toSorted().map((file) => SHAPES.get(file));
  const digest = createHash('sha256').update(texts.join('\0')).digest('hex');
  return { files: [`${folder}/*.ts`], settings: { dependencies: digest } };
}

const FOLDERS = new Set([...TEXTS.keys()].map(dirname));

export default defineConfig(
  {
    ignores: [
      'node_modules/',
      '.cache/',
      'coverage/',
      '**/generated/',
      '**/generated.ts',
      'packages/trellis/template-own/',
      // Their rules need the types of packages that the bench installs when it first runs.
      ...(existsSync(`${PEERS}node_modules`) ? [] : [PEERS]),
    ],
  },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      'no-duplicate-imports': 'error',
      'no-cond-assign': ['error', 'always'],
      'no-sequences': 'error',
      'no-multi-assign': 'error',
      'no-return-assign': ['error', 'always'],
      // Otherwise Prettier spreads each such callback over three lines.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
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
  {
    // The runner of the template's tests waits for them itself.
    files: ['packages/trellis/template/test/**'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['describe', 'test'] }] },
      ],
    },
  },
  ...[...FOLDERS].map(dependencies),
  ...Object.entries(IMPORTS_OF_CONTRACT).map((entry) => importsOf(CONTRACT, entry)),
  ...Object.entries(IMPORTS).map((entry) => importsOf(SRC, entry)),
  {
    // What needs a store, a process or a server stands in another tier.
    files: ['packages/*/test/unit/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex:
                '^(\\.\\./)+((services|engine|process|postgres|lab)/|support/(?!skipping\\.ts$))|^\\.\\./.*/(storage/open|commands/main)\\.ts$',
              message: 'A unit test imports sources, its neighbours, and support/skipping.ts only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['packages/*/{src,tools,testing}/**'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { 'no-restricted-syntax': ['error', ...MESSAGES_READ] },
  },
  {
    files: [`${SRC}/**`, `${CONTRACT}/**`],
    // A command is loaded when it is run, and Kysely while an engine opens.
    ignores: [`${SRC}/{commands,instance}/**`, `${SRC}/storage/open.ts`, `${SRC}/index.ts`],
    rules: { 'no-restricted-syntax': ['error', ...MESSAGES_READ, ...UNDOCUMENTED, AT_RUN_TIME] },
  },
  {
    files: [`${SRC}/http/node-http.ts`],
    rules: { 'no-restricted-syntax': ['error', ...MESSAGES_READ, AT_RUN_TIME] },
  },
  {
    files: [`${SRC}/index.ts`],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          ...AT_RUN_TIME,
          selector: 'ImportExpression:not([source.value="./commands/main.ts"], [source.value="./instance/start.ts"])',
        },
      ],
    },
  },
  {
    files: [`${SRC}/**`, `${CONTRACT}/**`, 'src/**', 'examples/*/{main.ts,service/**}'],
    ignores: [`${SRC}/environment.ts`],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only packages/trellis/src/environment.ts reads the environment.',
        },
      ],
    },
  },
  {
    files: [`${SRC}/{commands,instance,terminal}/**`],
    rules: {
      'no-restricted-globals': ['error', { name: 'process', message: 'A command takes what it needs from its io.' }],
    },
  },
);
