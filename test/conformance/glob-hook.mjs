// The official runner imports `globSync` from `fs`, which Node 20 does not have. Only its `tier-check` command
// calls it. `node --import ./glob-hook.mjs` gives the runner's own modules a `fs` that has the name.
import fs from 'node:fs'
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const importer = '/node_modules/@modelcontextprotocol/conformance/'
const standIn = 'conformance:fs'
const source = `
export * from 'node:fs'
export function globSync() { throw new Error('globSync needs Node 22') }
`

export async function resolve(specifier, context, next) {
  const isFs = specifier === 'fs' || specifier === 'node:fs'
  if (isFs && context.parentURL?.includes(importer)) return { url: standIn, shortCircuit: true }
  return next(specifier, context)
}

export async function load(url, context, next) {
  if (url === standIn) return { format: 'module', source, shortCircuit: true }
  return next(url, context)
}

if (isMainThread && !('globSync' in fs)) register(import.meta.url)
