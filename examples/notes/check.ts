import assert from 'node:assert/strict'
import { startDemo } from './demo.js'
import { tellStory } from './story.js'
import { silence } from './transcript.js'

/** Runs the whole example on free ports and throws at the first difference. */
export async function check(): Promise<void> {
  const demo = await startDemo({ notes: 0, authorization: 0 })
  try {
    const health = await fetch(new URL('/health', demo.url))
    assert.deepEqual(await health.json(), { status: 'ok' })
    await tellStory(demo, silence)
  } finally {
    await demo.close()
  }
}
