import assert from 'node:assert/strict'
import { privateKey, secretBasic, TokenEndpointError } from 'castellan/transports'
import { freePort } from '../free-port.js'
import { authorizationServer, basicJob, signingJob } from './authorization-server.js'
import { countTwice } from './job.js'
import { notesServer } from './notes-server.js'

/** Two jobs, one with a secret and one with a key, call a protected server; a wrong secret sends nothing to it. */
export async function check(): Promise<void> {
  const port = await freePort()
  const authorization = await authorizationServer(await freePort(), `http://127.0.0.1:${port}/mcp`)
  const server = await notesServer(port, authorization.issuer, 'client_id')
  const known = { issuer: authorization.issuer, allowLoopbackHttp: true }
  try {
    const basic = secretBasic({ ...basicJob, ...known })
    assert.deepEqual(await countTwice(server.endpoint, basic), ['basic-job: 3', 'basic-job: 3'])
    const signing = privateKey({ ...signingJob, ...known, key: authorization.key })
    assert.deepEqual(await countTwice(server.endpoint, signing), ['signing-job: 3', 'signing-job: 3'])
    assert.equal(authorization.given(), 2)
    const wrong = secretBasic({ ...basicJob, ...known, clientSecret: 'not the secret' })
    await assert.rejects(countTwice(server.endpoint, wrong), (error) => {
      assert(error instanceof TokenEndpointError)
      assert.equal(error.oauthCode, 'invalid_client')
      return true
    })
  } finally {
    await server.close()
    await authorization.close()
  }
}

if (import.meta.filename === process.argv[1]) await check()
