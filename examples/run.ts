import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Each folder beside this file is an example, and its `check.ts` runs it and throws at the first difference. */
const examples = readdirSync(import.meta.dirname).filter((name) => existsSync(checkOf(name)))

function checkOf(name: string): string {
  return join(import.meta.dirname, name, 'check.ts')
}

const [wanted = ''] = process.argv.slice(2)
if (examples.includes(wanted)) {
  const { check } = (await import(checkOf(wanted))) as { check: () => Promise<void> }
  await check()
  console.log(`\n${wanted} did what it says`)
} else {
  console.error(`npm run example -- <name>, one of:\n  ${examples.join('\n  ')}`)
  process.exitCode = 1
}
