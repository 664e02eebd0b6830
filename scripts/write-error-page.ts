import { writeFile } from 'node:fs/promises'
import { errorTable, WireError, type ErrorCode, type ErrorRow } from '../src/errors.js'
import { legacy } from '../src/protocol/2025-11-25/revision.js'

/** Where the page stands. */
export const errorPageUrl = new URL('../docs/errors.md', import.meta.url)

/** Answered before anybody knows which revision the request speaks, so the same for both. */
const beforeRevision = new Set(['ERR_MEDIA_TYPE', 'ERR_ACCEPT', 'ERR_BODY_SIZE', 'ERR_BODY'])

/** Thrown before anything listens. */
const atStart = new Set(['ERR_DEFINITION', 'ERR_OPTION'])

/** What a request of 2025-11-25 cannot run into: it has no mirrored headers and no extensions. */
const newerOnly = new Set(['ERR_HEADER', 'ERR_CAPABILITY'])

const introduction = `# Errors

<!-- Written by \`npm run docs\` from the table in src/errors.ts; do not edit. -->

Every failure Castellan tells has a code. On the wire it is a JSON-RPC error; in your process it is the \`code\` of a
\`CastellanError\`. What the guard turns away, missing scopes included, is an HTTP status with an empty body and no code.

## Told to clients

| code | JSON-RPC | HTTP for 2026-07-28 | HTTP for 2025-11-25 | meaning |
|---|---|---|---|---|
`

const between = `
A failure after a handler was reached is always HTTP 200. 401, 403 for missing scopes, 400 for bad credentials and 503
come from the guard: see [authorization.md](authorization.md#the-decision-table).

## Thrown at start

\`DefinitionError\`, before anything listens; the message names the definition or the option.

| code | meaning |
|---|---|
`

const byClients = `
## Thrown by clients and agents

For calls made with Castellan, not for calls answered by it.

| code | meaning |
|---|---|
`

const classes = `
## Classes

| class | thrown by | what becomes of it |
|---|---|---|
| \`CastellanError\` | base of every error with a code | has a \`code\` of the tables above |
| \`DefinitionError\` | every \`define…\`, \`jwtResourceServer\`, \`createGuard\`, the plugin | the app does not start |
| \`WireError\` | the server, and handlers that want one exact JSON-RPC error | is answered as its row says; from a handler on HTTP 200 |
| \`ToolError\` | handlers of tools, and work around them | a tool result with \`isError: true\` and the message |
| \`RpcError\`, \`HttpResponseError\`, \`MalformedResponseError\`, \`InternalClientError\`, \`ToolExecutionError\`, \`OutcomeUnknownError\`, \`ConnectionLostError\`, \`SubscriptionCancelledError\` | callers and clients | has a literal \`kind\`; see [calling.md](calling.md#what-a-failure-says) |
| \`InvalidCallError\`, \`OutputContractError\`, \`UnsupportedRecordError\`, \`InvalidAnswersError\`, \`CallInProgressError\` | \`castellan/agent\` | see [agents.md](agents.md) |
| \`DiscoveryError\`, \`RegistrationError\`, \`ConsentRequiredError\`, \`ConsentError\`, \`TokenEndpointError\`, \`InsufficientScopeError\`, \`InvalidTokenError\`, \`AuthorizationUnavailableError\`, \`IdentityRequiredError\` | \`castellan/transports\` | nothing ran; see [browser-consent.md](browser-consent.md) |
| \`StoreError\` | \`castellan/store\` | see [stores.md](stores.md) |
| anything else | your handlers | is logged in full and answered as \`ERR_INTERNAL\`, without its message |
`

/** The page of all errors, as it is committed. */
export function errorPage(): string {
  const rows = Object.entries(errorTable) as [ErrorCode, ErrorRow][]
  const told = rows.filter(([, { http }]) => http !== undefined)
  const thrown = rows.filter(([, { http }]) => http === undefined)
  const thrownRows = (wanted: boolean) =>
    thrown
      .filter(([code]) => atStart.has(code) === wanted)
      .map(([code, { text }]) => `| \`${code}\` | ${text} |\n`)
  return [
    introduction,
    ...told.map(([code, row]) => toldRow(code, row)),
    between,
    ...thrownRows(true),
    byClients,
    ...thrownRows(false),
    classes,
  ].join('')
}

function toldRow(code: ErrorCode, { rpc, http, text }: ErrorRow): string {
  const older = olderAnswer(code, rpc, http)
  return `| \`${code}\` | ${rpc ?? 'none'} | ${http ?? ''} | ${older} | ${text} |\n`
}

function olderAnswer(code: ErrorCode, rpc: number | undefined, http: number | undefined): string {
  if (newerOnly.has(code)) return 'never'
  if (rpc === undefined || beforeRevision.has(code)) return String(http)
  const failure = legacy.failure(new WireError(code as ConstructorParameters<typeof WireError>[0]))
  return failure.rpc === rpc ? String(failure.status) : `${failure.status}, as ${failure.rpc}`
}

if (import.meta.filename === process.argv[1]) await writeFile(errorPageUrl, errorPage())
