import { Pool } from 'undici'
import { callHeaders, callMessage } from '../workload.js'
import type { Connect } from './connect.js'

/** The same requests without a client: written as JSON, sent, read as JSON, believed. */
export const connect: Connect = (url) => {
  const { origin, pathname: path } = new URL(url)
  const pool = new Pool(origin, { connections: 256 })
  const headers = { ...callHeaders }
  let id = 0
  return async (input) => {
    const sent = JSON.stringify(callMessage(++id, input))
    const { body } = await pool.request({ path, method: 'POST', headers, body: sent })
    return JSON.parse(await body.text()).result.structuredContent.text
  }
}
