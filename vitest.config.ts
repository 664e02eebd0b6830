import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Apps of tests log all there is, so that secrets are looked for in it. */
const watchedFastify = fileURLToPath(new URL('test/watched-log/fastify.ts', import.meta.url))

export default defineConfig({
  ssr: { resolve: { conditions: ['castellan:source', 'node'] } },
  resolve: { alias: [{ find: /^fastify$/, replacement: watchedFastify }] },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/watched-log/setup.ts'],
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
