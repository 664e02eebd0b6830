import tseslint from 'typescript-eslint'

const rawWrites = ['write', 'end', 'writeHead', 'setHeader'].map((method) => ({
  selector: `CallExpression[callee.property.name='${method}'][callee.object.property.name='raw']`,
  message: 'Answer through reply.send: the host app must keep its hooks and headers.',
}))

export default tseslint.config(
  {
    ignores: ['**/dist', 'results', 'node_modules', 'eslint.config.js', 'test/conformance/dist', '**/*.mjs'],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', { max: 350 }],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: "CallExpression[callee.property.name='hijack']", message: 'reply.hijack() is banned.' },
        { selector: 'TSEnumDeclaration', message: 'No enum: use a union of strings.' },
        {
          selector: "ImportSpecifier[imported.name='EmbeddedJWK']",
          message: 'Keys never come from the token.',
        },
        ...rawWrites,
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['test/**/*.ts', 'examples/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/only-throw-error': 'off',
    },
  },
)
