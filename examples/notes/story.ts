import assert from 'node:assert/strict'
import type { AuthorizationServer as IssuerMetadata } from 'oauth4webapi'
import type { Demo } from './demo.js'
import { challengeParameter, mcpRequest, type McpAnswer } from './mcp-request.js'
import { callWithOfficialClient } from './official-client.js'
import { accessToken, issuerMetadata, resourceMetadata } from './token.js'
import type { Transcript } from './transcript.js'

/** The whole story of a client and a protected server. Throws at the first step that differs. Returns the last token. */
export async function tellStory(demo: Demo, transcript: Transcript): Promise<string> {
  const metadataUrl = await turnedAway(demo, transcript)
  const issuer = await discovered(demo, metadataUrl, transcript)
  const readToken = await granted(demo, issuer, 'notes:read', transcript)
  await lookedAround(demo, readToken, transcript)
  await calledListNotes(demo, readToken, [], transcript)
  const scope = await refusedForScope(demo, readToken, transcript)
  const writeToken = await granted(demo, issuer, scope, transcript)
  await calledAddNote(demo, writeToken, transcript)
  await officialClientsCalled(demo, writeToken, transcript)
  return writeToken
}

async function turnedAway({ url }: Demo, transcript: Transcript): Promise<string> {
  transcript.step('A call without a token is turned away, and told where to look')
  const answer = await mcpRequest({ url, method: 'server/discover' }, transcript)
  assert.equal(answer.status, 401)
  const metadataUrl = challengeParameter(answer.challenge, 'resource_metadata')
  assert.equal(metadataUrl, new URL('/.well-known/oauth-protected-resource/mcp', url).href)
  assert.equal(challengeParameter(answer.challenge, 'scope'), 'notes:read')
  return metadataUrl
}

async function discovered({ url, authorization }: Demo, metadataUrl: string, transcript: Transcript) {
  transcript.step('The protected resource names its authorization server, which describes itself')
  const resource = await resourceMetadata(url, metadataUrl, transcript)
  assert.equal(resource.resource, url)
  assert.deepEqual(resource.authorization_servers, [authorization.issuer])
  return issuerMetadata(authorization.issuer, transcript)
}

async function granted(demo: Demo, server: IssuerMetadata, scope: string, transcript: Transcript) {
  transcript.step(`A client credentials grant gives a token for exactly this resource, with ${scope}`)
  return accessToken({ server, client: demo.authorization.client, resource: demo.url, scope }, transcript)
}

async function lookedAround({ url }: Demo, token: string, transcript: Transcript): Promise<void> {
  transcript.step('With the token, the server says what it is and which tools it has')
  const discover = await mcpRequest({ url, token, method: 'server/discover' }, transcript)
  assert.equal(discover.status, 200)
  const versions = discover.body.result?.['supportedVersions'] as string[]
  assert.ok(versions.includes('2026-07-28'))
  transcript.got(`supportedVersions ${versions.join(' ')}`)
  const listed = await mcpRequest({ url, token, method: 'tools/list' }, transcript)
  const tools = listed.body.result?.['tools'] as { name: string; description: string }[]
  assert.deepEqual(tools.map((tool) => tool.name).sort(), ['add_note', 'list_notes'])
  for (const tool of tools) transcript.got(`${tool.name}: ${tool.description}`)
}

async function calledListNotes(
  { url }: Demo,
  token: string,
  expected: readonly string[],
  transcript: Transcript,
): Promise<void> {
  transcript.step('A call to list_notes succeeds')
  const answer = await callTool({ url, token, name: 'list_notes', input: {} }, transcript)
  assert.equal(answer.status, 200)
  const { notes } = structured(answer) as { notes: { text: string }[] }
  assert.deepEqual(
    notes.map((note) => note.text),
    expected,
  )
}

async function refusedForScope({ url }: Demo, token: string, transcript: Transcript): Promise<string> {
  transcript.step('A call to add_note is refused: this token lacks the scope, and the challenge names it')
  const answer = await callTool({ url, token, name: 'add_note', input: { text: 'Buy milk' } }, transcript)
  assert.equal(answer.status, 403)
  assert.equal(challengeParameter(answer.challenge, 'error'), 'insufficient_scope')
  const needed = challengeParameter(answer.challenge, 'scope')?.split(' ') ?? []
  assert.ok(needed.includes('notes:write'))
  return [...new Set(['notes:read', ...needed])].join(' ')
}

async function calledAddNote(demo: Demo, token: string, transcript: Transcript): Promise<void> {
  transcript.step('The same call with the new token succeeds')
  const { url } = demo
  const answer = await callTool({ url, token, name: 'add_note', input: { text: 'Buy milk' } }, transcript)
  assert.equal(answer.status, 200)
  assert.equal((structured(answer) as { text: string }).text, 'Buy milk')
}

async function officialClientsCalled(demo: Demo, token: string, transcript: Transcript): Promise<void> {
  const { url, authorization } = demo
  const world = { url, issuer: authorization.issuer, client: authorization.client }
  transcript.step("The official SDK's client does the same, getting its own token")
  const newer = { ...world, revision: '2026-07-28', text: 'Walk the dog' } as const
  const walk = await callWithOfficialClient(newer, transcript)
  assert.equal((walk as { text: string }).text, 'Walk the dog')
  transcript.step('A client of the older revision calls the same URL')
  const older = { ...world, revision: '2025-11-25', text: 'Water the plants' } as const
  const water = await callWithOfficialClient(older, transcript)
  assert.equal((water as { text: string }).text, 'Water the plants')
  await calledListNotes(demo, token, ['Water the plants', 'Walk the dog', 'Buy milk'], transcript)
}

interface ToolCall {
  readonly url: string
  readonly token: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

async function callTool({ url, token, name, input }: ToolCall, transcript: Transcript): Promise<McpAnswer> {
  const params = { name, arguments: input }
  const answer = await mcpRequest({ url, token, method: 'tools/call', name, params }, transcript)
  const value = structured(answer)
  if (value !== undefined) transcript.got(JSON.stringify(value))
  return answer
}

function structured({ body }: McpAnswer): unknown {
  return body.result?.['structuredContent']
}
