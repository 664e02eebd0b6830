import { readFile } from 'node:fs/promises'
import fastify from 'fastify'
import { ready } from './ready.js'

/** Sends the very bytes another server answered, kept as a string. */
const body = await readFile(process.env['BENCH_LIST'] ?? '', 'utf8')

const app = fastify()
app.post('/mcp', (_request, reply) => reply.header('content-type', 'application/json').send(body))
await ready(app)
