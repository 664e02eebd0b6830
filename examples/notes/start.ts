import { startDemo } from './demo.js'
import { invitation } from './invitation.js'
import { tellStory } from './story.js'
import { transcript } from './transcript.js'

const isOnce = process.argv.includes('--once')
const demo = await startDemo(isOnce ? { notes: 0, authorization: 0 } : { notes: 8080, authorization: 8081 })
console.log(`A protected notes server at ${demo.url}`)
console.log(`Its authorization server at ${demo.authorization.issuer}`)

try {
  const token = await tellStory(
    demo,
    transcript((line) => console.log(line)),
  )
  console.log('\nEvery step went as expected.')
  if (isOnce) await demo.close()
  else console.log(invitation(demo, token))
} catch (error) {
  console.error('\nThis step differs from the story:', error)
  process.exitCode = 1
  await demo.close()
}
